"""Messages in the attributes and events of OpenTelemetry's conventions for models."""

import re
from collections.abc import Mapping
from typing import Final

from pydantic import JsonValue

from conversations.domain.imports import openai
from conversations.domain.imports.calls import tool_call
from conversations.domain.imports.chats import append_list
from conversations.domain.imports.contents import (
    content_of,
    media_part,
    reasoning_part,
    result_content,
    text_part,
)
from conversations.domain.imports.source_values import SourceValue, text_or_empty
from conversations.domain.imports.transcript import Transcript
from ctxadmin.lib.errors import ContextError

_NUMBER: Final = re.compile(r"[0-9]{1,6}")
_CALL_FIELD: Final = re.compile(r"tool_calls\.([0-9]{1,6})\.(id|name|arguments)")
_CALLS: Final = frozenset({"tool_call", "server_tool_call"})
_RESULTS: Final = frozenset({"tool_call_response", "server_tool_call_response"})
_OF_EVENTS: Final = ("gen_ai.event.content", "message")


def append_attribute(name: str, place: SourceValue, transcript: Transcript) -> None:
    """Adds the messages, or the parts of the system text, that an attribute holds."""
    if name != "gen_ai.system_instructions":
        for message in place.items():
            _append_message(message, transcript)
        return
    if isinstance(place.value, str):
        transcript.append(place, {"role": "system", "content": place.value})
        return
    parts = [_part(part, transcript) for part in place.items()]
    transcript.add(place, "system", content_of(parts))


def _append_message(place: SourceValue, transcript: Transcript) -> None:
    """Adds a message with parts; results become messages of their own, before the other parts."""
    if "parts" not in place.fields():
        openai.append_message(place, transcript)
        return
    role = place.get("role").text()
    metadata = transcript.fields_as_metadata(place.unknown_fields("role", "parts", "name"))
    parts: list[JsonValue] = []
    calls: list[JsonValue] = []
    is_begun = False
    for part in place.get("parts").items():
        kind = text_or_empty(part.fields().get("type"))
        if kind in _CALLS:
            calls.append(_call(part, transcript))
        elif kind in _RESULTS:
            _append_result(part, transcript)
            is_begun = True
        else:
            parts.append(_part(part, transcript))
    if parts or calls or not is_begun:
        name = place.get("name").value
        transcript.add(place, role, content_of(parts), calls=calls, name=name, metadata=metadata)


def _call(part: SourceValue, transcript: Transcript) -> JsonValue:
    name = part.get("name").text()
    call_id = transcript.calls.open_call(part.get("id").text_or_none(), name)
    transcript.report_conversion("tool_call", "tool_calls")
    rest = part.unknown_fields("type", "id", "name", "arguments")
    return tool_call(call_id, name, part.get("arguments").value, rest)


def _append_result(part: SourceValue, transcript: Transcript) -> None:
    content, _ = result_content(part.get("response", "result").value)
    metadata = transcript.fields_as_metadata(
        part.unknown_fields("type", "id", "response", "result")
    )
    answers = transcript.calls.answer(part.get("id").text_or_none(), None)
    transcript.add(part, "tool", content, answers=answers, metadata=metadata)
    transcript.report_conversion("tool_call_response", "role: tool")


def _part(part: SourceValue, transcript: Transcript) -> JsonValue:
    fields = part.fields()
    kind, content = text_or_empty(fields.get("type")), part.get("content")
    if kind == "text":
        return text_part(content.text(), part.unknown_fields("type", "content"))
    if kind == "reasoning":
        return reasoning_part(content.text_or_none() or "", part.unknown_fields("type", "content"))
    data = part.get("content", "data", "uri")
    if kind in ("blob", "uri") and isinstance(data.value, str):
        media_type = part.get("mime_type").text_or_none() or part.get("modality").text_or_none()
        made = media_part(media_type, data.value)
        transcript.report_conversion(kind, str(made["type"]))
        return made
    return fields


def append_recorded(place: SourceValue, role: str, transcript: Transcript) -> None:
    """Adds the messages of a prompt or an answer that was recorded as JSON, or as text."""
    parsed = _json(place)
    if isinstance(parsed.value, dict):
        parsed = SourceValue([parsed.value], children=(parsed,))
    if isinstance(parsed.value, list) and parsed.value:
        append_list(parsed, transcript)
    else:
        transcript.append(place, {"role": role, "content": place.text()})


def event_message(role: str, event: SourceValue, named: Mapping[str, SourceValue]) -> SourceValue:
    """Returns the message of an event in the chat form, at the place of the event."""
    message: dict[str, JsonValue] = {"role": role}
    for holder in _OF_EVENTS:
        if holder in named:
            message |= _recorded_fields(named[holder])
    for name in ("content", "tool_calls", "role", "name"):
        if name in named:
            is_json = name == "tool_calls" or _holds_parts(named[name])
            message[name] = (_json(named[name]) if is_json else named[name]).value
    if role == "tool":
        answered = named.get("id") or named.get("tool_call_id")
        message["tool_call_id"] = message.pop("id", None if answered is None else answered.value)
    message.setdefault("content", None)
    return SourceValue(message, event.pointer, event.line, is_embedded=True)


def _recorded_fields(place: SourceValue) -> dict[str, JsonValue]:
    """Returns the fields of a message that is written as JSON or as a list of pairs."""
    parsed = _json(place)
    if isinstance(parsed.value, str):
        return {"content": parsed.value}
    return dict(parsed.fields())


def _json(place: SourceValue) -> SourceValue:
    """Returns the value of a text that looks like an object or a list in JSON, else the place
    itself.
    """
    value = place.value
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return place.parsed()
        except ContextError:
            return place
    return place


def indexed_messages(prefix: str, named: Mapping[str, SourceValue]) -> list[SourceValue]:
    """Returns messages with an attribute per field, in the order of their numbers."""
    found: dict[int, _Indexed] = {}
    for name, place in named.items():
        number, _, field = name.removeprefix(prefix).partition(".")
        if name.startswith(prefix) and field and _NUMBER.fullmatch(number):
            found.setdefault(int(number), _Indexed(place)).put(field, place)
    usual = "assistant" if "completion" in prefix else "user"
    return [found[number].message(usual) for number in sorted(found)]


class _Indexed:
    """One message with an attribute per field."""

    def __init__(self, place: SourceValue) -> None:
        self._place = place
        self._fields: dict[str, JsonValue] = {}
        self._calls: dict[int, dict[str, JsonValue]] = {}

    def put(self, field: str, place: SourceValue) -> None:
        found = _CALL_FIELD.fullmatch(field)
        if found is not None:
            self._calls.setdefault(int(found[1]), {})[found[2]] = place.value
        elif field == "content":
            self._fields[field] = _json(place).value if _holds_parts(place) else place.value
        else:
            self._fields[field] = place.value

    def message(self, usual: str) -> SourceValue:
        message: dict[str, JsonValue] = {"role": usual, "content": None, **self._fields}
        calls = [self._call(self._calls[number]) for number in sorted(self._calls)]
        if calls:
            message["tool_calls"] = calls
        return SourceValue(message, self._place.pointer, self._place.line, is_embedded=True)

    def _call(self, call: dict[str, JsonValue]) -> JsonValue:
        call_id, name = call.get("id"), call.get("name")
        made = tool_call("", str(name), call.get("arguments"))
        if isinstance(call_id, str) and call_id:
            return {**made, "id": call_id}
        return {key: value for key, value in made.items() if key != "id"}


def _holds_parts(place: SourceValue) -> bool:
    return isinstance(place.value, str) and place.value.startswith("[{")
