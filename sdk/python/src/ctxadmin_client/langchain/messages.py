"""Converts messages of LangChain to those of ctxadmin, and back without loss: pure rules.

What ctxadmin has a field for is stored in that field, where people read and edit it. The rest of a
message is stored in its ``metadata.langchain``: fields that are JSON unchanged, a message with
anything else as bytes, which are used only as long as nobody changed what is shown.
"""

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, Final

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from ctxadmin_client.answers import JsonObject
from ctxadmin_client.langchain.values import is_plain

_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_OURS: Final = re.compile(r"log-[0-9]+|import|diff")  # ids that the server generates or reserves
_PAIR: Final = re.compile(r"tool|function|mcp|computer|shell|search|interpreter|call", re.I)
_ROLES: Final = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}
_ASIDE: Final = "langchain"  # in the metadata of a message
_FIELDS: Final = (
    *("id", "name", "additional_kwargs", "response_metadata", "usage_metadata"),
    *("invalid_tool_calls", "status", "artifact"),
)
_SHOWN: Final = ("role", "content", "name", "tool_calls", "tool_call_id")


def log_id(message: BaseMessage) -> str | None:
    """Returns the id under which a message is logged: its own if ctxadmin allows it."""
    if message.id is None:
        return None
    if _ID.fullmatch(message.id) and not _OURS.fullmatch(message.id):
        return message.id
    return "lc-" + hashlib.sha256(message.id.encode(errors="replace")).hexdigest()[:40]


def to_stored(message: BaseMessage, serde: SerializerProtocol, logged_as: str | None) -> JsonObject:
    """Returns the message to log under the id ``logged_as``, by default one of the server."""
    shown = _shown(message)
    if logged_as is not None:
        shown["id"] = logged_as
    back = _from_shown(shown)
    if back == message:
        return shown
    fields = {
        name: value
        for name in _FIELDS
        if (value := getattr(message, name, None)) != getattr(back, name, None) and is_plain(value)
    }
    if _with(back, fields) == message:
        return {**shown, "metadata": {_ASIDE: {"fields": fields}}}
    kind, data = serde.dumps_typed(message)
    whole = {
        "type": kind,
        "base64": base64.b64encode(data).decode(),
        "shown": _digest(shown),
    }
    return {**shown, "metadata": {_ASIDE: {"fields": {"id": message.id}, "whole": whole}}}


def from_stored(stored: Mapping[str, Any], serde: SerializerProtocol) -> BaseMessage:
    """Returns the logged message of LangChain, or a new one with what people changed."""
    aside = (stored.get("metadata") or {}).get(_ASIDE)
    if not isinstance(aside, dict):
        return _from_shown(stored)
    whole = aside.get("whole")
    if isinstance(whole, dict) and whole.get("shown") == _digest(stored):
        message = serde.loads_typed((whole["type"], base64.b64decode(whole["base64"])))
        if isinstance(message, BaseMessage):
            return message
    fields = aside.get("fields")
    return _with(_from_shown(stored), fields if isinstance(fields, dict) else {})


def is_shown_alike(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Returns True if two messages look the same to people."""
    return _digest(one) == _digest(other)


def _shown(message: BaseMessage) -> JsonObject:
    """Returns the fields of a message that people see."""
    role = _ROLES.get(message.type, "user")
    calls = _calls(message)
    content = _content(message.content)
    if role == "tool" and not getattr(message, "tool_call_id", ""):
        role = "user"
    if role == "system" and not content:
        content = "(empty)"  # ctxadmin refuses an empty system text
    shown: JsonObject = {"role": role, "content": content}
    if message.name and is_plain(message.name):
        shown["name"] = message.name
    if role == "tool":
        shown["tool_call_id"] = message.tool_call_id  # type: ignore[attr-defined]
    if role == "assistant" and calls:
        shown["tool_calls"] = calls
    return shown


def _content(content: Any) -> str | list[JsonObject]:
    """Returns a content that ctxadmin accepts; calls and results have other fields."""
    if isinstance(content, str):
        return content if is_plain(content) else content.encode(errors="replace").decode()
    parts: list[JsonObject] = []
    for part in content:
        if isinstance(part, str):
            parts.append({"type": "text", "text": part})
        elif isinstance(part, dict) and is_plain(part) and isinstance(part.get("type"), str):
            is_text = part["type"] == "text" and isinstance(part.get("text"), str)
            if is_text or (not _PAIR.search(part["type"]) and "text" not in part["type"]):
                parts.append(part)
    return parts or ""


def _calls(message: BaseMessage) -> list[JsonObject]:
    """Returns the calls of an assistant message; none if an id is missing or occurs twice."""
    calls = getattr(message, "tool_calls", None) or []
    ids = [call.get("id") for call in calls]
    if not all(ids) or len({*ids}) < len(ids) or not is_plain(calls):
        return []
    return [
        {
            "id": call["id"],
            "type": "function",
            "function": {
                "name": call["name"],
                "arguments": json.dumps(call["args"], ensure_ascii=False),
            },
        }
        for call in calls
    ]


def _from_shown(stored: Mapping[str, Any]) -> BaseMessage:
    """Builds a message of LangChain from the fields that people see."""
    content = stored.get("content")
    common: dict[str, Any] = {
        "content": "" if content is None else content,
        "id": stored.get("id"),
        "name": stored.get("name"),
    }
    role = stored["role"]
    if role == "tool":
        return ToolMessage(**common, tool_call_id=stored.get("tool_call_id") or "")
    if role in ("system", "developer"):
        return SystemMessage(**common)
    if role == "assistant":
        calls = [_called(call) for call in stored.get("tool_calls") or ()]
        good = [call for call in calls if isinstance(call["args"], dict)]
        bad = [
            {"name": each["name"], "args": str(each["args"]), "id": each["id"], "error": None}
            for each in calls
            if not isinstance(each["args"], dict)
        ]
        return AIMessage(**common, tool_calls=good, invalid_tool_calls=bad)
    return HumanMessage(**common)


def _called(call: Mapping[str, Any]) -> dict[str, Any]:
    function = call.get("function") or {}
    arguments = function.get("arguments") or "{}"
    try:
        args = json.loads(arguments)
    except ValueError:
        args = arguments
    return {"name": function.get("name") or "", "args": args, "id": call["id"], "type": "tool_call"}


def _with(message: BaseMessage, fields: Mapping[str, Any]) -> BaseMessage:
    known = {name: value for name, value in fields.items() if name in type(message).model_fields}
    return message.model_copy(update=known) if known else message


def _digest(shown: Mapping[str, Any]) -> str:
    seen = {name: shown.get(name) for name in _SHOWN}
    return hashlib.sha256(json.dumps(seen, sort_keys=True).encode()).hexdigest()
