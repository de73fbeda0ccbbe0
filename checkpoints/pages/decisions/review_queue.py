"""The queue of reviews: longest wait first, with claims."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from checkpoints.domain.status import Status
from checkpoints.models import Claim, Execution
from checkpoints.pages.executions import execution_queries
from checkpoints.services.annotations import holder_id
from conversations.models import Conversation
from ctxadmin.http.pagination import Page, PageRequest, cut, foreign_cursor
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.pages import page, show

_LARGE: Final = ("marking", "reducers")
_WHO: Final = ("", "mine", "free")
_MOST_COUNTED: Final = 1000


@dataclass(frozen=True, slots=True)
class Waiting:
    """A paused execution: reason, start, deadline, and claim."""

    conversation: str
    execution: str
    title: str
    workflow: str
    node: str
    reason: str
    since: datetime | None
    deadline: datetime | None
    outcome: str
    holder: str
    mine: bool


@dataclass(frozen=True, slots=True)
class QueuePage:
    """The reviews that wait; ``who`` and ``workflow`` are the values of the filter bar."""

    title: Text
    crumbs: Sequence[Crumb]
    lines: Sequence[Waiting]
    next: str | None
    who: str
    workflow: str
    workflows: Sequence[str]
    filtered: bool
    may_claim: bool


@require_safe
@page
def reviews(request: HttpRequest, actor: Actor) -> HttpResponse:
    who, workflow = request.GET.get("who", ""), request.GET.get("workflow", "")
    if who not in _WHO:
        raise ValidationFailed.at("?who", _("Unknown filter. Use mine or free."))
    found = _page(actor, who, workflow, PageRequest.of(request.GET))
    shown = QueuePage(
        title=_("Reviews"),
        crumbs=(),
        lines=_lines(actor, [row for row in found.items if vars(row)["name"]]),
        next=found.next,
        who=who,
        workflow=workflow,
        workflows=execution_queries.workflows_run(actor),
        filtered=bool(who or workflow),
        may_claim=actor.may(Action.REVIEW_CLAIM),
    )
    return show(request, "checkpoints/reviews.html", shown)


@require_safe
@page
def waiting(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Returns how many reviews wait, and the latest one, for pages that announce new ones."""
    rows = _waiting(actor).order_by("-waiting_since")
    newest = rows.annotate(title=_of_head("title"), name=_of_head("public_id"))[:1]
    last = [
        {"conversation": row.name, "title": row.title or row.name, "since": row.waiting_since}
        for row in newest
    ]
    count = _waiting(actor)[:_MOST_COUNTED].count()
    return JsonResponse({"count": count, "newest": last[0] if last else None})


def _waiting(actor: Actor) -> QuerySet[Execution]:
    return Execution.objects.filter(
        workspace=actor.workspace, status=Status.PAUSED, waiting_since__isnull=False
    )


def _page(actor: Actor, who: str, workflow: str, asked: PageRequest) -> Page[Execution]:
    claims = Claim.objects.filter(
        conversation=OuterRef("conversation"),
        execution=OuterRef("number"),
        since=OuterRef("waiting_since"),
    )
    rows = _waiting(actor).defer(*_LARGE)
    if workflow:
        # Workflows are named in ASCII; MySQL refuses to compare their column with anything else.
        rows = rows.filter(workflow=workflow) if workflow.isascii() else rows.none()
    if who == "mine":
        rows = rows.filter(Exists(claims.filter(holder_id=holder_id(actor))))
    elif who == "free":
        rows = rows.filter(~Exists(claims))
    if asked.after:
        since, key = _after(asked.after)
        rows = rows.filter(
            Q(waiting_since__gt=since) | Q(waiting_since=since, conversation__gt=key)
        )
    named = rows.annotate(
        name=_of_head("public_id"),
        title=_of_head("title"),
        holder=Subquery(claims.values("holder")[:1]),
        holder_key=Subquery(claims.values("holder_id")[:1]),
    )
    found = list(named.order_by("waiting_since", "conversation")[: asked.limit + 1])
    return cut(found, asked, lambda row: (_microseconds(row.waiting_since), row.conversation))


def _of_head(field: str) -> Subquery:
    heads = Conversation.objects.filter(key=OuterRef("conversation"))
    return Subquery(heads.values(field)[:1])


def _lines(actor: Actor, rows: Sequence[Execution]) -> list[Waiting]:
    names = execution_queries.names_of_nodes(rows)
    return [_line(actor, row, node) for row, node in zip(rows, names, strict=True)]


def _line(actor: Actor, row: Execution, node: str) -> Waiting:
    told = vars(row)  # what the query added to the row
    decided = execution_queries.summary_of(row)
    return Waiting(
        conversation=told["name"],
        execution=row.public_id,
        title=told["title"] or told["name"],
        workflow=row.workflow,
        node=node,
        reason=decided.reason,
        since=row.waiting_since,
        deadline=row.deadline,
        outcome=decided.outcome,
        holder=told["holder"] or "",
        mine=told["holder_key"] == holder_id(actor),
    )


def _after(after: tuple[int | str, ...]) -> tuple[datetime, int]:
    match after:
        case (int() as at, int() as key) if abs(at) < 10**17:
            return datetime.fromtimestamp(at / 10**6, UTC), key
    raise foreign_cursor()


def _microseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 10**6)
