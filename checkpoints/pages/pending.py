"""What was typed into the form of a state and is not applied yet: kept, shown, taken back."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

import orjson
from django.utils.translation import gettext as _
from pydantic import JsonValue

from checkpoints import pending_store
from checkpoints.models import Execution
from checkpoints.moments import Moment
from checkpoints.pages import state_form, values
from checkpoints.pages.state_form import Changes, Row
from checkpoints.pages.state_rows import state_rows
from checkpoints.pending_store import Pending, Place, Wanted
from ctxadmin.accounts.actor import Actor
from ctxadmin.lib.errors import TooLarge, VersionConflict
from ctxadmin.lib.structural_diff import ABSENT, diff
from ctxadmin.web.components import DiffRow

MOST_BYTES: Final = 16 * 1024**2  # a whole state as a text, and what escapes add
_STORED: Final = ("name", "kind", "text", "old", "gone")


@dataclass(frozen=True, slots=True)
class Typed:
    """Rows that differ from the state at ``version``; ``raw`` is a whole text that is not JSON yet.

    ``seq`` is 0 where nothing is kept.
    """

    version: int
    seq: int = 0
    rows: Sequence[Row] = ()
    raw: str = ""
    changed_at: datetime | None = None

    @property
    def names(self) -> list[str]:
        return [row.name for row in self.rows]

    def __bool__(self) -> bool:
        return bool(self.rows or self.raw)


@dataclass(frozen=True, slots=True)
class Line:
    """One pending change: what it does to the state that was seen, or what is wrong with it."""

    name: str
    sent_name: str
    rows: Sequence[DiffRow]
    problem: str


@dataclass(frozen=True, slots=True)
class PendingView:
    """The pending changes above the form; ``newer`` is the version of now if it is another."""

    lines: Sequence[Line]
    raw: bool
    changed_at: datetime | None
    newer: int | None


def place_of(actor: Actor, row: Execution) -> Place:
    return Place(row.conversation, row.number, int(actor.id))


def find(actor: Actor, row: Execution | None, version: int) -> Typed:
    """What the person has pending; of the state at ``version`` if nothing is."""
    kept = pending_store.find(place_of(actor, row)) if row is not None else None
    return Typed(version) if kept is None else _typed(kept)


def keep(actor: Actor, base: Moment, sent: Typed, *, whole: bool = False) -> Typed:
    """Keep what a form has now; rows that are not in it stay as they are, unless it is the whole.

    ``sent.seq`` is what the form knew of: if another page of the same person kept something since,
    its new keys stay too. VersionConflict if that page shows another version, TooLarge
    over ``MOST_BYTES``.
    """
    if base.row is None:
        return sent

    def decide(kept: Pending | None) -> Wanted | None:
        before = Typed(base.version) if kept is None else _typed(kept)
        if before.version != base.version:
            raise VersionConflict(
                _("Another page of yours edits another version; load this page again."),
                expected=base.version,
                actual=before.version,
            )
        rows = sent.rows
        if not whole:
            typed = [row for row in sent.rows if row.touched]
            rows = merged(before.rows, typed, complete=before.seq == sent.seq)
        return _wanted(Typed(base.version, rows=_changed(base, rows), raw=sent.raw))

    found = pending_store.change(place_of(actor, base.row), decide)
    return Typed(base.version) if found is None else _typed(found)


def merged(kept: Sequence[Row], sent: Sequence[Row], *, complete: bool) -> list[Row]:
    """What is kept, with the rows of a form put over it that were touched there.

    A ``complete`` form shows all new keys that are kept, so one that is not in it was taken out.
    """
    known = {(row.old, row.name): row for row in kept}
    over = {(row.old, row.name) for row in sent}
    stays = [row for row in kept if (row.old or not complete) and (row.old, row.name) not in over]
    shown = [row if row.touched else known.get((row.old, row.name), row) for row in sent]
    return [*stays, *shown]


def take_back(actor: Actor, row: Execution, names: Sequence[str]) -> Typed | None:
    """Forget what was typed for some keys; what is left, if anything is."""

    def decide(kept: Pending | None) -> Wanted | None:
        if kept is None:
            return None
        typed = _typed(kept)
        left = [each for each in typed.rows if each.name not in names]
        return _wanted(replace(typed, rows=left))

    found = pending_store.change(place_of(actor, row), decide)
    return None if found is None else _typed(found)


def discard(actor: Actor, row: Execution) -> None:
    """Forget all of it."""
    pending_store.change(place_of(actor, row), lambda kept: None)


def applied(actor: Actor, row: Execution, seq: int, changes: Changes) -> None:
    """Forget what was written: all of it, but what another page kept since ``seq``."""

    def decide(kept: Pending | None) -> Wanted | None:
        if kept is None or kept.seq == seq:
            return None
        typed = _typed(kept)
        left = [each for each in typed.rows if each.name not in changes]
        return _wanted(replace(typed, rows=left))

    pending_store.change(place_of(actor, row), decide)


def rebased(actor: Actor, theirs: Moment, seq: int, changes: Changes) -> int:
    """Keep what a merge with ``theirs`` made of what was typed; how often it was kept then.

    So what was decided once is not asked again. If another page kept something since ``seq``, it
    all stays as it was typed.
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
    if found is not None and found.seq == seq:
        found = pending_store.change(place, decide)
    return found.seq if found is not None and found.version == theirs.version else seq


def view_of(typed: Typed, base: Moment, now: Moment) -> PendingView | None:
    """The pending changes for a page, None if there are none."""
    if not typed:
        return None
    return PendingView(
        lines=list(_lines(typed, base)),
        raw=bool(typed.raw),
        changed_at=typed.changed_at,
        newer=now.version if now.version != base.version else None,
    )


def changes_of(typed: Typed, base: Moment) -> Changes:
    """The changes that can be read of what was typed."""
    found = values.values_of(base, set(typed.names))
    return state_form.read_rows(typed.rows, found, values.reducers_for(base.row)).changes


def rows_of(changes: Changes, base: Mapping[str, JsonValue]) -> list[Row]:
    """Changes as the rows that a person would have typed."""
    return [
        Row(name, "json", "", gone=True)
        if value is ABSENT
        else state_form.row_of(name, value, old=name in base)
        for name, value in changes.items()
    ]


def _lines(typed: Typed, base: Moment) -> Iterator[Line]:
    found = values.values_of(base, set(typed.names))
    reducers = values.reducers_for(base.row)
    for row in typed.rows:
        before = {name: value for name, value in found.items() if name == row.name}
        read = state_form.read_rows([replace(row)], before, reducers)
        after = state_form.with_changes(before, read.changes)
        rows = state_rows(diff(dict(before), after)) if read.valid else []
        yield Line(row.name, row.sent_name, rows, "" if read.valid else read.rows[0].problem)


def _changed(base: Moment, rows: Sequence[Row]) -> list[Row]:
    found = values.values_of(base, {row.name for row in rows if row.old})
    return [row for row in rows if not row.old or _differs(row, found)]


def _differs(row: Row, base: Mapping[str, JsonValue]) -> bool:
    if row.gone or row.name not in base:
        return True
    shown = state_form.row_of(row.name, base[row.name])
    return (shown.kind, shown.text) != (row.kind, row.text)


def _wanted(typed: Typed) -> Wanted | None:
    if not typed:
        return None
    rows = [{name: getattr(row, name) for name in _STORED} for row in typed.rows]
    stored = orjson.dumps({"rows": rows, "raw": typed.raw})
    if len(stored) > MOST_BYTES:
        raise TooLarge(
            _("What is typed and not applied is too large to be kept."), limit=MOST_BYTES
        )
    return Wanted(typed.version, stored)


def _typed(kept: Pending) -> Typed:
    stored: Any = orjson.loads(kept.typed)
    rows = [Row(**row) for row in stored["rows"]]
    return Typed(kept.version, kept.seq, rows, stored["raw"], kept.changed_at)
