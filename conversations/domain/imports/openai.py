"""Chats in the OpenAI form, which is also ctxadmin's: requests, answers, lines of fine-tuning."""

from typing import Final, get_args

from pydantic import JsonValue

from conversations.domain.formats.own_fields import with_own_fields
from conversations.domain.hidden_pairs import is_pair_part
from conversations.domain.imports.calls import messages_of, tool_call
from conversations.domain.imports.reasons import ALSO_IN_TOOL_CALLS, ANOTHER_ANSWER
from conversations.domain.imports.source_values import SourceValue, text_or_empty
from conversations.domain.imports.transcript import Fields, Transcript
from conversations.domain.message import Role
from ctxadmin.lib.sentence import say

NAME: Final = "openai"
_ROLES: Final = frozenset({*get_args(Role), "function"})
_FOREIGN_PARTS: Final = frozenset({"thinking", "redacted_thinking", "reasoning"})


def recognise(value: JsonValue) -> bool:
    """Recognizes a chat whose messages have roles, and calls only where this shape has them."""
    if isinstance(value, dict):
        if _is_completion(value) or _is_preference(value):
            return True
        if isinstance(value.get("system"), list | str) and value["system"]:
            return False
    messages = messages_of(value)
    return bool(messages) and all(map(is_chat_message, messages))


def is_chat_message(message: dict[str, JsonValue]) -> bool:
    """Recognizes a message of OpenAI, or one that only a full parse refuses."""
    if (
        text_or_empty(message.get("role")) not in _ROLES
        or "parts" in message
        or "toolInvocations" in message
    ):
        return False
    content = message.get("content")
    if isinstance(content, list):
        return not any(isinstance(part, dict) and _is_foreign(part) for part in content)
    return content is None or isinstance(content, str)


def _is_foreign(part: dict[str, JsonValue]) -> bool:
    """Returns whether a part is Anthropic's or Vercel's, or a call or a result."""
    kind = text_or_empty(part.get("type"))
    if kind in ("image", "document"):
        return True
    if kind == "file":
        return "file" not in part
    return kind in _FOREIGN_PARTS or is_pair_part(part)


def append(place: SourceValue, transcript: Transcript) -> Fields:
    """Adds the messages of a chat, an answer or a line of fine-tuning."""
    value = place.value
    if isinstance(value, list):
        append_messages(place, transcript)
        return Fields()
    fields = place.fields()
    if _is_completion(fields):
        return _append_completion(place, transcript)
    if _is_preference(fields):
        return _append_preference(place, transcript)
    if "messages" not in fields:
        raise place.refusal(say("a conversation is an object with messages, or a list of messages"))
    append_messages(_messages(place), transcript)
    functions = place.get("functions")
    if not isinstance(functions.value, list) or place.get("tools").value is not None:
        return Fields(place.unknown_fields("messages", "tools"), place.get("tools"))
    tools: list[JsonValue] = [{"type": "function", "function": each} for each in functions.value]
    transcript.report_conversion("functions", "tools", len(tools))
    described = SourceValue(tools, functions.pointer, functions.line)
    return Fields(place.unknown_fields("messages", "tools", "functions"), described)


def _messages(place: SourceValue) -> SourceValue:
    """Returns the place of the messages; null is not the same as missing."""
    messages = place.get("messages")
    if not isinstance(messages.value, list) or not messages.value:
        raise messages.refusal(say("a list of at least one message is required"))
    return messages


def append_messages(messages: SourceValue, transcript: Transcript) -> None:
    """Adds a list of messages."""
    count = len(transcript)
    for place in messages.items():
        append_message(place, transcript)
    if len(transcript) == count:
        raise messages.refusal(say("a list of at least one message is required"))


def append_message(place: SourceValue, transcript: Transcript) -> None:
    """Adds a message; converts what the chat form would refuse."""
    message = place.value
    if not isinstance(message, dict):
        transcript.add_verbatim(place)
        return
    _note_calls(message, transcript)
    is_former = message.get("function_call") or message.get("role") == "function"
    if message.get("content") is not None and not is_former:
        transcript.add_verbatim(place)
        return
    changed = dict(message)
    if message.get("role") == "function":
        _change_result(place, changed, transcript)
    if message.get("function_call"):
        _change_call(place, changed, transcript)
    calls = changed.get("tool_calls") or changed.get("toolCalls")
    if message.get("content") is None and not calls:
        _change_content(message, changed, transcript)
    transcript.append(place, changed, is_verbatim=True)


def _note_calls(message: dict[str, JsonValue], transcript: Transcript) -> None:
    """Registers the calls with ids, for their results."""
    calls = message.get("tool_calls", message.get("toolCalls"))
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, dict) and isinstance(call.get("id"), str):
            function = call.get("function")
            name = function.get("name") if isinstance(function, dict) else None
            transcript.calls.open_call(str(call["id"]), str(name))
    answered = message.get("tool_call_id", message.get("toolCallId"))
    if isinstance(answered, str):
        transcript.calls.answer(answered, None)


def _change_result(
    place: SourceValue, changed: dict[str, JsonValue], transcript: Transcript
) -> None:
    """Converts the result of a function, which has a name and no id."""
    name = place.get("name").text()
    changed["role"] = "tool"
    if not changed.get("tool_call_id"):
        changed["tool_call_id"] = transcript.calls.answer(None, name)
    transcript.report_conversion("role: function", "role: tool")


def _change_call(place: SourceValue, changed: dict[str, JsonValue], transcript: Transcript) -> None:
    function = place.get("function_call")
    del changed["function_call"]
    if changed.get("tool_calls"):
        transcript.report_omission(function, "function_call", ALSO_IN_TOOL_CALLS)
        return
    name = function.get("name").text() if isinstance(function.value, dict) else None
    if name is None:
        raise function.refusal(say("this must be an object"))
    call_id = transcript.calls.open_call(None, name)
    arguments = function.get("arguments").value
    changed["tool_calls"] = [
        tool_call(call_id, name, arguments, function.unknown_fields("name", "arguments"))
    ]
    changed.setdefault("content", None)
    transcript.report_conversion("function_call", "tool_calls")


def _change_content(
    message: dict[str, JsonValue], changed: dict[str, JsonValue], transcript: Transcript
) -> None:
    """Converts a null content, beside a refusal or a sound or alone, to what was said, if
    anything.
    """
    refusal, audio = message.get("refusal"), message.get("audio")
    is_kept = transcript.keeps_own and message.get("role") == "assistant"
    null: dict[str, JsonValue] = {"content": None} if is_kept else {}
    if isinstance(refusal, str) and refusal:
        changed["content"] = [{"type": "refusal", "refusal": changed.pop("refusal")}]
        if null:
            changed |= with_own_fields(NAME, {**null, "refusal": refusal})
        transcript.report_conversion("refusal", "content")
    elif isinstance(audio, dict):
        transcript_of = audio.get("transcript")
        changed["content"] = transcript_of if isinstance(transcript_of, str) else ""
        changed |= with_own_fields(NAME, null)
        transcript.report_conversion("audio/transcript", "content")
    elif "content" in message and message.get("role") in ("assistant", "tool", "function"):
        changed["content"] = ""
        transcript.report_conversion("content: null", "content")


def _is_completion(value: dict[str, JsonValue]) -> bool:
    """Recognizes an answer: ``{"object": "chat.completion", "choices": [{"message": ...}]}``."""
    choices = value.get("choices")
    return (
        "messages" not in value
        and isinstance(choices, list)
        and any(
            isinstance(choice, dict) and isinstance(choice.get("message"), dict)
            for choice in choices
        )
    )


def _append_completion(place: SourceValue, transcript: Transcript) -> Fields:
    reason: JsonValue = None
    for number, choice in enumerate(place.get("choices").items()):
        if number:
            transcript.report_omission(choice, "choices", ANOTHER_ANSWER)
        else:
            append_message(choice.get("message"), transcript)
            reason = choice.get("finish_reason").value
    rest = place.unknown_fields("choices")
    return Fields({**rest, "finish_reason": reason} if reason is not None else rest)


def _is_preference(value: dict[str, JsonValue]) -> bool:
    """Recognizes a line of fine-tuning by preference: a chat, a preferred answer and another
    one.
    """
    asked = value.get("input")
    return isinstance(asked, dict) and "messages" in asked and "preferred_output" in value


def _append_preference(place: SourceValue, transcript: Transcript) -> Fields:
    asked = place.get("input")
    append_messages(_messages(asked), transcript)
    append_messages(place.get("preferred_output"), transcript)
    transcript.report_conversion("preferred_output", "messages")
    rest = {
        **asked.unknown_fields("messages", "tools"),
        **place.unknown_fields("input", "preferred_output"),
    }
    return Fields(rest, asked.get("tools"))
