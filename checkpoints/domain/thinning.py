"""Finds the stored rows of a key that no remaining version reads after thinning."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

Span = tuple[int, int]
_NOBODY: Final = -1


@dataclass(frozen=True, slots=True)
class KeyRow:
    """A row of a key: the version that wrote it, and the spans of rows that form the value.

    Every version from ``version`` until the next row has this value.
    """

    version: int
    spans: tuple[Span, ...]


def rows_to_drop(
    rows: Sequence[KeyRow], kept: Sequence[int], thinned: Sequence[int]
) -> list[tuple[int, int]]:
    """Returns the rows of one key that nothing reads without ``thinned``, as ``(version,
    after)``.

    A row can be deleted as soon as all of ``thinned`` up to ``after`` are. All sequences ascend;
    ``kept`` and ``thinned`` are the versions that still have their state.
    """
    places = [row.version for row in rows]
    ever = max((*kept[-1:], *thinned[-1:]), default=0) + 1
    wanted: list[tuple[int, Span]] = []  # the last version that reads, what it reads
    for place, row in enumerate(rows):
        stop = places[place + 1] if place + 1 < len(rows) else None
        needed = _last_in(kept, row.version, stop) is not None
        last = ever if needed else _last_in(thinned, row.version, stop)
        if last is not None:
            wanted += [(last, span) for span in ((row.version, row.version), *row.spans)]
    read_by = _read_by(places, wanted)
    return [pair for pair in zip(places, read_by, strict=True) if pair[1] < ever]


def _last_in(versions: Sequence[int], start: int, stop: int | None) -> int | None:
    """Returns the last of ``versions`` in ``[start, stop)``."""
    end = len(versions) if stop is None else bisect_left(versions, stop)
    return versions[end - 1] if end and versions[end - 1] >= start else None


def _read_by(places: Sequence[int], wanted: Sequence[tuple[int, Span]]) -> list[int]:
    """Returns for each row the last version that reads it; visits each row once.

    Rows are visited from the latest reader backward. ``following`` skips visited rows: a list that
    grew by 10,000 chunks is in 10,000 spans, each one chunk longer than the one before.
    """
    readers = [_NOBODY] * len(places)
    following = [*range(len(places) + 1)]

    def next_unassigned(place: int) -> int:
        while following[place] != place:
            following[place] = following[following[place]]
            place = following[place]
        return place

    for last, (start, end) in sorted(wanted, reverse=True):
        place, stop = next_unassigned(bisect_left(places, start)), bisect_right(places, end)
        while place < stop:
            readers[place] = last
            following[place] = place + 1
            place = next_unassigned(place + 1)
    return readers
