"""By which contents are compared: a digest of canonical JSON."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Final

from pydantic import JsonValue

_LENGTH: Final = 16  # hex digits: enough to tell apart what one round writes


def digest(value: JsonValue) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:_LENGTH]


def message_digest(message: Mapping[str, JsonValue]) -> str:
    """Of what a client sent of a message; what the server adds to it is left out."""
    return digest([message.get("role"), message.get("content")])


def view_digests(messages: JsonValue) -> tuple[str, ...]:
    """The digests of a list of messages as answers have it."""
    listed: Iterable[JsonValue] = messages if isinstance(messages, list) else ()
    return tuple(message_digest(each) for each in listed if isinstance(each, dict))


def state_digest(state: JsonValue) -> str:
    """Of a state without its messages."""
    kept = {key: value for key, value in objects(state).items() if key != "messages"}
    return digest(kept)


def objects(value: JsonValue) -> dict[str, JsonValue]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}
