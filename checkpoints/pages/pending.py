"""What was typed into the form of a state and is not applied yet: kept, added up, taken back."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

import orjson
from django.utils.translation import gettext as _
from pydantic import JsonValue

from checkpoints import pending_store
from checkpoints.domain.rebase import rebase
from checkpoints.models import Execution
from checkpoints.moments import Moment, moment_at
from checkpoints.pages import adding_up, state_form, values
from checkpoints.pages.adding_up import Marks, Said, Typed, WholeText
from checkpoints.pages.state_form import Changes, Row
from checkpoints.pending_store import Pending, Place, Wanted
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.errors import NotFound, TooLarge, VersionConflict
from ctxadmin.lib.structural_diff import ABSENT, Value

MOST_BYTES: Final = 16 * 1024**2  # a whole state as a text, and what escapes add
_STORED: Final = ("name", "kind", "text", "old", "gone")

MomentAt = Callable[[int], Moment]


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept after a page spoke, and what that page knows of it now.

    ``text`` is the mark of its whole state if that cannot be read, ``over`` are keys of which
    another page says something else, ``moved`` tells that another page kept something since,
    ``beside`` that all it says stays beside what is kept, which is of a version with other keys.
    """

    typed: Typed
    given: Marks
    text: str = ""
    over: Sequence[str] = ()
    moved: bool = False
    beside: bool = False


def place_of(actor: Actor, row: Execution) -> Place:
    return Place(row.conversation, row.number, int(actor.id))


def find(actor: Actor, row: Execution | None, version: int) -> Typed:
    """What the person has pending; of the state at ``version`` if nothing is."""
    kept = pending_store.find(place_of(actor, row)) if row is not None else None
    return Typed(version) if kept is None else _typed(kept)


def find_at(actor: Actor, moment: Moment) -> Typed:
    """What the person has pending, of the state at a moment unless that is in conflict with it."""
    typed = find(actor, moment.row, moment.version)
    return _carried(typed, moment) or typed


def keep(
    actor: Actor,
    base: Moment,
    said: Said,
    seq: int,
    moment_at: MomentAt,
    *,
    for_copying: bool = False,
) -> Kept:
    """Keep what a page of the state at ``base`` says; ``seq`` is what it knew of.

    VersionConflict if it is a text that cannot be read of another version than that of what is
    kept, unless that is ``for_copying`` alone; TooLarge over ``MOST_BYTES``.
    """
    if base.row is None:
        return Kept(Typed(base.version), {})
    over: list[str] = []
    former, beside = 0, False

    def decide(kept: Pending | None) -> Wanted | None:
        nonlocal over, former, beside
        former = 0 if kept is None else kept.seq
        before = Typed(base.version) if kept is None else _typed(kept)
        fits = _on_one_version(before, base, said, moment_at)
        beside = fits is None
        if fits is not None:
            after, over = adding_up.add_up(fits, said, _marker(base, fits, said))
        elif said.text is None or for_copying:
            after, over = _beside(before, said, moment_at(before.version))
        else:
            raise VersionConflict(
                _("Another tab of yours edits a different version. Reload this page."),
                expected=base.version,
                actual=before.version,
            )
        return _wanted(after)

    found = pending_store.change(place_of(actor, base.row), decide)
    typed = Typed(base.version) if found is None else _typed(found)
    given = adding_up.given_after(said, _marker(base, typed, said))
    text = said.text.mark if said.text else ""
    return Kept(typed, given, text, over, moved=beside or former != seq, beside=beside)


def _on_one_version(before: Typed, base: Moment, said: Said, moment_at: MomentAt) -> Typed | None:
    """What is kept, fit for being put together with what a page of another version says."""
    if before.version <= base.version:
        carried = _carried(before, base)
        if carried is not None:
            return carried
    if said.text is not None:
        return None
    mine = [row for row in said.rows.values() if row is not None]
    names = {place.partition(":")[2] for place in said.rows}
    earlier, later = sorted((base.version, before.version))
    there = base if later == base.version else moment_at(later)
    return before if _fits(mine, names, earlier, there) else None


def with_all(typed: Typed, said: Said) -> Typed:
    """What is kept with what a page says beside it, for a page that only shows it."""
    rows = [row for row in said.rows.values() if row is not None]
    texts = [*typed.texts, said.text] if said.text else typed.texts
    return replace(typed, rows=rows, others=[*typed.others, *typed.rows], texts=texts)


def _beside(before: Typed, said: Said, moment: Moment) -> tuple[Typed, list[str]]:
    """What is kept, with what a page says of keys that somebody changed between the two versions.

    It does not stand for its key: nobody's change is written over before it is looked at.
    """
    mark_of = _marker(moment, before, said)
    mine, _over = adding_up.add_up(replace(before, rows=()), said, mark_of)
    held = values.held_keys(moment)
    known = {mark_of(row) for row in mine.others}
    others = [replace(row, old=row.name in held) for row in mine.rows]
    fresh = [row for row in others if mark_of(row) not in {"", *known}]
    names = [row.name for row in fresh]
    return replace(before, others=[*mine.others, *fresh], texts=mine.texts), names


def _carried(typed: Typed, moment: Moment) -> Typed | None:
    """What was typed as of a later moment; None if it is in conflict with what was applied by then.

    What does not stand for its key comes along whatever became of that: it is only looked at.
    """
    if typed.version == moment.version:
        return typed
    if typed.version > moment.version or typed.texts:
        return None
    rows = _rebased_rows(typed, moment)
    if rows is None:
        return None
    held = values.held_keys(moment)
    others = [replace(row, old=row.name in held) for row in typed.others]
    return replace(typed, version=moment.version, rows=rows, others=others)


def _rebased_rows(typed: Typed, moment: Moment) -> Sequence[Row] | None:
    """The rows on the state of a later moment; None if one cannot be merged with it."""
    touched = [row for row in typed.rows if not _fits([row], {row.name}, typed.version, moment)]
    if not touched or moment.row is None:
        return typed.rows
    names = {row.name for row in touched}
    try:
        base = values.values_of(moment_at(moment.head, moment.row, typed.version), names)
    except NotFound:
        return None
    reducers = values.reducers_for(moment.row)
    read = state_form.read_rows([replace(row) for row in touched], base, reducers)
    if not read.valid:
        return None
    now = values.values_of(moment, names)
    rebased = rebase(base, read.changes, now, reducers)
    if rebased.conflicts:
        return None
    kept = [row for row in typed.rows if row.name not in names]
    return [*kept, *rows_of(rebased.changes, now)]


def _fits(rows: Sequence[Row], names: set[str], version: int, moment: Moment) -> bool:
    """True if the keys are at ``moment`` what they were at ``version``."""
    held = values.held_keys(moment)
    there = all((row.name in held) == row.old for row in rows)
    return there and all(held[name].version <= version for name in names if name in held)


def said_by_rows(base: Moment, rows: Sequence[Row], given: Marks) -> Said:
    mark_of = _marker(base, Typed(base.version, rows=rows))
    return adding_up.said_by_rows(rows, given, mark_of)


def said_by_whole(base: Moment, changes: Changes, given: Marks, text_given: str) -> Said:
    rows = rows_of(changes, values.values_of(base, changes.keys()))
    mark_of = _marker(base, Typed(base.version, rows=rows))
    return adding_up.said_by_whole(rows, given, text_given, mark_of)


def said_by_changes(base: Moment, changes: Changes) -> Said:
    """What a page says that shows changes and no form."""
    rows = rows_of(changes, values.values_of(base, changes.keys()))
    return Said(dict(adding_up.places_of(rows)))


def marks_of_changes(base: Moment, changes: Changes) -> Marks:
    """What a page is given that shows changes of which it shall say nothing."""
    said = said_by_changes(base, changes)
    return adding_up.given_after(said, _marker(base, Typed(base.version), said))


def marks_of(base: Moment, typed: Typed, changes: Changes, *, readable: bool = False) -> Marks:
    """What a page is given that shows ``typed`` and over it ``changes``, of which it shall speak.

    A whole state has only what is ``readable`` in it.
    """
    mark_of = _marker(base, typed)
    shown = changes_of(typed, base).keys() if readable else typed.names
    marks = {
        place: mark_of(row)
        for place, row in adding_up.places_of(typed.rows).items()
        if row.name in shown
    }
    others = {name: adding_up.mark_of_change(name, value) for name, value in changes.items()}
    return {
        place: mark
        for place, mark in marks.items()
        if others.get(place.partition(":")[2], mark) == mark
    }


def _marker(base: Moment, typed: Typed, said: Said | None = None) -> adding_up.MarkOf:
    names = typed.names | {row.name for row in (said.rows.values() if said else ()) if row}
    return adding_up.marker(values.values_of(base, names), values.reducers_for(base.row))


def take_back(actor: Actor, row: Execution, names: Sequence[str]) -> None:
    """Forget what was typed for some keys."""

    def left(typed: Typed) -> Typed:
        return replace(typed, rows=[each for each in typed.rows if each.name not in names])

    _change(actor, row, left)


def drop(actor: Actor, base: Moment, mark: str) -> None:
    """Forget what does not stand for its key, or a whole state that cannot be read, by its mark."""

    def left(typed: Typed) -> Typed:
        mark_of = _marker(base, typed)
        others = [each for each in typed.others if mark_of(each) != mark]
        texts = [each for each in typed.texts if each.mark != mark]
        return replace(typed, others=others, texts=texts)

    if base.row is not None:
        _change(actor, base.row, left)


def use(actor: Actor, base: Moment, mark: str) -> None:
    """Have what was typed on another page stand for its key, and what stood stay beside it."""

    def swapped(kept: Typed) -> Typed:
        typed = _carried(kept, base) or kept  # as the page showed it
        mark_of = _marker(base, typed)
        found = next((each for each in typed.others if mark_of(each) == mark), None)
        if found is None:
            return typed
        same = [each for each in typed.rows if (each.old, each.name) == (found.old, found.name)]
        rows = [each for each in typed.rows if each not in same]
        others = [each for each in typed.others if each is not found]
        return replace(typed, rows=[*rows, found], others=[*others, *same])

    if base.row is not None:
        _change(actor, base.row, swapped)


def put_beside(actor: Actor, base: Moment, rows: Sequence[Row], moment_at: MomentAt) -> int:
    """Keep rows beside what stands for their keys, unless they are kept; how often it was kept.

    Nothing is kept where nothing stands any more: it was applied or discarded.
    """

    def added(typed: Typed) -> Typed:
        moment = base if typed.version == base.version else moment_at(typed.version)
        held = values.held_keys(moment)
        others = [replace(row, old=row.name in held) for row in rows]
        mark_of = _marker(moment, replace(typed, others=[*typed.others, *others]))
        known = {"", *(mark_of(row) for row in (*typed.rows, *typed.others))}
        fresh = [row for row in others if mark_of(row) not in known]
        return replace(typed, others=[*typed.others, *fresh])

    if base.row is None:
        return 0
    _change(actor, base.row, added)
    return find(actor, base.row, base.version).seq


def discard(actor: Actor, row: Execution) -> None:
    """Forget all of it."""
    pending_store.change(place_of(actor, row), lambda kept: None)


def applied(actor: Actor, base: Moment, seq: int, changes: Changes) -> None:
    """Forget what was written; what another page typed since ``seq``, and what it does not have,
    stays."""

    def left(typed: Typed) -> Typed:
        mark_of = _marker(base, typed)
        written = {adding_up.mark_of_change(name, value) for name, value in changes.items()}
        rows = [
            each
            for each in typed.rows
            if each.name not in changes or (typed.seq != seq and mark_of(each) not in written)
        ]
        others = [each for each in typed.others if mark_of(each) not in written]
        return replace(typed, rows=rows, others=others)

    if base.row is not None:
        _change(actor, base.row, left)


def _change(actor: Actor, row: Execution, change: Callable[[Typed], Typed]) -> None:
    def decide(kept: Pending | None) -> Wanted | None:
        return None if kept is None else _wanted(change(_typed(kept)))

    pending_store.change(place_of(actor, row), decide)


def rebased(actor: Actor, theirs: Moment, seq: int, changes: Changes) -> int:
    """Keep what a merge with ``theirs`` made of what was typed; how often it was kept then.

    So what was decided once is not asked again. If another page kept something since ``seq``, or
    something is kept that was not merged, it all stays as it was typed.
    """
    if theirs.row is None:
        return seq
    place = place_of(actor, theirs.row)
    rows = rows_of(changes, values.values_of(theirs, changes.keys()))

    def decide(kept: Pending | None) -> Wanted | None:
        if kept is None or kept.seq != seq:
            return None if kept is None else Wanted(kept.version, kept.typed)
        return _wanted(Typed(theirs.version, rows=rows))

    found = pending_store.find(place)
    if found is not None and found.seq == seq and not _is_beside(_typed(found)):
        found = pending_store.change(place, decide)
    return found.seq if found is not None and found.version == theirs.version else seq


def _is_beside(typed: Typed) -> bool:
    return bool(typed.others or typed.texts)


def changes_of(typed: Typed, base: Moment) -> Changes:
    """The changes that can be read of what was typed."""
    found = values.values_of(base, typed.names)
    rows = [replace(row) for row in typed.rows]
    return state_form.read_rows(rows, found, values.reducers_for(base.row)).changes


def rows_of(changes: Changes, base: Mapping[str, JsonValue]) -> list[Row]:
    """Changes as the rows that a person would have typed."""
    return [_row_of(name, value, base) for name, value in changes.items()]


def _row_of(name: str, value: Value, base: Mapping[str, JsonValue]) -> Row:
    """A deleted key keeps its value in the form, in case it shall not be deleted after all."""
    if value is ABSENT:
        return replace(state_form.row_of(name, base.get(name)), gone=True)
    return state_form.row_of(name, value, old=name in base)


def _wanted(typed: Typed) -> Wanted | None:
    if not typed:
        return None
    stored = orjson.dumps(
        {
            "rows": [_stored(row) for row in typed.rows],
            "others": [_stored(row) for row in typed.others],
            "texts": [asdict(each) for each in typed.texts],
        }
    )
    if len(stored) > MOST_BYTES:
        raise TooLarge(_("Your unapplied edits are too large to be saved."), limit=MOST_BYTES)
    return Wanted(typed.version, stored)


def _stored(row: Row) -> dict[str, str | bool]:
    return {name: getattr(row, name) for name in _STORED}


def _typed(kept: Pending) -> Typed:
    stored: Any = orjson.loads(kept.typed)
    return Typed(
        kept.version,
        kept.seq,
        rows=[Row(**row) for row in stored["rows"]],
        others=[Row(**row) for row in stored["others"]],
        texts=[WholeText(**each) for each in stored["texts"]],
        changed_at=kept.changed_at,
    )
