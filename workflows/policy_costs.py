"""What policies would have cost on the latest conversations of a workflow, within one request."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import orjson
from django.conf import settings
from pydantic import JsonValue

from conversations import queries
from conversations.domain.view import View
from conversations.models import Conversation, Message
from conversations.store import find_with_details, read_details
from ctxadmin.http.pagination import PageRequest
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import NotFound, ValidationFailed
from ctxadmin.lib.sentence import say
from ctxadmin.lib.work_budget import bounded
from workflows.definitions import definition
from workflows.domain.backtests.policies import Policy, PolicyConfig, policies_of
from workflows.domain.backtests.recorded import log_upto
from workflows.domain.backtests.replay import Call, replay, seen_at
from workflows.domain.backtests.sums import PolicySums, add_conversation
from workflows.domain.plan import Plan
from workflows.models import Workflow
from workflows.node_inputs import shown_messages
from workflows.recordings import recorded_of
from workflows.replay_parts import counted
from workflows.store import find_workflow

MOST_CONVERSATIONS: Final = 50
MOST_CALLS: Final = 200  # of one conversation
_MOST_MESSAGES: Final = 2_000  # of one conversation
_MOST_SHOWN: Final = 200  # messages of an opened call
_MOST_BYTES: Final = 4_000_000  # of the log of one conversation


@dataclass(frozen=True, slots=True)
class PolicyCosts:
    """The sums of each policy; ``names`` are the conversations, ``long`` those left out."""

    sums: Sequence[PolicySums]
    names: Sequence[str]
    long: Sequence[str]


@dataclass(frozen=True, slots=True)
class OpenedCall:
    """What one call would have seen by a policy: the last of its ``messages``, as JSON.

    ``number`` is that of the call, from 0, of ``count`` in the conversation.
    """

    call: Call
    number: int
    count: int
    messages: Sequence[Mapping[str, JsonValue]]


def policy_costs(
    actor: Actor, slug: str, policies: Sequence[PolicyConfig], last: int
) -> PolicyCosts:
    """Replay the ``last`` conversations of a workflow, whose draft has the nodes of policies.

    Conversations with more than ``MOST_CALLS`` calls are left out. Raises ValidationFailed for a
    policy that cannot run, and TooLarge for more work than a request may ask for.
    """
    actor.require(Action.PREVIEW)
    row = find_workflow(actor.workspace, slug)
    rows = _rows(row, policies)
    sums = [PolicySums(each.key, each.title) for each in rows]
    names: list[str] = []
    long: list[str] = []
    with bounded(settings.MAX_PREVIEW_WORK):
        for head in _latest(actor, slug, last):
            if _is_long(head):
                long.append(head.public_id)
                continue
            add_conversation(sums, counted(replay(recorded_of(head), rows), len(rows)))
            names.append(head.public_id)
    return PolicyCosts(sums, names, long)


def latest_names(actor: Actor, slug: str, last: int) -> Sequence[str]:
    """The conversations that are compared, and those that are too long for it."""
    actor.require(Action.PREVIEW)
    wanted = queries.ConversationFilter(workflow=slug)
    found = queries.list_conversations(actor, wanted, PageRequest(limit=last)).items
    return [head.public_id for head in found]


def open_call(
    actor: Actor,
    slug: str,
    policies: Sequence[PolicyConfig],
    name: str,
    place: int,
    number: int | None,
) -> OpenedCall:
    """A call of a conversation by the policy at ``place`` of the rows; by default the last call.

    Raises NotFound for a conversation that is not one of the workflow, and ValidationFailed where
    there is no such policy or call.
    """
    actor.require(Action.PREVIEW)
    row = find_workflow(actor.workspace, slug)
    rows = _rows(row, policies)
    head = find_with_details(actor.workspace, name)
    if head.workflow != slug:
        raise NotFound(say("This workflow has no conversation {name}.", name=repr(name)))
    if not 0 <= place < len(rows):
        raise ValidationFailed.at("?policy", say("There is no such policy."))
    if _is_long(head):
        raise ValidationFailed.at("?conversation", say("This conversation is too long."))
    recorded, policy = recorded_of(head), rows[place]
    with bounded(settings.MAX_PREVIEW_WORK):
        calls = list(counted(replay(recorded, [policy]), 1))
        wanted = len(calls) - 1 if number is None else number
        if not 0 <= wanted < len(calls):
            raise ValidationFailed.at("?call", say("There is no such call."))
        found = calls[wanted].by_policy[0]
        messages: Sequence[Mapping[str, JsonValue]] = ()
        if not found.problem:
            seen = seen_at(recorded, policy, calls[wanted].index)
            last = View(seen.view.slice(max(len(seen.view) - _MOST_SHOWN, 0), len(seen.view)).runs)
            shown = shown_messages(log_upto(recorded, calls[wanted].index), seen.showing(last))
            messages = orjson.loads(orjson.dumps(shown))
    return OpenedCall(found, wanted, len(calls), messages)


def _rows(row: Workflow, policies: Sequence[PolicyConfig]) -> Sequence[Policy]:
    return policies_of(policies, Plan(definition(bytes(row.draft)).document))


def _latest(actor: Actor, slug: str, last: int) -> Iterable[Conversation]:
    wanted = queries.ConversationFilter(workflow=slug)
    return read_details(
        list(queries.list_conversations(actor, wanted, PageRequest(limit=last)).items)
    )


def _is_long(head: Conversation) -> bool:
    if head.log_count > _MOST_MESSAGES or head.log_bytes > _MOST_BYTES:
        return True
    calls = Message.objects.filter(conversation=head.key, role="assistant")
    return calls.filter(index__lt=head.log_count).count() > MOST_CALLS
