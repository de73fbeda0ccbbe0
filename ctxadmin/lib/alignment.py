"""Aligns two sequences by longest common subsequences, at bounded cost."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise
from typing import Final

# Pairs of equal items that are looked at for an exact alignment; 100,000 take about 0.1 s.
MOST_PAIRS: Final = 100_000

Pair = tuple[int, int]


def align(
    before: Sequence[Hashable], after: Sequence[Hashable], most_pairs: int = MOST_PAIRS
) -> list[Pair]:
    """Returns index pairs of a common subsequence, ascending on both sides.

    It is the longest one, as long as no more than ``most_pairs`` pairs of items are equal beyond
    the common ends. Otherwise it uses only the rarest items within that number: rare items are also
    what readers take for landmarks.
    """
    shortest = min(len(before), len(after))
    start = 0
    while start < shortest and before[start] == after[start]:
        start += 1
    end = 0
    while end < shortest - start and before[-1 - end] == after[-1 - end]:
        end += 1
    places = _places(before, after, start, end, most_pairs)
    middle = (
        (here, there)
        for there in range(start, len(after) - end)
        for here in places.get(after[there], ())
    )
    head = [(index, index) for index in range(start)]
    tail = [(len(before) - back, len(after) - back) for back in range(end, 0, -1)]
    return [*head, *_rising(middle), *tail]


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
) -> dict[Hashable, list[int]]:
    """Returns the positions in ``before`` of the items worth comparing, last first."""
    places: dict[Hashable, list[int]] = defaultdict(list)
    for index in range(len(before) - end - 1, start - 1, -1):
        places[before[index]].append(index)
    wanted: dict[Hashable, int] = defaultdict(int)
    for index in range(start, len(after) - end):
        if after[index] in places:
            wanted[after[index]] += 1
    pairs = {item: count * len(places[item]) for item, count in wanted.items()}
    if sum(pairs.values()) <= most_pairs:
        return places
    chosen = {}
    for item in sorted(pairs, key=pairs.__getitem__):
        most_pairs -= pairs[item]
        if most_pairs < 0:
            break
        chosen[item] = places[item]
    return chosen


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
