"""Rebases a draft onto a later version of its state: pure functions."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from checkpoints.domain.rebase import rebase
from checkpoints.domain.reducers import ReducerTable
from checkpoints.editing import state_form
from checkpoints.editing.draft import DraftEntry, StateDraft, places_of
from checkpoints.editing.entries import entries_of, row_of

Held = Mapping[str, int]  # the version of the last change of each key that is there


@dataclass(frozen=True, slots=True)
class KeySides:
    """The values of some keys at the version of a draft, and at the later one."""

    base: Mapping[str, JsonValue]
    now: Mapping[str, JsonValue]
    reducers: ReducerTable


def touched_keys(entries: Collection[DraftEntry], version: int, held: Held) -> set[str]:
    """Returns the keys of entries that someone changed after a version."""
    return {each.name for each in entries if not is_current([each], {each.name}, version, held)}


def is_current(
    entries: Collection[DraftEntry], names: Collection[str], version: int, held: Held
) -> bool:
    """Returns True if the keys have the same values as at ``version``."""
    there = all((each.name in held) == each.old for each in entries)
    return there and all(held[name] <= version for name in names if name in held)


def rebase_draft(
    draft: StateDraft, version: int, held: Held, sides: KeySides | None
) -> StateDraft | None:
    """Returns the draft on a later version; None if it conflicts with what was applied by then.

    ``sides`` are those of the touched keys, None if their values are no longer stored. Alternatives
    are kept whatever became of their keys, because they are only shown. A text that cannot be
    parsed keeps the draft at its version.
    """
    if draft.version == version:
        return draft
    if draft.version > version or draft.texts:
        return None
    names = touched_keys(draft.entries.values(), draft.version, held)
    moved: Sequence[DraftEntry] = ()
    if names:
        merged = None if sides is None else _merged(draft, names, sides)
        if merged is None:
            return None
        moved = merged
    stays = [each for each in draft.entries.values() if each.name not in names]
    return with_entries(replace(draft, version=version), [*stays, *moved], held)


def with_entries(
    draft: StateDraft, entries: Sequence[DraftEntry], held: Collection[str]
) -> StateDraft:
    """Returns the draft with other entries, and with its alternatives for keys that are
    ``held``.
    """
    others = tuple(replace(each, old=each.name in held) for each in draft.others)
    return replace(draft, entries=places_of(entries), others=others)


def _merged(
    draft: StateDraft, names: Collection[str], sides: KeySides
) -> Sequence[DraftEntry] | None:
    """Merges the entries of the touched keys with the later state.

    None if one of them conflicts.
    """
    theirs = [each for each in draft.entries.values() if each.name in names]
    read = state_form.read_rows([row_of(each) for each in theirs], sides.base, sides.reducers)
    if not read.valid:
        return None
    found = rebase(sides.base, read.changes, sides.now, sides.reducers)
    if found.conflicts:
        return None
    at = {each.name: each.at for each in theirs}
    made = entries_of(found.changes, sides.now)
    return [replace(each, at=at[each.name]) for each in made]
