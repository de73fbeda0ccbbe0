"""What the editor's cards and chips say of a document that is not saved, and what is wrong."""

from collections.abc import Sequence
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from pydantic import JsonValue, SkipValidation

from ctxadmin.accounts.actor import Actor
from ctxadmin.lib.contract import Contract
from workflows.domain.graph import Edge, Node
from workflows.pages.editor_calls import answered, editor_call, json_body, workflow_named
from workflows.pages.parts import Part, parts_of, problems_in

# A document as it came: workflows.pages.parts reads it element by element.
AnyDocument = Annotated[JsonValue, SkipValidation]


class WordsAsked(Contract):
    """A document as the browser has it."""

    document: AnyDocument


@editor_call
def words(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    """``{nodes: {id: words}, edges: {id: words}, problems}``, of each element as far as it goes."""
    workflow_named(actor, slug)
    parts = parts_of(json_body(request, WordsAsked).document)
    found = problems_in(parts)
    nodes, edges = _words(parts.nodes), _words(parts.edges)
    for problem in found:
        if problem.severity != "note":
            told = nodes.get(problem.node or "") or edges.get(problem.edge or "")
            if told is not None:
                told["problems"].append(problem.message)
    return answered(
        {"nodes": nodes, "edges": edges, "problems": [each.as_json() for each in found]}
    )


def _words(parts: Sequence[Part[Node]] | Sequence[Part[Edge]]) -> dict[str, dict[str, Any]]:
    """By id, the first of several with one id; an element without an id has no card."""
    told: dict[str, dict[str, Any]] = {}
    for part in parts:
        if part.id and part.id not in told:
            told[part.id] = {**part.told.words, "problems": []}
    return told
