"""A draft of a paused state as data, and the operations on it: pure functions.

A draft has one entry for each key that its author changed. ``seq`` rises with every change of the
draft, and each entry has the ``seq`` of its own change, so that the server knows what a page that
saw the draft at some ``seq`` has not seen. If two pages of the author change one key, both inputs
are stored: one is the entry, the other an alternative until the author uses or discards it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Final

Marks = Mapping[str, str]  # of entries, by place
_BEGAN: Final = datetime(2026, 1, 1, tzinfo=UTC)
_A_SECOND: Final = 4


@dataclass(frozen=True, slots=True)
class DraftEntry:
    """The input for one key, as its field has it; ``old`` marks a key of the state.

    ``mark`` identifies the change: two entries with one mark change the state in the same way. It
    is "" if nothing is changed. ``at`` is the ``seq`` of the draft at the change.
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
    """A whole state as text that is not valid JSON yet; ``given`` are the marks its page knew."""

    text: str
    given: Marks = field(default_factory=dict)
    mark: str = ""
    at: int = 0


@dataclass(frozen=True, slots=True)
class StateDraft:
    """The changes of the state at ``version``, by place; ``seq`` 0 means that nothing is stored.

    ``others`` are the alternatives to entries, ``texts`` whole states that cannot be parsed yet.
    """

    version: int
    seq: int = 0
    entries: Mapping[str, DraftEntry] = field(default_factory=dict)
    others: tuple[DraftEntry, ...] = ()
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
    """Puts ``entry`` at its place.

    ``mine`` is the ``seq`` at which its page last changed that place.
    """

    place: str
    entry: DraftEntry
    mine: int = 0


@dataclass(frozen=True, slots=True)
class Revert:
    """Resets the key to its value in the state; ``mine`` as in Set."""

    place: str
    mine: int = 0


@dataclass(frozen=True, slots=True)
class Aside:
    """Moves the entry of a place to the alternatives."""

    place: str


@dataclass(frozen=True, slots=True)
class Beside:
    """Stores ``entry`` as an alternative at its place; ``mine`` as in Set."""

    place: str
    entry: DraftEntry
    mine: int = 0


@dataclass(frozen=True, slots=True)
class Use:
    """Swaps an entry with the alternative stored under ``mark``."""

    mark: str


@dataclass(frozen=True, slots=True)
class Drop:
    """Discards the alternative or the text stored under ``mark``."""

    mark: str


@dataclass(frozen=True, slots=True)
class Type:
    """Stores an unparsable whole state as the text of that mark; ``mine`` as in Set."""

    text: WholeText
    mine: int = 0


Operation = Set | Revert | Aside | Beside | Use | Drop | Type


@dataclass(frozen=True, slots=True)
class AppliedDraft:
    """The draft after the operations; the same object if they change nothing."""

    draft: StateDraft


@dataclass(frozen=True, slots=True)
class Overtaken:
    """Nothing was applied: these entries and texts are later than what the page saw."""

    draft: StateDraft
    changed: Mapping[str, DraftEntry]
    texts: Sequence[WholeText] = ()


def first_seq(now: datetime) -> int:
    """Returns the first ``seq`` of a new draft, above those of all earlier drafts.

    Nobody types four times a second for as long as a draft lasts, so a page of an earlier draft has
    seen nothing of a new one. It fits into 31 bits until 2043.
    """
    return int((now - _BEGAN).total_seconds() * _A_SECOND)


def apply(
    draft: StateDraft, operations: Sequence[Operation], seen_seq: int
) -> AppliedDraft | Overtaken:
    """Applies the operations of a page that saw the draft at ``seen_seq``.

    A page's own changes never overtake it, even if it has not seen an earlier one.
    """
    overtaken = _overtaken(draft, operations, seen_seq)
    if overtaken.changed or overtaken.texts:
        return overtaken
    after = draft
    for each in operations:
        after = _apply_one(after, each, draft.seq + 1)
    same = _undated(after) == _undated(draft)
    return AppliedDraft(draft if same else replace(after, seq=draft.seq + 1))


def resolve_operations(
    operations: Sequence[Operation], overtaken: Overtaken, seq: int
) -> Sequence[Operation]:
    """Resolves operations of a page that cannot ask again: overtaking changes stay as
    alternatives.

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


def places_of(entries: Iterable[DraftEntry]) -> dict[str, DraftEntry]:
    """Returns entries by place: the key, whether it is new, and which of that name."""
    return dict(with_places(entries))


def with_places(entries: Iterable[DraftEntry]) -> list[tuple[str, DraftEntry]]:
    """Returns entries by place when several can exist for one key."""
    seen: dict[str, int] = {}
    found: list[tuple[str, DraftEntry]] = []
    for each in entries:
        which = 0
        if not each.old:
            which = seen[each.name] = seen.get(each.name, 0) + 1
        found.append((f"{which}:{each.name}", each))
    return found


def name_at(place: str) -> str:
    """Returns the key of a place."""
    return place.partition(":")[2]


def remove_applied(draft: StateDraft, names: Iterable[str], marks: Iterable[str]) -> StateDraft:
    """Returns the draft after its changes of these keys were applied; ``marks`` identify them.

    Later input has replaced the applied version in the draft before.
    """
    written, done = set(names), set(marks)
    return replace(
        draft,
        entries={place: each for place, each in draft.entries.items() if each.name not in written},
        others=tuple(each for each in draft.others if each.mark not in done),
    )


def _overtaken(draft: StateDraft, operations: Sequence[Operation], seen_seq: int) -> Overtaken:
    changed: dict[str, DraftEntry] = {}
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


def _apply_one(draft: StateDraft, operation: Operation, seq: int) -> StateDraft:
    match operation:
        case Set(place, entry, mine):
            return _set(draft, place, replace(entry, at=seq), mine)
        case Revert(place, _mine):
            return replace(draft, entries=_but(draft.entries, place))
        case Aside(place):
            return _move_aside(draft, place)
        case Beside(place, entry, mine):
            return _add_alternative(draft, place, replace(entry, at=seq), mine)
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


def _set(draft: StateDraft, place: str, entry: DraftEntry, mine: int) -> StateDraft:
    others = tuple(
        each
        for each in draft.others
        if not _is_of(place, each) or (each.mark != entry.mark and not (mine and each.at == mine))
    )
    return replace(draft, entries={**draft.entries, place: entry}, others=others)


def _move_aside(draft: StateDraft, place: str) -> StateDraft:
    there = draft.entries.get(place)
    if there is None:
        return draft
    known = any(_is_of(place, each) and each.mark == there.mark for each in draft.others)
    others = draft.others if known else (*draft.others, there)
    return replace(draft, entries=_but(draft.entries, place), others=others)


def _add_alternative(draft: StateDraft, place: str, entry: DraftEntry, mine: int) -> StateDraft:
    others = tuple(
        each for each in draft.others if not (mine and each.at == mine and _is_of(place, each))
    )
    there = [*draft.entries.values(), *others]
    if not entry.mark or any(each.name == entry.name and each.mark == entry.mark for each in there):
        return draft
    return replace(draft, others=(*others, entry))


def _use(draft: StateDraft, mark: str, seq: int) -> StateDraft:
    found = next((each for each in draft.others if each.mark == mark), None)
    if found is None:
        return draft
    [(place, _same)] = with_places([found])
    others = tuple(each for each in draft.others if each is not found)
    aside = _move_aside(replace(draft, others=others), place)
    return replace(aside, entries={**aside.entries, place: replace(found, at=seq)})


def _type(draft: StateDraft, text: WholeText) -> StateDraft:
    there = [each for each in draft.texts if each.mark == text.mark]
    if there and there[0].text == text.text:
        return draft
    return replace(draft, texts=(*(each for each in draft.texts if each not in there), text))


def _undated(draft: StateDraft) -> StateDraft:
    return replace(
        draft,
        entries={place: replace(each, at=0) for place, each in draft.entries.items()},
        others=tuple(replace(each, at=0) for each in draft.others),
    )


def _but(entries: Mapping[str, DraftEntry], place: str) -> Mapping[str, DraftEntry]:
    return {each: entry for each, entry in entries.items() if each != place}


def _is_of(place: str, entry: DraftEntry) -> bool:
    return name_at(place) == entry.name
