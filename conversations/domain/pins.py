"""Pinned messages: what operations and filters keep of them. Source: semantics 4.2."""

from collections.abc import Iterable

from conversations.domain import runs as run_sets
from conversations.domain.log import Log
from conversations.domain.view import View


def keep_pinned(after: View, before: View, log: Log) -> tuple[View, tuple[int, ...]]:
    """Returns ``after`` with the pinned messages of ``before``, and those of them it lacked.

    A pinned call stays with its results and a pinned result with its call and the other results, as
    far as ``before`` shows them. They keep their places; messages that only ``after`` shows follow
    them.
    """
    lacking = [index for index in log.pins() if index in before and index not in after]
    if not lacking:
        return after, ()
    groups = _in_view(lacking, before, log)
    shown = run_sets.union((*after.indices_as_runs(), *run_sets.of_indices(groups)))
    new = after.without(before.indices_as_runs())
    return before.within(shown).concat(new), tuple(lacking)


def kept_by_pins(view: View, log: Log) -> list[int]:
    """Returns what every operation keeps of a view, ascending: its pinned messages with their
    pairs.
    """
    return _in_view([index for index in log.pins() if index in view], view, log)


def with_calls(pins: Iterable[int], log: Log) -> frozenset[int]:
    """Returns the pins with the calls that the pinned results among them answer."""
    wanted = sorted(pins)
    if not wanted:
        return frozenset()
    weights = log.weights(run_sets.of_indices(wanted))
    calls = {weight.call for weight in weights if weight.call is not None}
    return frozenset({*wanted, *calls})


def pins_before(cut: int, pins: Iterable[int], view: View) -> tuple[int, ...]:
    """Returns the pins before a position of a view."""
    places = {index: view.position_of(index) for index in pins}
    return tuple(index for index, place in places.items() if place is not None and place < cut)


def _in_view(pins: Iterable[int], view: View, log: Log) -> list[int]:
    """Returns the pins with the visible messages of their tool groups, ascending."""
    found = set(with_calls(pins, log))
    if not found:
        return []
    for group in log.tool_groups([index + 1 for index in sorted(found)]):
        if group.call in found:
            found.update((*group.results, *group.surplus))
    return sorted(index for index in found if index in view)
