"""Contents of Google's Gemini API: requests, responses, lists of contents."""

from typing import Final

from pydantic import JsonValue

from conversations.domain.imports.calls import tool_call
from conversations.domain.imports.contents import (
    content_of,
    media_part,
    reasoning_part,
    result_content,
    text_part,
)
from conversations.domain.imports.reasons import ANOTHER_ANSWER, UNKNOWN_PART
from conversations.domain.imports.source_values import SourceValue, text_or_empty
from conversations.domain.imports.transcript import Fields, Transcript
from ctxadmin.lib.sentence import say

NAME: Final = "gemini"
_ROLES: Final = {"user": "user", "model": "assistant", "function": "user", "system": "system"}
_CODE: Final = "code_execution"
# What a part may have beside that of which it is one.
_BESIDE: Final = frozenset(
    {
        *("thought", "thoughtSignature", "thought_signature"),
        *("videoMetadata", "video_metadata", "mediaResolution", "media_resolution"),
    }
)


def recognise(value: JsonValue) -> bool:
    """Recognizes an object with contents or candidates, or a list of contents."""
    if isinstance(value, list):
        return _are_contents(value)
    if not isinstance(value, dict):
        return False
    if "contents" in value:
        return _are_contents(value["contents"])
    candidates = value.get("candidates")
    return isinstance(candidates, list) and any(
        isinstance(each, dict) and isinstance(each.get("content"), dict) for each in candidates
    )


def _are_contents(value: JsonValue) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_content, value))


def _is_content(value: JsonValue) -> bool:
    """Recognizes a role and parts; those of other shapes have a type."""
    if not isinstance(value, dict) or text_or_empty(value.get("role") or "user") not in _ROLES:
        return False
    if "content" in value:
        return False
    parts = value.get("parts")
    return isinstance(parts, list) and all(
        isinstance(part, dict) and "type" not in part for part in parts
    )


def append(place: SourceValue, transcript: Transcript) -> Fields:
    """Adds the system instruction, the contents and the first candidate."""
    if isinstance(place.value, list):
        append_messages(place, transcript)
        return Fields()
    system = place.get("systemInstruction", "system_instruction")
    if system.value is not None:
        _append_system(system, transcript)
    if place.get("contents").value is not None:
        append_messages(place.get("contents"), transcript)
    if place.get("candidates").value is not None:
        _append_candidates(place.get("candidates"), transcript)
    known = ("systemInstruction", "system_instruction", "contents", "candidates", "tools")
    return Fields(place.unknown_fields(*known), place.get("tools"))


def _append_system(system: SourceValue, transcript: Transcript) -> None:
    transcript.report_conversion("systemInstruction", "role: system")
    if isinstance(system.value, str):
        transcript.append(system, {"role": "system", "content": system.value})
        return
    read = [_part(part, transcript) for part in system.get("parts").items()]
    parts = [part for part in read if part is not None]
    if parts or not read:
        transcript.add(system, "system", content_of(parts))


def _append_candidates(candidates: SourceValue, transcript: Transcript) -> None:
    for number, candidate in enumerate(candidates.items()):
        if number:
            transcript.report_omission(candidate, "candidates", ANOTHER_ANSWER)
        elif candidate.get("content").value is not None:
            rest = transcript.fields_as_metadata(candidate.unknown_fields("content", "index"))
            _append_content(candidate.get("content"), transcript, "model", rest)


def append_messages(contents: SourceValue, transcript: Transcript) -> None:
    """Adds a list of contents."""
    for content in contents.items():
        _append_content(content, transcript)


def _append_content(
    place: SourceValue,
    transcript: Transcript,
    usual: str = "user",
    metadata: dict[str, JsonValue] | None = None,
) -> None:
    named = place.get("role").text_or_none() or usual
    if named not in _ROLES:
        raise place.get("role").refusal(say("a role is one of {roles}", roles=", ".join(_ROLES)))
    rest = transcript.fields_as_metadata(place.unknown_fields("role", "parts", "metadata"))
    turn = _Turn(place, _ROLES[named], {**rest, **(metadata or {})}, transcript)
    parts = place.get("parts")
    is_cut = usual == "model" and parts.value is None  # an answer that was stopped
    for part in () if is_cut else parts.items():
        turn.add(part)
    turn.finish()


class _Turn:
    """One content as one or several messages: results come before the other parts of a user."""

    def __init__(
        self, place: SourceValue, role: str, metadata: dict[str, JsonValue], transcript: Transcript
    ) -> None:
        self._place, self._role, self._transcript = place, role, transcript
        self._metadata = metadata
        self._parts: list[JsonValue] = []
        self._calls: list[JsonValue] = []
        self._is_begun = self._has_left_out = False

    def add(self, part: SourceValue) -> None:
        call = part.get("functionCall", "function_call", "toolCall", "tool_call")
        code = part.get("executableCode", "executable_code")
        result = part.get("functionResponse", "function_response", "toolResponse", "tool_response")
        done = part.get("codeExecutionResult", "code_execution_result")
        if call.value is not None:
            self._add_call(part, call, _name(call).text(), call.get("args").value)
        elif code.value is not None:
            self._add_call(part, code, _CODE, code.unknown_fields("id"))
        elif result.value is not None:
            self._add_result(result, _name(result).text_or_none(), result.get("response").value)
        elif done.value is not None:
            self._add_result(done, _CODE, done.get("output").value)
        else:
            self._add_part(part)

    def _add_part(self, part: SourceValue) -> None:
        made = _part(part, self._transcript)
        if made is None:
            self._has_left_out = True
        else:
            self._parts.append(made)

    def finish(self) -> None:
        """Adds the rest; an empty content is an empty message, one of unknown parts is none."""
        if self._parts or self._calls or not (self._is_begun or self._has_left_out):
            self._flush()

    def _flush(self) -> None:
        content = content_of(self._parts)
        self._transcript.add(
            self._place, self._role, content, calls=self._calls, metadata=self._pop_metadata()
        )
        self._parts, self._calls = [], []

    def _pop_metadata(self) -> dict[str, JsonValue]:
        taken, self._metadata, self._is_begun = self._metadata, {}, True
        return taken

    def _add_call(
        self, part: SourceValue, call: SourceValue, name: str, arguments: JsonValue
    ) -> None:
        call_id = self._transcript.calls.open_call(call.get("id").text_or_none(), name)
        signature = part.unknown_fields(
            *("functionCall", "function_call", "toolCall", "tool_call"),
            *("executableCode", "executable_code"),
        )
        self._calls.append(tool_call(call_id, name, arguments, signature))
        self._transcript.report_conversion(_last(call), "tool_calls")

    def _add_result(self, result: SourceValue, name: str | None, response: JsonValue) -> None:
        if self._role == "assistant" and (self._parts or self._calls):
            self._flush()
        content, _ = result_content(_only_result(response))
        rest = result.unknown_fields("id", "name", "response", "output", "toolType", "tool_type")
        kept = self._transcript.fields_as_metadata(rest)
        self._transcript.add(
            result,
            "tool",
            content,
            answers=self._transcript.calls.answer(result.get("id").text_or_none(), name),
            name=name,
            metadata={**self._pop_metadata(), **kept},
        )
        self._transcript.report_conversion(_last(result), "role: tool")


def _name(place: SourceValue) -> SourceValue:
    return place.get("name", "toolType", "tool_type")


def _last(place: SourceValue) -> str:
    """Returns the name of the field that holds this."""
    return place.pointer.rpartition("/")[2]


def _only_result(response: JsonValue) -> JsonValue:
    """Returns the text of a response ``{"result": text}``, as the SDK makes it."""
    if isinstance(response, dict) and len(response) == 1:
        for name in ("result", "output"):
            if isinstance(response.get(name), str):
                return response[name]
    return response


def _part(part: SourceValue, transcript: Transcript) -> JsonValue:
    """Returns a part that is neither call nor result.

    None for an unknown one, which is left out.
    """
    text = part.get("text")
    if text.value is not None:
        rest = part.unknown_fields("text", "thought")
        if part.get("thought").value is True:
            transcript.report_conversion("thought", "reasoning")
            return reasoning_part(text.text(), rest)
        return text_part(text.text(), rest)
    inline = part.get("inlineData", "inline_data")
    file = part.get("fileData", "file_data")
    data = inline.get("data") if inline.value is not None else file.get("fileUri", "file_uri")
    if isinstance(data.value, str):
        held = inline if inline.value is not None else file
        media_type = held.get("mimeType", "mime_type").text_or_none()
        made = media_part(media_type, data.value, held.get("displayName").text_or_none())
        known = ("inlineData", "inline_data", "fileData", "file_data")
        transcript.report_conversion(_last(held), str(made["type"]))
        return {**made, **part.unknown_fields(*known)}
    what = next((name for name in part.fields() if name not in _BESIDE), "{}")
    transcript.report_omission(part, what, UNKNOWN_PART)
    return None
