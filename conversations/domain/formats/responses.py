"""The format of OpenAI's Responses: messages, calls and their outputs as items of one list."""

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
    SourceMessage,
    SourceText,
    own_part,
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

Item = dict[str, JsonValue]

NAME: Final = "responses"
_LONGEST_ID: Final = 64
_OF_OUTPUT: Final = frozenset({"annotations", "logprobs"})
_PARTS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {"user": frozenset({"input_file", "input_audio"}), "tool": frozenset({"input_file"})}
)


def write(messages: Sequence[SourceMessage]) -> FormattedView:
    """Writes the items in the order of the view, system texts among them."""
    warnings = Warnings(NAME)
    pairs = Pairs(warnings, longest=_LONGEST_ID)
    items = [item for message in messages for item in _items(message, pairs, warnings)]
    pairs.close()
    return FormattedView(items, None, warnings.all())


def _items(message: SourceMessage, pairs: Pairs, warnings: Warnings) -> list[Item]:
    warn_of_fields(message, warnings, {"refusal"})
    if message.role == "tool":
        return [_output(message, pairs, warnings)]
    calls = list(message.calls(warnings))
    items = _messages(message, warnings)
    if not items and not calls:
        items.append(_message(message, "", warnings))
    for call in calls:
        placed = pairs.call(call, message.index)
        kind, given = ("custom_tool_call", "input") if call.is_custom else _FUNCTION_CALL
        item: Item = {"type": kind, "call_id": placed.id, "name": call.name, given: call.text}
        items.append({**call.own.of(NAME), **item})
    return items


def _messages(message: SourceMessage, warnings: Warnings) -> list[Item]:
    """Returns the content as a message, around items that the provider has beside it."""
    if isinstance(message.body.get("content"), str):
        content = _content(message, warnings)
        return [_message(message, content, warnings)] if content else []
    items: list[Item] = []
    parts: list[JsonValue] = []
    for part in message.all_parts(warnings):
        own = own_part(part, NAME)
        if own is None or message.role != "assistant":
            written = _part(part, message, warnings)
            parts += [] if written is None else [written]
            continue
        if parts:
            items.append(_message(message, parts, warnings))
            parts = []
        items.append(own)
    return [*items, _message(message, parts, warnings)] if parts else items


def _message(message: SourceMessage, content: JsonValue, warnings: Warnings) -> Item:
    item: Item = {"type": "message", "role": message.role, "content": content}
    return {**message.own_fields(warnings), **item}


_FUNCTION_CALL: Final = ("function_call", "arguments")


def _output(message: SourceMessage, pairs: Pairs, warnings: Warnings) -> Item:
    call = pairs.answer(message.answers, message.index)
    is_custom = call is not None and call.is_custom
    item: Item = {
        "type": "custom_tool_call_output" if is_custom else "function_call_output",
        "call_id": pairs.cleaned(message.answers) if call is None else call.id,
        "output": _content(message, warnings),
    }
    return {**message.own_fields(warnings), **item}


def _content(message: SourceMessage, warnings: Warnings) -> JsonValue:
    """Returns a text where the content is one, else a list of parts."""
    content = message.body.get("content")
    parts = message.all_parts(warnings)
    if isinstance(content, str) and len(parts) == 1:
        return content
    found = (_part(part, message, warnings) for part in parts)
    return [part for part in found if part is not None] or ""


def _part(part: Part, message: SourceMessage, warnings: Warnings) -> JsonValue:
    is_model = message.role == "assistant"
    own = own_part(part, NAME)
    if own is not None and not is_model:
        return own
    match part:
        case SourceText(text, more):
            known = _OF_OUTPUT if is_model else frozenset[str]()
            rest = {name: value for name, value in more.items() if name not in known}
            warn_of_further_fields(rest, A_TEXT_PART, message.index, warnings)
            kept = {name: value for name, value in more.items() if name in known}
            return {"type": "output_text" if is_model else "input_text", "text": text, **kept}
        case ModelRefusal(text):
            if is_model:
                return {"type": "refusal", "refusal": text}
            return {"type": "input_text", "text": text}
        case Image() if not is_model:
            return _image(part, message, warnings)
        case Image():
            warnings.part_left_out(image_of_role(message.role), message.index)
        case Other(kind, fields) if kind in _PARTS.get(message.role, ()):
            return dict(fields)
        case Other("file", fields) if not is_model and isinstance(fields.get("file"), dict):
            return {**_object(fields["file"]), "type": "input_file"}
        case Other(kind):
            warnings.part_left_out(part_of_type(kind), message.index)
    return None


def _object(value: JsonValue) -> Item:
    return value if isinstance(value, dict) else {}


def _image(image: Image, message: SourceMessage, warnings: Warnings) -> JsonValue:
    written: Item = {"type": "input_image", "image_url": image.address, "detail": "auto"}
    for name, value in image.more.items():
        if name == "detail":
            written[name] = value
        else:
            warnings.field_left_out(field_of(name, AN_IMAGE), message.index)
    return written
