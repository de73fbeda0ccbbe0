"""Excerpts of messages and states that fit a model's context: pure rules."""

import base64
from collections.abc import Mapping
from typing import Any, Final

from ctxadmin_client.answers import JsonObject

LONGEST: Final = 4_000  # characters of one text


def excerpt(message: Mapping[str, Any]) -> JsonObject:
    """A message whose long texts are cut; ``excerpt`` is true in it if one was."""
    content = _cut(message.get("content"))
    cut: JsonObject = {**message, "content": content}
    return cut if content == message.get("content") else {**cut, "excerpt": True}


def shortened(answer: Mapping[str, Any], *names: str) -> JsonObject:
    """An answer whose long texts under ``names`` are cut; ``excerpt`` is true in it if one was."""
    cut = {name: _cut(answer[name]) for name in names if name in answer}
    is_whole = all(answer[name] == value for name, value in cut.items())
    return {**answer, **cut} if is_whole else {**answer, **cut, "excerpt": True}


def state_excerpt(snapshot: Mapping[str, Any]) -> JsonObject:
    """A snapshot for reading: texts are cut, messages counted, opaque values described."""
    state = dict(snapshot["state_data"])
    seen: JsonObject = {**snapshot, "state_data": state}
    if "messages" in state:
        seen["message_count"] = len(state.pop("messages"))
    opaque = snapshot.get("opaque")
    if opaque:
        seen["opaque"] = {
            key: {"type": value["type"], "size": len(base64.b64decode(value["base64"]))}
            for key, value in opaque.items()
        }
    return shortened(seen, "state_data", "execution_history")


def _cut(value: Any) -> Any:
    if isinstance(value, str) and len(value) > LONGEST:
        return f"{value[:LONGEST]}... ({len(value):,} characters)"
    if isinstance(value, list):
        return [_cut(each) for each in value]
    if isinstance(value, dict):
        return {name: _cut(each) for name, each in value.items()}
    return value
