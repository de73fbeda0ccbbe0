"""Reads and writes workflow documents as YAML without loss."""

from collections.abc import Sequence
from typing import Final

import yaml
from pydantic import JsonValue

from ctxadmin.lib.errors import FieldProblem, ValidationFailed
from ctxadmin.lib.sentence import say
from workflows.domain.document import graph
from workflows.domain.document.elements import Problem
from workflows.domain.document.graph import Document
from workflows.domain.document.yaml_json import IMPLICIT_TAGS, YamlPlace, find_places, load_json


def load(text: str | bytes, *, default_name: str = "") -> Document:
    """Returns the document in a YAML text; ``default_name`` is its name if the text has none.

    ``nodes`` or ``edges`` can be missing. Raises ValidationFailed - each problem has a pointer and,
    in its extra, line and column from 1 - and TooLarge.
    """
    data = load_json(text, _not_of_a_workflow)
    if not isinstance(data, dict):
        raise ValidationFailed.at("", _NO_MAPPING, line=1, column=1)
    missing: dict[str, JsonValue] = {"name": default_name, "nodes": [], "edges": []}
    given = {key: value for key, value in data.items() if value is not None}
    try:
        return graph.read({**missing, **given})
    except ValidationFailed as error:
        raise _with_places(error, text) from None


def _not_of_a_workflow(keys: Sequence[str | None], value: JsonValue) -> str | None:
    """Returns why a long text with ``value`` below ``keys`` is not a workflow, None if it may be
    one.

    A short text is read whole, and all its problems are reported together.
    """
    field = keys[0] if keys else None
    if field is None:
        return _NO_MAPPING
    if field not in Document.model_fields:
        return say("a workflow has no field {field}", field=repr(field))
    if field in ("nodes", "edges") and len(keys) == _IN_LIST and not isinstance(value, dict):
        return say("an entry of {field} is a mapping", field=field)
    return None


_NO_MAPPING: Final = say("a workflow is a mapping with nodes and edges")
_IN_LIST: Final = 2  # the field and its list


def places_of(text: str | bytes, problems: Sequence[Problem]) -> list[YamlPlace]:
    """Returns the places in a loaded text of some problems of its document."""
    return find_places(text, [problem.pointer for problem in problems]) if problems else []


def _with_places(error: ValidationFailed, text: str | bytes) -> ValidationFailed:
    """Returns the same error, with the line and column of each problem in the text."""
    places = find_places(text, [problem.pointer for problem in error.problems])
    problems = [
        FieldProblem(
            problem.pointer,
            problem.message,
            problem.code,
            (*problem.extra, ("line", place.line), ("column", place.column)),
        )
        for problem, place in zip(error.problems, places, strict=True)
    ]
    first = places[0] if places else None
    if first is None:
        return ValidationFailed(error.detail, problems=problems)
    detail = say(
        "line {line}, column {column}: {message}",
        line=first.line,
        column=first.column,
        message=error.detail,
    )
    return ValidationFailed(detail, problems=problems)


def dump(document: Document) -> str:
    """Returns the document as YAML; loading it gives the same document.

    Quotes what an older reader (YAML 1.1) would not take for text.
    """
    text: str = yaml.dump(
        graph.dump(document),
        Dumper=_Dumper,
        allow_unicode=True,
        default_flow_style=False,
        sort_keys=False,
        width=_WIDTH,
    )
    return text


_WIDTH: Final = 100


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """Writes what ``load_json`` reads back: no anchors, several lines as a block."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)
for _tag, _form in IMPLICIT_TAGS:
    _Dumper.add_implicit_resolver(_tag, _form, None)
