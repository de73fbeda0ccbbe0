"""The form fields of a node, with filters, settings and operation apart, and back."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Annotated, Final, Literal

from django.utils.translation import gettext as _
from pydantic import Field, JsonValue
from pydantic.alias_generators import to_snake

from ctxadmin.lib.contract import Contract, parse
from ctxadmin.lib.durations import duration_text
from ctxadmin.lib.errors import ContextError, FieldProblem, ValidationFailed
from workflows.domain.document.elements import Problem, read_node
from workflows.domain.document.graph import (
    CONTEXT_PROCESSOR,
    MAX_FILTERS,
    MAX_TEXT,
    MAX_TIMEOUT_SECONDS,
    SETTING_KEYS,
    Coordinate,
    ElementId,
    Filters,
    FilterSource,
    Node,
    TypeName,
    filters_in,
)
from workflows.domain.filters.context_filter import MAX_RULES, Behavior, FilterRule, read_filter
from workflows.domain.processors.registries import standard
from workflows.pages.elements.names import TypedName
from workflows.pages.elements.operation_fields import (
    OperationFields,
    OperationList,
    filter_from_form,
    filter_to_form,
    operation_from_form,
    operation_to_form,
)

_OPERATION_KEYS: Final = frozenset({*OperationFields.model_fields, "version"})
_SETTINGS: Final = frozenset(map(to_snake, SETTING_KEYS))
_TIMEOUT_PARTS: Final = ("seconds", "outcome")


class FilterFields(Contract):
    """A context filter; ``default_behavior`` None leaves it to the node's context type."""

    rules: Annotated[tuple[FilterRule, ...], Field(strict=False, max_length=MAX_RULES)] = ()
    default_behavior: Behavior | None = None
    messages: OperationList = ()
    priority: Annotated[int, Field(ge=-1_000_000, le=1_000_000)] = 0


_FilterList = Annotated[tuple[FilterFields, ...], Field(strict=False, max_length=MAX_FILTERS)]


class NodeFields(Contract):
    """A node in the parts that its form shows.

    ``template`` to ``timeout_outcome`` and ``operation`` are what the system reads of the node's
    config; ``config`` is the rest of it. Without an ``id`` it keeps the one that it has, or gets
    one of its name.
    """

    name: TypedName | None = None
    type: TypeName
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
    id: ElementId | None = None
    x: Coordinate | None = None
    y: Coordinate | None = None
    config: dict[str, JsonValue] = {}
    properties: dict[str, JsonValue] = {}


def fields_of(node: Node) -> JsonValue:
    """Returns the form fields of a node as JSON; shows a node with problems as it is."""
    settings, rest = _split_settings(node.config)
    operation: JsonValue = {"pairing": "keep"}
    if node.type == CONTEXT_PROCESSOR and "operation" in rest:
        block = {key: value for key, value in rest.items() if to_snake(key) in _OPERATION_KEYS}
        rest = {key: value for key, value in rest.items() if key not in block}
        operation = operation_to_form(block)
    position = node.position
    return {
        "id": node.id,
        "type": node.type,
        "name": node.name,
        "description": node.description,
        **settings,
        "context_type": node.context_type,
        "operation": operation,
        "context_filters": _filters_to_form(node.context_filter),
        "outgoing_filters": _filters_to_form(node.outgoing_filter),
        "x": position.x if position else None,
        "y": position.y if position else None,
        "config": rest,
        "properties": node.properties,
    }


def _filters_to_form(source: Filters | None) -> list[JsonValue]:
    return [filter_to_form(_canonical(each)) for each in filters_in(source)]


def _canonical(source: FilterSource) -> FilterSource:
    """Returns the filter in the contract's spelling, the only one in forms.

    Unchanged if it is wrong.
    """
    try:
        read = read_filter(source)
    except ContextError:
        return source
    return read.model_dump(mode="json", exclude_unset=True)


def _split_settings(
    config: Mapping[str, JsonValue],
) -> tuple[dict[str, JsonValue], dict[str, JsonValue]]:
    """Returns the settings with fields of their own, and all else.

    Wrong values are in their field as far as a field can show them. A timeout without a pause is
    the engine's.
    """
    settings: dict[str, JsonValue] = {}
    rest: dict[str, JsonValue] = {}
    own = _own_keys(pauses=config.get("pause") is not None)
    for key, value in config.items():
        name = to_snake(key)
        if value is None or name not in own or name in settings:
            rest[key] = value
        elif name == "timeout" and isinstance(value, dict):
            known = {part: value[part] for part in _TIMEOUT_PARTS if _is_shown(value.get(part))}
            settings |= {f"timeout_{part}": known[part] for part in known}
            unknown = {part: value[part] for part in value if part not in known}
            if unknown or not value:
                rest[key] = unknown
        elif name != "timeout" and _is_shown(value, text_only=name != "pause"):
            settings[name] = value
        else:
            rest[key] = value
    return settings, rest


def _own_keys(*, pauses: bool) -> frozenset[str]:
    """Returns the keys of a config that have fields of their own, in the contract's spelling."""
    return _SETTINGS if pauses else _SETTINGS - {"timeout"}


def _is_shown(value: JsonValue, *, text_only: bool = False) -> bool:
    """Returns whether a field can show a possibly wrong value without misreading it."""
    return isinstance(value, str) or (not text_only and isinstance(value, int | float))


def node_of(fields: NodeFields, before: Node | None = None, made_id: str = "new") -> Node:
    """Returns the node in the form; ``before`` tells whether a single filter was in a list.

    ``made_id`` is its id where the form has none. Raises ValidationFailed at ``/config`` if the
    free JSON names a field of the form.
    """
    given: dict[str, JsonValue] = {"id": fields.id or made_id, "type": fields.type}
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
            filled: list[JsonValue] = [
                filter_from_form(each) for each in filters if isinstance(each, dict)
            ]
            given[name] = filled if was_list or len(filled) > 1 else filled[0]
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
    if fields.pause is not None and (timeout := _timeout_of(fields)):
        own["timeout"] = timeout
    operation = listed.get("operation")
    if fields.type == CONTEXT_PROCESSOR and isinstance(operation, dict):
        own |= operation_from_form(operation)
    has_field = {*own, *_own_keys(pauses=fields.pause is not None)}
    twice = {to_snake(key) for key in fields.config} & {to_snake(key) for key in has_field}
    if twice:
        message = _("%(name)s has its own field above. Remove it here, or rename it.")
        raise ValidationFailed.at("/config", message % {"name": min(twice)})
    return own | fields.config


def _timeout_of(fields: NodeFields) -> dict[str, JsonValue]:
    """Returns both parts of a timeout, or none; half a timeout would be an error of the draft."""
    seconds, outcome = fields.timeout_seconds, fields.timeout_outcome
    if seconds is None and outcome is None:
        return {}
    if outcome is None:
        message = _("Select what happens after %(duration)s, or clear the timeout.")
        hint = message % {"duration": duration_text(seconds or 0)}
        raise ValidationFailed.at("/timeout_outcome", hint)
    if seconds is None:
        message = _("Enter after what time, for example 5 min or 24 h, or keep waiting.")
        raise ValidationFailed.at("/timeout_seconds", message)
    return {"seconds": seconds, "outcome": outcome}


def form_problems(node: Node) -> list[FieldProblem]:
    """Returns the problems that this node would have in a draft, with pointers into NodeFields."""
    reading = read_node(node, standard(), "")
    errors = [problem for problem in reading.problems if problem.severity == "error"]
    return list(_moved(node, errors))


def _moved(node: Node, problems: Iterable[Problem]) -> Iterable[FieldProblem]:
    for problem in problems:
        found = problem.as_field_problem()
        yield replace(found, pointer=pointer_in_form(node, found.pointer))


def pointer_in_form(node: Node, pointer: str) -> str:
    """Returns the place in the form of ``node`` of ``pointer`` in the node."""
    for name in ("context_filter", "outgoing_filter"):
        head = f"/{name}"
        if pointer == head or pointer.startswith(f"{head}/"):
            rest = pointer.removeprefix(head)
            listed = isinstance(getattr(node, name), list)
            return f"{head}s{rest}" if listed else f"{head}s/0{rest}"
    if pointer in ("/position/x", "/position/y"):
        return pointer.removeprefix("/position")
    if pointer.startswith("/config"):
        rest = pointer.removeprefix("/config")
        first = rest.removeprefix("/").partition("/")[0]
        if to_snake(first) in _SETTINGS:
            return _setting_in_form(node, to_snake(first), rest) or pointer
        if node.type == CONTEXT_PROCESSOR:
            here = first == "operation" or "operation" in node.config
            shown = here and to_snake(first) in _OPERATION_KEYS
            return f"/operation{rest}" if shown or not first else pointer
    return pointer


def _setting_in_form(node: Node, name: str, rest: str) -> str:
    """Returns the field of a setting, "" if its value is in the free config."""
    part = rest.split("/")[2:3]
    if name == "timeout":
        shown = isinstance(node.config.get(name), dict) and part and part[0] in _TIMEOUT_PARTS
        return f"/timeout_{part[0]}" if shown else ""
    return f"/{name}" if name in _split_settings(node.config)[0] else ""
