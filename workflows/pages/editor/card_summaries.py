"""The summaries and problems of an unsaved document, for the editor's cards and chips."""

from collections.abc import Collection, Sequence
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from pydantic import Field

from ctxadmin.identity.actor import Actor
from workflows.domain.checks.problems import Problem
from workflows.domain.document.draft_changes import Key, keys_of
from workflows.domain.document.graph import Edge, Node
from workflows.pages.editor.canvas_document import CanvasRequest
from workflows.pages.editor.document_parts import DocumentParts, ElementPart, problems_in
from workflows.pages.editor.editor_call import editor_call, json_answer, json_body, workflow_named
from workflows.pages.elements.problem_places import (
    ProblemPlace,
    ProblemPlaces,
    field_and_message,
    message_at,
)

Keys = Annotated[list[Key], Field(max_length=100_000)]


class SummariesRequest(CanvasRequest):
    """The elements to summarize, by key; all elements where no list is given."""

    nodes: Keys | None = None
    edges: Keys | None = None


@editor_call
def words(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    """Returns ``{nodes: {key: words}, edges: {key: words}, wrong, warned, problems}``.

    ``problems`` are those of the whole document; ``wrong`` has them for cards and chips, by key,
    and ``warned`` the keys of the elements that have nothing but warnings. Of
    elements with one id the first has it as its key, the second ``id~2``, as in the browser.
    """
    row = workflow_named(actor, slug)
    asked = json_body(request, SummariesRequest)
    parts = asked.parts(row)
    found = problems_in(parts)
    return json_answer(marked_summaries(parts, found, asked.nodes, asked.edges))


def marked_summaries(
    parts: DocumentParts,
    found: Sequence[Problem],
    nodes: Collection[str] | None = None,
    edges: Collection[str] | None = None,
) -> dict[str, Any]:
    """Returns the texts of cards and chips with the problems of the document; None means all."""
    places = ProblemPlaces(parts.named)
    listed = [_listed(each, places.of(each)) for each in found]
    marked = _marked(parts, found, places)
    return {**summaries_of(parts, nodes, edges), **marked, "problems": listed}


def _marked(
    parts: DocumentParts, found: Sequence[Problem], places: ProblemPlaces
) -> dict[str, dict[str, Any]]:
    """Returns the problems of each element, by key, and which elements have only warnings."""
    keys = {"nodes": _keys(parts.nodes), "edges": _keys(parts.edges)}
    wrong: dict[str, dict[str, list[str]]] = {"nodes": {}, "edges": {}}
    faulty: dict[str, set[str]] = {"nodes": set(), "edges": set()}
    for problem in found:
        name, at = (*problem.pointer.split("/")[1:3], "", "")[:2]
        if problem.severity == "note" or name not in keys:
            continue
        key = keys[name][int(at)] if at.isdigit() else problem.node or problem.edge or ""
        messages = wrong[name].setdefault(key, [])
        message = field_and_message(problem, places)  # the card itself is the element
        if message not in messages:
            messages.append(message)
        if problem.severity == "error":
            faulty[name].add(key)
    warned = {name: sorted(listed.keys() - faulty[name]) for name, listed in wrong.items()}
    return {"wrong": wrong, "warned": warned}


def _listed(problem: Problem, place: ProblemPlace) -> dict[str, object]:
    """Returns a problem with the name of its element, and the label and name of its field."""
    words = {"message": message_at(problem, place), "element": place.element}
    return problem.as_json() | words | {"field": place.field, "input": place.input}


AnyPart = ElementPart[Node] | ElementPart[Edge]


def _keys(parts: Sequence[AnyPart]) -> list[str]:
    return keys_of(part.id for part in parts)


def summaries_of(
    parts: DocumentParts, nodes: Collection[str] | None = None, edges: Collection[str] | None = None
) -> dict[str, dict[str, Any]]:
    """Returns the texts of cards and chips, by the keys of the browser; None means all."""
    return {"nodes": _words(parts.nodes, nodes), "edges": _words(parts.edges, edges)}


def _words(parts: Sequence[AnyPart], wanted: Collection[str] | None) -> dict[str, Any]:
    chosen = None if wanted is None else set(wanted)
    pairs = zip(_keys(parts), parts, strict=True)
    return {key: part.findings.words for key, part in pairs if chosen is None or key in chosen}
