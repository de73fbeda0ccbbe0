"""The calls of one conversation of a backtest, as its policies would have made them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import orjson
from django.conf import settings
from pydantic import JsonValue

from conversations.domain.view import View
from conversations.models import Conversation
from conversations.store.conversation import find_with_details
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import NotFound, ValidationFailed
from ctxadmin.lib.sentence import say
from ctxadmin.lib.work_budget import limit_work
from workflows.backtests.parts import counted
from workflows.backtests.questions import Question
from workflows.backtests.recordings import recorded_of
from workflows.domain.backtests.policies import Policy, policies_of
from workflows.domain.backtests.recorded import Recorded, log_upto
from workflows.domain.backtests.replay import Call, CallOfAll, replay, seen_at
from workflows.domain.running.plan import Plan
from workflows.previews.node_inputs import shown_messages

_MOST_SHOWN: Final = 200  # messages of an opened call


@dataclass(frozen=True, slots=True)
class OpenedCall:
    """What one call would have seen under a policy: the last of its ``messages``, as JSON.

    ``number`` is that of the call, from 0, of ``count`` in the conversation.
    """

    call: Call
    number: int
    count: int
    messages: Sequence[Mapping[str, JsonValue]]


def calls_in(actor: Actor, question: Question, name: str) -> list[CallOfAll]:
    """Each call of a conversation by each policy.

    Raises NotFound for a conversation that the backtest has not, and TooLarge for one that takes
    more work than a request may ask for.
    """
    actor.require(Action.PREVIEW)
    recorded, rows = _recorded(actor, question, name), _rows(question)
    with limit_work(settings.MAX_PREVIEW_WORK):
        return list(counted(replay(recorded, rows, node=question.calls_of), len(rows)))


def open_call(
    actor: Actor, question: Question, name: str, place: int, number: int | None
) -> OpenedCall:
    """A call of a conversation by the policy at ``place`` of the rows; by default the last call.

    Raises what ``calls_in`` does, and ValidationFailed where there is no such policy or call.
    """
    actor.require(Action.PREVIEW)
    rows = _rows(question)
    if not 0 <= place < len(rows):
        raise ValidationFailed.at("?policy", say("There is no such policy."))
    recorded, policy = _recorded(actor, question, name), rows[place]
    with limit_work(settings.MAX_PREVIEW_WORK):
        calls = list(counted(replay(recorded, [policy], node=question.calls_of), 1))
        wanted = len(calls) - 1 if number is None else number
        if not 0 <= wanted < len(calls):
            raise ValidationFailed.at("?call", say("There is no such call."))
        found = calls[wanted].by_policy[0]
        messages: Sequence[Mapping[str, JsonValue]] = ()
        if not found.problem:
            seen = seen_at(recorded, policy, calls[wanted].index)
            last = View(seen.view.slice(max(len(seen.view) - _MOST_SHOWN, 0), len(seen.view)).runs)
            shown = shown_messages(log_upto(recorded, calls[wanted].index), seen.with_view(last))
            messages = orjson.loads(orjson.dumps(shown))
    return OpenedCall(found, wanted, len(calls), messages)


def short_names(keys: Sequence[int], most_messages: int) -> dict[int, str]:
    """The ids of those conversations that have few messages, by their keys."""
    rows = Conversation.objects.filter(key__in=keys, log_count__lte=most_messages)
    return dict(rows.values_list("key", "public_id"))


def _recorded(actor: Actor, question: Question, name: str) -> Recorded:
    head = find_with_details(actor.workspace, name)
    if head.key not in question.conversations:
        raise NotFound(say("This comparison has no conversation {name}.", name=repr(name[:64])))
    return recorded_of(head, tool_tokens=question.tool_tokens)


def _rows(question: Question) -> Sequence[Policy]:
    plan = None if question.document is None else Plan(question.document)
    return policies_of(question.configs(), plan)
