"""The stored drafts of paused states: finds, changes and empties them."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

import msgspec
import orjson
from django.utils.translation import gettext as _

from checkpoints.editing import form_changes, pending_store, state_form
from checkpoints.editing.draft import (
    AppliedDraft,
    Beside,
    DraftEntry,
    Drop,
    Marks,
    Operation,
    Overtaken,
    Set,
    StateDraft,
    Type,
    Use,
    WholeText,
    apply,
    first_seq,
    name_at,
    places_of,
    remove_applied,
    resolve_operations,
)
from checkpoints.editing.entries import (
    EntryOf,
    changes_of,
    entries_of,
    mark_of,
    mark_of_change,
    reader,
    with_mark,
    with_text_mark,
)
from checkpoints.editing.form_changes import DraftPatch
from checkpoints.editing.pending_store import EditKey, Pending, PendingQuery
from checkpoints.editing.rebase import (
    Held,
    KeySides,
    is_current,
    rebase_draft,
    touched_keys,
    with_entries,
)
from checkpoints.editing.state_form import Changes, FormInput, Row
from checkpoints.models import Execution
from checkpoints.reading.state_values import all_values, heads_by_name, reducers_for, values_of
from checkpoints.store.snapshots import StoredSnapshot, snapshot_at
from ctxadmin.identity.actor import Actor
from ctxadmin.lib import clock
from ctxadmin.lib.errors import NotFound, TooLarge, VersionConflict

MOST_BYTES: Final = 16 * 1024**2  # a whole state as a text, and what escapes add

MomentAt = Callable[[int], StoredSnapshot]
Decide = Callable[[StateDraft], StateDraft]


@dataclass(frozen=True, slots=True)
class KeptDraft:
    """A draft after a change; ``over`` are keys for which another page has other input.

    ``beside`` is True if all input of the page became alternatives, because the draft is of a
    version with other keys. ``overtaken`` is set if nothing was stored.
    """

    draft: StateDraft
    over: Sequence[str] = ()
    beside: bool = False
    overtaken: Overtaken | None = None


@dataclass(frozen=True, slots=True)
class StoredDraft:
    """What is typed of a draft as its row has it, in JSON."""

    rows: tuple[DraftEntry, ...]
    others: tuple[DraftEntry, ...]
    texts: tuple[WholeText, ...]


_STORED_DRAFTS: Final = msgspec.json.Decoder(StoredDraft)


def place_of(actor: Actor, row: Execution) -> EditKey:
    return EditKey(row.conversation, row.number, int(actor.id))


def find(actor: Actor, row: Execution | None, version: int) -> StateDraft:
    """Returns the draft of a person; an empty one of the state at ``version`` if there is none."""
    kept = pending_store.find(place_of(actor, row)) if row is not None else None
    return StateDraft(version) if kept is None else _read(kept)


def names_edited_by_others(actor: Actor, row: Execution, since: datetime) -> dict[int, list[str]]:
    """Returns, by person, the keys in drafts that other people changed since a moment."""
    found = pending_store.of_others(place_of(actor, row), since)
    return {person: sorted(_read(kept).names) for person, kept in found.items()}


def find_at(actor: Actor, moment: StoredSnapshot) -> StateDraft:
    """Returns the draft of a person, rebased onto a moment unless it conflicts with that."""
    draft = find(actor, moment.row, moment.version)
    return _rebased(draft, moment) or draft


def reader_at(moment: StoredSnapshot, names: Collection[str]) -> EntryOf:
    return reader(values_of(moment, names), reducers_for(moment.row))


def changes_in(draft: StateDraft, moment: StoredSnapshot) -> Changes:
    """Returns the changes of a draft that can be parsed."""
    found = values_of(moment, draft.names)
    return changes_of(draft.entries.values(), found, reducers_for(moment.row))


def patch_of_form(base: StoredSnapshot, rows: Sequence[Row], given: Marks) -> DraftPatch:
    entry_of = reader_at(base, {row.name for row in rows})
    return form_changes.patch_of_form([entry_of(row) for row in rows], given)


def read_whole(base: StoredSnapshot, text: str) -> FormInput:
    """Parses a whole state in a text."""
    return state_form.read_raw(text, all_values(base), reducers_for(base.row))


def patch_of_whole(base: StoredSnapshot, text: str, given: Marks, mark: str) -> DraftPatch:
    """Parses a whole state; its page knows it by ``mark`` if it could not be parsed before."""
    read = read_whole(base, text)
    if not read.valid:
        made = mark or mark_of(read.raw.encode(errors="surrogatepass"))
        return DraftPatch({}, given, WholeText(read.raw, given, made), mark)
    entries = entries_of(read.changes, values_of(base, read.changes.keys()))
    return form_changes.patch_of_whole(entries, given, mark)


def save_page(
    actor: Actor,
    base: StoredSnapshot,
    patch: DraftPatch,
    moment_at: MomentAt,
    *,
    for_copying: bool = False,
) -> KeptDraft:
    """Stores the input of a whole page of the state at ``base`` in the draft.

    Raises VersionConflict for an unparsable text of another version than the draft, unless it is
    only ``for_copying``; TooLarge over ``MOST_BYTES``.
    """
    over: list[str] = []

    def says(draft: StateDraft) -> Sequence[Operation]:
        nonlocal over
        made, over = form_changes.operations_of(patch, draft)
        return made

    found = _apply_operations(actor, base, says, None, moment_at, for_copying=for_copying)
    return replace(found, over=found.over or over)


def patch(
    actor: Actor,
    base: StoredSnapshot,
    operations: Sequence[Operation],
    seen_seq: int,
    moment_at: MomentAt,
    *,
    for_copying: bool = False,
    leaves: bool = False,
) -> KeptDraft | Overtaken:
    """Applies operations of a page that saw the draft at ``seen_seq``; raises as ``save_page``.

    A page of a version with other keys, or one that ``leaves``, never gets Overtaken.
    """

    def says(draft: StateDraft) -> Sequence[Operation]:
        is_late = not draft and all(isinstance(each, Beside) for each in operations)
        return [] if is_late else operations  # it stands beside nothing any more

    found = _apply_operations(
        actor, base, says, seen_seq, moment_at, for_copying=for_copying, leaves=leaves
    )
    return found.overtaken or found


def _apply_operations(
    actor: Actor,
    base: StoredSnapshot,
    says: Callable[[StateDraft], Sequence[Operation]],
    seen_seq: int | None,
    moment_at: MomentAt,
    *,
    for_copying: bool,
    leaves: bool = False,
) -> KeptDraft:
    kept = KeptDraft(StateDraft(base.version))

    def decide(before: StateDraft) -> StateDraft:
        nonlocal kept
        operations = says(before)
        fits = _on_one_version(before, base, operations, moment_at)
        if fits is None:
            if not for_copying and any(isinstance(each, Type) for each in operations):
                raise _of_another_version(before, base)
            made = _store_alternatives(says(replace(before, entries={})), moment_at(before.version))
            over = [each.entry.name for each in made if isinstance(each, Beside)]
            kept = KeptDraft(before, over, beside=True)
            return _certainly(before, made)
        operations = says(fits)
        found = apply(fits, operations, fits.seq if seen_seq is None else seen_seq)
        if isinstance(found, AppliedDraft):
            kept = KeptDraft(found.draft)
            return found.draft
        if not (leaves or for_copying):
            kept = KeptDraft(before, overtaken=found)
            return before
        kept = KeptDraft(before, [each.name for each in found.changed.values()])
        return _certainly(fits, resolve_operations(operations, found, fits.seq))

    draft = _change(actor, base, decide)
    return replace(kept, draft=draft)


def apply_buttons(actor: Actor, base: StoredSnapshot, operations: Sequence[Operation]) -> None:
    """Applies the buttons beside a draft that was shown as of ``base``."""

    def decide(before: StateDraft) -> StateDraft:
        return _certainly(_rebased(before, base) or before, operations)

    _change(actor, base, decide)


def discard(actor: Actor, row: Execution) -> None:
    """Deletes the whole draft."""
    pending_store.change(place_of(actor, row), lambda kept: None)


def drop_applied(actor: Actor, base: StoredSnapshot, draft: StateDraft, changes: Changes) -> None:
    """Removes the applied changes from a draft; later input of another page stays."""
    marks = [mark_of_change(name, value) for name, value in changes.items()]

    def decide(before: StateDraft) -> StateDraft:
        names = {
            each.name
            for each in before.entries.values()
            if each.name in changes and (each.at <= draft.seq or each.mark in marks)
        }
        return remove_applied(before, names, marks)

    _change(actor, base, decide)


def store_merged(
    actor: Actor,
    theirs: StoredSnapshot,
    draft: StateDraft,
    names: Collection[str],
    changes: Changes,
) -> StateDraft | None:
    """Stores the result of merging the changes of ``names`` with ``theirs``.

    Returns None if another page changed the draft since; the draft then stays as it is.
    """
    held = _key_versions(theirs)
    made = entries_of(changes, values_of(theirs, changes.keys()))
    is_merged = False

    def decide(before: StateDraft) -> StateDraft:
        nonlocal is_merged
        is_merged = before.seq == draft.seq
        if not is_merged:
            return before
        seq = before.seq + 1
        rest = [each for each in before.entries.values() if each.name not in names]
        stays = [replace(each, old=each.name in held) for each in rest]
        entries = [*stays, *(replace(each, at=seq) for each in made)]
        return replace(with_entries(before, entries, held), version=theirs.version, seq=seq)

    found = _change(actor, theirs, decide)
    return found if is_merged else None


def marks_of(draft: StateDraft) -> Marks:
    """Returns the marks for a page that shows a draft."""
    return {place: each.mark for place, each in draft.entries.items()}


def marks_of_changes(base: StoredSnapshot, changes: Changes) -> Marks:
    """Returns the marks for a page that shows changes but does not edit them."""
    entries = entries_of(changes, values_of(base, changes.keys()))
    return {place: each.mark for place, each in places_of(entries).items()}


def _of_another_version(draft: StateDraft, base: StoredSnapshot) -> VersionConflict:
    return VersionConflict(
        _("Another tab of yours edits a different version. Reload this page."),
        expected=base.version,
        actual=draft.version,
    )


def _certainly(draft: StateDraft, operations: Sequence[Operation]) -> StateDraft:
    """Applies operations of a caller that has seen the whole draft."""
    found = apply(draft, operations, draft.seq)
    return found.draft


def _store_alternatives(operations: Sequence[Operation], moment: StoredSnapshot) -> list[Operation]:
    """Stores the input of a page as alternatives in the draft of ``moment``, which has other
    keys.
    """
    held = heads_by_name(moment)
    made: list[Operation] = []
    for each in operations:
        if isinstance(each, Set | Beside):
            entry = replace(each.entry, old=each.entry.name in held)
            made.append(Beside(each.place, entry, each.mine))
        elif isinstance(each, Drop | Type):
            made.append(each)
    return made


def _on_one_version(
    before: StateDraft, base: StoredSnapshot, operations: Sequence[Operation], moment_at: MomentAt
) -> StateDraft | None:
    """Returns the draft on a version to which the operations of a page of another version apply."""
    if before.version <= base.version:
        moved = _rebased(before, base)
        if moved is not None:
            return moved
    if any(isinstance(each, Type) for each in operations):
        return None
    earlier, later = sorted((base.version, before.version))
    there = base if later == base.version else moment_at(later)
    mine = [each.entry for each in operations if isinstance(each, Set | Beside)]
    places = [each.place for each in operations if not isinstance(each, Drop | Use | Type)]
    names = {name_at(place) for place in places}
    return before if is_current(mine, names, earlier, _key_versions(there)) else None


def _rebased(draft: StateDraft, moment: StoredSnapshot) -> StateDraft | None:
    if draft.version == moment.version:
        return draft
    held, sides = _key_versions(moment), None
    names = touched_keys(draft.entries.values(), draft.version, held)
    if names and moment.row is not None and draft.version < moment.version:
        try:
            before = snapshot_at(moment.head, moment.row, draft.version)
        except NotFound:
            return None
        now = values_of(moment, names)
        sides = KeySides(values_of(before, names), now, reducers_for(moment.row))
    return rebase_draft(draft, moment.version, held, sides)


def _key_versions(moment: StoredSnapshot) -> Held:
    return {name: each.version for name, each in heads_by_name(moment).items()}


def _change(actor: Actor, base: StoredSnapshot, decide: Decide) -> StateDraft:
    """Stores the result of ``decide`` on the draft of ``base``, and calls it again after a race."""
    row = base.row
    if row is None:
        return StateDraft(base.version)

    def wanted(kept: Pending | None) -> PendingQuery | None:
        before = StateDraft(base.version, first_seq(clock.now())) if kept is None else _read(kept)
        after = decide(before)
        if kept is not None and replace(after, seq=kept.seq) == before:
            return PendingQuery(kept.version, kept.typed, kept.seq)
        return _wanted(replace(after, seq=max(after.seq, before.seq + 1)))

    found = pending_store.change(place_of(actor, row), wanted)
    return StateDraft(base.version) if found is None else _read(found)


def _wanted(draft: StateDraft) -> PendingQuery | None:
    if not draft:
        return None
    kept = StoredDraft(tuple(draft.entries.values()), tuple(draft.others), tuple(draft.texts))
    stored = orjson.dumps(kept)
    if len(stored) > MOST_BYTES:
        raise TooLarge(_("Your unapplied edits are too large to be saved."), limit=MOST_BYTES)
    return PendingQuery(draft.version, stored, draft.seq)


def _read(kept: Pending) -> StateDraft:
    stored = _STORED_DRAFTS.decode(kept.typed)
    return StateDraft(
        kept.version,
        kept.seq,
        entries=places_of(map(with_mark, stored.rows)),
        others=tuple(map(with_mark, stored.others)),
        texts=tuple(map(with_text_mark, stored.texts)),
        changed_at=kept.changed_at,
    )
