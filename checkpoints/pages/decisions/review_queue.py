"""The queue of reviews: sorted, filtered, with claims, and what waits."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from checkpoints.models import Claim, Execution
from checkpoints.pages import execution_queries
from checkpoints.pages.decisions.review_looks import Look
from checkpoints.pages.presenters import WAIT_LABELS
from checkpoints.reading.review_answers import answers_of_executions
from checkpoints.reading.waiting_reviews import (
    MOST_COUNTED,
    SORTS,
    QueueFilter,
    all_waiting,
    waiting_page,
)
from checkpoints.services.annotations import holder_id
from conversations.models import Conversation
from conversations.reading.display_names import display_name, read_display_names
from conversations.reading.proposed_answers import ProposedAnswer
from conversations.workspace.last_messages import last_messages
from ctxadmin.http.endpoints.pagination import PageRequest
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.pages import page, show


@dataclass(frozen=True, slots=True)
class Waiting:
    """A paused execution: reason, start, deadline, and claim.

    ``proposed`` is how the answer begins that an approval approves, "" without one;
    ``edited_by`` changed it since it was proposed, or ``removed`` it.
    ``seen`` differs whenever its card would show something else. ``twin`` tells that another line
    has the same title.
    """

    conversation: str
    execution: str
    title: str
    proposed: str
    edited_by: str
    removed: bool
    workflow: str
    node: str
    reason: str
    since: datetime | None
    deadline: datetime | None
    outcome: str
    holder: str
    mine: bool
    seen: str
    twin: bool = False


@dataclass(frozen=True, slots=True)
class QueuePage:
    """The reviews that wait, as ``wanted`` in the filter bar.

    ``may_start`` is True for a designer in a workspace where no workflow was executed yet.
    """

    title: Text
    crumbs: Sequence[Crumb]
    lines: Sequence[Waiting]
    next: str | None
    wanted: QueueFilter
    sorts: Sequence[str]
    waits: Sequence[tuple[str, Text]]
    workflows: Sequence[tuple[str, str]]
    may_claim: bool
    may_approve: bool
    may_start: bool


@require_safe
@page
def reviews(request: HttpRequest, actor: Actor) -> HttpResponse:
    wanted = QueueFilter.of(request.GET)
    found = waiting_page(actor, wanted, PageRequest.of(request.GET))
    workflows = execution_queries.executed_workflows(actor)
    shown = QueuePage(
        title=_("Reviews"),
        crumbs=(),
        lines=_lines(actor, found.items),
        next=found.next,
        wanted=wanted,
        sorts=SORTS,
        waits=tuple(WAIT_LABELS.items()),
        workflows=workflows,
        may_claim=actor.may(Action.REVIEW_CLAIM),
        may_approve=actor.may(Action.EXECUTION_APPROVE),
        may_start=not workflows and actor.may(Action.WORKFLOW_CHANGE),
    )
    return show(request, "checkpoints/reviews.html", shown)


@require_safe
@page
def waiting(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Returns how many reviews wait, and the latest one, for pages that announce new ones."""
    newest = all_waiting(actor).order_by("-waiting_since").first()
    keys = [newest.conversation] if newest is not None else []
    head = Conversation.objects.filter(key__in=keys).first()
    last = None
    if newest is not None and head is not None:
        last = {
            "conversation": head.public_id,
            "title": display_name(head),
            "since": newest.waiting_since,
        }
    count = all_waiting(actor)[:MOST_COUNTED].count()
    return JsonResponse({"count": count, "newest": last})


def _lines(actor: Actor, rows: Sequence[Execution]) -> list[Waiting]:
    """Returns executions as lines, without those of erased conversations."""
    keys = [row.conversation for row in rows]
    heads = {each.key: each for each in Conversation.objects.filter(key__in=keys)}
    claims = {
        (each.conversation, each.execution, each.since): each
        for each in Claim.objects.filter(conversation__in=keys)
    }
    shown = [(row.conversation, row.number) for row in rows]
    answers = answers_of_executions(shown, last_messages(heads.values()))
    read_display_names(heads.values())
    names = execution_queries.names_of_nodes(rows)
    workflows = execution_queries.names_of_workflows(rows)
    lines = [
        replace(_line(actor, row, node, head, claims, answers[key]), workflow=workflow)
        for row, node, workflow, key in zip(rows, names, workflows, shown, strict=True)
        if (head := heads.get(row.conversation)) is not None and head.public_id
    ]
    titles = Counter(line.title for line in lines)
    return [replace(line, twin=titles[line.title] > 1) for line in lines]


def _line(
    actor: Actor,
    row: Execution,
    node: str,
    head: Conversation,
    claims: Mapping[tuple[int, int, datetime], Claim],
    answer: ProposedAnswer,
) -> Waiting:
    decided = execution_queries.summary_of(row)
    since = row.waiting_since
    claim = claims.get((row.conversation, row.number, since)) if since else None
    look = Look(
        head.public_id, row.public_id, row.version, head.current_revision, head.visible_count
    )
    return Waiting(
        conversation=head.public_id,
        execution=row.public_id,
        title=display_name(head),
        proposed=answer.proposed,
        edited_by=answer.edited_by,
        removed=answer.removed,
        workflow=row.workflow,
        node=node,
        reason=decided.reason,
        since=since,
        deadline=row.deadline,
        outcome=decided.outcome,
        holder=claim.holder if claim else "",
        mine=claim is not None and claim.holder_id == holder_id(actor),
        seen=look.seen,
    )
