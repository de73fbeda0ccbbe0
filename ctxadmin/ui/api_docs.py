"""The pages that show the REST contract: its operations, each with a form to try, its errors.

The server renders them from the OpenAPI document. Of the ready-made viewers, Redoc does not run
under the content security policy; Swagger UI does, but fails the rules of WCAG that every page here
must meet in some 250 places (contrast, nested controls, sizes) and needs 1.8 MB of script.
"""

import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from ctxadmin.http.error_catalogue import CATALOGUE, ErrorCode
from ctxadmin.http.openapi import TAGS, document
from ctxadmin.http.problems import TITLES
from ctxadmin.ui.components import Crumb
from ctxadmin.ui.schema_rows import Schema, SchemaRow, example_of, kind_of, rows_of
from ctxadmin.ui.sentences import translated


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation in a list."""

    id: str
    method: str
    path: str
    summary: str


@dataclass(frozen=True, slots=True)
class OperationGroup:
    """The operations of one part of the contract."""

    title: str
    operations: Sequence[Operation]


@dataclass(frozen=True, slots=True)
class IndexPage:
    """``page`` of ``docs/api.html``."""

    groups: Sequence[OperationGroup]
    version: str


@dataclass(frozen=True, slots=True)
class Input:
    """A parameter as a field of the form."""

    name: str
    place: str
    kind: str
    required: bool
    text: str


@dataclass(frozen=True, slots=True)
class Form:
    """A request or answer body: a media type and its fields."""

    media: str
    kind: str
    rows: Sequence[SchemaRow]
    example: str = ""


@dataclass(frozen=True, slots=True)
class AnswerOf:
    """The answer with one status."""

    status: str
    text: str
    forms: Sequence[Form]


@dataclass(frozen=True, slots=True)
class OperationPage:
    """``page`` of ``docs/operation.html``."""

    operation: Operation
    text: str
    inputs: Sequence[Input]
    bodies: Sequence[Form]
    answers: Sequence[AnswerOf]
    refusals: Sequence[AnswerOf]


@dataclass(frozen=True, slots=True)
class ErrorsPage:
    """``page`` of ``docs/errors.html``: the codes with their titles."""

    errors: Sequence[tuple[ErrorCode, str]]


@functools.cache
def _contract() -> dict[str, Any]:
    made: dict[str, Any] = orjson.loads(document())
    return made


@functools.cache
def _operations() -> dict[str, tuple[Operation, str, dict[str, Any]]]:
    """Returns every operation by its id, with its part of the contract."""
    found = {}
    for path, methods in _contract()["paths"].items():
        for method, description in methods.items():
            name = description["operationId"]
            operation = Operation(name, method.upper(), path, description.get("summary", name))
            found[name] = (operation, description["tags"][0], description)
    return found


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """Shows ``GET /api/docs``: all operations by the parts of the contract."""
    parts: dict[str, list[Operation]] = {part: [] for part in TAGS.values()}
    for operation, part, _document in _operations().values():
        parts[part].append(_named(operation))
    page = IndexPage(
        groups=[OperationGroup(_(title), listed) for title, listed in parts.items() if listed],
        version=_contract()["info"]["version"],
    )
    return render(request, "docs/api.html", {"page": page})


@require_safe
def operation(request: HttpRequest, name: str) -> HttpResponse:
    """Shows ``GET /api/docs/{operation}``: what it takes and answers, with a form that calls it."""
    found = _operations().get(name)
    if found is None:
        raise Http404
    page = _page(_named(found[0]), found[2])
    crumbs = [Crumb(_("REST API"), "/api/docs"), Crumb(page.operation.summary)]
    return render(request, "docs/operation.html", {"page": page, "crumbs": crumbs})


def _named(operation: Operation) -> Operation:
    """Returns the operation with its summary in the reader's language."""
    return replace(operation, summary=_(operation.summary))


def _page(operation: Operation, document: dict[str, Any]) -> OperationPage:
    known = _contract()["components"]["schemas"]
    answers = [_answer(status, each, known) for status, each in document["responses"].items()]
    bodies = document.get("requestBody", {}).get("content", {})
    return OperationPage(
        operation=operation,
        text=document.get("description", ""),
        inputs=[_input(each, known) for each in document.get("parameters", ())],
        bodies=[
            Form(
                media=media,
                kind=kind_of(each["schema"], known),
                rows=rows_of(each["schema"], known),
                example=_example(media, each, known),
            )
            for media, each in bodies.items()
        ],
        answers=[each for each in answers if each.status.startswith("2")],
        refusals=[each for each in answers if not each.status.startswith("2")],
    )


def _input(document: dict[str, Any], known: dict[str, Schema]) -> Input:
    return Input(
        name=document["name"],
        place=document["in"],
        kind=kind_of(document["schema"], known),
        required=bool(document.get("required")),
        text=document.get("description", ""),
    )


def _answer(status: str, document: dict[str, Any], known: dict[str, Schema]) -> AnswerOf:
    forms = [
        Form(media, kind_of(each["schema"], known), rows_of(each["schema"], known))
        for media, each in document.get("content", {}).items()
    ]
    return AnswerOf(status, document["description"], forms)


def _example(media: str, document: dict[str, Any], known: dict[str, Schema]) -> str:
    if "json" not in media:
        return ""
    example = (
        document["example"] if "example" in document else example_of(document["schema"], known)
    )
    return json.dumps(example, indent=2, ensure_ascii=False)


@require_safe
def errors(request: HttpRequest) -> HttpResponse:
    """Shows ``GET /api/docs/errors``: what each code means.

    ``type`` of every problem links here.
    """
    page = ErrorsPage([(each, translated(TITLES[code])) for code, each in CATALOGUE.items()])
    crumbs = [Crumb(_("REST API"), "/api/docs"), Crumb(_("Errors"))]
    return render(request, "docs/errors.html", {"page": page, "crumbs": crumbs})
