"""The rows of the form of a state: its keys, input, declared keys, and empty rows."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from pydantic import JsonValue

from checkpoints.editing import state_form
from checkpoints.editing.draft import StateDraft
from checkpoints.editing.entries import row_of
from checkpoints.editing.key_sections import natural_order
from checkpoints.editing.state_form import Changes, Row
from checkpoints.pages.state.state_view import KeyView, is_found
from checkpoints.reading.state_values import heads_by_name, reducers_for, values_of
from checkpoints.store.snapshots import StoredSnapshot

_MOST_OFFERED: Final = 50
_JSON: Final = (str, int, float, bool, list, dict, type(None))


def of_state(
    base: StoredSnapshot,
    keys: Sequence[KeyView],
    changes: Changes,
    draft: StateDraft,
    text: str,
    sections: Mapping[str, str],
) -> list[Row]:
    """Returns the keys of the state as rows, with changes of others or of the draft.

    They stand in the order of ``sections``, which has the section of each key, followed by the
    declared keys whose names contain ``text``, and an empty row. Nobody edits opaque values, so
    they have no row.
    """
    found: dict[str, JsonValue] = {
        key.name: key.value for key in keys if key.read and key.opaque is None
    }
    missing = [name for name in changes if name not in found]
    found |= values_of(base, missing)
    rows: list[Row] = []
    for name in sorted({*found, *changes}):
        changed = changes.get(name, found.get(name))
        gone = name in changes and not isinstance(changed, _JSON)
        shown = found.get(name) if gone else changed
        row = state_form.row_of(name, shown if isinstance(shown, _JSON) else None)
        rows.append(replace(row, old=name in found, gone=gone))
    there = {row.name: row for row in rows}
    typed = [row_of(each) for each in draft.entries.values() if each.name not in changes]
    typed = [replace(row, before=_before(row, there.get(row.name))) for row in typed]
    return typed_rows(base, _in_sections(overlay_rows(rows, typed), sections), text=text)


def _in_sections(rows: Sequence[Row], sections: Mapping[str, str]) -> list[Row]:
    """Sorts keys of the state by section, new ones last."""
    order = {name: place for place, name in enumerate(sections)}
    last = len(order)
    new = sorted((row for row in rows if not row.old), key=lambda row: natural_order(row.name))
    there = sorted((row for row in rows if row.old), key=lambda row: order.get(row.name, last))
    placed = [replace(row, section=sections.get(row.name, "")) for row in there]
    before = ["", *(row.section for row in placed)]
    begun = [
        replace(row, begins=bool(row.section) and row.section != former)
        for row, former in zip(placed, before, strict=False)
    ]
    return [*begun, *new]


def _before(row: Row, there: Row | None) -> Row:
    if there is not None and there.old:
        return there
    return Row(row.name, row.kind, "", old=row.old)


def overlay_rows(rows: Sequence[Row], typed: Sequence[Row]) -> list[Row]:
    """Returns rows with the input replacing those of the same key, or appended."""
    return list((state_form.places_of(rows) | state_form.places_of(typed)).values())


def typed_rows(base: StoredSnapshot, rows: Sequence[Row], *, text: str = "") -> list[Row]:
    """Returns rows as they were typed, the other declared keys, and an empty row for a new one."""
    held, reducers = heads_by_name(base), reducers_for(base.row)
    more = state_form.declared_rows(reducers, {*held, *(row.name for row in rows)})
    shown = [row for row in more if is_found(row.name, text)][:_MOST_OFFERED]
    detailed = [
        replace(
            row,
            reducer=reducers.for_key(row.name).value if row.name else "",
            version=held[row.name].version if row.name in held else 0,
            offered=not row.old and row.name in reducers.names and not row.of_name,
        )
        for row in (*rows, *shown)
    ]
    return [*detailed, Row("", "text", "", old=False)]
