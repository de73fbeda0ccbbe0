"""Which edits of people a graph could not take, by the types of its state: pure rules."""

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
    """The reasons by the keys that are other values ``now`` than were ``saved``.

    A key that was removed, or has no type, or had a value of another type before, is not refused:
    there is nothing that says it were wrong.
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
    """What reviewers read, with what to do."""
    told = "; ".join(f"{key}: {reason}" for key, reason in refused.items())
    return f"The graph cannot take the edited state. Correct it and decide again. {told}"[:1_000]


def _types(builder: object) -> dict[str, Any]:
    """The types of the keys of a graph's state; none for what is no StateGraph."""
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
    """Why a value is none of a type, "" if it is one, or if nobody can tell."""
    try:
        TypeAdapter(kind).validate_python(value, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        return f"{place}: {first['msg']}" if place else first["msg"]
    except _UNKNOWN:
        return ""
    return ""
