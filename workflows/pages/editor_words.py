"""What the editor's cards and chips say of a document that is not saved, and what is wrong."""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from pydantic import JsonValue, SkipValidation

from ctxadmin.identity.actor import Actor
from ctxadmin.lib.contract import Contract
from ctxadmin.ui.sentences import translated
from workflows.domain.graph import Edge, Node
from workflows.domain.problems import Problem
from workflows.pages.editor_calls import answered, editor_call, json_body, workflow_named
from workflows.pages.parts import Part, Parts, parts_of, problems_in
from workflows.pages.problem_places import ProblemPlace, ProblemPlaces

# A document as it came: workflows.pages.parts reads it element by element.
AnyDocument = Annotated[JsonValue, SkipValidation]


class WordsAsked(Contract):
    """A document as the browser has it."""

    document: AnyDocument


@editor_call
def words(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    """``{nodes: {key: words}, edges: {key: words}, problems}``, of each element as far as it goes.

    Of elements with one id the first has it as its key, the second ``id~2``, as in the browser.
    """
    workflow_named(actor, slug)
    parts = parts_of(json_body(request, WordsAsked).document)
    found = problems_in(parts)
    keys = {"nodes": _keys(parts.nodes), "edges": _keys(parts.edges)}
    told, places = said_of(parts), ProblemPlaces(parts.document)
    for problem in found:
        name, at = (*problem.pointer.split("/")[1:3], "", "")[:2]
        if problem.severity == "note" or name not in keys:
            continue
        key = keys[name][int(at)] if at.isdigit() else problem.node or problem.edge or ""
        message = _said(problem, places.of(problem))
        if key in told[name] and message not in told[name][key]["problems"]:
            told[name][key]["problems"].append(message)
    listed = [_listed(each, places.of(each)) for each in found]
    return answered({**told, "problems": listed})


def _listed(problem: Problem, place: ProblemPlace) -> dict[str, object]:
    """A problem with its element by name, and the label and the name of its field."""
    words = {"message": translated(problem.message), "element": place.element}
    return problem.as_json() | words | {"field": place.field, "input": place.input}


def _said(problem: Problem, place: ProblemPlace) -> str:
    """What a card says; the card itself is the element."""
    message = translated(problem.message)
    return f"{place.field}: {message}" if place.field else message


AnyPart = Part[Node] | Part[Edge]


def _keys(parts: Sequence[AnyPart]) -> list[str]:
    """How the browser tells elements apart that have one id."""
    seen: Counter[str] = Counter()
    keys = []
    for part in parts:
        seen[part.id] += 1
        keys.append(part.id if seen[part.id] == 1 else f"{part.id}~{seen[part.id]}")
    return keys


def said_of(parts: Parts) -> dict[str, dict[str, dict[str, Any]]]:
    """What the cards and chips of a document say, by the keys of the browser."""
    return {
        "nodes": _words(_keys(parts.nodes), parts.nodes),
        "edges": _words(_keys(parts.edges), parts.edges),
    }


def _words(keys: Sequence[str], parts: Sequence[AnyPart]) -> dict[str, dict[str, Any]]:
    return {key: {**part.told.words, "problems": []} for key, part in zip(keys, parts, strict=True)}
