"""The conversations of a file: JSON, or JSONL with a conversation, a message or a span per line."""

from collections.abc import Iterable, Iterator

from pydantic import JsonValue

from conversations.domain.imports.chats import is_message
from conversations.domain.imports.shape import Shape
from conversations.domain.imports.shapes import read_one, read_place, recognise, shape_named
from conversations.domain.imports.source_values import SourceValue, with_line
from conversations.domain.imports.transcript import ImportedConversation
from conversations.domain.message import MOST_MESSAGES
from ctxadmin.lib import json_bytes
from ctxadmin.lib.errors import ContextError, ValidationFailed
from ctxadmin.lib.sentence import say

_MARK: bytes = b"\xef\xbb\xbf"


def read_file(data: bytes, shape: str | None = None) -> tuple[ImportedConversation, ...]:
    """Returns all conversations of a JSON or JSONL text of any shape, or of the named one.

    JSON: one conversation, or a list of conversations. JSONL: a conversation per line, or a message
    per line for a single conversation. Raises ValidationFailed or TooLarge; the problems name the
    line (``extra``) and the field (the pointer into the JSON of that line).
    """
    forced = None if shape is None else shape_named(shape)
    data = data.removeprefix(_MARK)
    if not data.strip():
        raise ValidationFailed(say("There is nothing in this file."), malformed=True)
    lines = data.splitlines()
    if sum(1 for line in lines if line.strip()) > 1 and _is_json(_first(lines)):
        return tuple(read_lines(lines, forced))
    value = json_bytes.loads_strict(data)
    if value == []:
        raise ValidationFailed.at("", say("there is no conversation in this file"))
    return tuple(read_place(SourceValue(value), forced))


def read_lines(
    lines: Iterable[bytes], forced: Shape | None = None
) -> Iterator[ImportedConversation]:
    """Yields the conversations of JSONL, one line at a time, for large files.

    Single messages, runs and spans are read after all lines. Raises as ``read_file`` does, at the
    line.
    """
    loose: list[SourceValue] = []
    traces: dict[str, tuple[Shape, list[SourceValue]]] = {}
    for number, line in enumerate(lines, start=1):
        place = _value_of(line, number)
        if place is None:
            continue
        if _is_loose(place.value):
            loose.append(place)
            _check_count(loose)
            continue
        shape = forced or recognise(place.value)
        if shape is not None and shape.read_traces is not None:
            traces.setdefault(shape.name, (shape, []))[1].append(place)
            continue
        if loose:
            raise place.refusal(say("a file has messages or conversations in its lines, not both"))
        yield from read_one(place, forced)
    if loose:
        values = [place.value for place in loose]
        whole = SourceValue(values, line=loose[0].line, children=tuple(loose))
        yield from read_one(whole, forced)
    for shape, places in traces.values():
        yield from shape.read(places)


def _value_of(line: bytes, number: int) -> SourceValue | None:
    """Returns the value of a line; None for an empty one."""
    text = line.removeprefix(_MARK) if number == 1 else line
    if not text.strip():
        return None
    try:
        return SourceValue(json_bytes.loads_strict(text), line=number)
    except ContextError as error:
        raise with_line(error, number) from None


def _is_loose(value: JsonValue) -> bool:
    """Returns whether a line is a single message."""
    if not isinstance(value, dict) or "messages" in value:
        return False
    return "role" in value or (recognise(value) is None and is_message(value))


def _check_count(loose: list[SourceValue]) -> None:
    if len(loose) > MOST_MESSAGES:
        text = say(
            "a conversation has at most {most_messages} messages", most_messages=MOST_MESSAGES
        )
        raise loose[-1].too_large(text, MOST_MESSAGES)


def _first(lines: list[bytes]) -> bytes:
    return next(line for line in lines if line.strip())


def _is_json(text: bytes) -> bool:
    try:
        json_bytes.loads_strict(text)
    except ValidationFailed as error:
        return not error.malformed
    return True
