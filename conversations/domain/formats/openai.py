"""The format of OpenAI's chat completions: ``{role, content, tool_calls, tool_call_id, name}``."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from pydantic import JsonValue

from conversations.domain.formats.formatted_view import FormattedView
from conversations.domain.formats.pairs import Pairs
from conversations.domain.formats.source import (
    Image,
    ModelRefusal,
    Other,
    Part,
    SourceCall,
    SourceMessage,
    SourceText,
    warn_of_fields,
    warn_of_further_fields,
)
from conversations.domain.formats.warnings import (
    A_TEXT_PART,
    AN_IMAGE,
    Warnings,
    field_of,
    image_of_role,
    part_of_type,
)

NAME: Final = "openai"
_FIELDS: Final = frozenset({"refusal", "audio"})  # of an assistant message
_PARTS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {"user": frozenset({"input_audio", "file"})}
)


def write(messages: Sequence[SourceMessage]) -> FormattedView:
    """Writes the messages as logged, without ctxadmin's own fields and those unknown to OpenAI."""
    warnings = Warnings(NAME)
    pairs = Pairs(warnings, unique=False)
    written = [_message(message, pairs, warnings) for message in messages]
    pairs.close()
    return FormattedView(written, None, warnings.all())


def _message(message: SourceMessage, pairs: Pairs, warnings: Warnings) -> dict[str, JsonValue]:
    role = message.role
    if role != "tool":
        pairs.close()
    shown: dict[str, JsonValue] = {"role": role, "content": _content(message, warnings)}
    if message.name is not None:
        shown["name"] = message.name
    if role == "tool":
        pairs.answer(message.answers, message.index)
        shown["tool_call_id"] = message.answers
    calls = list(message.calls(warnings))
    if calls:
        shown["tool_calls"] = [_call(call) for call in calls]
    for call in calls:
        pairs.call(call, message.index)
    own = _FIELDS if role == "assistant" else frozenset()
    shown |= {name: value for name, value in message.body.items() if name in own}
    warn_of_fields(message, warnings, {"name", *own})
    kept = message.own_fields(warnings)
    if role == "assistant" and "content" in kept:
        shown["content"] = None  # of a refusal, or of a sound whose transcript is the content here
    return {**kept, **shown}


def _call(call: SourceCall) -> JsonValue:
    if call.is_custom:
        return {"id": call.id, "type": "custom", "custom": {"name": call.name, "input": call.text}}
    function: JsonValue = {"name": call.name, "arguments": call.text}
    return {"id": call.id, "type": "function", "function": function}


def _content(message: SourceMessage, warnings: Warnings) -> JsonValue:
    content = message.body.get("content")
    if not isinstance(content, list):
        return content
    parts: list[JsonValue] = []
    for part in message.parts(warnings):
        written = _part(part, message, warnings)
        if written is not None:
            parts.append(written)
    return parts or ""


def _part(part: Part, message: SourceMessage, warnings: Warnings) -> JsonValue:
    match part:
        case SourceText(text, more):
            warn_of_further_fields(more, A_TEXT_PART, message.index, warnings)
            return {"type": "text", "text": text}
        case ModelRefusal(text):
            if message.role == "assistant":
                return {"type": "refusal", "refusal": text}
            return {"type": "text", "text": text}
        case Image() if message.role == "user":
            return {"type": "image_url", "image_url": _image(part, message, warnings)}
        case Image():
            warnings.part_left_out(image_of_role(message.role), message.index)
        case Other(kind, fields) if kind in _PARTS.get(message.role, ()) and kind in fields:
            return {"type": kind, kind: fields[kind]}
        case Other(kind):
            warnings.part_left_out(part_of_type(kind), message.index)
    return None


def _image(image: Image, message: SourceMessage, warnings: Warnings) -> JsonValue:
    address: dict[str, JsonValue] = {"url": image.address}
    for name, value in image.more.items():
        if name == "detail":
            address[name] = value
        else:
            warnings.field_left_out(field_of(name, AN_IMAGE), message.index)
    return address
