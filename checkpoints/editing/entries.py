"""The entries of a draft and the changes they make to a state: pure functions."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import orjson
from pydantic import JsonValue

from checkpoints.domain.reducers import ReducerTable
from checkpoints.editing import state_form
from checkpoints.editing.draft import DraftEntry, WholeText
from checkpoints.editing.state_form import Changes, Row
from ctxadmin.lib.json_bytes import canonical, digest
from ctxadmin.lib.structural_diff import ABSENT, Value

EntryOf = Callable[[Row], DraftEntry]


def reader(base: Mapping[str, JsonValue], reducers: ReducerTable) -> EntryOf:
    """Returns a parser of rows; ``base`` has the keys of the state.

    The mark of an entry is that of its value, so a key has the same mark in a form and in a whole
    state.
    """

    def entry_of(row: Row) -> DraftEntry:
        alone = {row.name: base[row.name]} if row.name in base else {}
        read = state_form.read_rows([replace(row)], alone, reducers)
        if read.valid:
            mark = "".join(mark_of_change(*change) for change in read.changes.items())
        else:
            mark = mark_of(_unread(row))
        return DraftEntry(row.name, row.kind, row.text, row.old, row.gone, mark)

    return entry_of


def _unread(row: Row) -> bytes:
    parts = (row.name, row.kind, row.text)
    return orjson.dumps([each.encode(errors="replace").decode() for each in parts])


def row_of(entry: DraftEntry) -> Row:
    """Returns the entry as a row of the form."""
    return Row(entry.name, entry.kind, entry.text, entry.old, entry.gone)


def changes_of(
    entries: Iterable[DraftEntry], base: Mapping[str, JsonValue], reducers: ReducerTable
) -> Changes:
    """Returns the changes of a state that entries make, as far as they can be parsed."""
    return state_form.read_rows([row_of(each) for each in entries], base, reducers).changes


def entries_of(changes: Changes, base: Mapping[str, JsonValue]) -> list[DraftEntry]:
    """Returns changes of a state as the entries that a person would have typed."""
    return [_entry_of(name, value, base) for name, value in changes.items()]


def mark_of_change(name: str, value: Value) -> str:
    return mark_of(canonical(state_form.as_update({name: value})))


def mark_of(data: bytes) -> str:
    return digest(data).hex()[:16]


def mark_of_changes(changes: Changes) -> str:
    """Returns the mark that identifies an edit as a whole."""
    return digest(canonical(state_form.as_update(changes))).hex()


def _entry_of(name: str, value: Value, base: Mapping[str, JsonValue]) -> DraftEntry:
    """Returns the entry of a change; a deleted key keeps its value, so that it can be undeleted."""
    mark = mark_of_change(name, value)
    if value is ABSENT:
        row = state_form.row_of(name, base.get(name))
        return DraftEntry(name, row.kind, row.text, gone=True, mark=mark)
    row = state_form.row_of(name, value, old=name in base)
    return DraftEntry(name, row.kind, row.text, row.old, mark=mark)


def with_mark(entry: DraftEntry) -> DraftEntry:
    """Returns an entry with its mark. Drafts of 0.1.0 have none: the whole change identifies it."""
    whole = (entry.name, entry.kind, entry.text, entry.old, entry.gone)
    return entry if entry.mark else replace(entry, mark=mark_of(orjson.dumps(whole)))


def with_text_mark(text: WholeText) -> WholeText:
    """Returns a text with its mark, which drafts of 0.1.0 lack."""
    return text if text.mark else replace(text, mark=mark_of(text.text.encode()))
