"""Backtests as callers ask for them: start, look, remove."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import orjson
from django.conf import settings
from django.db import transaction
from pydantic import JsonValue

from conversations.domain.message import MessageDraft
from conversations.domain.prices import Price
from conversations.domain.tokens import tokens_of_text
from conversations.models import Conversation
from conversations.workspace.matching import STATUSES, ConversationFilter
from ctxadmin.background.leases import is_abandoned
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib import clock, ids
from ctxadmin.lib.errors import FieldProblem, InvalidState, TooLarge, ValidationFailed
from ctxadmin.lib.json_bytes import dumps
from ctxadmin.lib.sentence import say
from ctxadmin.lib.work_budget import limit_work
from workflows.backtests import store
from workflows.backtests.questions import Question
from workflows.backtests.recordings import latest_heads
from workflows.backtests.replaying import replay_all
from workflows.backtests.runner import RUNNER, result_bytes
from workflows.domain.backtests.recorded import Recorded
from workflows.domain.backtests.sums import PolicySums
from workflows.models import Backtest
from workflows.store.definitions import definition
from workflows.store.workflow import find_workflow

MOST_CONVERSATIONS: Final = 2_000
MOST_ACTIVE: Final = 4  # of a workspace at once
MOST_UPLOADED: Final = 100
MOST_MESSAGES: Final = 10_000  # of one conversation
MOST_BYTES: Final = 16_000_000  # of the log of one conversation
# Messages times policies of one backtest: 1,000 conversations of 100 messages and 8 policies beside
# the two that are always there are 1,000,000.
MOST_WORK: Final = 3_000_000
_ALWAYS: Final = 2  # policies that are always among the rows


@dataclass(frozen=True, slots=True)
class NewBacktest:
    """What a caller asks for; ``policies`` are JSON.

    ``workflow`` is the slug whose draft has the nodes and whose conversations count, "" for all of
    the workspace; ``tools`` are tool schemas as JSON. With ``upload`` its conversations are
    replayed at once, instead of the ``last`` ones that are ``wanted``, and not stored.
    """

    policies: Sequence[JsonValue]
    price: Price
    workflow: str = ""
    wanted: ConversationFilter = field(default_factory=ConversationFilter)
    last: int = 100
    calls_of: str = ""
    tools: JsonValue = None
    model: str = ""
    ratio: str = ""
    form: str = ""
    upload: Sequence[Sequence[MessageDraft]] | None = None


@dataclass(frozen=True)
class Result:
    """What was found: the sums of each policy, the full history first."""

    sums: Sequence[PolicySums]
    conversations: Sequence[int]

    @classmethod
    def read(cls, data: bytes) -> "Result":
        """The result that ``result_bytes`` wrote."""
        found = orjson.loads(data)
        return cls([PolicySums.read(each) for each in found["sums"]], found["conversations"])

    @cached_property
    def names(self) -> dict[int, str]:
        """The ids of the conversations that are still there, by their keys."""
        return names_of(self.conversations)


def start(actor: Actor, new: NewBacktest) -> Backtest:
    """Stores a backtest, which a server replays in the background; one of an upload runs at once.

    Raises ValidationFailed for a policy that cannot run, NotFound for the workflow, TooLarge for
    more work than one backtest may ask for, InvalidState if the workspace has too many that are
    not done.
    """
    actor.require(Action.PREVIEW)
    document = None
    if new.workflow:
        draft = bytes(find_workflow(actor.workspace, new.workflow).draft)
        document = definition(draft).document
    tokens = tokens_of_text(dumps(new.tools).decode()) if new.tools else 0
    heads = [] if new.upload is not None else _heads(actor, new)
    short = [head for head in heads if not _is_long(head)]
    question = Question(
        policies=new.policies,
        conversations=[head.key for head in short],
        long=[head.key for head in heads if _is_long(head)],
        price=new.price,
        document=document if any(map(_names_node, new.policies)) else None,
        calls_of=new.calls_of,
        tool_tokens=tokens,
        model=new.model,
        ratio=new.ratio,
        form=new.form,
        work=sum(head.log_count for head in short) * (len(new.policies) + _ALWAYS),
    )
    question.replay_request().sums()  # refuses policies that cannot run
    if new.upload is not None:
        return _replay_upload(actor, new, question)
    if question.work > MOST_WORK:
        raise _too_much(question.work)
    if store.JOBS.count_active(actor.workspace) >= MOST_ACTIVE:
        raise InvalidState(
            say(
                "{n} backtests of this workspace are not done yet. Wait, or cancel one.",
                n=MOST_ACTIVE,
            )
        )
    row = _row(actor, new.workflow, question, len(short))
    row.save(force_insert=True)
    transaction.on_commit(RUNNER.wake)
    return row


def open_backtest(actor: Actor, public_id: str) -> Backtest:
    """A backtest of the actor's workspace; one that nobody replays is taken up."""
    row = store.find_backtest(actor.workspace, public_id)
    if is_abandoned(row, clock.now()):
        transaction.on_commit(RUNNER.wake)
    return row


def remove(actor: Actor, public_id: str) -> None:
    """Cancels a backtest if it is not done, and removes it with its result."""
    actor.require(Action.PREVIEW)
    store.remove(store.find_backtest(actor.workspace, public_id))


def names_of(keys: Iterable[int]) -> dict[int, str]:
    """The ids of conversations that are still there, by their keys."""
    wanted = list(keys)
    found: dict[int, str] = {}
    for start_at in range(0, len(wanted), 500):
        part = Conversation.objects.filter(key__in=wanted[start_at : start_at + 500])
        found.update(part.values_list("key", "public_id"))
    return found


def _heads(actor: Actor, new: NewBacktest) -> list[Conversation]:
    if new.wanted.status and new.wanted.status not in STATUSES:
        message = say("this must be one of {names}", names=", ".join(STATUSES))
        raise ValidationFailed.at("/conversations/status", message)
    return list(latest_heads(actor, new.wanted, min(new.last, MOST_CONVERSATIONS)))


def _names_node(policy: JsonValue) -> bool:
    return isinstance(policy, dict) and policy.get("node") is not None


def _is_long(head: Conversation) -> bool:
    return head.log_count > MOST_MESSAGES or head.log_bytes > MOST_BYTES


def _too_much(work: int) -> TooLarge:
    message = say(
        "{work} messages times policies; one backtest takes {most}. Select fewer conversations or "
        "policies, or use manage.py backtest.",
        work=f"{work:,}",
        most=f"{MOST_WORK:,}",
    )
    problem = FieldProblem("/conversations/last", message, TooLarge.code)
    return TooLarge(message, limit=MOST_WORK, problems=[problem])


def _row(actor: Actor, workflow: str, question: Question, total: int) -> Backtest:
    return Backtest(
        key=ids.new_key(),
        workspace=actor.workspace,
        public_id=ids.new_public_id("backtest"),
        workflow=workflow,
        author=actor.label,
        question=question.as_bytes(),
        total=total,
        created_at=clock.now(),
    )


def _replay_upload(actor: Actor, new: NewBacktest, question: Question) -> Backtest:
    """Nothing but the result is stored of what was sent."""
    now = clock.now()
    conversations = [
        Recorded.of_drafts(str(number), drafts, schemas=new.tools)
        for number, drafts in enumerate(new.upload or ())
    ]
    with limit_work(settings.MAX_PREVIEW_WORK):
        sums = replay_all(question.replay_request(), conversations)
    row = _row(actor, new.workflow, question, len(conversations))
    row.status, row.result, row.done = Backtest.Status.DONE, result_bytes(sums, []), row.total
    row.started_at, row.ended_at = now, clock.now()
    row.save(force_insert=True)
    return row
