"""ShareGPT files: turns with ``from`` and ``value``, also with tools as LLaMA-Factory has them."""

from typing import Final

from pydantic import JsonValue

from conversations.domain.imports.calls import tool_call
from conversations.domain.imports.source_values import SourceValue
from conversations.domain.imports.transcript import Fields, Transcript
from ctxadmin.lib import json_bytes
from ctxadmin.lib.errors import ContextError
from ctxadmin.lib.sentence import say

NAME: Final = "sharegpt"
_ROLES: Final = {
    "system": "system",
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "assistant": "assistant",
    "chatgpt": "assistant",
    "bing": "assistant",
    "bard": "assistant",
    "model": "assistant",
}
_CALLS: Final = frozenset({"function_call", "function-call", "tool_call"})
_RESULTS: Final = frozenset(
    {"tool", "observation", "function_response", "function-response", "tool_response"}
)
_BEGIN: Final = "<tool_call>"
_END: Final = "</tool_call>"


def recognise(value: JsonValue) -> bool:
    """Recognizes an object with such conversations, or a list of turns."""
    if isinstance(value, dict):
        return "conversations" in value and _are_turns(value["conversations"])
    return _are_turns(value)


def _are_turns(value: JsonValue) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_turn, value))


def _is_turn(value: JsonValue) -> bool:
    return isinstance(value, dict) and "from" in value and "value" in value and "role" not in value


def append(place: SourceValue, transcript: Transcript) -> Fields:
    """Adds the system text and the turns, and the better of two answers."""
    if isinstance(place.value, list):
        append_messages(place, transcript)
        return Fields()
    transcript.add_system_text(place.get("system"))
    append_messages(place.get("conversations"), transcript)
    chosen = place.get("chosen")
    if chosen.value is not None and _is_turn(chosen.value):
        _append_turn(chosen, transcript)
        transcript.report_conversion("chosen", "messages")
        return Fields(
            place.unknown_fields("conversations", "system", "tools", "chosen"), place.get("tools")
        )
    return Fields(place.unknown_fields("conversations", "system", "tools"), place.get("tools"))


def append_messages(turns: SourceValue, transcript: Transcript) -> None:
    """Adds a list of turns."""
    for turn in turns.items():
        _append_turn(turn, transcript)


def _append_turn(turn: SourceValue, transcript: Transcript) -> None:
    said_by = turn.get("from").text()
    metadata = transcript.fields_as_metadata(turn.unknown_fields("from", "value", "id"))
    message_id = turn.get("id").value
    if said_by in _CALLS:
        calls = _calls(turn.get("value"), transcript)
        transcript.report_conversion(f"from: {said_by}", "tool_calls", len(calls))
        transcript.add(
            turn, "assistant", None, calls=calls, message_id=message_id, metadata=metadata
        )
    elif said_by in _RESULTS:
        answers = transcript.calls.answer(None, None)
        text = turn.get("value").text_or_none() or ""
        transcript.report_conversion(f"from: {said_by}", "role: tool")
        transcript.add(
            turn, "tool", text, answers=answers, message_id=message_id, metadata=metadata
        )
    elif said_by in _ROLES:
        text = turn.get("value").text_or_none() or ""
        rest: str = text
        tagged: list[JsonValue] = []
        if _ROLES[said_by] == "assistant" and _END in text:
            rest, tagged = _tagged_calls(text, transcript)
        if tagged:
            transcript.report_conversion(_BEGIN, "tool_calls", len(tagged))
        content = rest or (None if tagged else "")
        transcript.add(
            turn,
            _ROLES[said_by],
            content,
            calls=tagged,
            message_id=message_id,
            metadata=metadata,
        )
    else:
        known = ", ".join(sorted({*_ROLES, *_CALLS, *_RESULTS}))
        raise turn.get("from").refusal(
            say("{said_by} is unknown; known: {known}", said_by=repr(said_by[:40]), known=known)
        )


def _calls(value: SourceValue, transcript: Transcript) -> list[JsonValue]:
    """Returns the calls of a turn: JSON of one or of a list."""
    parsed = value.parsed()
    found = parsed.items() if isinstance(parsed.value, list) else [parsed]
    return [_call(each, transcript) for each in found]


def _call(place: SourceValue, transcript: Transcript) -> JsonValue:
    name = place.get("name").text()
    call_id = transcript.calls.open_call(place.get("id").text_or_none(), name)
    rest = place.unknown_fields("id", "name", "arguments", "parameters")
    return tool_call(call_id, name, place.get("arguments", "parameters").value, rest)


def _tagged_calls(text: str, transcript: Transcript) -> tuple[str, list[JsonValue]]:
    """Returns the text of an answer and its tagged calls; all text if one cannot be parsed."""
    first, *others = text.split(_BEGIN)
    texts = [first]
    found: list[SourceValue] = []
    for other in others:
        tagged, end, behind = other.partition(_END)
        place = _tagged(tagged) if end else None
        if place is None:
            return text, []
        found.append(place)
        texts.append(behind)
    return "".join(texts).strip() if found else text, [_call(each, transcript) for each in found]


def _tagged(text: str) -> SourceValue | None:
    """Returns the call in a text; None if it is none."""
    try:
        place = SourceValue(json_bytes.loads_strict(text.encode()), is_embedded=True)
        place.get("name").text()
        place.get("id").text_or_none()
    except (ContextError, UnicodeEncodeError):
        return None
    return place
