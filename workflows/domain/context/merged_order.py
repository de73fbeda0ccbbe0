"""Merges several orders that share some of their items into one."""

from collections.abc import Hashable, Sequence
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)


def in_one_order(orders: Sequence[Sequence[Key]], frame: Sequence[Key] = ()) -> list[Key]:
    """Returns all items of ``orders`` once.

    Items of ``frame`` come in its order; others precede the next item that their own order shares
    with the result so far, at the end if there is none. Where two orders contradict each other the
    earlier one wins. O(number of items).
    """
    result = list(frame)
    for order in orders:
        result = _with(result, order)
    present = {key for order in orders for key in order}
    return [key for key in result if key in present]


def _with(result: Sequence[Key], order: Sequence[Key]) -> list[Key]:
    known = frozenset(result)
    if known.issuperset(order):
        return list(result)
    place = {key: position for position, key in enumerate(order)}
    united: list[Key] = []
    done = 0
    for key in result:
        position = place.get(key, -1)
        if position >= done:
            united.extend(new for new in order[done:position] if new not in known)
            done = position + 1
        united.append(key)
    united.extend(new for new in order[done:] if new not in known)
    return united
