"""Values of channels: which of them are JSON that people can read, and what the rest is."""

import base64
import json
import math
from collections.abc import Mapping
from typing import Any, Final

from langgraph.checkpoint.serde.base import SerializerProtocol

from ctxadmin_client.answers import JsonObject

_DEEPEST: Final = 32
_DIRECTIVES: Final = ("$replace", "$delete", "$opaque")


def is_plain(value: Any, depth: int = 0) -> bool:
    """True for a value that JSON gives back as the same one, of the same types."""
    kind = type(value)
    if value is None or kind is bool:
        return True
    if kind is str:
        return value.isascii() or not any("\ud800" <= each <= "\udfff" for each in value)
    if kind is int:
        return bool(-(2**63) <= value < 2**63)
    if kind is float:
        return math.isfinite(value)
    if depth >= _DEEPEST:
        return False
    if kind is list:
        return all(is_plain(each, depth + 1) for each in value)
    if kind is dict:
        if len(value) == 1 and next(iter(value)) in _DIRECTIVES:
            return False  # it would be read as a directive
        return all(
            type(name) is str and is_plain(name) and is_plain(each, depth + 1)
            for name, each in value.items()
        )
    return False


def packed(value: Any, serde: SerializerProtocol) -> JsonObject:
    """A value as an opaque one of the contract."""
    kind, data = serde.dumps_typed(value)
    return {"type": kind, "base64": base64.b64encode(data).decode()}


def unpacked(value: Mapping[str, Any], serde: SerializerProtocol) -> Any:
    """The value that ``packed`` took."""
    return serde.loads_typed((value["type"], base64.b64decode(value["base64"])))


def readable(value: Any) -> Any:
    """A value for people: itself if it is JSON, else the nearest that is."""
    if is_plain(value):
        return value
    try:
        found = json.loads(json.dumps(value, default=str, skipkeys=True))
    except (TypeError, ValueError, RecursionError):
        found = None
    return found if found is not None and is_plain(found) else repr(value)[:10_000]
