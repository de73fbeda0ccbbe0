"""A draft of a paused state as data, and what operations make of it: pure functions.

A draft has one entry for each key that its person changed. ``seq`` rises with every change of the
draft, and each entry says at which it came: so it is known what a page that saw the draft at some
``seq`` has not seen. What two pages of the person typed for one key is both kept: one of them is
the entry, the other is kept beside it until the person uses or discards it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Final

Marks = Mapping[str, str]  # of entries, by place
_BEGAN: Final = datetime(2026, 1, 1, tzinfo=UTC)
_A_SECOND: Final = 4


@dataclass(frozen=True, slots=True)
class Entry:
    """What was typed for one key, as its field has it; ``old`` tells a key of the state.

    ``mark`` names the change: two entries with one mark do the same to a state. It is "" if
    nothing is changed. ``at`` is the ``seq`` of the draft with which it came.
    """

    name: str
    kind: str
    text: str
    old: bool = True
    gone: bool = False
    mark: str = ""
    at: int = 0


@dataclass(frozen=True, slots=True)
class WholeText:
    """A whole state as a text that is no JSON yet; ``given`` are the marks that its page knew."""

    text: str
    given: Marks = field(default_factory=dict)
    mark: str = ""
    at: int = 0


@dataclass(frozen=True, slots=True)
class Draft:
    """What a person changed of the state at ``version``, by place; ``seq`` 0 means nothing is kept.

    ``others`` are kept beside the entries, ``texts`` are whole states that cannot be read yet.
    """

    version: int
    seq: int = 0
    entries: Mapping[str, Entry] = field(default_factory=dict)
    others: tuple[Entry, ...] = ()
    texts: tuple[WholeText, ...] = ()
    changed_at: datetime | None = None

    @property
    def names(self) -> set[str]:
        return {each.name for each in (*self.entries.values(), *self.others)}

    @property
    def count(self) -> int:
        return len(self.entries) + len(self.others) + len(self.texts)

    def __bool__(self) -> bool:
        return bool(self.entries or self.others or self.texts)


@dataclass(frozen=True, slots=True)
class Set:
    """``entry`` stands at its place, of which its page spoke last with ``seq`` ``mine``."""

    place: str
    entry: Entry
    mine: int = 0


@dataclass(frozen=True, slots=True)
class Revert:
    """The key is again as in the state; ``mine`` as in Set."""

    place: str
    mine: int = 0


@dataclass(frozen=True, slots=True)
class Aside:
    """What stands at a place is kept beside it."""

    place: str


@dataclass(frozen=True, slots=True)
class Beside:
    """``entry`` is kept beside what stands at its place; ``mine`` as in Set."""

    place: str
    entry: Entry
    mine: int = 0


@dataclass(frozen=True, slots=True)
class Use:
    """Swap an entry with the alternative stored under ``mark``."""

    mark: str


@dataclass(frozen=True, slots=True)
class Drop:
    """Discard the alternative or the text stored under ``mark``."""

    mark: str


@dataclass(frozen=True, slots=True)
class Type:
    """A whole state that cannot be read stands for the text of that mark; ``mine`` as in Set."""

    text: WholeText
    mine: int = 0


Operation = Set | Revert | Aside | Beside | Use | Drop | Type


@dataclass(frozen=True, slots=True)
class Applied:
    """The draft with the operations; it is the same one if they change nothing."""

    draft: Draft


@dataclass(frozen=True, slots=True)
class Overtaken:
    """Nothing was applied: these entries and texts came after what the page saw."""

    draft: Draft
    changed: Mapping[str, Entry]
    texts: Sequence[WholeText] = ()


def first_seq(now: datetime) -> int:
    """Where a new draft begins to count: behind every draft that was here before.

    Nobody types four times a second for as long as a draft lasts, so what a new one has is new to
    a page of one that was applied or discarded. It fits 31 bits until 2043.
    """
    return int((now - _BEGAN).total_seconds() * _A_SECOND)


def apply(draft: Draft, operations: Sequence[Operation], seen_seq: int) -> Applied | Overtaken:
    """The draft after the operations of a page that saw it at ``seen_seq``.

    What a page said itself has not overtaken it, also if it has not seen what came before that.
    """
    overtaken = _overtaken(draft, operations, seen_seq)
    if overtaken.changed or overtaken.texts:
        return overtaken
    after = draft
    for each in operations:
        after = _done(after, each, draft.seq + 1)
    same = _undated(after) == _undated(draft)
    return Applied(draft if same else replace(after, seq=draft.seq + 1))


def settled(operations: Sequence[Operation], overtaken: Overtaken, seq: int) -> Sequence[Operation]:
    """The operations with what overtook them kept beside, for a page that cannot ask again.

    A text gets a mark of its own, and a key that another page changed is not reverted.
    """
    made: list[Operation] = []
    marks = {each.mark for each in overtaken.texts}
    for each in operations:
        if isinstance(each, Set) and each.place in overtaken.changed:
            made.append(Aside(each.place))
        if isinstance(each, Revert) and each.place in overtaken.changed:
            continue
        if isinstance(each, Type) and each.text.mark in marks:
            made.append(Type(replace(each.text, mark=f"{each.text.mark[:8]}{seq:08x}")))
        else:
            made.append(each)
    return made


def places_of(entries: Iterable[Entry]) -> dict[str, Entry]:
    """Entries by what tells them apart: the key, if it is new, and which of that name."""
    return dict(with_places(entries))


def with_places(entries: Iterable[Entry]) -> list[tuple[str, Entry]]:
    """The same for entries of which several may stand for one key."""
    seen: dict[str, int] = {}
    found: list[tuple[str, Entry]] = []
    for each in entries:
        which = 0
        if not each.old:
            which = seen[each.name] = seen.get(each.name, 0) + 1
        found.append((f"{which}:{each.name}", each))
    return found


def name_at(place: str) -> str:
    """The key that a place is of."""
    return place.partition(":")[2]


def without(draft: Draft, names: Iterable[str], marks: Iterable[str]) -> Draft:
    """The draft when its changes of these keys were written; ``marks`` are what they did.

    What came after the version of the draft that was written has been replaced in it before.
    """
    written, done = set(names), set(marks)
    return replace(
        draft,
        entries={place: each for place, each in draft.entries.items() if each.name not in written},
        others=tuple(each for each in draft.others if each.mark not in done),
    )


def _overtaken(draft: Draft, operations: Sequence[Operation], seen_seq: int) -> Overtaken:
    changed: dict[str, Entry] = {}
    texts: list[WholeText] = []
    aside: set[str] = set()
    for each in operations:
        match each:
            case Aside(place):
                aside.add(place)
            case Set(place, entry, mine) if place not in aside:
                there = draft.entries.get(place)
                is_new = there is not None and there.at > max(seen_seq, mine)
                if there is not None and is_new and there.mark != entry.mark:
                    changed[place] = there
            case Revert(place, mine) if place not in aside:
                there = draft.entries.get(place)
                if there is not None and there.at > max(seen_seq, mine):
                    changed[place] = there
            case Type(text, mine):
                seen = max(seen_seq, mine)
                same = [kept for kept in draft.texts if kept.mark == text.mark]
                texts += [kept for kept in same if kept.at > seen and kept.text != text.text]
    return Overtaken(draft, changed, texts)


def _done(draft: Draft, operation: Operation, seq: int) -> Draft:
    match operation:
        case Set(place, entry, mine):
            return _set(draft, place, replace(entry, at=seq), mine)
        case Revert(place, _mine):
            return replace(draft, entries=_but(draft.entries, place))
        case Aside(place):
            return _aside(draft, place)
        case Beside(place, entry, mine):
            return _beside(draft, place, replace(entry, at=seq), mine)
        case Use(mark):
            return _use(draft, mark, seq)
        case Drop(mark):
            return replace(
                draft,
                others=tuple(each for each in draft.others if each.mark != mark),
                texts=tuple(each for each in draft.texts if each.mark != mark),
            )
        case Type(text, _mine):
            return _type(draft, replace(text, at=seq))


def _set(draft: Draft, place: str, entry: Entry, mine: int) -> Draft:
    others = tuple(
        each
        for each in draft.others
        if not _is_of(place, each) or (each.mark != entry.mark and not (mine and each.at == mine))
    )
    return replace(draft, entries={**draft.entries, place: entry}, others=others)


def _aside(draft: Draft, place: str) -> Draft:
    there = draft.entries.get(place)
    if there is None:
        return draft
    known = any(_is_of(place, each) and each.mark == there.mark for each in draft.others)
    others = draft.others if known else (*draft.others, there)
    return replace(draft, entries=_but(draft.entries, place), others=others)


def _beside(draft: Draft, place: str, entry: Entry, mine: int) -> Draft:
    others = tuple(
        each for each in draft.others if not (mine and each.at == mine and _is_of(place, each))
    )
    there = [*draft.entries.values(), *others]
    if not entry.mark or any(each.name == entry.name and each.mark == entry.mark for each in there):
        return draft
    return replace(draft, others=(*others, entry))


def _use(draft: Draft, mark: str, seq: int) -> Draft:
    found = next((each for each in draft.others if each.mark == mark), None)
    if found is None:
        return draft
    [(place, _same)] = with_places([found])
    others = tuple(each for each in draft.others if each is not found)
    aside = _aside(replace(draft, others=others), place)
    return replace(aside, entries={**aside.entries, place: replace(found, at=seq)})


def _type(draft: Draft, text: WholeText) -> Draft:
    there = [each for each in draft.texts if each.mark == text.mark]
    if there and there[0].text == text.text:
        return draft
    return replace(draft, texts=(*(each for each in draft.texts if each not in there), text))


def _undated(draft: Draft) -> Draft:
    return replace(
        draft,
        entries={place: replace(each, at=0) for place, each in draft.entries.items()},
        others=tuple(replace(each, at=0) for each in draft.others),
    )


def _but(entries: Mapping[str, Entry], place: str) -> Mapping[str, Entry]:
    return {each: entry for each, entry in entries.items() if each != place}


def _is_of(place: str, entry: Entry) -> bool:
    return name_at(place) == entry.name
