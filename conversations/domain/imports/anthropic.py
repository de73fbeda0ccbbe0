"""Conversations of Anthropic's Messages API: requests, answers, lists of messages."""

from typing import Final

from pydantic import JsonValue

from conversations.domain.formats.own_fields import with_own_fields
from conversations.domain.formats.source import provider_part
from conversations.domain.imports.calls import Places, messages_of, tool_call
from conversations.domain.imports.contents import result_content
from conversations.domain.imports.source_values import SourceValue, text_or_empty
from conversations.domain.imports.transcript import Fields, Transcript
from ctxadmin.lib.sentence import say

NAME: Final = "anthropic"
_CALLS: Final = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_BLOCKS: Final = _CALLS | {"thinking", "redacted_thinking", "container_upload"}
_AS_THEY_ARE: Final = frozenset(
    {"text", "image", "document", "search_result", "thinking", "redacted_thinking"}
)
_ROLES: Final = frozenset({"user", "assistant", "system", "developer", "tool"})


def recognise(value: JsonValue) -> bool:
    """Recognizes a system text beside the messages, or blocks that only this API has."""
    if isinstance(value, dict) and _is_answer(value):
        return True
    messages = messages_of(value)
    if not messages or not all(text_or_empty(each.get("role")) in _ROLES for each in messages):
        return False
    parts = [part for message in messages for part in _parts(message)]
    if any("parts" in each or "toolInvocations" in each for each in messages):
        return False
    if any("-" in str(part.get("type")) for part in parts):
        return False
    system = value.get("system") if isinstance(value, dict) else None
    return bool(isinstance(system, list | str) and system) or any(map(_is_block, parts))


def _parts(message: dict[str, JsonValue]) -> list[dict[str, JsonValue]]:
    content = message.get("content")
    return [each for each in content if isinstance(each, dict)] if isinstance(content, list) else []


def _is_block(part: dict[str, JsonValue]) -> bool:
    kind = text_or_empty(part.get("type"))
    if kind in ("image", "document"):
        return isinstance(part.get("source"), dict)
    return kind in _BLOCKS or _is_result(kind)


def _is_result(kind: JsonValue) -> bool:
    return isinstance(kind, str) and kind.endswith("tool_result")


def _is_answer(value: dict[str, JsonValue]) -> bool:
    """Returns whether the value is a single answer of the API."""
    is_message = value.get("type") == "message" and value.get("role") == "assistant"
    return is_message and isinstance(value.get("content"), list) and "stop_reason" in value


def append(place: SourceValue, transcript: Transcript) -> Fields:
    """Adds the system text and the messages."""
    value = place.value
    if isinstance(value, dict) and _is_answer(value):
        _append_message(place, transcript)
        return Fields()
    if isinstance(value, list):
        append_messages(place, transcript)
        return Fields()
    append_system(place.get("system"), transcript)
    append_messages(place.get("messages"), transcript)
    return Fields(place.unknown_fields("messages", "system", "tools"), place.get("tools"))


def append_system(system: SourceValue, transcript: Transcript) -> None:
    """Adds the system text beside the messages, if there is one."""
    if not system.value:
        return
    if not isinstance(system.value, str | list):
        raise system.refusal(say("a system text is a text or a list of text parts"))
    transcript.append(system, {"role": "system", "content": system.value})
    transcript.report_conversion("system", "role: system")


def append_messages(messages: SourceValue, transcript: Transcript) -> None:
    """Adds a list of messages."""
    for place in messages.items():
        _append_message(place, transcript)


def _append_message(place: SourceValue, transcript: Transcript) -> None:
    """Adds a message; one with calls or results becomes several, in the order of a chat."""
    message = place.value
    split = _is_pair if not transcript.keeps_own else _is_changed
    if not isinstance(message, dict) or not any(map(split, _parts(message))):
        transcript.add_verbatim(place)
        return
    turn = _Split(place, message, transcript)
    for block in place.get("content").items():
        turn.add(block)
    turn.flush()


def _is_pair(part: dict[str, JsonValue]) -> bool:
    return text_or_empty(part.get("type")) in _CALLS or _is_result(part.get("type"))


def _is_changed(part: dict[str, JsonValue]) -> bool:
    """A pair, or a block that the log does not keep as it is."""
    return _is_pair(part) or text_or_empty(part.get("type")) not in _AS_THEY_ARE


def _type_of(value: JsonValue) -> JsonValue:
    return value.get("type") if isinstance(value, dict) else None


class _Split:
    """Splits one message with blocks of calls and results into messages of the chat form.

    Results come before the other blocks of a user message. In an assistant message, whose results
    are those of the provider's own tools, they end the message that called.
    """

    def __init__(
        self, place: SourceValue, message: dict[str, JsonValue], transcript: Transcript
    ) -> None:
        self._place = place
        self._role = message.get("role")
        self._others = {key: message[key] for key in message if key not in ("role", "content")}
        self._transcript = transcript
        self._parts: list[JsonValue] = []
        self._calls: list[JsonValue] = []
        self._places = Places()

    def add(self, block: SourceValue) -> None:
        kind = text_or_empty(_type_of(block.value))
        if self._transcript.keeps_own and self._is_own(kind):
            self._add_part(provider_part(NAME, block.value))
        elif kind in _CALLS:
            self._add_call(block, kind)
        elif _is_result(kind):
            if self._role == "assistant":
                self.flush()
            self._add_result(block, kind)
        else:
            self._add_part(block.value)

    def _is_own(self, kind: str) -> bool:
        """Whether it has a type that the log has nothing like, or is of a tool of the provider."""
        if kind in _CALLS or _is_result(kind):
            return self._role == "assistant" and kind not in ("tool_use", "tool_result")
        return kind != "" and kind not in _AS_THEY_ARE

    def _add_part(self, part: JsonValue) -> None:
        self._places.part()
        self._parts.append(part)

    def flush(self) -> None:
        """Adds what was collected as one message."""
        if not self._parts and not self._calls:
            return
        message: dict[str, JsonValue] = {"role": self._role, "content": self._parts or None}
        if self._calls:
            message["tool_calls"] = self._transcript.place_calls(self._calls, self._places)
        self._append(self._place, message)
        self._parts, self._calls, self._places = [], [], Places()

    def _append(self, place: SourceValue, message: dict[str, JsonValue]) -> None:
        """Adds a message; the first one gets the further fields of the original."""
        self._transcript.append(place, {**self._others, **message})
        self._others = {}

    def _add_call(self, block: SourceValue, kind: str) -> None:
        call_id = self._transcript.calls.open_call(block.get("id").text(), block.get("name").text())
        rest = self._transcript.of_call(block.unknown_fields("type", "id", "name", "input"))
        if kind != "tool_use":
            rest = {**rest, "kind": kind}
        name, given = block.get("name").text(), block.get("input").value
        self._places.call(len(self._calls))
        self._calls.append(tool_call(call_id, name, given, rest))
        self._transcript.report_conversion(kind, "tool_calls")

    def _result_content(self, value: JsonValue) -> tuple[JsonValue, bool]:
        if not self._transcript.keeps_own or not isinstance(value, list):
            return result_content(value)
        kept = [
            provider_part(NAME, each) if self._is_own(text_or_empty(_type_of(each))) else each
            for each in value
        ]
        return kept, False

    def _add_result(self, block: SourceValue, kind: str) -> None:
        call_id = block.get("tool_use_id").text()
        content, is_json = self._result_content(block.get("content").value)
        rest = block.unknown_fields("type", "tool_use_id", "content")
        if kind != "tool_result":
            rest = {**rest, "kind": kind}
        message: dict[str, JsonValue] = {
            "role": "tool",
            "tool_call_id": self._transcript.calls.answer(call_id, None),
            "content": content,
        }
        if rest.get("is_error") is True:
            message["is_error"] = rest.pop("is_error")
        metadata, own = ({}, rest) if self._transcript.keeps_own else (rest, {})
        if metadata:
            message["metadata"] = metadata
        self._append(block, {**message, **with_own_fields(NAME, own)})
        self._transcript.report_conversion(kind, "role: tool (JSON)" if is_json else "role: tool")
