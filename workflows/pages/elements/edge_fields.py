"""The form fields of an edge, with the parts of its filter apart, and back."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Final

from pydantic import Field, JsonValue

from ctxadmin.lib.contract import Contract, parse
from ctxadmin.lib.errors import ContextError, FieldProblem
from workflows.domain.document.elements import read_edge
from workflows.domain.document.graph import (
    MAX_CONDITION,
    Coordinate,
    Edge,
    ElementId,
    TypeName,
)
from workflows.domain.filters.context_filter import MAX_RULES
from workflows.domain.filters.edge_filter import (
    EdgeFilterType,
    Patterns,
    TransformRule,
    read_edge_filter,
)
from workflows.domain.processors.registries import standard
from workflows.pages.elements.operation_fields import (
    OperationList,
    filter_from_form,
    filter_to_form,
)

_FILTER_PARTS: Final = ("include_patterns", "exclude_patterns", "transform_rules", "messages")


class EdgeFields(Contract):
    """An edge; ``filter_type`` None leaves its filter to the type of the edge.

    Without an ``id`` it keeps the one that it has, or gets one of its ends.
    """

    type: TypeName
    from_node: Annotated[ElementId, Field(alias="from")]
    to_node: Annotated[ElementId, Field(alias="to")]
    condition: Annotated[str, Field(max_length=MAX_CONDITION)] | None = None
    weight: Coordinate | None = None
    filter_type: EdgeFilterType | None = None
    filter_condition: Annotated[str, Field(max_length=MAX_CONDITION)] | None = None
    include_patterns: Patterns = ()
    exclude_patterns: Patterns = ()
    transform_rules: Annotated[
        tuple[TransformRule, ...], Field(strict=False, max_length=MAX_RULES)
    ] = ()
    messages: OperationList = ()
    id: ElementId | None = None
    properties: dict[str, JsonValue] = {}


def fields_of(edge: Edge) -> JsonValue:
    """Returns the form fields of an edge as JSON; shows an edge with problems as it is."""
    source = _canonical(edge)
    return {
        "id": edge.id,
        "type": edge.type,
        "from": edge.from_node,
        "to": edge.to_node,
        "condition": edge.condition,
        "weight": edge.weight,
        "properties": edge.properties,
        "filter_type": source.get("type"),
        "filter_condition": source.get("condition"),
        **{name: source[name] for name in _FILTER_PARTS if name in source},
    }


def _canonical(edge: Edge) -> dict[str, JsonValue]:
    if edge.context_filter is None:
        return {}
    try:
        read = read_edge_filter(edge.context_filter)
    except ContextError:
        return filter_to_form(edge.context_filter)
    return filter_to_form(read.model_dump(mode="json", exclude_unset=True))


def edge_of(fields: EdgeFields, made_id: str = "new") -> Edge:
    """Returns the edge in the form; ``made_id`` is its id where the form has none."""
    listed = fields.model_dump(mode="json", by_alias=True, exclude_unset=True)
    given = {name: listed[name] for name in ("type", "from", "to")}
    given["id"] = fields.id or made_id
    for name in ("condition", "weight", "properties"):
        if listed.get(name) not in (None, "", {}):
            given[name] = listed[name]
    if fields.filter_type is not None:
        source: dict[str, JsonValue] = {"type": fields.filter_type}
        if listed.get("filter_condition"):
            source["condition"] = listed["filter_condition"]
        source |= {name: listed[name] for name in _FILTER_PARTS if listed.get(name)}
        given["context_filter"] = filter_from_form(source)
    return parse(Edge, given)


def form_problems(edge: Edge) -> list[FieldProblem]:
    """Returns the problems that this edge would have in a draft, with pointers into EdgeFields."""
    problems = read_edge(edge, standard(), "").problems
    errors = [each.as_field_problem() for each in problems if each.severity == "error"]
    return list(_moved(errors))


def _moved(problems: Iterable[FieldProblem]) -> Iterable[FieldProblem]:
    for problem in problems:
        yield replace(problem, pointer=pointer_in_form(problem.pointer))


def pointer_in_form(pointer: str) -> str:
    """Returns the place in the form of an edge of ``pointer`` in the edge."""
    rest = pointer.removeprefix("/context_filter")
    if rest == pointer:
        return pointer
    if rest in ("", "/type"):
        return "/filter_type"
    return "/filter_condition" if rest == "/condition" else rest
