"""Sets of log indices as ascending runs ``[start, stop)``."""

from collections.abc import Iterable, Iterator
from typing import Final

Run = tuple[int, int]
Runs = tuple[Run, ...]

_END: Final = (2**63, 2**63)  # behind every log index


def of_indices(indices: Iterable[int]) -> Runs:
    """Returns the runs of distinct, ascending indices."""
    result: list[Run] = []
    start = stop = -1
    for index in indices:
        if index == stop:
            stop += 1
            continue
        if stop > start:
            result.append((start, stop))
        start, stop = index, index + 1
    if stop > start:
        result.append((start, stop))
    return tuple(result)


def union(pieces: Iterable[Run]) -> Runs:
    """Returns the runs of any pieces: sorted, merged where they touch, without empty ones."""
    result: list[Run] = []
    for start, stop in sorted(pieces):
        if start >= stop:
            continue
        if result and start <= result[-1][1]:
            if stop > result[-1][1]:
                result[-1] = (result[-1][0], stop)
        else:
            result.append((start, stop))
    return tuple(result)


def intersection(left: Runs, right: Runs) -> Runs:
    """Returns what both have; costs the number of runs of both."""
    result: list[Run] = []
    theirs = iter(right)
    start, stop = next(theirs, _END)
    for run in left:
        here, end = run
        while stop <= here:
            start, stop = next(theirs, _END)
        while stop < end:
            result.append((start, stop) if start > here else (here, stop))
            start, stop = next(theirs, _END)
        if start < end:
            result.append((start, end) if start > here else run)
    return tuple(result)


def difference(left: Runs, right: Runs) -> Runs:
    """Returns what ``left`` has and ``right`` has not; costs the number of runs of both."""
    result: list[Run] = []
    theirs = iter(right)
    start, stop = next(theirs, _END)
    for run in left:
        here, end = run
        while stop <= here:
            start, stop = next(theirs, _END)
        while start < end:
            if here < start:
                result.append((here, start))
            here = stop
            if stop > end:
                break
            start, stop = next(theirs, _END)
        if here < end:
            result.append((here, end))
    return tuple(result)


def count(runs: Iterable[Run]) -> int:
    """Returns the number of indices in the runs."""
    return sum(stop - start for start, stop in runs)


def indices(runs: Iterable[Run]) -> Iterator[int]:
    """Yields every index of the runs, in order."""
    for start, stop in runs:
        yield from range(start, stop)
