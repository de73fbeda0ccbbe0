"""Converts items of the Agents SDK to messages of ctxadmin, and back without loss: pure rules.

Each item is one message, so that a pop removes one item. The text that people read is in the
message; the rest of the item is in its ``metadata.openai_agents``, which is used as long as nobody
changed the message.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, Final

from ctxadmin_client.answers import JsonObject

_ASIDE: Final = "openai_agents"
_ROLES: Final = ("user", "assistant", "system", "developer")
_TEXTS: Final = ("input_text", "output_text", "text")
_PAIR: Final = re.compile(r"tool|function|mcp|computer|shell|search|interpreter|call", re.I)
_SHOWN: Final = ("role", "content", "tool_calls", "tool_call_id")


def to_stored(item: Mapping[str, Any]) -> JsonObject:
    """Returns the message to log for an item."""
    shown = _shown(item)
    rest, left_out = dict(item), ""
    name, text = _text_of(shown)
    if text and rest.get(name) == text:  # it need not be stored twice
        del rest[name]
        left_out = name
    aside = {"item": rest, "shown": _digest(shown), "left_out": left_out}
    return {**shown, "metadata": {_ASIDE: aside}}


def from_stored(stored: Mapping[str, Any]) -> JsonObject:
    """Returns the logged item, or a new one with what people changed."""
    aside = (stored.get("metadata") or {}).get(_ASIDE)
    if isinstance(aside, dict) and aside.get("shown") == _digest(stored):
        left_out = aside.get("left_out")
        return {**aside["item"], **({left_out: _text_of(stored)[1]} if left_out else {})}
    if stored["role"] == "tool":
        call = stored.get("tool_call_id") or ""
        return {"type": "function_call_output", "call_id": call, "output": _text(stored)}
    calls = stored.get("tool_calls") or []
    if calls:
        function = calls[0].get("function") or {}
        return {
            "type": "function_call",
            "call_id": calls[0]["id"],
            "name": function.get("name") or "",
            "arguments": function.get("arguments") or "{}",
        }
    return {"role": stored["role"], "content": _text(stored)}


def _text_of(shown: Mapping[str, Any]) -> tuple[str, str]:
    """Returns the text of an item that people see, "" if it has none."""
    calls, content = shown.get("tool_calls"), shown.get("content")
    name = "output" if shown["role"] == "tool" else "content"
    if calls:
        name, content = "arguments", calls[0]["function"]["arguments"]
    return name, content if isinstance(content, str) else ""


def _shown(item: Mapping[str, Any]) -> JsonObject:
    kind = item.get("type") or "message"
    if kind == "function_call" and item.get("call_id"):
        function = {"name": item.get("name"), "arguments": item.get("arguments")}
        call = {"id": item["call_id"], "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}
    if kind == "function_call_output" and item.get("call_id"):
        output = item.get("output")
        text = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
        return {"role": "tool", "content": text, "tool_call_id": item["call_id"]}
    if kind == "message" and item.get("role") in _ROLES:
        content = _content(item.get("content"))
        if item["role"] in ("system", "developer") and not content:
            content = "(empty)"  # ctxadmin refuses an empty system text
        return {"role": item["role"], "content": content}
    return {"role": "assistant", "content": f"({kind})"}


def _content(content: Any) -> str | list[JsonObject]:
    """Returns a content that ctxadmin accepts; other parts are in the stored item only."""
    if isinstance(content, str):
        return content
    parts: list[JsonObject] = []
    for part in content or ():
        if part.get("type") in _TEXTS:
            parts.append({"type": "text", "text": part.get("text") or ""})
        elif part.get("type") == "refusal":
            parts.append({"type": "text", "text": part.get("refusal") or ""})
        elif isinstance(part.get("type"), str) and not _PAIR.search(part["type"]):
            parts.append(dict(part))
    return parts or ""


def _text(stored: Mapping[str, Any]) -> str:
    content = stored.get("content")
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content)
    return str(content or "")


def _digest(shown: Mapping[str, Any]) -> str:
    seen = {name: shown.get(name) for name in _SHOWN}
    return hashlib.sha256(json.dumps(seen, sort_keys=True).encode()).hexdigest()
