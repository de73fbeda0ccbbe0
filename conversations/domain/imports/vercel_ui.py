"""Messages of the Vercel AI SDK's pages: parts with calls and results in one."""

from typing import Final

from pydantic import JsonValue

from conversations.domain.imports.calls import has_chat_calls, messages_of, tool_call
from conversations.domain.imports.contents import media_part, result_content, text_part
from conversations.domain.imports.reasons import FOR_PAGES, ONLY_SEPARATES
from conversations.domain.imports.source_values import SourceValue, text_or_empty
from conversations.domain.imports.transcript import Fields, Transcript
from conversations.domain.imports.vercel import ModelTurn, chat_part

NAME: Final = "vercel_ui"
_ROLES: Final = frozenset({"system", "user", "assistant", "data"})
_DONE: Final = frozenset({"output-available", "result"})
_INPUTS: Final = ("input", "args", "rawInput")
_OUTPUTS: Final = ("output", "result", "errorText")


def recognise(value: JsonValue) -> bool:
    """Recognizes messages of which one has typed parts beside its content, or calls of a page."""
    messages = messages_of(value)
    if not messages or not all(text_or_empty(each.get("role")) in _ROLES for each in messages):
        return False
    if any(map(has_chat_calls, messages)):
        return False
    return any(_has_parts(each) or "toolInvocations" in each for each in messages)


def _has_parts(message: dict[str, JsonValue]) -> bool:
    parts = message.get("parts")
    return (
        isinstance(parts, list)
        and bool(parts)
        and all(isinstance(part, dict) and isinstance(part.get("type"), str) for part in parts)
    )


def append(place: SourceValue, transcript: Transcript) -> Fields:
    """Adds the messages."""
    if isinstance(place.value, list):
        append_messages(place, transcript)
        return Fields()
    append_messages(place.get("messages"), transcript)
    return Fields(place.unknown_fields("messages", "tools"), place.get("tools"))


def append_messages(messages: SourceValue, transcript: Transcript) -> None:
    """Adds a list of messages."""
    for place in messages.items():
        _append_message(place, transcript)


def _append_message(place: SourceValue, transcript: Transcript) -> None:
    role = place.get("role").text()
    if role == "data":
        transcript.report_omission(place, "role: data", FOR_PAGES)
        return
    known = ("role", "content", "parts", "toolInvocations", "id", "experimental_attachments")
    metadata = transcript.fields_as_metadata(place.unknown_fields(*known))
    turn = _UiTurn(place, role, place.get("id").value, metadata, transcript)
    parts = place.get("parts")
    if isinstance(parts.value, list) and parts.value:
        for part in parts.items():
            turn.add_part(part)
    else:
        _append_without_parts(place, turn)
    for attached in place.get("experimental_attachments").items_if_any():
        turn.parts.append(_attachment(attached, transcript))
    turn.finish()


def _append_without_parts(place: SourceValue, turn: "_UiTurn") -> None:
    """Adds a message of the older form: calls beside the text that followed their results."""
    for invocation in place.get("toolInvocations").items_if_any():
        turn.add_invocation(invocation)
    content = place.get("content")
    if isinstance(content.value, list):
        for part in content.items():
            turn.add_part(part)
    elif text := content.text_or_none():
        turn.add_text(text_part(text))


def _attachment(place: SourceValue, transcript: Transcript) -> JsonValue:
    name, kind = place.get("name").text_or_none(), place.get("contentType").text_or_none()
    made = media_part(kind, place.get("url").text(), name)
    transcript.report_conversion("experimental_attachments", str(made["type"]))
    return made


class _UiTurn(ModelTurn):
    """One message of a page; each step of it is a message with its calls, then their results."""

    def __init__(
        self,
        place: SourceValue,
        role: str,
        message_id: JsonValue,
        metadata: dict[str, JsonValue],
        transcript: Transcript,
    ) -> None:
        super().__init__(place, role, message_id, metadata, transcript)
        self._results: list[tuple[SourceValue, str, str, JsonValue, dict[str, JsonValue]]] = []

    def add_part(self, part: SourceValue) -> None:
        kind = part.get("type").text()
        if kind == "step-start":
            self._end_step()
            self._transcript.report_omission(part, kind, ONLY_SEPARATES)
        elif kind == "tool-invocation":
            self.add_invocation(part.get("toolInvocation"))
        elif kind == "dynamic-tool" or kind.startswith("tool-"):
            name = part.get("toolName").text_or_none() or kind.removeprefix("tool-")
            self._call(part, name, "tool-NAME" if kind.startswith("tool-") else kind)
        else:
            self.add_text(chat_part(part, self._transcript))

    def add_text(self, part: JsonValue) -> None:
        """Adds a text; after calls it begins the next step."""
        if self.calls:
            self._end_step()
        self.parts.append(part)

    def add_invocation(self, place: SourceValue) -> None:
        self._call(place, place.get("toolName").text(), "toolInvocations")

    def finish(self) -> None:
        self._end_step(is_last=True)

    def _call(self, place: SourceValue, name: str, source: str) -> None:
        call_id = self._transcript.calls.open_call(place.get("toolCallId").text_or_none(), name)
        self.calls.append(tool_call(call_id, name, place.get(*_INPUTS).value))
        self._transcript.report_conversion(source, "tool_calls")
        state = place.get("state").text_or_none()
        known = ("type", "toolCallId", "toolName", "state", *_INPUTS, *_OUTPUTS)
        rest = self._transcript.fields_as_metadata(place.unknown_fields(*known))
        if state == "output-error":
            text = place.get("errorText").text_or_none() or ""
            self._results.append((place, call_id, name, text, {**rest, "is_error": True}))
        elif state in _DONE or state == "output-denied":
            content, _ = result_content(place.get("output", "result").value)
            more: dict[str, JsonValue] = {} if state in _DONE else {"state": state}
            self._results.append((place, call_id, name, content, {**rest, **more}))

    def _end_step(self, *, is_last: bool = False) -> None:
        self.flush(is_last=is_last)
        for place, call_id, name, content, metadata in self._results:
            is_error = metadata.pop("is_error", False) is True
            self.add_result(place, call_id, name, content, metadata, is_error=is_error)
            self._transcript.report_conversion("output", "role: tool")
        self._results = []
