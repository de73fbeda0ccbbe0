"""The canvas on a page among other things, whose cards and chips are links."""

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import NotFound
from ctxadmin.ui.pages import page, part_of
from workflows.domain.document.graph import Document
from workflows.pages.definition.links import FormLinks, OutlineLinks
from workflows.pages.drawing.marks import Marks
from workflows.pages.drawing.svg import MOST_DRAWN, Links
from workflows.pages.editor.canvas import setup_to_look_at
from workflows.pages.editor.card_summaries import marked_summaries
from workflows.pages.editor.document_parts import DocumentParts, parts_of, problems_in
from workflows.reading import queries
from workflows.store.definitions import stored
from workflows.store.workflow import find_workflow


@require_safe
@part_of("workflows:detail", "slug")
@page
def drawn(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    """Returns the data of the canvas of the draft, or of ``?version=``."""
    row = find_workflow(actor.workspace, slug)
    which = request.GET.get("version") or queries.DRAFT
    document = queries.document_of(row, which, "version")
    if which == queries.DRAFT:
        links = FormLinks(slug, may_change=actor.may(Action.WORKFLOW_CHANGE))
        return drawn_answer(actor, document, row.name, links, checks=True)
    return drawn_answer(actor, document, row.name, OutlineLinks())


def drawn_answer(
    actor: Actor, document: Document, name: str, links: Links, *, checks: bool = False
) -> HttpResponse:
    """Returns the data of ``drawn_setup`` as JSON."""
    return as_answer(drawn_setup(actor, document, name, links, checks=checks))


def as_answer(setup: Mapping[str, object]) -> HttpResponse:
    return JsonResponse(setup, headers={"Cache-Control": "no-store"})


def drawn_setup(
    actor: Actor,
    document: Document,
    name: str,
    links: Links,
    *,
    checks: bool = False,
    marks: Marks | None = None,
    again: str = "",
) -> dict[str, object]:
    """Returns the data of a canvas whose cards lead where ``links`` say.

    With ``checks`` it has the problems of a draft. ``again`` is the address of the current
    ``marks`` as JSON, if they change. Raises NotFound for a graph too large.
    """
    if len(document.nodes) > MOST_DRAWN:
        raise NotFound(_("This workflow is too large to draw. The outline shows all of it."))
    parts = parts_of(stored(document))
    return {
        **setup_to_look_at(actor, document, name),
        "drawn": {
            "words": marked_summaries(parts, problems_in(parts) if checks else ()),
            "links": _links(parts, links),
            "marks": None if marks is None else marks.as_json(),
            "again": again,
        },
    }


def _links(parts: DocumentParts, links: Links) -> Mapping[str, Mapping[str, str]]:
    return {
        "nodes": {each.id: links.node(each.id) for each in parts.nodes},
        "edges": {each.id: links.edge(each.id) for each in parts.edges},
    }
