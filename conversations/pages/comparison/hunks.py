"""The differences of two views, in place among the surrounding messages."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from conversations.domain.diff import ChangeKind, ViewDifference
from conversations.domain.view import View

Kind = ChangeKind | Literal["same"]
_Position = tuple[int, int, int]  # a position of the view after, 1 for what is behind it, its order

_LONG: Final = 12  # of a row of like changes so many stand there, of a longer one its ends
_END: Final = 4
MOST: Final = 400


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A message that differs, or one next to it; ``change`` is then None."""

    kind: Kind
    index: int
    change: ViewDifference | None = None


@dataclass(frozen=True, slots=True)
class Skip:
    """``count`` messages that are left out: unchanged ones, or more of one kind of change.

    ``lines`` are the changed ones, to unfold.
    """

    kind: Kind
    count: int
    lines: Sequence[DiffLine] = ()


@dataclass(frozen=True, slots=True)
class _Placed:
    place: _Position
    change: ViewDifference


def lines_of(before: View, after: View, changes: Sequence[ViewDifference]) -> list[DiffLine | Skip]:
    """Returns the changes in the order of the later view, each with a message around it.

    A hidden message follows the one that it followed before. Costs what changed.
    """
    placed = sorted(_changes_in_place(before, after, changes), key=lambda each: each.place)
    taken = sorted({each.place[0] for each in placed if not each.place[1]})
    changed_lines = list(_lines_shown(placed))
    beside = _neighbors(changed_lines, frozenset(taken), len(after))
    entries = sorted(
        [*changed_lines, *(((at, 0, 0), DiffLine("same", after.index_at(at))) for at in beside)],
        key=lambda entry: entry[0],
    )
    found: list[DiffLine | Skip] = []
    here = 0  # the first position of which nothing was said yet
    for (at, is_behind, _), entry in entries:
        stop = at + is_behind
        if (same := _untaken(taken, here, stop)) > 0:
            found.append(Skip("same", same))
        found.append(entry)
        here = max(here, stop if is_behind else at + 1)
    if (same := _untaken(taken, here, len(after))) > 0:
        found.append(Skip("same", same))
    return found


def _lines_shown(placed: Sequence[_Placed]) -> Iterator[tuple[_Position, DiffLine | Skip]]:
    """Returns the changes as lines, the ends of each long row, within the limit of a page."""
    left = MOST
    for row in _rows(placed):
        if left <= 0:
            return
        left -= min(len(row), 2 * _END)
        cut = len(row) > _LONG
        for each in row[:_END] if cut else row:
            yield each.place, DiffLine(each.change.kind, each.change.index, each.change)
        if cut:
            middle = [
                DiffLine(each.change.kind, each.change.index, each.change)
                for each in row[_END:-_END]
            ]
            yield row[_END].place, Skip(row[0].change.kind, len(middle), middle)
            for each in row[-_END:]:
                yield each.place, DiffLine(each.change.kind, each.change.index, each.change)


def _rows(placed: Sequence[_Placed]) -> Iterator[list[_Placed]]:
    """Yields consecutive changes of one kind."""
    row: list[_Placed] = []
    for each in placed:
        if row and not _follows(row[-1], each):
            yield row
            row = []
        row.append(each)
    if row:
        yield row


def _follows(one: _Placed, other: _Placed) -> bool:
    if one.change.kind != other.change.kind:
        return False
    if one.place[1]:
        return one.place[0] == other.place[0]
    return other.place[0] == one.place[0] + 1


def _neighbors(
    changed_lines: Sequence[tuple[_Position, DiffLine | Skip]], taken: frozenset[int], length: int
) -> set[int]:
    """Returns the unchanged positions next to the changes."""
    near = {
        at + step
        for (at, is_behind, _), entry in changed_lines
        if isinstance(entry, DiffLine)
        for step in ((0, 1) if is_behind else (-1, 1))
    }
    return {at for at in near if 0 <= at < length and at not in taken}


def _untaken(taken: Sequence[int], start: int, stop: int) -> int:
    """Returns how many positions of ``[start, stop)`` are unchanged."""
    return max(stop - start, 0) - max(bisect_left(taken, stop) - bisect_left(taken, start), 0)


def _changes_in_place(
    before: View, after: View, changes: Sequence[ViewDifference]
) -> Iterator[_Placed]:
    edited = {each.previous_index: each.index for each in changes if each.kind == "edited"}
    for each in changes:
        if each.kind != "hidden" and each.position is not None:
            yield _Placed((each.position, 0, 0), each)
    hidden = [
        (each.previous_position, each)
        for each in changes
        if each.kind == "hidden" and each.previous_position is not None
    ]
    last, behind = -2, -1
    for was, each in sorted(hidden, key=lambda pair: pair[0]):
        if was != last + 1:
            behind = _position_after(before, after, edited, was)
        last = was
        yield _Placed((behind, 1, was), each)


def _position_after(before: View, after: View, edited: Mapping[int | None, int], was: int) -> int:
    """Returns the position in ``after`` that corresponds to a position of ``before``."""
    if was == 0:
        return -1
    index = before.index_at(was - 1)
    place = after.position_of(edited.get(index, index))
    return -1 if place is None else place
