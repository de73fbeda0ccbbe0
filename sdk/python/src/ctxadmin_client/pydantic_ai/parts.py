"""Converts messages of Pydantic AI to messages of ctxadmin, and back: pure rules.

A request becomes one message for each of its parts, a response becomes one message, so that people
read and edit texts, calls and results in their fields. What has no field is in
``metadata.pydantic_ai``; the parts there are used as long as nobody changed the message. A long
text of the message is not stored again in them. Messages here have the form in which
``ModelMessagesTypeAdapter`` dumps them.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ctxadmin_client.answers import JsonObject

_ASIDE: Final = "pydantic_ai"
_SHOWN: Final = ("role", "content", "tool_calls", "tool_call_id")
_SHORT: Final = 100  # characters: a shorter text may be stored twice
_EMPTY: Final = "(empty)"  # ctxadmin refuses an empty system text


def to_stored(messages: Sequence[Mapping[str, Any]]) -> list[JsonObject]:
    """Returns the messages to log."""
    return [each for message in messages for each in _stored(message)]


def from_stored(stored: Sequence[Mapping[str, Any]]) -> list[JsonObject]:
    """Returns the logged messages, or new ones with what people changed.

    Consecutive messages that were parts of one request become one request again.
    """
    names = {
        call["id"]: (call.get("function") or {}).get("name")
        for each in stored
        for call in each.get("tool_calls") or ()
    }
    found: list[JsonObject] = []
    last: tuple[str | None, int] = (None, 0)
    for each in stored:
        aside = _aside(each)
        message, here = aside.get("message"), (aside.get("of"), aside.get("part", 0))
        parts = _parts(each, aside, names)
        if here[0] is not None and here[0] == last[0] and here[1] > last[1]:
            found[-1]["parts"].extend(parts)
        else:
            kind = "response" if each["role"] == "assistant" else "request"
            known = message if isinstance(message, dict) and message.get("kind") == kind else {}
            found.append({**known, "kind": kind, "parts": parts})
        last = here
    return found


def _stored(message: Mapping[str, Any]) -> Iterator[JsonObject]:
    """Returns the messages to log for one message."""
    rest = {name: value for name, value in message.items() if name != "parts"}
    parts = list(message["parts"])
    if message["kind"] == "response":
        yield _with_aside(_response(parts), {"message": rest, "parts": parts})
        return
    # The same for the parts of one request only: two requests can be alike.
    of = hashlib.sha256(json.dumps(message, sort_keys=True).encode()).hexdigest()[:32]
    for number, part in enumerate(parts):
        aside = {"message": rest, "parts": [part], "of": of}
        yield _with_aside(_request_part(part), {**aside, "part": number})
    if not parts:
        yield _with_aside({"role": "user", "content": ""}, {"message": rest, "parts": [], "of": of})


def _with_aside(shown: JsonObject, aside: JsonObject) -> JsonObject:
    parts = list(aside["parts"])
    texts = [place for place, part in enumerate(parts) if _has_text(part, shown)]
    if len(texts) == 1:
        [place] = texts
        rest = {name: value for name, value in parts[place].items() if name != "content"}
        aside = {**aside, "parts": [*parts[:place], rest, *parts[place + 1 :]], "text": place}
    return {**shown, "metadata": {_ASIDE: {**aside, "shown": _digest(shown)}}}


def _has_text(part: Mapping[str, Any], shown: Mapping[str, Any]) -> bool:
    """Returns True if people see the content of a part and it is long enough to matter."""
    text = part.get("content")
    return isinstance(text, str) and len(text) > _SHORT and text == shown["content"]


def _aside(stored: Mapping[str, Any]) -> Mapping[str, Any]:
    aside = (stored.get("metadata") or {}).get(_ASIDE)
    return aside if isinstance(aside, dict) else {}


def _response(parts: Sequence[Mapping[str, Any]]) -> JsonObject:
    """Returns the fields of a response that people see."""
    text = "".join(part["content"] for part in parts if part["part_kind"] == "text")
    calls = [_call(part) for part in parts if _is_call(part)]
    if len({call["id"] for call in calls}) < len(calls):
        calls = []  # ctxadmin needs an id for each
    if not text and not calls:
        kinds = [f"({part['part_kind']})" for part in parts]
        return {"role": "assistant", "content": " ".join(kinds)}
    shown: JsonObject = {"role": "assistant", "content": text or None}
    return {**shown, "tool_calls": calls} if calls else shown


def _is_call(part: Mapping[str, Any]) -> bool:
    """Returns True for a call that the application answers."""
    return "tool_call_id" in part and "args" in part and not part["part_kind"].startswith("builtin")


def _call(part: Mapping[str, Any]) -> JsonObject:
    args = part["args"]
    text = args if isinstance(args, str) else json.dumps(args or {}, ensure_ascii=False)
    function = {"name": part["tool_name"], "arguments": text}
    return {"id": part["tool_call_id"], "type": "function", "function": function}


def _request_part(part: Mapping[str, Any]) -> JsonObject:
    """Returns the fields of one part of a request that people see."""
    kind, content = part["part_kind"], part.get("content")
    if kind == "system-prompt":
        return {"role": "system", "content": content or _EMPTY}
    if part.get("tool_call_id"):
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        return {"role": "tool", "content": text, "tool_call_id": part["tool_call_id"]}
    if kind == "user-prompt":
        return {"role": "user", "content": _content(content)}
    text = content if isinstance(content, str) else f"({kind})"
    return {"role": "user", "content": text}


def _content(content: Any) -> str | list[JsonObject]:
    """Returns a content that ctxadmin accepts; parts other than texts are named by their kind."""
    if isinstance(content, str):
        return content
    return [_item(each) for each in content or ()] or ""


def _item(item: Any) -> JsonObject:
    """Returns the fields of one item of a prompt that people see."""
    if isinstance(item, str):
        return {"type": "text", "text": item}
    if item.get("kind") == "text-content":
        return {"type": "text", "text": item["content"]}
    if item.get("kind") == "image-url":
        return {"type": "image_url", "image_url": {"url": item["url"]}}
    return {"type": "text", "text": f"({item.get('kind')})"}


def _parts(
    stored: Mapping[str, Any], aside: Mapping[str, Any], names: Mapping[str, Any]
) -> list[JsonObject]:
    """Returns the logged parts; if people changed the message, the parts that it shows.

    ``names`` are the names of the tools by the ids of their calls.
    """
    logged: Sequence[JsonObject] = aside.get("parts") or ()
    if aside.get("shown") == _digest(stored):
        text = {"content": stored["content"]}
        return [
            {**part, **text} if place == aside.get("text") else part
            for place, part in enumerate(logged)
        ]
    role = stored["role"]
    if role == "assistant":
        return _of_response(stored)
    if role == "tool":
        call = stored.get("tool_call_id") or ""
        said = {"content": _text(stored), "tool_call_id": call}
        return [{"part_kind": "tool-return", "tool_name": names.get(call) or "tool", **said}]
    if role in ("system", "developer"):
        return [{"part_kind": "system-prompt", "content": _text(stored)}]
    before = next((each.get("content") for each in logged), None)
    return [{"part_kind": "user-prompt", "content": _prompt(stored.get("content"), before)}]


def _prompt(content: Any, before: Any) -> str | list[Any]:
    """Returns a changed prompt with its unchanged items from ``before``."""
    if not isinstance(content, list):
        return str(content or "")
    items = (
        [each for each in before if not isinstance(each, str)] if isinstance(before, list) else []
    )
    prompt: list[Any] = []
    for part in content:
        same = next((each for each in items if _item(each) == part), None)
        if same is not None:
            prompt.append(same)
        elif part.get("type") == "image_url":
            prompt.append({"kind": "image-url", "url": (part.get("image_url") or {}).get("url")})
        elif part.get("text"):
            prompt.append(str(part["text"]))
    return prompt


def _of_response(stored: Mapping[str, Any]) -> list[JsonObject]:
    text = _text(stored)
    parts: list[JsonObject] = [{"part_kind": "text", "content": text}] if text else []
    for call in stored.get("tool_calls") or ():
        function = call.get("function") or {}
        named = {"tool_name": function.get("name") or "", "tool_call_id": call["id"]}
        args = function.get("arguments") or "{}"
        parts.append({"part_kind": "tool-call", "args": args, **named})
    return parts


def _text(stored: Mapping[str, Any]) -> str:
    content = stored.get("content")
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content)
    return str(content or "")


def _digest(shown: Mapping[str, Any]) -> str:
    seen = {name: shown.get(name) for name in _SHOWN}
    return hashlib.sha256(json.dumps(seen, sort_keys=True).encode()).hexdigest()
