"""The values before and after of policies that a saved draft changed, for the audit."""

from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from ctxadmin.audit.models import AuditEntry
from ctxadmin.lib.json_bytes import dumps
from ctxadmin.ui.audit.changed_values import ChangedValue
from workflows.domain.document.recorded_changes import RecordedChange, read_changes
from workflows.pages.audit_words import name_of_change
from workflows.pages.field_words import field_labels, policy_words


def values_of_entry(entry: AuditEntry) -> Sequence[ChangedValue]:
    """Returns what the policies of an entry were and are, by the names of its time."""
    record = read_changes(bytes(entry.detail))
    return [
        ChangedValue(
            subject=name_of_change(change, record.names),
            field=field_labels(change.element).get(name, name),
            before=before,
            after=after,
            is_json=is_json,
        )
        for change in record.changes
        for name, before, after, is_json in _values(change)
    ]


def _values(change: RecordedChange) -> Iterator[tuple[str, str, str, bool]]:
    for name, (was, now) in change.values.items():
        before, after = (policy_words(change.element, name, value) for value in (was, now))
        if before is None or after is None or before == after:
            yield name, _json(was), _json(now), True
        else:
            yield name, before, after, False


def _json(value: JsonValue) -> str:
    return "" if value is None else dumps(value).decode()
