"""Messages of LangChain as it dumps them: ``dumpd``, ``messages_to_dict``, ``model_dump``."""

from dataclasses import replace
from typing import Final

from pydantic import JsonValue

from conversations.domain.hidden_pairs import is_pair_part
from conversations.domain.imports.calls import tool_call
from conversations.domain.imports.contents import (
    content_of,
    media_part,
    reasoning_part,
    result_content,
    text_part,
)
from conversations.domain.imports.reasons import NAMELESS_CALL, REMOVES
from conversations.domain.imports.source_values import SourceValue, text_or_empty
from conversations.domain.imports.transcript import Fields, Transcript
from ctxadmin.lib.sentence import say

NAME: Final = "langchain"
_ROLES: Final = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "tool",
}
_TYPES: Final = frozenset({*_ROLES, "chat", "remove"})
_CHAT_ROLES: Final = {"user", "assistant", "system", "developer"}
_CALL_BLOCKS: Final = frozenset(
    {*("tool_use", "tool_call", "function_call", "tool_call_chunk", "server_tool_call")}
)
_RESULT_BLOCKS: Final = frozenset({"server_tool_result"})
_KNOWN: Final = (
    *("type", "content", "id", "name", "role", "tool_calls", "invalid_tool_calls"),
    *("tool_call_id", "tool_call_chunks", "additional_kwargs", "example"),
)


def recognise(value: JsonValue) -> bool:
    """Recognizes a list of dumped messages, or an object that holds one."""
    found = _messages(SourceValue(value)).value
    return isinstance(found, list) and bool(found) and all(map(is_dumped, found))


def is_dumped(value: JsonValue) -> bool:
    """Returns whether this is a message in one of the three forms."""
    if not isinstance(value, dict):
        return False
    if _is_constructor(value):
        path = value.get("id")
        return isinstance(path, list) and bool(path) and "Message" in str(path[-1])
    kind = _kind(value.get("type"))
    if kind is None or kind not in _TYPES or ("role" in value and kind != "chat"):
        return False
    return isinstance(value.get("data"), dict) or "content" in value


def _is_constructor(value: dict[str, JsonValue]) -> bool:
    return "lc" in value and isinstance(value.get("kwargs"), dict)


def _kind(value: JsonValue) -> str | None:
    """Returns ``human`` for ``human``, ``HumanMessage`` and ``HumanMessageChunk``."""
    if not isinstance(value, str):
        return None
    name = value.removesuffix("Chunk").removesuffix("Message")
    return name.lower() if name != value else value


def _messages(place: SourceValue) -> SourceValue:
    """Returns the list of messages: itself, of a state, of a prompt, of a dumped history."""
    value = place.value
    if isinstance(value, dict) and _is_constructor(value):
        return place.get("kwargs").get("messages")
    if isinstance(value, dict) and "messages" not in value and "values" in value:
        return place.get("values").get("messages")
    return place.get("messages") if isinstance(value, dict) else place


def append(place: SourceValue, transcript: Transcript) -> Fields:
    """Adds the messages."""
    messages = _messages(place)
    append_messages(messages, transcript)
    if isinstance(place.value, list):
        return Fields()
    if "kwargs" in place.fields():
        return Fields(place.get("kwargs").unknown_fields("messages"))
    held = place if "messages" in place.fields() else place.get("values")
    further = {} if held is place else place.unknown_fields("values")
    return Fields({**held.unknown_fields("messages", "tools"), **further}, held.get("tools"))


def append_messages(messages: SourceValue, transcript: Transcript) -> None:
    """Adds a list of dumped messages."""
    for place in messages.items():
        _append_message(place, transcript)


def _append_message(place: SourceValue, transcript: Transcript) -> None:
    kind, data = _kind_and_fields(place)
    if kind == "remove":
        transcript.report_omission(place, "RemoveMessage", REMOVES)
        return
    role, said = _role(kind, data)
    extra = _object(data.get("additional_kwargs"))
    rest = {
        name: value for name, value in data.unknown_fields(*_KNOWN).items() if value not in ({}, [])
    }
    metadata = transcript.fields_as_metadata(rest)
    if said is not None:
        metadata["role"] = said
        transcript.report_conversion(f"role: {said}", f"role: {role}")
    calls: list[JsonValue] = []
    if role == "assistant":
        calls = _calls(data, extra, transcript)
    known = ("tool_calls", "function_call", "refusal", "audio")
    if kept := extra.unknown_fields(*known):
        metadata["additional_kwargs"] = kept
        transcript.report_conversion("additional_kwargs", "metadata")
    parts = _parts(data, {str(call["id"]) for call in calls if isinstance(call, dict)}, transcript)
    calls += parts.calls
    content = content_of(parts.parts)
    if content is None and (refusal := extra.get("refusal").text_or_none()):
        content = [{"type": "refusal", "refusal": refusal}]
    if role == "tool":
        _append_result(place, data, content, metadata, transcript)
        return
    transcript.add(
        place,
        role,
        content,
        calls=calls,
        name=data.get("name").value,
        message_id=data.get("id").value,
        metadata=metadata,
    )


def _kind_and_fields(place: SourceValue) -> tuple[str, SourceValue]:
    """Returns the kind of a message and the place of its fields."""
    fields = place.fields()
    if _is_constructor(fields):
        path = fields.get("id")
        data = place.get("kwargs")
        last = path[-1] if isinstance(path, list) and path else None
        kind = _kind(data.get("type").value) or _kind(last)
    else:
        kind = _kind(fields.get("type"))
        data = place.get("data") if isinstance(fields.get("data"), dict) else place
    if kind not in _TYPES:
        raise place.get("type").refusal(
            say("a message is one of {types}", types=", ".join(sorted(_TYPES)))
        )
    return str(kind), data


def _role(kind: str, data: SourceValue) -> tuple[str, str | None]:
    """Returns the role, and that of the file if it is one of its own, such as ``critic``."""
    if kind != "chat":
        return _ROLES[kind], None
    said = data.get("role").text()
    role = _ROLES.get(said, said)
    return (role, None) if role in _CHAT_ROLES else ("user", said)


def _object(place: SourceValue) -> SourceValue:
    """Returns an object that can be missing."""
    return place if place.value is not None else replace(place, value={})


def _calls(data: SourceValue, extra: SourceValue, transcript: Transcript) -> list[JsonValue]:
    """Returns the calls of an answer, with the provider's own arguments unchanged if present."""
    texts = _provider_arguments(extra)
    made: list[JsonValue] = []
    for field in ("tool_calls", "invalid_tool_calls"):
        calls = data.get(field)
        for call in calls.items_if_any():
            wanted = call.get("id").text_or_none()
            name = call.get("name").text_or_none() or "unknown"
            arguments = texts.get(wanted or "", call.get("args").value)
            call_id = transcript.calls.open_call(wanted, name)
            rest = call.unknown_fields("id", "name", "args", "type")
            made.append(tool_call(call_id, name, arguments, rest))
            transcript.report_conversion(field, "tool_calls")
    if not made:
        made = _legacy_calls(extra, transcript)
    return made


def _provider_arguments(extra: SourceValue) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {}
    calls = extra.get("tool_calls")
    for call in calls.items() if isinstance(calls.value, list) else ():
        name, arguments = call.get("id").value, call.get("function").get("arguments").value
        if isinstance(name, str) and isinstance(arguments, str):
            found[name] = arguments
    return found


def _legacy_calls(extra: SourceValue, transcript: Transcript) -> list[JsonValue]:
    """Returns calls that are in ``additional_kwargs`` alone."""
    made: list[JsonValue] = []
    calls = extra.get("tool_calls")
    for call in calls.items_if_any():
        function = call.get("function")
        name = function.get("name").text()
        call_id = transcript.calls.open_call(call.get("id").text_or_none(), name)
        made.append(tool_call(call_id, name, function.get("arguments").value))
    function = extra.get("function_call")
    if function.value is not None:
        name = function.get("name").text()
        made.append(
            tool_call(transcript.calls.open_call(None, name), name, function.get("arguments").value)
        )
    if made:
        transcript.report_conversion("additional_kwargs", "tool_calls", len(made))
    return made


def _append_result(
    place: SourceValue,
    data: SourceValue,
    content: JsonValue,
    metadata: dict[str, JsonValue],
    transcript: Transcript,
) -> None:
    name = data.get("name").text_or_none()
    transcript.add(
        place,
        "tool",
        content,
        answers=transcript.calls.answer(data.get("tool_call_id").text_or_none(), name),
        name=name,
        message_id=data.get("id").value,
        metadata=metadata,
    )
    transcript.report_conversion("ToolMessage", "role: tool")


class _Parts:
    """The parts of a content, and the calls that are only there."""

    def __init__(self) -> None:
        self.parts: list[JsonValue] = []
        self.calls: list[JsonValue] = []


def _parts(data: SourceValue, known: set[str], transcript: Transcript) -> _Parts:
    found = _Parts()
    content = data.get("content")
    if isinstance(content.value, str):
        found.parts = [text_part(content.value)] if content.value else []
        return found
    for block in content.items_if_any():
        if isinstance(block.value, str):
            found.parts.append(text_part(block.value))
        else:
            _add_block(block, known, found, transcript)
    return found


def _add_block(block: SourceValue, known: set[str], found: _Parts, transcript: Transcript) -> None:
    fields = block.fields()
    kind = text_or_empty(fields.get("type"))
    if kind in _CALL_BLOCKS:
        call_id, name = block.get("call_id", "id").value, block.get("name").value
        if isinstance(call_id, str) and call_id in known:
            return  # the same call as in tool_calls
        if not isinstance(name, str):
            transcript.report_omission(block, kind, NAMELESS_CALL)
            return
        made = transcript.calls.open_call(call_id if isinstance(call_id, str) else None, name)
        given = block.get("input", "args", "arguments").value
        found.calls.append(tool_call(made, name, given))
        transcript.report_conversion(kind, "tool_calls")
    elif kind == "reasoning" and "text" not in fields:
        text = block.get("reasoning").text_or_none() or ""
        found.parts.append(reasoning_part(text, block.unknown_fields("type", "reasoning")))
    elif kind in _RESULT_BLOCKS or is_pair_part(fields):
        text = str(result_content(fields)[0])
        found.parts.append({"type": "langchain", "text": text})
        transcript.report_conversion(kind, "content")
    else:
        found.parts.append(_media(block) or fields)


def _media(block: SourceValue) -> JsonValue:
    """Returns a picture, a sound or a file in LangChain's own form; None for any other block."""
    kind = text_or_empty(block.get("type").value)
    if kind not in ("image", "audio", "file", "video"):
        return None
    data = block.get("base64", "data", "url")
    if not isinstance(data.value, str):
        return None
    media_type = block.get("mime_type").text_or_none()
    if kind == "image" and media_type is None:
        media_type = "image"
    made = media_part(media_type, data.value)
    return {
        **made,
        **block.unknown_fields("type", "base64", "data", "url", "mime_type", "source_type", "id"),
    }
