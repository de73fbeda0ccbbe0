"""Spans and log records of OpenTelemetry (OTLP JSON) with the input and output of models."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pydantic import JsonValue

from conversations.domain.imports import openai, otel_messages
from conversations.domain.imports.otel_values import attributes, value_of
from conversations.domain.imports.reasons import ANOTHER_ANSWER
from conversations.domain.imports.source_values import SourceValue
from conversations.domain.imports.traces import TraceBudget, Traced, whole_conversations
from conversations.domain.imports.transcript import Fields, ImportedConversation, Transcript
from ctxadmin.lib.sentence import say

NAME: Final = "opentelemetry"
_ROOTS: Final = {
    "resourceSpans": ("scopeSpans", "spans"),
    "resource_spans": ("scope_spans", "spans"),
    "resourceLogs": ("scopeLogs", "logRecords"),
    "resource_logs": ("scope_logs", "log_records"),
}
_WHOLE: Final = ("gen_ai.system_instructions", "gen_ai.input.messages", "gen_ai.output.messages")
_TOOLS: Final = "gen_ai.tool.definitions"
_ID: Final = "gen_ai.conversation.id"
_INDEXED: Final = ("gen_ai.prompt.", "gen_ai.completion.")
_DETAILS: Final = "gen_ai.client.inference.operation.details"
_CONTENTS: Final = {
    "gen_ai.content.prompt": "gen_ai.prompt",
    "gen_ai.content.completion": "gen_ai.completion",
}
_EVENTS: Final = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
    "gen_ai.choice": "assistant",
}


@dataclass(slots=True)
class _Span:
    """A span, or what log records have of one: its attributes and its events in order."""

    place: SourceValue
    attributes: Mapping[str, SourceValue] = field(default_factory=dict)
    events: list[tuple[str, SourceValue, Mapping[str, SourceValue]]] = field(default_factory=list)


def recognise(value: JsonValue) -> bool:
    """Recognizes an export request, or a list of them."""
    values = value if isinstance(value, list) else [value]
    return bool(values) and all(
        isinstance(each, dict) and any(isinstance(each.get(root), list) for root in _ROOTS)
        for each in values
    )


def read_traces(places: Sequence[SourceValue]) -> list[ImportedConversation]:
    """Returns the conversations of all spans."""
    found: list[Traced] = []
    without: list[SourceValue] = []
    budget = TraceBudget()
    for span in _spans(places):
        traced = _traced(span)
        budget.spend(span.place, 0 if traced is None else len(traced.transcript))
        if traced is None:
            without.append(span.place)
        else:
            found.append(traced)
    if not found:
        message = say(
            "no span has messages: the texts of gen_ai were not recorded, or there are none"
        )
        raise places[0].refusal(message)
    return whole_conversations(found, without, "span")


def _spans(places: Sequence[SourceValue]) -> Iterator[_Span]:
    """Returns spans with their events, and for log records the span that they name, if missing."""
    spans: list[_Span] = []
    by_id: dict[str, _Span] = {}
    records: defaultdict[str, list[SourceValue]] = defaultdict(list)
    for place in _requests(places):
        for root, (scopes, leaf) in _ROOTS.items():
            for each in _leaves(place.get(root), scopes, leaf):
                span_id = str(each.get("spanId", "span_id").value)
                if leaf == "spans":
                    span = _Span(each, attributes(each.get("attributes")), list(_events(each)))
                    spans.append(span)
                    by_id[span_id] = span
                else:
                    records[span_id].append(each)
    for span_id, logged in records.items():
        if span_id not in by_id:
            by_id[span_id] = _Span(logged[0])
            spans.append(by_id[span_id])
        by_id[span_id].events += [_record(each) for each in logged]
    return iter(spans)


def _requests(places: Sequence[SourceValue]) -> Iterator[SourceValue]:
    for place in places:
        is_list = isinstance(place.value, list) or place.children is not None
        yield from place.items() if is_list else [place]


def _leaves(resources: SourceValue, scopes: str, leaf: str) -> Iterator[SourceValue]:
    for resource in resources.items_if_any():
        held = resource.get(scopes)
        for scope in held.items_if_any():
            leaves = scope.get(leaf)
            yield from leaves.items_if_any()


def _events(span: SourceValue) -> Iterator[tuple[str, SourceValue, Mapping[str, SourceValue]]]:
    events = span.get("events")
    for event in events.items_if_any():
        yield str(event.get("name").value), event, attributes(event.get("attributes"))


def _record(record: SourceValue) -> tuple[str, SourceValue, Mapping[str, SourceValue]]:
    """Returns a log record as an event: the fields of its body are attributes, too."""
    named = attributes(record.get("attributes"))
    name = record.get("eventName", "event_name").value
    if name is None and "event.name" in named:
        name = named["event.name"].value
    body = record.get("body")
    content = SourceValue(value_of(body), body.pointer, body.line, is_embedded=True)
    inner = (
        {key: content.get(key) for key in content.value} if isinstance(content.value, dict) else {}
    )
    return str(name), record, {**named, **inner}


def _traced(span: _Span) -> Traced | None:
    transcript = Transcript(NAME, span.place)
    _append_whole(span.attributes, transcript)
    if not len(transcript):
        for name, event, named in span.events:
            _append_event(name, event, named, transcript)
    if not len(transcript):
        _append_indexed(span.attributes, transcript)
    if not len(transcript):
        return None
    conversation = span.attributes.get(_ID)
    trace = span.place.get("traceId", "trace_id").value
    named_by = None if conversation is None else conversation.value
    group = f"conversation {named_by}" if named_by else f"trace {trace}"
    return Traced(span.place, transcript, _fields(span, named_by), group)


def _fields(span: _Span, named_by: JsonValue) -> Fields:
    values: dict[str, JsonValue] = {"id": named_by} if named_by else {}
    for name, place in span.attributes.items():
        if name not in (*_WHOLE, _TOOLS, _ID) and not name.startswith(_INDEXED):
            values[name] = place.value
    for name in ("name", "traceId", "spanId", "startTimeUnixNano"):
        if (value := span.place.get(name).value) is not None:
            values[f"span.{name}"] = value
    tools = span.attributes.get(_TOOLS)
    return Fields(values, tools)


def _append_whole(named: Mapping[str, SourceValue], transcript: Transcript) -> None:
    """Adds the attributes that hold a whole conversation."""
    for name in _WHOLE:
        if name in named:
            otel_messages.append_attribute(name, named[name].parsed(), transcript)
            transcript.report_conversion(name, "messages")


def _append_event(
    name: str, event: SourceValue, named: Mapping[str, SourceValue], transcript: Transcript
) -> None:
    if name == _DETAILS:
        _append_whole(named, transcript)
    elif name in _CONTENTS:
        held = named.get(_CONTENTS[name])
        if held is not None:
            otel_messages.append_recorded(held, _role_of(name), transcript)
            transcript.report_conversion(name, "messages")
    elif name in _EVENTS:
        if name == "gen_ai.choice" and _number(named.get("index")):
            transcript.report_omission(event, name, ANOTHER_ANSWER)
            return
        openai.append_message(otel_messages.event_message(_EVENTS[name], event, named), transcript)
        transcript.report_conversion(name, "messages")


def _role_of(name: str) -> str:
    return "user" if name.endswith("prompt") else "assistant"


def _number(place: SourceValue | None) -> int:
    value = None if place is None else place.value
    return value if isinstance(value, int) else 0


def _append_indexed(named: Mapping[str, SourceValue], transcript: Transcript) -> None:
    """Adds attributes ``gen_ai.prompt.0.role``, ``gen_ai.prompt.0.tool_calls.0.name`` ..."""
    for prefix in _INDEXED:
        for message in otel_messages.indexed_messages(prefix, named):
            openai.append_message(message, transcript)
            transcript.report_conversion(f"{prefix}N", "messages")
