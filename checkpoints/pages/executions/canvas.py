"""An execution on the canvas of its workflow: its position, and each node's context and output."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from checkpoints.contexts.trace import Trace, trace_of
from checkpoints.contexts.version_inputs import preview_version_input
from checkpoints.models import Execution
from checkpoints.pages import presenters
from checkpoints.pages.executions.execution_pages import tabs_of
from checkpoints.pages.executions.position_marks import marks_of
from checkpoints.pages.executions.trace_lines import (
    EdgeDecisionLine,
    NodeRunLine,
    edge_decision_lines,
    node_run_lines,
)
from checkpoints.pages.presenters import PositionView, TimelineLine
from checkpoints.pages.state import state_view
from checkpoints.reading import queries
from checkpoints.statistics.usage_costs import UsageSum
from checkpoints.statistics.usage_totals import usage_of_nodes
from checkpoints.store.pinned_workflow import PinnedVersion
from checkpoints.store.snapshots import StoredSnapshot
from conversations.models import Conversation
from conversations.reading.display_names import display_name
from conversations.services.pins import may_pin
from conversations.store.conversation import find_head
from ctxadmin.http.endpoints.pagination import PageRequest
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import NotFound
from ctxadmin.ui.components import Crumb, Tab, Text
from ctxadmin.ui.pages import page, part_of, show
from workflows.domain.document.graph import Edge, Node
from workflows.pages.drawing.marks import CanvasMark, Marks
from workflows.pages.drawing.summaries import NODE_TYPE_WORDS
from workflows.pages.drawing.svg import Links
from workflows.pages.editor.canvas import read_only_setup
from workflows.pages.editor.drawn_canvas import as_answer, drawn_setup
from workflows.pages.preview.preview_result import PreviewView, preview_view

_LAST: Final = 12


@dataclass(frozen=True, slots=True)
class RunPanel:
    """The panel beside the canvas: of a node, of an edge, or of the whole execution.

    ``turns`` are the versions that the node wrote, ``decided`` the decisions on the edge, latest
    first; ``more`` older ones are not listed. ``lines`` are the last versions. ``usage`` is that of
    the node or of the whole execution, None if none was reported.
    """

    name: str
    position: PositionView
    node: Node | None = None
    type: Text = ""
    edge: Edge | None = None
    mark: CanvasMark | None = None
    usage: UsageSum | None = None
    turns: Sequence[NodeRunLine] = ()
    decided: Sequence[EdgeDecisionLine] = ()
    more: int = 0
    lines: Sequence[TimelineLine] = ()
    may_review: bool = False


@dataclass(frozen=True, slots=True)
class CanvasPage:
    """The canvas of an execution; ``setup`` is the data of the island, None if it is too large.

    ``panel`` and ``links`` are for a browser without JavaScript: the selection, and a link to each
    node.
    """

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    tabs: Sequence[Tab]
    setup: Mapping[str, object] | None
    panel: RunPanel
    links: Sequence[tuple[str, str, CanvasMark | None]]


@dataclass(frozen=True, slots=True)
class SawPage:
    """What the node that wrote a version saw; ``pin_name`` is "" for who may not pin."""

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    node: str
    number: int
    seen: PreviewView
    pin_name: str


@dataclass(frozen=True, slots=True)
class _Run:
    """An execution of a workflow with its trace and its marks."""

    head: Conversation
    moment: StoredSnapshot
    row: Execution
    pinned: PinnedVersion
    course: Trace
    marks: Marks
    usage: Mapping[str, UsageSum]


@require_safe
@page
def canvas(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    run = _run(actor, conversation_id)
    document = run.pinned.workflow.document
    links = _CanvasLinks(conversation_id)
    setup = read_only_setup(
        actor,
        document,
        document.name or run.row.workflow,
        run.marks,
        panel=reverse("checkpoints:canvas-panel", args=[conversation_id]),
        again=reverse("checkpoints:canvas-marks", args=[conversation_id]),
    )
    shown = CanvasPage(
        title=display_name(run.head),
        crumbs=presenters.crumbs(run.head, Crumb(_("Canvas"))),
        head=run.head,
        tabs=tabs_of(run.head, run.moment, "canvas"),
        setup=None if setup is None else {**setup, "execution": run.row.public_id},
        panel=_panel(actor, run, request),
        links=[
            (each.name or each.id, links.node(each.id), run.marks.nodes.get(each.id))
            for each in document.nodes
        ],
    )
    return show(request, "checkpoints/canvas.html", shown)


class _CanvasLinks(Links):
    """Links to the elements on the canvas of an execution, with what each did beside it."""

    def __init__(self, conversation_id: str) -> None:
        self._canvas = reverse("checkpoints:canvas", args=[conversation_id])

    def node(self, node_id: str) -> str:
        return f"{self._canvas}?node={node_id}"

    def edge(self, edge_id: str) -> str:
        return f"{self._canvas}?edge={edge_id}"


@require_safe
@part_of("checkpoints:detail", "conversation_id")
@page
def drawn(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    """Returns the data of the canvas on the page of an execution, with the current marks."""
    run = _run(actor, conversation_id)
    document = run.pinned.workflow.document
    setup = drawn_setup(
        actor,
        document,
        document.name or run.row.workflow,
        _CanvasLinks(conversation_id),
        marks=run.marks,
        again=reverse("checkpoints:canvas-marks", args=[conversation_id]),
    )
    return as_answer({**setup, "execution": run.row.public_id})


@require_safe
@page
def marks(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    """Returns the current marks, and the execution they are of."""
    run = _run(actor, conversation_id)
    data = {"execution": run.row.public_id, "marks": run.marks.as_json()}
    return JsonResponse(data, headers={"Cache-Control": "no-store"})


@require_safe
@part_of("checkpoints:canvas", "conversation_id")
@page
def panel(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    """Returns the panel of ``?node=`` or ``?edge=``, as a part of a page."""
    run = _run(actor, conversation_id)
    return render(request, "checkpoints/_run_panel.html", {"page": _panel(actor, run, request)})


@require_safe
@page
def context_seen_panel(
    request: HttpRequest, actor: Actor, conversation_id: str, number: int
) -> HttpResponse:
    head = find_head(actor.workspace, conversation_id)
    moment = queries.find_moment(actor, conversation_id)
    row = moment.row
    if row is None:
        raise NotFound(_("This conversation has no execution."))
    node_preview = preview_version_input(head, row, number)
    title = _("Context seen: %(node)s, version %(n)s")
    name = presenters.name_of(moment.pinned, node_preview.entered.node_id)
    shown = SawPage(
        title=title % {"node": name, "n": number},
        crumbs=presenters.crumbs(
            head,
            Crumb(_("Canvas"), _CanvasLinks(conversation_id).node(node_preview.entered.node_id)),
        ),
        head=head,
        node=node_preview.entered.node_id,
        number=number,
        seen=preview_view(node_preview),
        pin_name=head.public_id if may_pin(actor, head) else "",
    )
    return show(request, "checkpoints/saw.html", shown)


def _run(actor: Actor, conversation_id: str) -> _Run:
    head = find_head(actor.workspace, conversation_id)
    moment = queries.find_moment(actor, conversation_id)
    row, pinned = moment.row, moment.pinned
    if row is None or pinned is None:
        raise NotFound(_("This execution runs without a workflow."))
    course = trace_of(row)
    executed = state_view.executed_nodes(moment)
    counts = course.runs() if executed is None else Counter(executed)
    usage = usage_of_nodes(row)
    marks = marks_of(moment, course, counts, usage)
    return _Run(head, moment, row, pinned, course, marks, usage)


def _panel(actor: Actor, run: _Run, request: HttpRequest) -> RunPanel:
    name, position = run.head.public_id, presenters.position_view(run.moment)
    node_id, edge_id = request.GET.get("node", ""), request.GET.get("edge", "")
    if node_id:
        run.pinned.require_node(node_id)
        node = run.pinned.graph.nodes[node_id]
        turns = run.course.of_node(node_id)
        lines = node_run_lines(run.row, turns, run.pinned)
        return RunPanel(
            name,
            position,
            node=node,
            type=NODE_TYPE_WORDS.get(node.type, node.type),
            mark=run.marks.nodes.get(node_id),
            usage=run.usage.get(node_id),
            turns=lines,
            more=len(turns) - len(lines),
            may_review=actor.may(Action.EXECUTION_APPROVE),
        )
    if edge_id:
        edge = run.pinned.graph.edges.get(edge_id)
        if edge is None:
            raise NotFound(_("The workflow has no edge %(id)s.") % {"id": edge_id[:64]})
        found = run.course.on_edge(edge_id)
        decided = edge_decision_lines(found)
        mark = run.marks.edges.get(edge_id)
        more = len(found) - len(decided)
        return RunPanel(name, position, edge=edge, mark=mark, decided=decided, more=more)
    __, newest = queries.list_checkpoints(actor, name, PageRequest(limit=_LAST))
    total = sum(run.usage.values(), UsageSum()) if run.usage else None
    last = presenters.version_lines(run.row, newest.items, run.pinned)
    return RunPanel(name, position, usage=total, lines=last)
