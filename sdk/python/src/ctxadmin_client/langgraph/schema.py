"""Finds people's edits that do not fit the types of a graph's state: pure rules."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, get_type_hints

from pydantic import TypeAdapter, ValidationError
from pydantic.errors import PydanticUserError

from ctxadmin_client.langchain.values import is_plain

_ABSENT: Final = object()
_UNKNOWN: Final = (PydanticUserError, NameError, TypeError)  # a type that pydantic has no word for


def refused_edits(
    builder: object, saved: Mapping[str, Any], now: Mapping[str, Any]
) -> dict[str, str]:
    """Returns why edits are refused, by key: values ``now`` that differ from ``saved``.

    Removed keys, keys without a type, and keys whose earlier value had a wrong type are not
    refused, since nothing proves them wrong.
    """
    types = _types(builder)
    found: dict[str, str] = {}
    for key, value in now.items():
        before = saved.get(key, _ABSENT)
        if key not in types or not is_plain(value) or (before is not _ABSENT and value == before):
            continue
        reason = _reason(types[key], value)
        if reason and (before is _ABSENT or not _reason(types[key], before)):
            found[key] = reason
    return found


def sentence(refused: Mapping[str, str]) -> str:
    """Returns the text for reviewers, with what to do."""
    told = "; ".join(f"{key}: {reason}" for key, reason in refused.items())
    return f"The graph cannot take the edited state. Correct it and decide again. {told}"[:1_000]


def _types(builder: object) -> dict[str, Any]:
    """Returns the types of the keys of a graph's state; none if it is not a StateGraph."""
    known: dict[str, Any] = {}
    for schema in getattr(builder, "schemas", None) or ():
        known = {**dict(_hints(schema)), **known}
    return known


def _hints(schema: Any) -> Iterator[tuple[str, Any]]:
    try:
        yield from get_type_hints(schema).items()
    except _UNKNOWN:
        return


def _reason(kind: Any, value: Any) -> str:
    """Returns why a value does not have a type; "" if it has, or if that is unknown."""
    try:
        TypeAdapter(kind).validate_python(value, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        return f"{place}: {first['msg']}" if place else first["msg"]
    except _UNKNOWN:
        return ""
    return ""
