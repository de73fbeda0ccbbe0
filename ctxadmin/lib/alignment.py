"""Aligns two sequences by longest common subsequences, at bounded cost."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

# Pairs of equal items that are looked at for an exact alignment; 100,000 take about 0.1 s.
MOST_PAIRS: Final = 100_000
_LEVELS: Final = 3  # how often what is left between landmarks is aligned again

Pair = tuple[int, int]


def align(
    before: Sequence[Hashable],
    after: Sequence[Hashable],
    most_pairs: int = MOST_PAIRS,
    levels: int = _LEVELS,
) -> list[Pair]:
    """Returns index pairs of a common subsequence, ascending on both sides.

    It is the longest one, as long as no more than ``most_pairs`` pairs of items are equal beyond
    the common ends. Otherwise the rarest items within that number come first, because rare items
    are also what readers take for landmarks, and then what is left between them, ``levels`` times.
    """
    shortest = min(len(before), len(after))
    start = 0
    while start < shortest and before[start] == after[start]:
        start += 1
    end = 0
    while end < shortest - start and before[-1 - end] == after[-1 - end]:
        end += 1
    places, are_all = _places(before, after, start, end, most_pairs)
    middle = _rising(
        (here, there)
        for there in range(start, len(after) - end)
        for here in places.get(after[there], ())
    )
    if middle and levels and not are_all:
        share = most_pairs // (len(middle) + 1)
        stop = (len(before) - end, len(after) - end)
        middle = list(_filled(before, after, start, middle, stop, share, levels - 1))
    head = [(index, index) for index in range(start)]
    tail = [(len(before) - back, len(after) - back) for back in range(end, 0, -1)]
    return [*head, *middle, *tail]


def _filled(
    before: Sequence[Hashable],
    after: Sequence[Hashable],
    start: int,
    landmarks: Sequence[Pair],
    stop: Pair,
    most_pairs: int,
    levels: int,
) -> Iterator[Pair]:
    """Yields landmarks from ``start`` up to ``stop`` with the pairs between them."""
    here = there = start
    for left, right in (*landmarks, stop):
        for one, other in align(before[here:left], after[there:right], most_pairs, levels):
            yield here + one, there + other
        if (left, right) != stop:
            yield left, right
        here, there = left + 1, right + 1


def longest_increasing(positions: Sequence[int]) -> set[int]:
    """Returns the indices of a longest increasing subsequence: the items that need not move.

    ``positions`` are the former positions, all different, in the new order.
    """
    if all(left < right for left, right in pairwise(positions)):
        return set(range(len(positions)))
    pairs = ((position, index) for index, position in enumerate(positions))
    return {index for _, index in _rising(pairs)}


def _places(
    before: Sequence[Hashable], after: Sequence[Hashable], start: int, end: int, most_pairs: int
) -> tuple[dict[Hashable, list[int]], bool]:
    """Returns the positions in ``before`` of the items worth comparing, last first.

    Beside them whether these are all items that both have.
    """
    places: dict[Hashable, list[int]] = defaultdict(list)
    for index in range(len(before) - end - 1, start - 1, -1):
        places[before[index]].append(index)
    wanted: dict[Hashable, int] = defaultdict(int)
    for index in range(start, len(after) - end):
        if after[index] in places:
            wanted[after[index]] += 1
    pairs = {item: count * len(places[item]) for item, count in wanted.items()}
    if sum(pairs.values()) <= most_pairs:
        return places, True
    chosen = {}
    for item in sorted(pairs, key=pairs.__getitem__):
        most_pairs -= pairs[item]
        if most_pairs < 0:
            break
        chosen[item] = places[item]
    return chosen, False


def _rising(pairs: Iterable[Pair]) -> list[Pair]:
    """Returns a longest chain of pairs that ascends on both sides.

    The pairs come in ascending order of their second side and, for one second side, in descending
    order of their first. (Hunt and Szymanski's method: patience sorting with back links.)
    """
    lowest: list[int] = []  # the lowest first side on which a chain of that length ends
    ends: list[int] = []  # the index in links of that chain's last pair
    links: list[tuple[Pair, int]] = []
    for pair in pairs:
        length = bisect_left(lowest, pair[0])
        links.append((pair, ends[length - 1] if length else -1))
        lowest[length : length + 1] = [pair[0]]
        ends[length : length + 1] = [len(links) - 1]
    chain = []
    place = ends[-1] if ends else -1
    while place >= 0:
        pair, place = links[place]
        chain.append(pair)
    return chain[::-1]
