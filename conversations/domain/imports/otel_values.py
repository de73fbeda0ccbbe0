"""Values and attributes of OTLP JSON."""

import re
from typing import Final

from pydantic import JsonValue

from conversations.domain.imports.source_values import SourceValue

_INTEGER: Final = re.compile(r"-?[0-9]{1,18}")


def attributes(place: SourceValue) -> dict[str, SourceValue]:
    """Returns attributes by name, each with its value at its place."""
    found: dict[str, SourceValue] = {}
    for each in place.items_if_any():
        name, value = each.get("key").value, each.get("value")
        if isinstance(name, str):
            found[name] = SourceValue(value_of(value), value.pointer, value.line, is_embedded=True)
    return found


def value_of(place: SourceValue) -> JsonValue:
    """Returns the JSON of an OTLP value; anything else unchanged."""
    return _value(place.value)


def _value(value: JsonValue) -> JsonValue:
    if not isinstance(value, dict):
        return value
    for kind in ("intValue", "int_value"):
        if kind in value:
            return _whole(value[kind])
    for kind in ("arrayValue", "array_value"):
        if kind in value:
            return [_value(each) for each in _values(value[kind])]
    for kind in ("kvlistValue", "kvlist_value"):
        if kind in value:
            pairs = [each for each in _values(value[kind]) if isinstance(each, dict)]
            return {str(each.get("key")): _value(each.get("value")) for each in pairs}
    if len(value) == 1:
        (kind, only), *_ = value.items()
        if kind.lower().replace("_", "").endswith("value"):
            return only
    return value


def _values(value: JsonValue) -> list[JsonValue]:
    found = value.get("values") if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def _whole(value: JsonValue) -> JsonValue:
    """Returns a number that OTLP writes as text."""
    return int(value) if isinstance(value, str) and _INTEGER.fullmatch(value) else value
