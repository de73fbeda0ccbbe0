"""What policies would have cost on the latest conversations of a workflow, within one request."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from django.conf import settings

from conversations import queries
from conversations.models import Conversation, Message
from conversations.store import read_details
from ctxadmin.http.pagination import PageRequest
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.work_budget import bounded, spend
from workflows.definitions import definition
from workflows.domain.backtests.policies import Policy, PolicyConfig, policies_of
from workflows.domain.backtests.replay import CallOfAll, replay
from workflows.domain.backtests.sums import PolicySums, add_conversation
from workflows.domain.plan import Plan
from workflows.models import Workflow
from workflows.recordings import recorded_of
from workflows.store import find_workflow

MOST_CONVERSATIONS: Final = 50
MOST_CALLS: Final = 200  # of one conversation
_MOST_MESSAGES: Final = 2_000  # of one conversation
_MOST_BYTES: Final = 4_000_000  # of the log of one conversation
# What a policy takes at one call: 100 to 150 microseconds, measured at 544 calls of 13 conversations.
_UNITS_OF_CALL: Final = 1_000


@dataclass(frozen=True, slots=True)
class PolicyCosts:
    """The sums of each policy; ``names`` are the conversations, ``long`` those left out."""

    sums: Sequence[PolicySums]
    names: Sequence[str]
    long: Sequence[str]


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
            add_conversation(sums, _counted(replay(recorded_of(head), rows), len(rows)))
            names.append(head.public_id)
    return PolicyCosts(sums, names, long)


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


def _counted(calls: Iterable[CallOfAll], rows: int) -> Iterator[CallOfAll]:
    """The calls, each with its work counted."""
    for call in calls:
        spend(rows * _UNITS_OF_CALL, "comparing policies")
        yield call
