"""The difference of two versions on the canvas: added, removed and changed elements."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_safe

from ctxadmin.identity.actor import Actor
from ctxadmin.ui.components import Crumb, DiffRow, Text
from ctxadmin.ui.pages import page, part_of, show
from workflows.domain.document.compare import Element, ElementChange, compare
from workflows.domain.document.flow_changes import FlowChanges, flow_changes
from workflows.domain.document.graph import Document
from workflows.models import Workflow
from workflows.pages.definition.diff_rows import (
    Link,
    diff_rows_of,
    element_name,
    moved_line,
)
from workflows.pages.definition.links import crumbs
from workflows.pages.definition.workflow_pages import canvas_link, version_label
from workflows.pages.drawing.diff_drawing import MOST_CHANGES, ListLinks, merge_graphs
from workflows.pages.drawing.marks import CanvasMark, Marks, Sign
from workflows.pages.editor.canvas import read_only_setup
from workflows.pages.editor.drawn_canvas import as_answer, drawn_setup
from workflows.reading import queries
from workflows.store.workflow import find_workflow

_SIGNS: Final = (
    Sign("added", "plus", gettext_lazy("new")),
    Sign("removed", "minus", gettext_lazy("removed")),
    Sign("changed", "tilde", gettext_lazy("changed")),
)
_WORDS: Final[Mapping[str, Text]] = {each.name: each.word for each in _SIGNS}


@dataclass(frozen=True, slots=True)
class DiffCanvasPage:
    """The canvas of a comparison; ``setup`` is the data of the island, None if it is too large."""

    title: Text
    crumbs: Sequence[Crumb]
    row: Workflow
    before: str
    after: str
    setup: Mapping[str, object] | None


@dataclass(frozen=True, slots=True)
class DiffPlace:
    """Where an element is among the nodes and edges that differ, with the addresses of others.

    ``at`` counts from 1, and is 0 for an element that does not differ. ``previous`` and ``next``
    are "" where there is none; the first change follows what does not differ.
    """

    at: int
    total: int
    previous: str
    next: str


@dataclass(frozen=True, slots=True)
class DiffPanel:
    """The differences of one element, or all; ``more`` elements are not listed.

    ``moved`` says that cards were moved.
    """

    name: Text
    rows: Sequence[DiffRow]
    more: int = 0
    moved: str = ""
    place: DiffPlace | None = None


@require_safe
@page
def canvas(request: HttpRequest, actor: Actor, slug: str, before: str, after: str) -> HttpResponse:
    row = find_workflow(actor.workspace, slug)
    documents = _documents(row, before, after)
    which = {"a": version_label(before), "b": version_label(after)}
    way = reverse("workflows:diff", args=[slug]) + f"?from={before}&to={after}"
    shown = DiffCanvasPage(
        title=_("From %(a)s to %(b)s") % which,
        crumbs=crumbs(row, Crumb(_("Difference"), way), Crumb(_("Canvas"))),
        row=row,
        before=before,
        after=after,
        setup=read_only_setup(
            actor,
            merge_graphs(*documents),
            row.name,
            _marks(flow_changes(compare(*documents))),
            panel=reverse("workflows:diff-panel", args=[slug, before, after]),
        ),
    )
    return show(request, "workflows/diff_canvas.html", shown)


@require_safe
@part_of("workflows:diff", "slug")
@page
def drawn(request: HttpRequest, actor: Actor, slug: str, before: str, after: str) -> HttpResponse:
    """Returns the data of the canvas on the page of the list, whose cards lead to its rows."""
    row = find_workflow(actor.workspace, slug)
    documents = _documents(row, before, after)
    found = flow_changes(compare(*documents))
    links = ListLinks(found.changes[:MOST_CHANGES])
    setup = drawn_setup(actor, merge_graphs(*documents), row.name, links, marks=_marks(found))
    return as_answer(setup)


@require_safe
@part_of("workflows:diff-canvas", "slug", "before", "after")
@page
def panel(request: HttpRequest, actor: Actor, slug: str, before: str, after: str) -> HttpResponse:
    """Returns the differences of ``?node=`` or ``?edge=``, or all, as a part of a page."""
    row = find_workflow(actor.workspace, slug)
    documents = _documents(row, before, after)
    return render(
        request,
        "workflows/_diff_panel.html",
        {"page": _panel(request, *documents, canvas_link(slug, before, after))},
    )


def _panel(request: HttpRequest, before: Document, after: Document, link: Link) -> DiffPanel:
    found = flow_changes(compare(before, after))
    changes = found.changes
    elements: tuple[Element, ...] = ("node", "edge")
    for element in elements:
        name = request.GET.get(element, "")
        if name:
            own = [each for each in changes if each.element == element and each.id == name]
            title = element_name(ElementChange(element, name, "changed"), before, after)
            place = _place(changes, element, name, link)
            return DiffPanel(title, diff_rows_of(own, before, after), place=place)
    more = max(len(changes) - MOST_CHANGES, 0)
    rows = diff_rows_of(changes[:MOST_CHANGES], before, after, link)
    return DiffPanel("", rows, more, moved_line(found), _place(changes, "workflow", "", link))


def _place(
    changes: Sequence[ElementChange], element: Element, name: str, link: Link
) -> DiffPlace | None:
    """Returns the way through what differs on the canvas; None if nothing does."""
    drawn = [each for each in changes if each.element in ("node", "edge")]
    if not drawn:
        return None
    at = next(
        (n for n, each in enumerate(drawn, 1) if (each.element, each.id) == (element, name)), 0
    )
    return DiffPlace(
        at=at,
        total=len(drawn),
        previous=link(drawn[at - 2]) if at > 1 else "",
        next=link(drawn[at]) if at < len(drawn) else "",
    )


def _documents(row: Workflow, before: str, after: str) -> tuple[Document, Document]:
    return queries.document_of(row, before, "from"), queries.document_of(row, after, "to")


def _marks(found: FlowChanges) -> Marks:
    changes = found.changes
    counts = Counter[str](each.kind for each in changes)
    parts = [f"{counts[sign.name]} {sign.word}" for sign in _SIGNS if counts[sign.name]]
    total = ngettext("%(n)s element differs", "%(n)s elements differ", len(changes))
    title = moved_line(found) or _("Both are the same")
    if changes:
        title = total % {"n": len(changes)} + ": " + ", ".join(parts)
    return Marks(
        summary=title,
        icon="arrows-diff" if changes else "equal",
        signs=_SIGNS,
        nodes=dict(_of("node", changes)),
        edges=dict(_of("edge", changes)),
    )


def _of(element: Element, changes: Sequence[ElementChange]) -> Iterator[tuple[str, CanvasMark]]:
    for each in changes:
        if each.element == element:
            yield each.id, CanvasMark(each.kind, _WORDS[each.kind])
