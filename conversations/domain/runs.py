"""Sets of log indices as ascending runs ``[start, stop)``."""

from collections.abc import Iterable, Iterator

Run = tuple[int, int]
Runs = tuple[Run, ...]


def of_indices(indices: Iterable[int]) -> Runs:
    """The runs of indices that come in ascending order, none twice."""
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
    """The runs of any pieces: sorted, overlaps and neighbours joined, empty ones left out."""
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
    """What both have; costs the number of runs of both."""
    result: list[Run] = []
    i = j = 0
    while i < len(left) and j < len(right):
        start = max(left[i][0], right[j][0])
        stop = min(left[i][1], right[j][1])
        if start < stop:
            result.append((start, stop))
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1
    return tuple(result)


def difference(left: Runs, right: Runs) -> Runs:
    """What ``left`` has and ``right`` has not; costs the number of runs of both."""
    result: list[Run] = []
    j = 0
    for start, stop in left:
        here = start
        while j < len(right) and right[j][1] <= here:
            j += 1
        k = j
        while k < len(right) and right[k][0] < stop:
            if here < right[k][0]:
                result.append((here, right[k][0]))
            here = max(here, right[k][1])
            k += 1
        j = max(j, k - 1)
        if here < stop:
            result.append((here, stop))
    return tuple(result)


def count(runs: Iterable[Run]) -> int:
    """How many indices the runs hold."""
    return sum(stop - start for start, stop in runs)


def indices(runs: Iterable[Run]) -> Iterator[int]:
    """Every index of the runs, in their order."""
    for start, stop in runs:
        yield from range(start, stop)
