"""Tool results that report an error."""

from typing import Final

import orjson
from pydantic import JsonValue

from conversations.domain.bodies import text_of_content

_WORDS: Final = ("error", "exception", "traceback", "failed", "failure")
_FLAGS: Final = ("is_error", "isError")
_MOST: Final = 100_000  # characters of JSON that are looked into


def is_failure(body: dict[str, JsonValue]) -> bool:
    """True for a tool message that says so: by a flag, a field ``error``, or its first word.

    The flag is ``is_error`` or ``isError`` of the message or of the object that it contains.
    """
    if body.get("role") != "tool":
        return False
    text = text_of_content(body.get("content")).lstrip()
    if any(body.get(flag) is True for flag in _FLAGS) or text[:9].lower().startswith(_WORDS):
        return True
    return text.startswith("{") and len(text) <= _MOST and _reports(text)


def _reports(text: str) -> bool:
    if '"error' not in text and '"is' not in text:
        return False
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return bool(found.get("error")) or any(found.get(flag) is True for flag in _FLAGS)
