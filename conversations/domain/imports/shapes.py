"""The shapes of conversations that imports know, and the reader of values of any of them."""

from collections.abc import Sequence
from typing import Final

from pydantic import JsonValue

from conversations.domain.imports import langsmith, opentelemetry
from conversations.domain.imports.chats import CHATS, OPENAI
from conversations.domain.imports.envelopes import is_envelope, open_envelope
from conversations.domain.imports.reasons import FAILED
from conversations.domain.imports.shape import Shape, first_match
from conversations.domain.imports.source_values import SourceValue
from conversations.domain.imports.transcript import Fields, ImportedConversation, Transcript
from ctxadmin.lib.errors import ContextError, ValidationFailed
from ctxadmin.lib.sentence import Sentence, say

EXPORT_NAME: Final = "ctxadmin"

SHAPES: Final = (
    Shape(
        langsmith.NAME,
        "LangSmith runs",
        langsmith.recognise,
        None,
        frozenset({"run_type", "inputs", "outputs", "trace_id", "dotted_order"}),
        langsmith.read_traces,
    ),
    Shape(
        opentelemetry.NAME,
        "OpenTelemetry GenAI",
        opentelemetry.recognise,
        None,
        frozenset({"resourceSpans", "resourceLogs", "scopeSpans", "spans", "traceId"}),
        opentelemetry.read_traces,
    ),
    *CHATS,
)
TITLES: Final = {
    **{shape.name: shape.title for shape in SHAPES},
    EXPORT_NAME: "ctxadmin export",
}
NAMES: Final = tuple(sorted(shape.name for shape in SHAPES))
"""The names by which a shape can be asked for."""

_BY_NAME: Final = {shape.name: shape for shape in SHAPES}


def recognise(value: JsonValue) -> Shape | None:
    """Returns the shape of a value; that of a request or response for a line of a batch."""
    if is_envelope(value):
        return _inside(SourceValue(value))
    return first_match(SHAPES, value)


def matches(value: JsonValue) -> list[str]:
    """Returns the names of all shapes that recognize a value: one, or none."""
    return [shape.name for shape in SHAPES if shape.recognise(value)]


def shape_named(name: str) -> Shape:
    """Returns the requested shape; raises ValidationFailed naming the known ones."""
    if name not in _BY_NAME:
        raise ValidationFailed.at(
            "?shape", say("a shape is one of {names}", names=", ".join(NAMES))
        )
    return _BY_NAME[name]


def read_only(value: JsonValue, shape: str | None = None) -> ImportedConversation:
    """Returns the conversation of a JSON value; refuses a list of several before reading any."""
    forced = None if shape is None else shape_named(shape)
    if (
        isinstance(value, list)
        and len(value) > 1
        and _is_list_of_values(SourceValue(value), forced)
    ):
        raise _several(say("{count} conversations", count=len(value)))
    found = read_place(SourceValue(value), forced)
    if len(found) != 1:
        title = TITLES[found[0].report.shape]
        raise _several(say("{count} conversations ({title})", count=len(found), title=title))
    return found[0]


def _several(what: Sentence) -> ContextError:
    text = say(
        "this has {what}; this call imports one: "
        "send them one by one, upload the file, or use manage.py import_conversations",
        what=what,
    )
    return ValidationFailed.at("", text)


def read_any(value: JsonValue, shape: str | None = None) -> list[ImportedConversation]:
    """Returns the conversations of a JSON value; ``shape`` is the name of the only one to try."""
    return read_place(SourceValue(value), None if shape is None else shape_named(shape))


def read_place(place: SourceValue, forced: Shape | None = None) -> list[ImportedConversation]:
    """Returns the conversations of a value: of a shape, or a list of such values.

    Raises ValidationFailed or TooLarge with the place of what is wrong.
    """
    if _is_list_of_values(place, forced):
        return _read_items(place, forced)
    return read_one(place, forced)


def _is_list_of_values(place: SourceValue, forced: Shape | None) -> bool:
    """Returns whether this is a list of conversations and not one itself."""
    if not isinstance(place.value, list) or not place.value:
        return False
    shape = forced or recognise(place.value)
    if shape is not None and shape.recognise(place.value):
        return False
    return all(map(_is_conversation, place.value))


def read_one(place: SourceValue, forced: Shape | None = None) -> list[ImportedConversation]:
    """Returns ``read_place`` of a value that is not a list of conversations."""
    shape = forced or recognise(place.value)
    if is_envelope(place.value):
        return [_read_envelope(place, forced)]
    if shape is None:
        if not isinstance(place.value, list) and not _has_messages(place.value):
            raise _unknown(place)
        shape = OPENAI  # which names the first message that is none
    return shape.read([place])


def _read_items(place: SourceValue, forced: Shape | None) -> list[ImportedConversation]:
    found: list[ImportedConversation] = []
    traces: dict[str, list[SourceValue]] = {}
    for item in place.items(most=None):
        shape = forced or recognise(item.value)
        if shape is not None and shape.read_traces is not None:
            traces.setdefault(shape.name, []).append(item)
        else:
            found += read_one(item, forced)
    for name, places in traces.items():
        found += _BY_NAME[name].read(places)
    return found


def _is_conversation(value: JsonValue) -> bool:
    return isinstance(value, list) or _has_messages(value) or recognise(value) is not None


def _has_messages(value: JsonValue) -> bool:
    return isinstance(value, dict) and "messages" in value


def _inside(place: SourceValue) -> Shape | None:
    opened = open_envelope(place)
    for each in (opened.request, opened.response):
        if each is not None and (shape := first_match(CHATS, each.value)) is not None:
            return shape
    return None


def _read_envelope(place: SourceValue, forced: Shape | None) -> ImportedConversation:
    opened = open_envelope(place)
    shape = forced or _inside(place)
    if shape is None:
        if opened.failed is not None and opened.request is None:
            raise opened.failed.refusal(
                say("{failed}: there is no message to import", failed=FAILED)
            )
        raise _unknown(place)
    transcript = Transcript(shape.name, place)
    fields = Fields()
    for each in (opened.request, opened.response):
        if each is None:
            continue
        reader = forced or first_match(CHATS, each.value) or shape
        if reader.append is None:
            raise each.refusal(say("{title} is not a request or response", title=reader.title))
        fields = fields.merge(reader.append(each, transcript))
    if opened.failed is not None:
        transcript.report_omission(opened.failed, "response", FAILED)
    return transcript.finish(Fields({**fields.values, **opened.fields}, fields.tools))


def _unknown(place: SourceValue) -> ContextError:
    """Returns an error that names the known shapes and the nearest one."""
    keys = _keys(place.value)
    nearest = max(SHAPES, key=lambda shape: len(shape.keys & keys))
    known = ", ".join(TITLES[name] for name in NAMES)
    text = say(
        "a conversation is an object with messages, or a list of messages, "
        "or has one of the formats {known}",
        known=known,
    )
    if nearest.keys & keys:
        text = say("{text}; this is most like {title}", text=text, title=nearest.title)
    return place.refusal(text)


def _keys(value: JsonValue) -> set[str]:
    """Returns the names of fields of an object, and of the first object of a list."""
    first: JsonValue = value
    if isinstance(value, list):
        first = value[0] if value else None
    if not isinstance(first, dict):
        return set()
    inner: Sequence[JsonValue] = list(first.values())[:20]
    held = [each[0] for each in inner if isinstance(each, list) and each]
    return {*first, *(key for each in held if isinstance(each, dict) for key in each)}
