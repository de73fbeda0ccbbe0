"""The pages on which executions are watched: the list, one execution, its timeline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from checkpoints.domain.status import Status
from checkpoints.models import Execution
from checkpoints.pages import execution_queries, presenters
from checkpoints.pages.decisions.decision import (
    DecidedNote,
    DecisionForm,
    decided_note,
    decision_of,
)
from checkpoints.pages.decisions.proposal import ProposalView, proposal_view
from checkpoints.pages.execution_queries import ExecutionFilter, ExecutionLine
from checkpoints.pages.executions.pinned_workflow import WorkflowName, workflow_name
from checkpoints.pages.executions.unapplied_edits import UnappliedEdits, unapplied_edits_of
from checkpoints.pages.presenters import PathNode, PositionView, TimelineLine
from checkpoints.pages.state import state_view
from checkpoints.pages.state.key_comments import comments_until, with_comments
from checkpoints.pages.state.state_view import StateView
from checkpoints.reading import queries
from checkpoints.reading.fork_list import forks_of
from checkpoints.statistics.usage_costs import UsageSum
from checkpoints.statistics.usage_totals import usage_of_nodes
from checkpoints.store.executions import find_current
from checkpoints.store.snapshots import StoredSnapshot
from conversations.lifecycle.copies import Copy
from conversations.models import Conversation
from conversations.pages.reading.cards import MessageCard, join_results, message_card
from conversations.reading.display_names import display_name, read_display_names
from conversations.reading.node_names import names_of_nodes
from conversations.reading.node_visits import node_visits
from conversations.reading.queries import results_of, visible_window
from conversations.services.pins import may_pin
from conversations.services.recalls import recalls_among
from conversations.store.conversation import find_head, find_revision
from conversations.store.pin_rows import pins_among
from conversations.workspace.matching import ARCHIVED, count_matching
from ctxadmin.http.endpoints.pagination import Page, PageRequest
from ctxadmin.http.problems import status_of
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.bulk_actions import MOST_ITEMS, BulkList
from ctxadmin.lib.errors import ContextError
from ctxadmin.ui.bulk_bar import BulkBar, bulk_actions
from ctxadmin.ui.components import STATUSES, Crumb, Tab, Text
from ctxadmin.ui.pages import page, show
from workflows.pages.drawing.room import Room, room_of

_RAIL: Final = 12
_LAST_MESSAGES: Final = 3
_KEYS: Final = 40
_MOST_ARCHIVED: Final = 1000
_DAYS: Final[Mapping[str, Text]] = {
    "since": gettext_lazy("Active from day (UTC)"),
    "until": gettext_lazy("Active to day (UTC)"),
    "started": gettext_lazy("Started"),
}
_STATUSES: Final = tuple(each for each in STATUSES if each != Status.IDLE)


@dataclass(frozen=True, slots=True)
class ListPage:
    """The current executions of all conversations; ``wanted`` is the filter bar.

    ``archived`` is how its address calls what is shown of archived ones. ``archived_count`` are
    those that a filter leaves out, at most one more than ``most_archived``; ``archived_url`` lists
    them, too. ``problem`` says what is wrong with the address; then there are no executions.
    """

    title: Text
    crumbs: Sequence[Crumb]
    executions: Sequence[ExecutionLine]
    next: str | None
    wanted: ExecutionFilter
    statuses: Sequence[str]
    workflows: Sequence[tuple[str, str]]
    filtered: bool
    archived: str
    archived_count: int
    archived_url: str
    all_days_url: str
    bulk: BulkBar | None
    problem: Text = ""
    most_archived: int = _MOST_ARCHIVED


@dataclass(frozen=True, slots=True)
class DetailPage:
    """An execution: status, possible actions, context, state, and activity.

    ``room`` is that of its workflow on the canvas, None without one that can be drawn.
    ``proposal`` is what to decide on while it is paused. ``usage`` is the sum of what its engine
    reported, if anything. ``poll_url`` is set while it runs: a page without a socket polls it.
    ``pending`` is the number of keys in the reader's draft, ``left`` the reader's other input that
    no form shows now.
    """

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    row: Execution | None
    workflow: WorkflowName | None
    origin_url: str
    tabs: Sequence[Tab]
    position: PositionView
    decision: DecisionForm
    decided: DecidedNote | None
    steps: Sequence[PathNode]
    executed_count: int
    room: Room | None
    proposal: ProposalView | None
    state: StateView
    cards: Sequence[MessageCard]
    may_pin: bool
    visible_count: int
    lines: Sequence[TimelineLine]
    forks: Sequence[Copy]
    usage: UsageSum | None
    poll_url: str
    pending: int
    left: Sequence[UnappliedEdits]


@dataclass(frozen=True, slots=True)
class TimelinePage:
    """Every version of an execution, latest first."""

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    tabs: Sequence[Tab]
    lines: Sequence[TimelineLine]
    next: str | None
    newest: int


@require_safe
@page
def execution_list(request: HttpRequest, actor: Actor) -> HttpResponse:
    wanted, problem = _filter_in(request)
    found: Page[ExecutionLine] = Page([], None)
    archived_count = 0
    filtered = wanted != ExecutionFilter()
    if not problem:
        found = execution_queries.list_executions(actor, wanted, PageRequest.of(request.GET))
        if filtered and wanted.archived is False:
            left_out = replace(wanted, archived=True).of_conversations(actor.workspace)
            archived_count = count_matching(actor, left_out, _MOST_ARCHIVED + 1)
    read_display_names(line.head for line in found.items)
    shown = ListPage(
        title=_("Executions"),
        crumbs=(),
        executions=execution_queries.with_proposals(found.items),
        next=found.next,
        wanted=wanted,
        statuses=_STATUSES,
        workflows=execution_queries.executed_workflows(actor),
        filtered=filtered or bool(problem),
        archived=_fields_of(wanted)["archived"],
        archived_count=archived_count,
        archived_url=_url_of(replace(wanted, archived=None)),
        all_days_url=_url_of(replace(wanted, since=None, until=None, started=None)),
        bulk=_bulk_bar(actor, wanted) if found.items else None,
        problem=problem,
    )
    return show(request, "checkpoints/list.html", shown, status=422 if problem else 200)


def _filter_in(request: HttpRequest) -> tuple[ExecutionFilter, Text]:
    """Returns the filter of an address without what is wrong with it, and what that is."""
    given = request.GET
    status, workflow, problem = given.get("status", ""), given.get("workflow", ""), ""
    if status and status not in _STATUSES:
        status, problem = "", _("Select a status of the list.")
    days: dict[str, date | None] = {}
    for name in _DAYS:
        try:
            days[name] = _day_in(given.get(name, ""))
        except ValueError:
            said = {"field": _DAYS[name], "value": _("Enter a day such as 2026-11-24.")}
            days[name], problem = None, _("%(field)s: %(value)s") % said
    wanted = ExecutionFilter(
        status=status,
        # Workflows are named in ASCII; MySQL refuses to compare their column with anything else.
        workflow=workflow if workflow.isascii() else "",
        text=given.get("q", "").strip(),
        archived=ARCHIVED.get(given.get("archived", ""), False),
        **days,
    )
    if wanted.since and wanted.until and wanted.since > wanted.until:
        problem = _("The first day is after the last day.")
    return wanted, problem


def _url_of(wanted: ExecutionFilter) -> str:
    given = _fields_of(wanted)
    query = urlencode({name: value for name, value in given.items() if value})
    return f"{reverse('checkpoints:list')}?{query}" if query else reverse("checkpoints:list")


def _fields_of(wanted: ExecutionFilter) -> dict[str, str]:
    """Returns the filter as the fields of an address."""
    return {
        "status": wanted.status,
        "workflow": wanted.workflow,
        "q": wanted.text,
        "since": wanted.since.isoformat() if wanted.since else "",
        "until": wanted.until.isoformat() if wanted.until else "",
        "started": wanted.started.isoformat() if wanted.started else "",
        "archived": next(name for name, value in ARCHIVED.items() if value is wanted.archived),
    }


def _day_in(text: str) -> date | None:
    """Returns a day of the filter; raises ValueError for what is none."""
    day = date.fromisoformat(text) if text else None
    return None if day == date.max else day  # the last day of the calendar has none after it


def _bulk_bar(actor: Actor, wanted: ExecutionFilter) -> BulkBar | None:
    actions = bulk_actions(actor, BulkList.EXECUTIONS)
    if not actions:
        return None
    total = count_matching(actor, wanted.of_conversations(actor.workspace), MOST_ITEMS + 1)
    return BulkBar(BulkList.EXECUTIONS, actions, _fields_of(wanted), total)


@require_safe
@page
def detail(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    return show_execution(request, actor, find_head(actor.workspace, conversation_id))


@require_safe
@page
def live(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    """Returns the page again for one without a socket, unless it is unchanged."""
    head = find_head(actor.workspace, conversation_id)
    moment = queries.find_moment(actor, conversation_id)
    if request.GET.get("seen") == _seen(moment):
        return HttpResponse(status=204)
    return show_execution(request, actor, head)


@require_safe
@page
def timeline(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    head = find_head(actor.workspace, conversation_id)
    moment = queries.find_moment(actor, conversation_id)
    row, found = queries.list_checkpoints(actor, conversation_id, PageRequest.of(request.GET))
    lines = presenters.version_lines(row, found.items, moment.pinned) if row else []
    shown = TimelinePage(
        title=_("Timeline"),
        crumbs=presenters.crumbs(head, Crumb(_("Timeline"))),
        head=head,
        tabs=tabs_of(head, moment, "timeline"),
        lines=lines,
        next=found.next,
        newest=moment.version,
    )
    return show(request, "checkpoints/timeline.html", shown)


def show_execution(
    request: HttpRequest,
    actor: Actor,
    head: Conversation,
    *,
    refusal: ContextError | None = None,
    fields: Sequence[str] = (),
    asks: str = "",
) -> HttpResponse:
    """Returns the page of an execution; after a refused form with the input of its ``fields``.

    ``asks`` as in ``decision_of``.
    """
    moment = queries.find_moment(actor, head.public_id)
    decision = decision_of(actor, moment, request, refusal=refusal, fields=fields, asks=asks)
    shown = _detail_page(request, actor, head, moment, decision)
    status = status_of(refusal) if refusal else 409 if asks else 200
    return show(request, "checkpoints/detail.html", shown, status=status)


def _detail_page(
    request: HttpRequest,
    actor: Actor,
    head: Conversation,
    moment: StoredSnapshot,
    decision: DecisionForm,
) -> DetailPage:
    title = display_name(head)
    row, found = queries.list_checkpoints(actor, head.public_id, PageRequest(limit=_RAIL))
    position = presenters.position_view(moment)
    steps = presenters.steps_of(moment, state_view.executed_nodes(moment))
    state = state_view.state_view(moment, most=_KEYS, newest_first=True)
    left, pending = unapplied_edits_of(actor, moment)
    return DetailPage(
        title=title,
        crumbs=presenters.crumbs(),
        head=head,
        row=moment.row,
        workflow=workflow_name(moment),
        origin_url=_origin_url(moment),
        tabs=tabs_of(head, moment, "now"),
        position=position,
        decision=decision,
        decided=decided_note(actor, moment, request, found.items),
        steps=steps,
        executed_count=moment.row.executed_count if moment.row else 0,
        room=room_of(moment.pinned.workflow.document) if moment.pinned else None,
        proposal=proposal_view(moment) if moment.status is Status.PAUSED else None,
        state=with_comments(actor, moment, state, comments_until(moment)),
        cards=_last_messages(moment),
        may_pin=may_pin(actor, head),
        visible_count=moment.visible_count,
        lines=presenters.version_lines(row, found.items, moment.pinned) if row else [],
        forks=forks_of(head) if moment.row else (),
        usage=_usage(moment.row),
        poll_url=_poll_url(head, moment),
        pending=pending,
        left=left,
    )


def _usage(row: Execution | None) -> UsageSum | None:
    """Returns the usage of the execution so far, None if its engine reported nothing."""
    nodes = usage_of_nodes(row) if row is not None else {}
    return sum(nodes.values(), UsageSum()) if nodes else None


def _origin_url(moment: StoredSnapshot) -> str:
    """Returns the address of the fork's origin, if that version still exists."""
    row = moment.row
    if row is None or not row.origin_conversation:
        return ""
    heads = Conversation.objects.for_workspace(row.workspace)
    head = heads.filter(public_id=row.origin_conversation).first()
    source = find_current(head.key) if head is not None else None
    if source is None or source.public_id != row.origin_execution:
        return ""
    return reverse("checkpoints:version", args=[row.origin_conversation, row.origin_version])


def _poll_url(head: Conversation, moment: StoredSnapshot) -> str:
    if moment.status is not Status.RUNNING:
        return ""
    return f"{reverse('checkpoints:live', args=[head.public_id])}?seen={_seen(moment)}"


def _seen(moment: StoredSnapshot) -> str:
    """Returns a value that changes whenever the page would; each execution differs."""
    execution = moment.row.public_id if moment.row is not None else ""
    numbers = (moment.version, moment.revision, moment.visible_count)
    parts = (execution, *numbers, moment.status, int(moment.pause_requested))
    return ".".join(map(str, parts))


def _last_messages(moment: StoredSnapshot) -> list[MessageCard]:
    row = find_revision(moment.head.key, moment.revision)
    start = max(moment.visible_count - _LAST_MESSAGES, 0)
    window = visible_window(moment.head, row, start, moment.visible_count - start)
    indices = [message.index for message in window.messages]
    results = results_of(moment.head, indices)
    pinned = pins_among(moment.head.key, indices)
    recalled = recalls_among(moment.head, indices)
    visits = node_visits(moment.head, window.messages)
    nodes = names_of_nodes(moment.head, {each.node_id for each in window.messages})
    return join_results(
        [
            message_card(
                message,
                results,
                place,
                pin=pinned.get(message.index),
                recalled=recalled.get(message.index),
                visit=visits.get(message.index, 0),
                nodes=nodes,
            )
            for message, place in zip(window.messages, window.positions, strict=True)
        ]
    )


def tabs_of(head: Conversation, moment: StoredSnapshot, here: str) -> list[Tab]:
    """Returns the tabs of one execution."""
    name = head.public_id
    tabs = [
        Tab(_("Status"), reverse("checkpoints:detail", args=[name]), here == "now"),
        Tab(
            _("Timeline"),
            reverse("checkpoints:timeline", args=[name]),
            here == "timeline",
            moment.version + 1 if moment.row else 0,
        ),
        Tab(_("Compare"), reverse("checkpoints:diff", args=[name]), here == "diff"),
        Tab(
            _("Conversation"),
            reverse("conversations:detail", args=[name]),
            count=moment.visible_count,
        ),
    ]
    if moment.row is None:
        return [tabs[0], tabs[3]]
    if moment.pinned is not None:
        url = reverse("checkpoints:canvas", args=[name])
        tabs.insert(1, Tab(_("Canvas"), url, here == "canvas"))
    return tabs
