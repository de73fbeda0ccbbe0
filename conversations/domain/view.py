"""The view: which log indices are visible, in which order, stored as runs."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate, chain
from operator import itemgetter
from typing import Final

from conversations.domain import runs as run_sets
from conversations.domain.runs import Run, Runs
from conversations.domain.varint import read_varints, write_varints
from ctxadmin.lib.sentence import say

_MAX_INDEX: Final = 2**63 - 1
_START = itemgetter(0)
_STOP = itemgetter(1)


class View:
    """An immutable ordered list of distinct log indices, stored as runs ``[start, stop)``.

    Every method costs the number of runs, never the number of messages. Positions count in the view
    from 0. Views are equal if they show the same indices in the same order. Source: semantics 1.2.
    """

    __slots__ = ("_ascending", "_ends", "_places", "runs")

    runs: Runs  # in view order, neighbours joined, none empty
    _ascending: Runs | None  # the same indices as a set
    _ends: tuple[int, ...] | None  # how many positions the runs up to each one hold
    _places: tuple[list[int], list[int], list[int]] | None  # starts, stops, positions by start

    def __init__(self, runs: Iterable[Run] = ()) -> None:
        """Builds a view of runs in view order; the caller guarantees that no index occurs twice."""
        joined: list[Run] = []
        for start, stop in runs:
            if start >= stop:
                continue
            if joined and joined[-1][1] == start:
                joined[-1] = (joined[-1][0], stop)
            else:
                joined.append((start, stop))
        self._set(tuple(joined))

    def _set(self, runs: Runs) -> None:
        self.runs = runs
        self._ascending = None
        self._ends = None
        self._places = None

    @classmethod
    def _of_merged_runs(cls, runs: Runs) -> "View":
        """Builds a view of runs that are known to be merged and not empty."""
        view = cls.__new__(cls)
        view._set(runs)
        return view

    @classmethod
    def from_runs(cls, runs: Iterable[Run], log_length: int) -> "View":
        """Builds a view of external runs.

        Raises ValueError for indices outside the log or repeated.
        """
        pieces = list(runs)
        if any(not 0 <= start < stop for start, stop in pieces):
            raise ValueError(say("a run is [start, stop) with 0 <= start < stop"))
        previous = 0
        for start, stop in sorted(pieces):
            if start < previous:
                raise ValueError(say("index {index} occurs twice", index=start))
            previous = stop
        if previous > log_length:
            message = say(
                "index {index} is not in the log of {count} messages",
                index=previous - 1,
                count=log_length,
            )
            raise ValueError(message)
        return cls(pieces)

    @classmethod
    def of_indices(cls, indices: Iterable[int]) -> "View":
        """Builds a view of single indices in view order."""
        return cls._of_merged_runs(run_sets.of_indices(indices))

    @classmethod
    def decode(cls, data: bytes) -> "View":
        """Returns the view that ``encode`` wrote; raises ValueError for other bytes."""
        numbers = read_varints(data)
        if len(numbers) % 2:
            raise ValueError("an encoded view holds pairs of numbers")
        steps = [(step >> 1) ^ -(step & 1) for step in numbers[::2]]
        lengths = numbers[1::2]
        ends = list(accumulate(chain.from_iterable(zip(steps, lengths, strict=True))))
        if ends and (0 in lengths or min(ends) < 0 or max(ends) > _MAX_INDEX):
            raise ValueError("an encoded view holds runs of log indices")
        runs = tuple(zip(ends[::2], ends[1::2], strict=True))
        return cls(runs) if 0 in steps[1:] else cls._of_merged_runs(runs)

    def encode(self) -> bytes:
        """Returns compact bytes: per run the step from the run before (zigzag varint), and its
        length.
        """
        numbers: list[int] = []
        here = 0
        for start, stop in self.runs:
            step = start - here
            numbers += (step << 1 if step >= 0 else (-step << 1) - 1, stop - start)
            here = stop
        return write_varints(numbers)

    def __len__(self) -> int:
        ends = self._end_positions()
        return ends[-1] if ends else 0

    def __iter__(self) -> Iterator[int]:
        return run_sets.indices(self.runs)

    def __contains__(self, index: object) -> bool:
        return isinstance(index, int) and self.position_of(index) is not None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, View) and self.runs == other.runs

    def __hash__(self) -> int:
        return hash(self.runs)

    def __repr__(self) -> str:
        return f"View({list(self.runs)!r})"

    def _end_positions(self) -> tuple[int, ...]:
        if self._ends is None:
            self._ends = tuple(accumulate(stop - start for start, stop in self.runs))
        return self._ends

    def _by_index(self) -> tuple[list[int], list[int], list[int]]:
        if self._places is None:
            ends = self._end_positions()
            places = [
                (start, stop, end - (stop - start))
                for (start, stop), end in zip(self.runs, ends, strict=True)
            ]
            places.sort()
            # Three lists, because bisect without a key is five times as fast as with one.
            self._places = (
                [start for start, _, _ in places],
                [stop for _, stop, _ in places],
                [position for _, _, position in places],
            )
        return self._places

    def index_at(self, position: int) -> int:
        """Returns the log index at a position; raises IndexError outside of 0..n-1."""
        if not 0 <= position < len(self):
            raise IndexError(f"position {position} is not in a view of {len(self)}")
        ends = self._end_positions()
        place = bisect_right(ends, position)
        return self.runs[place][1] - (ends[place] - position)

    def position_of(self, index: int) -> int | None:
        """Returns the position of a log index, None if it is hidden."""
        starts, stops, positions = self._by_index()
        found = bisect_right(starts, index) - 1
        if found < 0 or index >= stops[found]:
            return None
        return positions[found] + index - starts[found]

    def places_of(self, start: int, stop: int) -> Iterator[tuple[int, int, int | None]]:
        """Yields the log indices ``[start, stop)`` as runs that are contiguous in the view, or
        hidden.

        Each comes with the position of its first index, None if it is hidden.
        """
        starts, stops, positions = self._by_index()
        while start < stop:
            place = bisect_right(starts, start) - 1
            if place >= 0 and start < stops[place]:
                end = min(stop, stops[place])
                yield start, end, positions[place] + start - starts[place]
            else:
                end = min([stop, *starts[place + 1 : place + 2]])
                yield start, end, None
            start = end

    def slice(self, start: int, stop: int) -> "View":
        """Returns the positions ``[start, stop)``, clamped to 0..n."""
        ends = self._end_positions()
        count = ends[-1] if ends else 0
        start, stop = max(start, 0), min(stop, count)
        if start >= stop:
            return View()
        if stop - start == count:
            return self
        first = bisect_right(ends, start)
        last = bisect_right(ends, stop - 1)
        head = self.runs[first][1] - (ends[first] - start)
        tail = self.runs[last][1] - (ends[last] - stop)
        if first == last:
            return View._of_merged_runs(((head, tail),))
        middle = self.runs[first + 1 : last]
        return View._of_merged_runs(
            ((head, self.runs[first][1]), *middle, (self.runs[last][0], tail)),
        )

    def concat(self, other: "View") -> "View":
        """Returns this view followed by the other, which shows none of the same indices."""
        if not self.runs:
            return other
        if not other.runs:
            return self
        last, first = self.runs[-1], other.runs[0]
        if last[1] != first[0]:
            return View._of_merged_runs(self.runs + other.runs)
        return View._of_merged_runs((*self.runs[:-1], (last[0], first[1]), *other.runs[1:]))

    def insert(self, position: int, other: "View") -> "View":
        """Returns the view with ``other`` inserted before ``position`` (0..n, n = end)."""
        if not 0 <= position <= len(self):
            raise IndexError(f"position {position} is not in a view of {len(self)}")
        return self.slice(0, position).concat(other).concat(self.slice(position, len(self)))

    def replace(self, position: int, index: int) -> "View":
        """Returns the view with ``index`` at ``position`` instead of the present one."""
        self.index_at(position)
        head, tail = self.slice(0, position), self.slice(position + 1, len(self))
        return head.concat(View._of_merged_runs(((index, index + 1),))).concat(tail)

    def appended(self, start: int, stop: int) -> "View":
        """Returns the view with the log indices ``[start, stop)`` at the end."""
        return self.concat(View(((start, stop),)))

    def within(self, shown: Runs) -> "View":
        """Returns only what is in ``shown`` (ascending runs), in the order of this view."""
        pieces: list[Run] = []
        for start, stop in self.runs:
            first = bisect_right(shown, start, key=_STOP)
            last = bisect_right(shown, stop - 1, key=_START)
            if first >= last:
                continue
            place = len(pieces)
            pieces.extend(shown[first:last])
            pieces[place] = (max(start, pieces[place][0]), pieces[place][1])
            pieces[-1] = (pieces[-1][0], min(stop, pieces[-1][1]))
            if place and pieces[place - 1][1] == pieces[place][0]:
                pieces[place - 1 : place + 1] = [(pieces[place - 1][0], pieces[place][1])]
        return View._of_merged_runs(tuple(pieces))

    def without(self, hidden: Runs) -> "View":
        """Returns all except what is in ``hidden`` (ascending runs), in the order of this view."""
        if not hidden:
            return self
        return self.within(run_sets.difference(self.indices_as_runs(), hidden))

    def indices_as_runs(self) -> Runs:
        """Returns the set of visible indices as ascending runs."""
        if self._ascending is None:
            self._ascending = self.runs if self._rises() else run_sets.union(self.runs)
        return self._ascending

    def cuts(self) -> list[int]:
        """Returns the log indices at which a run starts or stops, ascending."""
        rises = self.indices_as_runs() is self.runs
        cuts = chain.from_iterable(self.runs)
        return list(cuts) if rises else sorted(set(cuts))

    def _rises(self) -> bool:
        """Returns True if the view is in log order; its runs are then those of its set."""
        if len(self.runs) < 2:
            return True
        starts = [start for start, _ in self.runs]  # no two are equal
        return starts == sorted(starts)

    def common_prefix_length(self, other: "View") -> int:
        """Returns at how many positions from the front both show the same index."""
        length = 0
        for mine, theirs in zip(self.runs, other.runs, strict=False):
            if mine == theirs:
                length += mine[1] - mine[0]
                continue
            if mine[0] == theirs[0]:
                length += min(mine[1], theirs[1]) - mine[0]
            break
        return length
