"""The values before and after of policies that a saved draft changed, for the audit."""

from collections.abc import Iterator, Sequence

from pydantic import JsonValue, ValidationError

from ctxadmin.audit.models import AuditEntry
from ctxadmin.lib.json_bytes import dumps
from ctxadmin.ui.audit.changed_values import ChangedValue
from workflows.domain.document.graph import Edge, Node
from workflows.domain.document.recorded_changes import RecordedChange, read_changes
from workflows.domain.processors.registries import standard
from workflows.pages.audit_words import field_labels, name_of_change
from workflows.pages.drawing.summaries import (
    CONTEXT_TYPE_WORDS,
    EDGE_TYPE_WORDS,
    NODE_TYPE_WORDS,
    edge_filter_line,
    node_filters_line,
)

_FILTERS = frozenset({"context_filter", "outgoing_filter"})


def values_of_entry(entry: AuditEntry) -> Sequence[ChangedValue]:
    """Returns what the policies of an entry were and are, by the names of its time."""
    record = read_changes(bytes(entry.detail))
    return [
        ChangedValue(
            subject=name_of_change(change, record.names),
            field=field_labels(change).get(name, name),
            before=before,
            after=after,
            is_json=is_json,
        )
        for change in record.changes
        for name, before, after, is_json in _values(change)
    ]


def _values(change: RecordedChange) -> Iterator[tuple[str, str, str, bool]]:
    for name, (was, now) in change.values.items():
        before, after = (_words(change, name, value) for value in (was, now))
        if before is None or after is None or before == after:
            yield name, _json(was), _json(now), True
        else:
            yield name, before, after, False


def _words(change: RecordedChange, name: str, value: JsonValue) -> str | None:
    """Returns a value in words; None if only JSON says it all."""
    if value is None:
        return ""
    if name in _FILTERS:
        return _filter_words(change, value)
    if not isinstance(value, str):
        return None
    if name == "type":
        words = EDGE_TYPE_WORDS if change.element == "edge" else NODE_TYPE_WORDS
        return str(words.get(value, value))
    return str(CONTEXT_TYPE_WORDS.get(value, value)) if name == "context_type" else value


def _filter_words(change: RecordedChange, value: JsonValue) -> str | None:
    try:
        if change.element == "edge":
            ends = {"from": "a", "to": "b", "type": "sequence"}
            edge = Edge.model_validate({"id": "e", **ends, "context_filter": value})
            return edge_filter_line(edge, standard()) or None
        node = Node.model_validate({"id": "n", "type": "llm", "context_filter": value})
        return node_filters_line(node, standard()) or None
    except ValidationError:  # of another release
        return None


def _json(value: JsonValue) -> str:
    return "" if value is None else dumps(value).decode()
