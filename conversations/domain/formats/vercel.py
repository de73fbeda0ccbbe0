"""The format of Vercel's AI SDK: model messages with ``tool-call`` and ``tool-result`` parts."""

from collections.abc import Sequence
from typing import Final, TypeAlias

from pydantic import JsonValue

from conversations.domain.formats.formatted_view import FormattedView
from conversations.domain.formats.own_fields import Fields as SourceFields
from conversations.domain.formats.own_fields import own_fields_of
from conversations.domain.formats.pairs import Pairs
from conversations.domain.formats.source import (
    DATA_URL,
    Image,
    ModelRefusal,
    Other,
    Part,
    SourceCall,
    SourceMessage,
    SourceText,
    arguments_object,
    insert_calls,
    own_part,
    warn_of_fields,
    warn_of_further_fields,
)
from conversations.domain.formats.warnings import (
    A_REASONING_PART,
    A_TEXT_PART,
    AN_IMAGE,
    REFUSAL_AS_TEXT,
    Warnings,
    image_of_role,
    part_of_type,
)
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.json_bytes import loads_strict
from ctxadmin.lib.sentence import say

Fields: TypeAlias = dict[str, JsonValue]

NAME: Final = "vercel"
_UNKNOWN_TOOL: Final = "unknown"
OUTPUT: Final = "output"
RESULT: Final = "result"
"""The names under which what only this format knows of a result is kept with its message."""

_OF_RESULTS: Final = frozenset({OUTPUT, RESULT})
_OF_PARTS: Final = frozenset({"providerOptions"})
_PART_OF_FAILURE: Final = say("a part of the result of a failed call")
_ONLY_URL: Final = say("an image of a result that is only a URL")
_ROLES: Final = {"developer": "system"}  # which the SDK has no word for


def write(messages: Sequence[SourceMessage]) -> FormattedView:
    """Writes one model message for each message, system messages among them."""
    warnings = Warnings(NAME)
    pairs = Pairs(warnings)
    written = [_message(message, pairs, warnings) for message in messages]
    pairs.close()
    return FormattedView(written, None, warnings.all())


def _message(message: SourceMessage, pairs: Pairs, warnings: Warnings) -> Fields:
    if message.role == "tool":
        warn_of_fields(message, warnings, {"refusal", "is_error"})
        return {
            **_own_of_message(message, warnings),
            "role": "tool",
            "content": [_result(message, pairs, warnings)],
        }
    warn_of_fields(message, warnings, {"refusal"})
    pairs.close()
    role = _ROLES.get(message.role, message.role)
    content = message.body.get("content")
    calls = list(message.calls(warnings))
    parts = message.all_parts(warnings)
    shell: Fields = {**_own_of_message(message, warnings), "role": role}
    if isinstance(content, str) and len(parts) == 1 and not calls:
        return {**shell, "content": content}
    found = (_part(part, message, warnings) for part in parts)
    written: list[JsonValue] = [part for part in found if part is not None]
    if role == "system":
        return {**shell, "content": "".join(_texts(parts))}
    insert_calls(written, [(call, _call(call, message, pairs, warnings)) for call in calls], NAME)
    return {**shell, "content": written}


def _own_of_message(message: SourceMessage, warnings: Warnings) -> Fields:
    """The fields of the message; those of a result are in the result."""
    own = message.own_fields(warnings)
    return {name: value for name, value in own.items() if name not in _OF_RESULTS}


def _call(call: SourceCall, message: SourceMessage, pairs: Pairs, warnings: Warnings) -> Fields:
    call_id = pairs.call(call, message.index).id
    given = arguments_object(call, message.index, warnings)
    own = call.own.of(NAME)
    return {
        **own,
        "type": "tool-call",
        "toolCallId": call_id,
        "toolName": call.name,
        "input": given,
    }


def _result(message: SourceMessage, pairs: Pairs, warnings: Warnings) -> Fields:
    call = pairs.answer(message.answers, message.index)
    own = own_fields_of(message.body).of(NAME)
    kept, output = own.get(RESULT), own.get(OUTPUT)
    return {
        **(kept if isinstance(kept, dict) else {}),
        "type": "tool-result",
        "toolCallId": message.answers if call is None else call.id,
        "toolName": (message.name or _UNKNOWN_TOOL) if call is None else call.name,
        "output": _own_output(message, output if isinstance(output, dict) else {}, warnings),
    }


def _own_output(message: SourceMessage, kept: Fields, warnings: Warnings) -> JsonValue:
    """The output as it was, unless its content has become another one since."""
    content, kind = message.body.get("content"), kept.get("type")
    if kind in ("json", "error-json") and isinstance(content, str):
        try:
            return {**kept, "value": loads_strict(content.encode())}
        except (ValidationFailed, UnicodeEncodeError):
            kept = {}
    if kind == "execution-denied":
        return {**kept, "reason": content} if content else dict(kept)
    made = _output(message, warnings)
    is_same = kind == made["type"] or kind is None
    return {**(kept if is_same else {}), **made}


def _output(message: SourceMessage, warnings: Warnings) -> Fields:
    parts = message.all_parts(warnings)
    is_text = isinstance(message.body.get("content"), str)
    if is_text or message.body.get("is_error") is True:
        kind = "error-text" if message.body.get("is_error") is True else "text"
        for part in parts:
            if not isinstance(part, SourceText | ModelRefusal):
                warnings.part_left_out(_PART_OF_FAILURE, message.index)
        return {"type": kind, "value": "".join(_texts(parts))}
    found = (_part_of_output(part, message, warnings) for part in parts)
    return {"type": "content", "value": [part for part in found if part is not None]}


def _part_of_output(part: Part, message: SourceMessage, warnings: Warnings) -> JsonValue:
    own = own_part(part, NAME)
    if own is not None:
        return own
    if isinstance(part, Image):
        warn_of_further_fields(part.more, AN_IMAGE, message.index, warnings)
        if not part.url:
            return {"type": "media", "data": part.data, "mediaType": part.media_type}
        warnings.part_left_out(_ONLY_URL, message.index)
        return None
    return _part(part, message, warnings)


def _part(part: Part, message: SourceMessage, warnings: Warnings) -> JsonValue:
    own = own_part(part, NAME)
    if own is not None and message.role != "system":
        return own
    match part:
        case SourceText(text):
            kept = {name: value for name, value in part.more.items() if name in _OF_PARTS}
            more = {name: value for name, value in part.more.items() if name not in _OF_PARTS}
            warn_of_further_fields(more, A_TEXT_PART, message.index, warnings)
            return {"type": "text", "text": text, **kept}
        case ModelRefusal(text):
            warnings.add("refusal_as_text", REFUSAL_AS_TEXT, message.index)
            return {"type": "text", "text": text}
        case Image() if message.role == "user":
            warn_of_further_fields(part.more, AN_IMAGE, message.index, warnings)
            image: Fields = {"type": "image", "image": part.address}
            return image | ({"mediaType": part.media_type} if part.media_type else {})
        case Image():
            warnings.part_left_out(image_of_role(message.role), message.index)
        case Other("thinking", fields) if message.role == "assistant" and (
            made := _thinking(fields)
        ):
            return made
        case Other("reasoning", fields) if message.role == "assistant" and (
            made := _reasoning(fields, message, warnings)
        ):
            return made
        case Other("file", fields) if message.role != "system" and "mediaType" in fields:
            return dict(fields)
        case Other("file", fields) if message.role != "system" and (made := _file(fields)):
            return made
        case Other(kind):
            warnings.part_left_out(part_of_type(kind), message.index)
    return None


def _file(fields: SourceFields) -> Fields | None:
    """Returns OpenAI's file in the SDK's form, if its bytes are in the message."""
    file = fields.get("file")
    data = file.get("file_data") if isinstance(file, dict) else None
    found = DATA_URL.match(data) if isinstance(data, str) else None
    if not isinstance(file, dict) or not isinstance(data, str) or found is None:
        return None
    made: Fields = {"type": "file", "data": data[found.end() :], "mediaType": found["type"]}
    name = file.get("filename")
    return made | ({"filename": name} if isinstance(name, str) else {})


def _thinking(fields: SourceFields) -> Fields | None:
    """Returns Anthropic's thinking, with the signature where the SDK returns it to Anthropic."""
    text = fields.get("thinking")
    own: JsonValue = {"anthropic": {"signature": fields.get("signature")}}
    if not isinstance(text, str):
        return None
    return {"type": "reasoning", "text": text, "providerOptions": own}


def _reasoning(fields: SourceFields, message: SourceMessage, warnings: Warnings) -> Fields | None:
    """Returns reasoning in the SDK's form, whose text Responses has in a summary.

    None without any text: the SDK refuses such a part.
    """
    text, known = fields.get("text"), {"type", "text", *_OF_PARTS}
    if not isinstance(text, str):
        text, known = _summary(fields), known | {"summary"}
    if not text and "text" not in fields:
        return None
    kept = {name: value for name, value in fields.items() if name in _OF_PARTS}
    more = {name: value for name, value in fields.items() if name not in known}
    warn_of_further_fields(more, A_REASONING_PART, message.index, warnings)
    return {"type": "reasoning", "text": text, **kept}


def _summary(fields: SourceFields) -> str:
    """Returns the texts of the summary of an item of Responses."""
    listed = fields.get("summary")
    found = [each.get("text") for each in _objects(listed)]
    return "\n\n".join(text for text in found if isinstance(text, str))


def _objects(listed: JsonValue) -> list[Fields]:
    return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []


def _texts(parts: Sequence[Part]) -> list[str]:
    return [part.text for part in parts if isinstance(part, SourceText | ModelRefusal)]
