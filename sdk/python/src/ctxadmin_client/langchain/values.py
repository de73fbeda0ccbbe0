"""Values of channels: which are readable JSON, and how the others are packed."""

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
    """Returns True for a value that a round trip through JSON leaves equal, with the same types."""
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
    """Returns an opaque value of ctxadmin for a value."""
    kind, data = serde.dumps_typed(value)
    return {"type": kind, "base64": base64.b64encode(data).decode()}


def unpacked(value: Mapping[str, Any], serde: SerializerProtocol) -> Any:
    """Returns the value that ``packed`` was called with."""
    return serde.loads_typed((value["type"], base64.b64decode(value["base64"])))


def readable(value: Any) -> Any:
    """Returns a value for display: itself if it is JSON, else its nearest JSON."""
    if is_plain(value):
        return value
    try:
        found = json.loads(json.dumps(value, default=str, skipkeys=True))
    except (TypeError, ValueError, RecursionError):
        found = None
    return found if found is not None and is_plain(found) else repr(value)[:10_000]
