"""The canvas of a workflow with the usage of its nodes: tokens, cost, share of cached input."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from checkpoints.pages.usage.page import USUAL, days_of
from checkpoints.statistics.usage_costs import UsageSum
from checkpoints.statistics.usage_totals import totals_of_workflow
from ctxadmin.identity.actor import Actor
from ctxadmin.lib import clock
from ctxadmin.lib.errors import NotFound
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.pages import page, part_of, show
from ctxadmin.ui.templatetags.ui import dollars, percent, thousands
from workflows.domain.document.graph import Document
from workflows.models import Workflow
from workflows.pages.drawing.marks import CanvasMark, Marks, Sign
from workflows.pages.editor.canvas import read_only_setup
from workflows.reading import queries
from workflows.store.workflow import find_workflow

_SIGNS = (
    Sign("done", "sum", gettext_lazy("reported usage")),
    Sign("open", "circle-dashed", gettext_lazy("reported nothing")),
)


@dataclass(frozen=True, slots=True)
class UsageCanvasPage:
    """The published version on a canvas; ``setup`` is None if the graph is too large to draw.

    ``panel`` is for a browser without JavaScript.
    """

    title: Text
    crumbs: Sequence[Crumb]
    setup: Mapping[str, object] | None
    panel: "UsagePanel"


@dataclass(frozen=True, slots=True)
class UsagePanel:
    """The panel beside the canvas: the usage of a node, or of all; None if none was reported."""

    name: str
    sum: UsageSum | None
    days: int
    url: str


@dataclass(frozen=True, slots=True)
class _Used:
    """A workflow's published version, and the usage of its nodes in the last days."""

    row: Workflow
    document: Document
    nodes: Mapping[str, UsageSum]
    days: int


def usage_label(usage: UsageSum) -> str:
    """Returns tokens and cost of a node, short enough for its card; the panel has them in full."""
    parts = [
        _("%(n)s tok") % {"n": thousands(usage.tokens)},
        dollars(usage.cost) if usage.priced else _("cost unknown"),
    ]
    if usage.cached_tokens:
        parts.append(_("%(n)s cached") % {"n": percent(usage.cached_share)})
    return " · ".join(parts)


@require_safe
@page
def usage_canvas(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    used = _used(request, actor, slug)
    query = urlencode({"workflow": slug, "days": used.days})
    title = _("Usage of %(name)s") % {"name": used.row.name}
    shown = UsageCanvasPage(
        title=title,
        crumbs=(
            Crumb(_("Usage"), reverse("usage")),
            Crumb(slug, f"{reverse('usage')}?{query}"),
            Crumb(_("Canvas")),
        ),
        setup=read_only_setup(
            actor,
            used.document,
            used.row.name,
            _marks(used),
            panel=f"{reverse('usage-canvas-panel', args=[slug])}?days={used.days}",
        ),
        panel=_panel(used, ""),
    )
    return show(request, "checkpoints/usage_canvas.html", shown)


@require_safe
@part_of("usage-canvas", "slug")
@page
def usage_canvas_panel(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    """Returns the panel of ``?node=``, as a part of a page."""
    used = _used(request, actor, slug)
    panel = _panel(used, request.GET.get("node", ""))
    return render(request, "checkpoints/_usage_panel.html", {"page": panel})


def _used(request: HttpRequest, actor: Actor, slug: str) -> _Used:
    row = find_workflow(actor.workspace, slug)
    if row.published_version is None:
        raise NotFound(_("This workflow is not published yet."))
    days = days_of(request.GET.get("days", str(USUAL)))
    totals = totals_of_workflow(actor.workspace, slug, clock.now().date(), days)
    document = queries.document_of(row, str(row.published_version), "version")
    return _Used(row, document, totals.by_node(), days)


def _marks(used: _Used) -> Marks:
    nodes = {
        node.id: CanvasMark("done", usage_label(used.nodes[node.id]))
        if node.id in used.nodes
        else CanvasMark("open", _("reported nothing"))
        for node in used.document.nodes
    }
    title = _("Last %(n)s days, published version %(version)s") % {
        "n": used.days,
        "version": used.row.published_version,
    }
    return Marks(summary=title, icon="sum", signs=_SIGNS, nodes=nodes)


def _panel(used: _Used, node_id: str) -> UsagePanel:
    name, found = used.row.name, sum(used.nodes.values(), UsageSum())
    if node_id:
        node = next((each for each in used.document.nodes if each.id == node_id), None)
        if node is None:
            raise NotFound(_("The workflow has no node %(id)s.") % {"id": node_id[:64]})
        name, found = node.name or node.id, used.nodes.get(node_id, UsageSum())
    query = urlencode({"workflow": str(used.row.slug), "days": used.days})
    return UsagePanel(
        name, found if found.steps else None, used.days, f"{reverse('usage')}?{query}"
    )
