"""Excerpts of messages that fit a model's context: pure rules."""

from collections.abc import Mapping
from typing import Any, Final

from ctxadmin_client.answers import JsonObject

LONGEST: Final = 4_000  # characters of one text


def excerpt(message: Mapping[str, Any]) -> JsonObject:
    """A message whose long texts are cut; ``excerpt`` is true in it if one was."""
    content = _cut(message.get("content"))
    cut: JsonObject = {**message, "content": content}
    return cut if content == message.get("content") else {**cut, "excerpt": True}


def _cut(value: Any) -> Any:
    if isinstance(value, str) and len(value) > LONGEST:
        return f"{value[:LONGEST]}... ({len(value):,} characters)"
    if isinstance(value, list):
        return [_cut(each) for each in value]
    if isinstance(value, dict):
        return {name: _cut(each) for name, each in value.items()}
    return value
