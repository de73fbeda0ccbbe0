"""Model messages of the Vercel AI SDK: calls and results as parts of the contents."""

from typing import Final

from pydantic import JsonValue

from conversations.domain.formats.own_fields import with_own_part
from conversations.domain.formats.source import provider_part
from conversations.domain.formats.vercel import OUTPUT, RESULT
from conversations.domain.imports.calls import Places, has_chat_calls, messages_of, tool_call
from conversations.domain.imports.contents import (
    content_of,
    media_part,
    reasoning_part,
    result_content,
    text_part,
)
from conversations.domain.imports.reasons import APPROVAL, OF_A_PAGE
from conversations.domain.imports.source_values import SourceValue, text_or_empty
from conversations.domain.imports.transcript import Fields, Transcript
from ctxadmin.lib import json_bytes
from ctxadmin.lib.sentence import say

NAME: Final = "vercel"
_MARKS: Final = frozenset(
    {"tool-call", "tool-result", "tool-error", "reasoning", "redacted-reasoning"}
)

_ADDRESSES: Final = ("image", "data", "url")
_AS_THEY_ARE: Final = frozenset({"text", "reasoning", "tool-error"})
_APPROVALS: Final = frozenset({"tool-approval-request", "tool-approval-response"})
_ERRORS: Final = frozenset({"error-text", "error-json"})
_ROLES: Final = frozenset({"system", "user", "assistant", "tool"})


def recognise(value: JsonValue) -> bool:
    """Recognizes messages with parts that only this SDK has."""
    messages = messages_of(value)
    if not messages or not all(text_or_empty(each.get("role")) in _ROLES for each in messages):
        return False
    if any(
        "parts" in each or "toolInvocations" in each or has_chat_calls(each) for each in messages
    ):
        return False
    return any(
        isinstance(part, dict) and _is_marked(part)
        for message in messages
        for part in _content(message)
    )


def _content(message: dict[str, JsonValue]) -> list[JsonValue]:
    content = message.get("content")
    return content if isinstance(content, list) else []


def _is_marked(part: dict[str, JsonValue]) -> bool:
    kind = text_or_empty(part.get("type"))
    if kind == "image":
        return isinstance(part.get("image"), str)
    if kind == "file":
        return "mediaType" in part or "mimeType" in part
    return kind in _MARKS or kind in _APPROVALS


def append(place: SourceValue, transcript: Transcript) -> Fields:
    """Adds the system text and the messages."""
    if isinstance(place.value, list):
        append_messages(place, transcript)
        return Fields()
    transcript.add_system_text(place.get("system"))
    append_messages(place.get("messages"), transcript)
    return Fields(place.unknown_fields("messages", "system", "tools"), _tools(place))


def _tools(place: SourceValue) -> SourceValue:
    """Converts tools by name to a list."""
    tools = place.get("tools")
    if not isinstance(tools.value, dict):
        return tools
    named: list[JsonValue] = [
        {"name": name, **each} if isinstance(each, dict) else {"name": name}
        for name, each in tools.value.items()
    ]
    return SourceValue(named, tools.pointer, tools.line)


def append_messages(messages: SourceValue, transcript: Transcript) -> None:
    """Adds a list of messages."""
    for place in messages.items():
        _append_message(place, transcript)


def _append_message(place: SourceValue, transcript: Transcript) -> None:
    message = place.fields()
    role = place.get("role").text()
    rest = {key: value for key, value in message.items() if key not in ("role", "content", "id")}
    metadata, own = transcript.sort_fields(rest)
    turn = ModelTurn(place, role, message.get("id"), metadata, transcript, own)
    content = place.get("content")
    turn.is_list = transcript.keeps_own and isinstance(content.value, list)
    if content.value is None and "parts" in message:
        raise place.get("parts").refusal(OF_A_PAGE)
    if isinstance(content.value, str):
        turn.parts.append(text_part(content.value))
    else:
        for part in content.items():
            turn.add(part)
    turn.flush(is_last=True)


class ModelTurn:
    """One message of the SDK as one or several of the chat form.

    The first one gets id and metadata. A result within an assistant message, of a tool that the
    provider runs, ends the message that called.
    """

    def __init__(
        self,
        place: SourceValue,
        role: str,
        message_id: JsonValue,
        metadata: dict[str, JsonValue],
        transcript: Transcript,
        own: dict[str, JsonValue] | None = None,
    ) -> None:
        self._place, self._role, self._transcript = place, role, transcript
        self._id, self._metadata, self._own = message_id, metadata, own or {}
        self._places = Places()
        self.is_list = False
        self.parts: list[JsonValue] = []
        self.calls: list[JsonValue] = []
        self._is_begun = False

    def add(self, part: SourceValue) -> None:
        kind = text_or_empty(part.fields().get("type"))
        if self._transcript.keeps_own and _is_own(part.fields(), kind, self._role):
            self._places.part()
            self.parts.append(provider_part(NAME, part.value))
        elif kind == "tool-call":
            self._add_call(part)
        elif kind in ("tool-result", "tool-error"):
            self.flush()
            self._add_result(part)
        elif kind in _APPROVALS:
            self._transcript.report_omission(part, kind, APPROVAL)
        else:
            self._places.part()
            self.parts.append(chat_part(part, self._transcript))

    def flush(self, *, is_last: bool = False) -> None:
        """Adds what was collected; an empty message only if there is nothing else of it."""
        is_empty = is_last and not self._is_begun and self._role != "tool"
        if self.parts or self.calls or is_empty:
            is_list = self.is_list and bool(self.parts or not self.calls)
            content = list(self.parts) if is_list else content_of(self.parts)
            calls = self._transcript.place_calls(self.calls, self._places)
            self._append(self._place, self._role, content, calls=calls)
        self.parts, self.calls, self._places = [], [], Places()

    def add_result(
        self, place: SourceValue, call_id: str | None, name: str | None, content: JsonValue,
        metadata: dict[str, JsonValue], *, is_error: bool = False,
        own: dict[str, JsonValue] | None = None,
    ) -> None:  # fmt: skip
        """Adds the result of a call."""
        answered = self._transcript.calls.answer(call_id, name)
        self._append(
            place,
            "tool",
            content,
            answers=answered,
            name=name,
            metadata=metadata,
            is_error=is_error,
            own=own,
        )

    def _append(
        self, place: SourceValue, role: str, content: JsonValue, *,
        calls: list[JsonValue] | None = None, answers: str | None = None, name: JsonValue = None,
        metadata: dict[str, JsonValue] | None = None, is_error: bool = False,
        own: dict[str, JsonValue] | None = None,
    ) -> None:  # fmt: skip
        if role == "tool" and answers is None:
            raise place.refusal(say("a message of the role tool has results"))
        self._transcript.add(
            place,
            role,
            content,
            calls=calls or (),
            answers=answers,
            name=name,
            message_id=self._id,
            metadata={**self._metadata, **(metadata or {})},
            own={**self._own, **(own or {})},
            is_error=is_error,
        )
        self._id, self._metadata, self._own, self._is_begun = None, {}, {}, True

    def _add_call(self, part: SourceValue) -> None:
        name = part.get("toolName").text()
        call_id = self._transcript.calls.open_call(part.get("toolCallId").text_or_none(), name)
        known = ("type", "toolCallId", "toolName", "input", "args")
        rest = self._transcript.of_call(part.unknown_fields(*known))
        self._places.call(len(self.calls))
        self.calls.append(tool_call(call_id, name, part.get("input", "args").value, rest))
        self._transcript.report_conversion("tool-call", "tool_calls")

    def _add_result(self, part: SourceValue) -> None:
        rest = part.unknown_fields("type", "toolCallId", "toolName", "output", "result", "error")
        content, kind = _output(part, self._transcript)
        own: dict[str, JsonValue] = {}
        if self._transcript.keeps_own:
            own = {RESULT: rest} if rest else {}
            own |= _own_of_output(part)
            rest = {}
        elif kind is not None:
            rest = {**rest, "output_type": kind}
        call_id, name = part.get("toolCallId").text_or_none(), part.get("toolName").text_or_none()
        is_error = kind in _ERRORS or part.get("type").value == "tool-error"
        self.add_result(part, call_id, name, content, rest, is_error=is_error, own=own)
        self._transcript.report_conversion(str(part.get("type").value), "role: tool")


def _is_own(part: dict[str, JsonValue], kind: str, role: str) -> bool:
    """A part that the log has nothing like, or of a tool that the provider ran itself."""
    if kind == "tool-call":
        return part.get("providerExecuted") is True
    if kind == "tool-result":
        return role == "assistant"
    if kind in ("image", "file"):
        return not any(isinstance(part.get(name), str) for name in _ADDRESSES)
    return kind not in _AS_THEY_ARE | _APPROVALS


def _own_of_output(part: SourceValue) -> dict[str, JsonValue]:
    """What the output of a result has beside its value, if that is no plain text."""
    output = part.get("output").value
    if not isinstance(output, dict):
        return {}
    kept = {key: value for key, value in output.items() if key not in ("value", "reason")}
    is_plain = set(kept) == {"type"} and kept["type"] in ("text", "error-text", "content")
    return {} if is_plain else {OUTPUT: kept}


def _output(part: SourceValue, transcript: Transcript) -> tuple[JsonValue, str | None]:
    """Returns the content of a result, and its kind if it is neither text nor JSON."""
    output = part.get("output", "result", "error")
    if transcript.keeps_own and output.get("type").value == "execution-denied":
        return output.get("reason").text_or_none() or "", "execution-denied"
    if isinstance(output.value, dict) and "value" in output.value and "type" in output.value:
        kind = output.get("type").text()
        value = output.get("value")
        if kind == "content" and isinstance(value.value, list):
            parts = [_result_part(each, transcript) for each in value.items()]
            return transcript.content_of(parts, value.value), None
        if transcript.keeps_own and kind in ("json", "error-json"):
            return json_bytes.dumps(value.value).decode(), kind
        return result_content(value.value)[0], None if kind in ("text", "json") else kind
    return result_content(output.value)[0], None


def _result_part(part: SourceValue, transcript: Transcript) -> JsonValue:
    kind, data = part.fields().get("type"), part.get("data", "url").value
    if kind != "text" and isinstance(data, str):
        media_type = part.get("mediaType", "mimeType").text_or_none()
        is_picture = str(kind).startswith("image") and media_type is None
        made = media_part("image" if is_picture else media_type, data)
        return _with_source(made, part, transcript)
    if kind != "text" and transcript.keeps_own:
        return provider_part(NAME, part.value)
    return part.value


def _with_source(
    made: dict[str, JsonValue], part: SourceValue, transcript: Transcript
) -> dict[str, JsonValue]:
    """A file with how the SDK has it, where that is given back."""
    if not transcript.keeps_own:
        return made
    fields = part.fields()
    address = next(name for name in _ADDRESSES if isinstance(fields.get(name), str))
    return with_own_part(NAME, made, fields, address)


def chat_part(part: SourceValue, transcript: Transcript) -> JsonValue:
    """Returns a part of a content in the chat form."""
    fields = part.fields()
    kind = text_or_empty(fields.get("type"))
    if kind == "text":
        return text_part(part.get("text").text(), part.unknown_fields("type", "text"))
    if kind == "reasoning":
        text = part.get("text", "reasoning").text_or_none() or ""
        return reasoning_part(text, part.unknown_fields("type", "text", "reasoning"))
    data = part.get("image", "data", "url")
    if kind in ("image", "file") and isinstance(data.value, str):
        media_type = part.get("mediaType", "mimeType").text_or_none()
        if kind == "image":
            media_type = media_type or "image"
        name = part.get("filename", "name").text_or_none()
        made = media_part(media_type, data.value, name)
        transcript.report_conversion(kind, str(made["type"]))
        return _with_source(made, part, transcript)
    return fields
