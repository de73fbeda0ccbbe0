"""A node as its form shows it, with filters, settings and operation apart, and back."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Annotated, Final, Literal

from pydantic import Field, JsonValue
from pydantic.alias_generators import to_snake

from ctxadmin.lib.contract import Contract, parse
from ctxadmin.lib.errors import ContextError, FieldProblem, ValidationFailed
from workflows.domain.elements import Problem, read_node
from workflows.domain.filters import MAX_RULES, Behavior, FilterRule, read_filter
from workflows.domain.graph import (
    CONTEXT_PROCESSOR,
    MAX_FILTERS,
    MAX_NAME,
    MAX_TEXT,
    MAX_TIMEOUT_SECONDS,
    SETTING_KEYS,
    Coordinate,
    ElementId,
    Filters,
    FilterSource,
    Node,
    NodeSettings,
    TypeName,
    filters_in,
)
from workflows.domain.processors import standard
from workflows.pages.operation_fields import (
    OperationFields,
    OperationList,
    shown,
    shown_in,
    written,
    written_in,
)

_OPERATION_KEYS: Final = frozenset({*OperationFields.model_fields, "version"})


class FilterFields(Contract):
    """A context filter; ``default_behavior`` None leaves it to the node's context type."""

    rules: Annotated[tuple[FilterRule, ...], Field(strict=False, max_length=MAX_RULES)] = ()
    default_behavior: Behavior | None = None
    messages: OperationList = ()
    priority: Annotated[int, Field(ge=-1_000_000, le=1_000_000)] = 0


_FilterList = Annotated[tuple[FilterFields, ...], Field(strict=False, max_length=MAX_FILTERS)]


class NodeFields(Contract):
    """A node in the parts that a person thinks of.

    ``template`` to ``timeout_outcome`` and ``operation`` are what the system reads of the node's
    config, ``config`` is the rest of it.
    """

    id: ElementId
    type: TypeName
    name: Annotated[str, Field(max_length=MAX_NAME)] | None = None
    description: Annotated[str, Field(max_length=MAX_TEXT)] | None = None
    template: Annotated[str, Field(max_length=1_000_000)] = ""
    pause: Literal["before", "after"] | None = None
    pause_reason: Annotated[str, Field(max_length=MAX_TEXT)] | None = None
    timeout_seconds: Annotated[int, Field(ge=1, le=MAX_TIMEOUT_SECONDS)] | None = None
    timeout_outcome: Literal["approve", "reject", "cancel"] | None = None
    context_type: TypeName | None = None
    operation: OperationFields | None = None
    context_filters: _FilterList = ()
    outgoing_filters: _FilterList = ()
    x: Coordinate | None = None
    y: Coordinate | None = None
    config: dict[str, JsonValue] = {}
    properties: dict[str, JsonValue] = {}


def fields_of(node: Node) -> JsonValue:
    """What the form of a node shows, as JSON; also a node with problems is shown as it is."""
    settings, rest = _split_settings(node.config)
    timeout = settings.pop("timeout", None)
    if isinstance(timeout, dict):
        settings |= {f"timeout_{name}": value for name, value in timeout.items()}
    operation: JsonValue = {"pairing": "keep"}
    if node.type == CONTEXT_PROCESSOR and "operation" in rest:
        block = {key: value for key, value in rest.items() if to_snake(key) in _OPERATION_KEYS}
        rest = {key: value for key, value in rest.items() if key not in block}
        operation = shown(block)
    position = node.position
    return {
        "id": node.id,
        "type": node.type,
        "name": node.name,
        "description": node.description,
        **settings,
        "context_type": node.context_type,
        "operation": operation,
        "context_filters": _shown_filters(node.context_filter),
        "outgoing_filters": _shown_filters(node.outgoing_filter),
        "x": position.x if position else None,
        "y": position.y if position else None,
        "config": rest,
        "properties": node.properties,
    }


def _shown_filters(source: Filters | None) -> list[JsonValue]:
    return [shown_in(_canonical(each)) for each in filters_in(source)]


def _canonical(source: FilterSource) -> FilterSource:
    """The filter in the contract's spelling, as forms know no other; as it is if it is wrong."""
    try:
        read = read_filter(source)
    except ContextError:
        return source
    return read.model_dump(mode="json", exclude_unset=True)


def _split_settings(
    config: Mapping[str, JsonValue],
) -> tuple[dict[str, JsonValue], dict[str, JsonValue]]:
    """The settings that can be shown in fields of their own, and all else.

    A timeout without a pause is the engine's, and a setting of a wrong type is shown as it is.
    """
    settings: dict[str, JsonValue] = {}
    rest: dict[str, JsonValue] = {}
    pauses = config.get("pause") is not None
    for key, value in config.items():
        name = to_snake(key)
        mine = key in SETTING_KEYS and name not in settings and (key != "timeout" or pauses)
        if mine and value is not None and _is_setting(name, value):
            settings[name] = value
        else:
            rest[key] = value
    return settings, rest


def _is_setting(name: str, value: JsonValue) -> bool:
    try:
        parse(NodeSettings, {name: value})
    except ValidationFailed:
        return False
    return True


def node_of(fields: NodeFields, before: Node | None = None) -> Node:
    """The node that the form says; ``before`` tells whether a single filter stood in a list.

    Raises ValidationFailed at ``/config`` if the free JSON names what has a field of its own.
    """
    given: dict[str, JsonValue] = {"id": fields.id, "type": fields.type}
    listed = fields.model_dump(mode="json", by_alias=True, exclude_unset=True)
    for name in ("name", "description", "context_type", "properties"):
        if listed.get(name):
            given[name] = listed[name]
    for name, filters in (
        ("context_filter", listed.get("context_filters")),
        ("outgoing_filter", listed.get("outgoing_filters")),
    ):
        if isinstance(filters, list) and filters:
            was_list = before is not None and isinstance(getattr(before, name), list)
            said: list[JsonValue] = [written_in(each) for each in filters if isinstance(each, dict)]
            given[name] = said if was_list or len(said) > 1 else said[0]
    config = _config_of(fields, listed)
    if config:
        given["config"] = config
    if fields.x is not None or fields.y is not None:
        given["position"] = {"x": fields.x or 0, "y": fields.y or 0}
    return parse(Node, given)


def _config_of(fields: NodeFields, listed: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    own: dict[str, JsonValue] = {}
    for name in ("template", "pause", "pause_reason"):
        if listed.get(name):
            own[name] = listed[name]
    parts = ("seconds", "outcome")
    timeout = {part: listed[name] for part in parts if listed.get(name := f"timeout_{part}")}
    if fields.pause is not None and timeout:
        own["timeout"] = timeout
    operation = listed.get("operation")
    if fields.type == CONTEXT_PROCESSOR and isinstance(operation, dict):
        own |= written(operation)
    twice = {to_snake(key) for key in own} & {to_snake(key) for key in fields.config}
    if twice:
        name = min(twice)
        raise ValidationFailed.at("/config", f"{name} has a field of its own above")
    return own | fields.config


def form_problems(node: Node) -> list[FieldProblem]:
    """What would be wrong with this node in a draft, with pointers into NodeFields."""
    reading = read_node(node, standard(), "")
    errors = [problem for problem in reading.problems if problem.severity == "error"]
    return list(_moved(node, errors))


def _moved(node: Node, problems: Iterable[Problem]) -> Iterable[FieldProblem]:
    for problem in problems:
        found = problem.as_field_problem()
        yield replace(found, pointer=_pointer_in_form(node, found.pointer))


def _pointer_in_form(node: Node, pointer: str) -> str:
    for name in ("context_filter", "outgoing_filter"):
        head = f"/{name}"
        if pointer == head or pointer.startswith(f"{head}/"):
            rest = pointer.removeprefix(head)
            listed = isinstance(getattr(node, name), list)
            return f"{head}s{rest}" if listed else f"{head}s/0{rest}"
    if pointer.startswith("/config"):
        rest = pointer.removeprefix("/config")
        first = rest.removeprefix("/").partition("/")[0]
        if to_snake(first) in {to_snake(key) for key in SETTING_KEYS}:
            return rest.replace("/timeout/", "/timeout_", 1)
        if node.type == CONTEXT_PROCESSOR:
            shown = to_snake(first) in _OPERATION_KEYS and "operation" in node.config
            return f"/operation{rest}" if shown or not first else pointer
    return pointer
