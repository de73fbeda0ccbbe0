"""Reading conversations in the OpenAI chat form from JSON and JSONL."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from pydantic import JsonValue

from conversations.domain.message import Draft, read_message, read_messages
from ctxadmin.lib import json_bytes
from ctxadmin.lib.errors import ContextError, FieldProblem, TooLarge, ValidationFailed
from ctxadmin.lib.ids import is_public_id, is_reserved
from ctxadmin.lib.sentence import say

_MOST_TITLE: Final = 300


@dataclass(frozen=True, slots=True)
class ChatConversation:
    """One conversation of a file; ``line`` (from 1) is where it starts, None for plain JSON.

    ``conversation_id`` is None if the file has none that may be one of ours; then it stands in the
    metadata. So do the other fields beside the messages. ``tools`` is the text of the tools.
    """

    drafts: tuple[Draft, ...]
    conversation_id: str | None
    title: str | None
    metadata: dict[str, JsonValue]
    tools: str | None
    line: int | None = None


def read_conversation(data: JsonValue, pointer: str = "") -> ChatConversation:
    """One conversation: an object with ``messages`` or a bare list of messages.

    Raises ValidationFailed or TooLarge with pointers under ``pointer``.
    """
    if isinstance(data, list):
        return ChatConversation(read_messages(data, pointer), None, None, {}, None)
    if not isinstance(data, dict) or "messages" not in data:
        message = "a conversation is an object with messages, or a list of messages"
        raise ValidationFailed.at(pointer, message)
    _refuse_system_beside(data.get("system"), pointer)
    drafts = read_messages(data["messages"], f"{pointer}/messages")
    rest = {key: value for key, value in data.items() if key != "messages" and value is not None}
    own = rest.pop("metadata", {})
    if not isinstance(own, dict):
        raise ValidationFailed.at(f"{pointer}/metadata", "the metadata is an object")
    name = rest.get("id")
    known = isinstance(name, str) and is_public_id(name) and not is_reserved(name)
    if known:
        del rest["id"]
    title = rest.get("title")
    titled = isinstance(title, str) and len(title) <= _MOST_TITLE
    if titled:
        del rest["title"]
    return ChatConversation(
        drafts,
        conversation_id=str(name) if known else None,
        title=str(title) if titled else None,
        tools=_tools_text(rest.pop("tools", None), f"{pointer}/tools"),
        metadata={**rest, **own},
    )


def _refuse_system_beside(system: JsonValue, pointer: str) -> None:
    """A system text as Anthropic takes it: kept as metadata no model would ever see it."""
    if isinstance(system, str | list) and system:
        told = "a system text outside the messages is not supported: "
        told += "make it the first message, with the role system"
        raise ValidationFailed.at(f"{pointer}/system", told)


def _tools_text(tools: JsonValue, pointer: str) -> str | None:
    if tools is None or isinstance(tools, str):
        return tools or None
    if not isinstance(tools, list):
        raise ValidationFailed.at(pointer, "tools is a text or a list of tools")
    return json_bytes.dumps(tools).decode() if tools else None


def read_chat_file(data: bytes) -> tuple[ChatConversation, ...]:
    """All conversations of a JSON or JSONL text.

    JSON: one conversation, or a list of conversations. JSONL: a conversation a line, or a message
    a line for a single conversation. Raises ValidationFailed or TooLarge; the problems name the
    line (``extra``) and the field (the pointer into the JSON of that line).
    """
    data = data.removeprefix(b"\xef\xbb\xbf")
    if not data.strip():
        raise ValidationFailed("There is nothing in this file.", malformed=True)
    lines = data.splitlines()
    if sum(1 for line in lines if line.strip()) > 1 and _is_json(_first(lines)):
        return tuple(read_chat_lines(lines))
    value = json_bytes.loads_strict(data)
    if isinstance(value, list) and all(_is_conversation(each) for each in value):
        if not value:
            raise ValidationFailed.at("", "there is no conversation in this file")
        return tuple(read_conversation(each, f"/{place}") for place, each in enumerate(value))
    return (read_conversation(value),)


def read_chat_lines(lines: Iterable[bytes]) -> Iterator[ChatConversation]:
    """The conversations of JSONL, one line at a time, for large files.

    Raises as ``read_chat_file`` does, when it comes to the line.
    """
    loose: list[Draft] = []
    first = 0
    for number, line in enumerate(lines, start=1):
        text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
        if not text.strip():
            continue
        try:
            value = json_bytes.loads_strict(text)
            if isinstance(value, dict) and "role" in value and "messages" not in value:
                first = first or number
                loose.append(read_message(value))
                continue
            if loose:
                message = "a file has messages or conversations in its lines, not both"
                raise ValidationFailed.at("", message)
            yield replace(read_conversation(value), line=number)
        except ContextError as error:
            raise _in_line(error, number) from None
    if loose:
        yield ChatConversation(tuple(loose), None, None, {}, None, line=first)


def _first(lines: list[bytes]) -> bytes:
    return next(line for line in lines if line.strip())


def _is_json(text: bytes) -> bool:
    try:
        json_bytes.loads_strict(text)
    except ValidationFailed as error:
        return not error.malformed
    return True


def _is_conversation(value: JsonValue) -> bool:
    return isinstance(value, list) or (isinstance(value, dict) and "messages" in value)


def _in_line(error: ContextError, line: int) -> ContextError:
    """The same refusal, saying in which line."""
    if isinstance(error, json_bytes.NotJson):
        text = say("This is not JSON: {why}.", why=error.what)
        problem = FieldProblem("", text, extra=(("line", line), ("column", error.column)))
        detail = f"Line {line}, column {error.column}: {text}"
        return ValidationFailed(detail, problems=[problem], malformed=True)
    problems = [
        FieldProblem(each.pointer, each.message, each.code, (*each.extra, ("line", line)))
        for each in error.problems or (FieldProblem("", error.detail),)
    ]
    first = problems[0]
    detail = f"Line {line}, {first.pointer or 'the whole line'}: {first.message}"
    if isinstance(error, TooLarge):
        return TooLarge(detail, limit=error.limit, problems=problems)
    malformed = isinstance(error, ValidationFailed) and error.malformed
    return ValidationFailed(detail, problems=problems, malformed=malformed)
