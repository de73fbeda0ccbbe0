"""What the pages of one person typed into a state, put together key by key: pure functions.

A page is given what is kept and knows it by marks: one for each change, of what the change is. So
it speaks only of what became another in it, and what another page typed since is seen.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

import orjson
from pydantic import JsonValue

from checkpoints.domain.reducers import ReducerTable
from checkpoints.pages import state_form
from checkpoints.pages.state_form import Row
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.json_bytes import canonical, digest, loads_strict
from ctxadmin.lib.structural_diff import Value

_MOST_GIVEN: Final = 1_000_000  # characters

Marks = Mapping[str, str]  # of changes, by the place of their row
MarkOf = Callable[[Row], str]


@dataclass(frozen=True, slots=True)
class WholeText:
    """A whole state as a text that is no JSON yet; ``given`` is what its page knew of changes."""

    text: str
    given: Marks

    @property
    def mark(self) -> str:
        return _mark(self.text.encode(errors="surrogatepass"))


@dataclass(frozen=True, slots=True)
class Typed:
    """Rows that differ from the state at ``version``; ``seq`` is 0 where nothing is kept.

    ``others`` were typed on another page than what stands for their keys, ``texts`` are whole
    states that cannot be read yet.
    """

    version: int
    seq: int = 0
    rows: Sequence[Row] = ()
    others: Sequence[Row] = ()
    texts: Sequence[WholeText] = ()
    changed_at: datetime | None = None

    @property
    def names(self) -> set[str]:
        return {row.name for row in (*self.rows, *self.others)}

    @property
    def count(self) -> int:
        return len(self.rows) + len(self.others) + len(self.texts)

    def __bool__(self) -> bool:
        return bool(self.rows or self.others or self.texts)


@dataclass(frozen=True, slots=True)
class Said:
    """What a page says: a row, or None for "as in the state", at each place it changed something.

    ``text`` is its whole state that cannot be read, ``text_given`` the mark of what that was.
    """

    rows: Mapping[str, Row | None] = field(default_factory=dict)
    given: Marks = field(default_factory=dict)
    text: WholeText | None = None
    text_given: str = ""


def add_up(kept: Typed, said: Said, mark_of: MarkOf) -> tuple[Typed, list[str]]:
    """What is kept with what a page says, and the names of keys that another page changed, too.

    For these the page stands, and what the other typed stays beside it.
    """
    rows = places_of(kept.rows)
    over: list[str] = []
    others = [
        row
        for place, row in _with_places(kept.others)
        if place not in said.rows or mark_of(row) != said.given.get(place)
    ]
    for place, mine in said.rows.items():
        theirs = rows.pop(place, None)
        if mine is not None:
            rows[place] = mine
        own = {said.given.get(place, ""), mark_of(mine) if mine else ""}
        if theirs is not None and mark_of(theirs) not in own:
            others.append(theirs)
            over.append(theirs.name)
    texts = [each for each in kept.texts if each.mark != said.text_given]
    if said.text is not None and said.text.mark not in {each.mark for each in texts}:
        texts.append(said.text)
    return replace(kept, rows=list(rows.values()), others=others, texts=texts), over


def said_by_rows(rows: Sequence[Row], given: Marks, mark_of: MarkOf) -> Said:
    """What a form says; a new key that it was given and has no more was taken out."""
    there = places_of(rows)
    said: dict[str, Row | None] = {}
    for place, row in there.items():
        mark = mark_of(row)
        if mark != given.get(place, ""):
            said[place] = row if mark else None
    said |= {place: None for place in given if place[:1] != "0" and place not in there}
    return Said(said, given)


def said_by_whole(rows: Sequence[Row], given: Marks, text_given: str, mark_of: MarkOf) -> Said:
    """What a whole state says, whose changes are ``rows``."""
    there = places_of(rows)
    said: dict[str, Row | None] = {
        place: row for place, row in there.items() if mark_of(row) != given.get(place)
    }
    said |= {place: None for place in given if place not in there}
    return Said(said, given, text_given=text_given)


def given_after(said: Said, mark_of: MarkOf) -> Marks:
    """What the page knows when this was kept."""
    marks = {place: mark for place, mark in said.given.items() if place not in said.rows}
    return marks | {place: mark_of(row) for place, row in said.rows.items() if row is not None}


def marker(base: Mapping[str, JsonValue], reducers: ReducerTable) -> MarkOf:
    """The mark of the change that a row makes of ``base``; "" if it makes none.

    It is that of the value, so a key has one mark in a form and in a whole state.
    """

    def mark_of(row: Row) -> str:
        alone = {name: value for name, value in base.items() if name == row.name}
        read = state_form.read_rows([replace(row)], alone, reducers)
        if not read.valid:
            return _mark(orjson.dumps([row.kind, row.text.encode(errors="replace").decode()]))
        return "".join(mark_of_change(*change) for change in read.changes.items())

    return mark_of


def mark_of_change(name: str, value: Value) -> str:
    return _mark(canonical(state_form.as_update({name: value})))


def places_of(rows: Iterable[Row]) -> dict[str, Row]:
    """Rows by what tells them apart: the key, if it is new, and which of that name."""
    return dict(_with_places(rows))


def read_given(text: str) -> Marks:
    """The marks that a page sends back; none if it says nothing that can be read."""
    try:
        found = loads_strict(text[:_MOST_GIVEN].encode(errors="surrogatepass")) if text else {}
    except ValidationFailed:
        return {}
    marks = found if isinstance(found, dict) else {}
    return {place: mark for place, mark in marks.items() if isinstance(mark, str)}


def _with_places(rows: Iterable[Row]) -> list[tuple[str, Row]]:
    seen: dict[str, int] = {}
    found: list[tuple[str, Row]] = []
    for row in rows:
        which = 0
        if not row.old:
            which = seen[row.name] = seen.get(row.name, 0) + 1
        found.append((f"{which}:{row.name}", row))
    return found


def _mark(data: bytes) -> str:
    return digest(data).hex()[:16]
