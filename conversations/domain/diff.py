"""The structural difference of two views of one log."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import orjson

from conversations.domain import runs as run_sets
from conversations.domain.revisions import Revision, lineage
from conversations.domain.view import View

ChangeKind = Literal["added", "shown", "hidden", "moved", "edited"]


@dataclass(frozen=True, slots=True)
class ViewDifference:
    """One difference: ``index`` is a log index, positions count in the two views.

    ``edited``: ``index`` replaced ``previous_index``. ``position`` is None for hidden,
    ``previous_position`` for added and shown.
    """

    kind: ChangeKind
    index: int
    previous_index: int | None = None
    position: int | None = None
    previous_position: int | None = None

    def as_json(self) -> dict[str, object]:
        """Returns the change without the fields that its kind does not have."""
        found: dict[str, object] = {
            "kind": self.kind,
            "index": self.index,
            "previous_index": self.previous_index,
            "position": self.position,
            "previous_position": self.previous_position,
        }
        return {name: value for name, value in found.items() if value is not None}


def diff_views(
    before: View, after: View, *, known: int, edits: Mapping[int, int]
) -> tuple[ViewDifference, ...]:
    """Returns the changes from ``before`` to ``after``: hidden ones first, the others in view
    order.

    ``known``: the log length that ``before`` knew; ``edits``: log index before -> after of messages
    that were replaced between the two. A message that was edited and moved has two changes. Costs
    the runs, the changes, and n log n of what follows the first moved message. Source: rest.md,
    ``diff``.
    """
    pairs = _visible_edits(edits, before, after)
    middle = before
    for old, new in pairs.items():
        place = before.position_of(old)
        if place is not None:
            middle = middle.replace(place, new)
    was, now = middle.indices_as_runs(), after.indices_as_runs()
    changes = [
        ViewDifference("edited", new, old, after.position_of(new), before.position_of(old))
        for old, new in pairs.items()
    ]
    for index in run_sets.indices(run_sets.difference(now, was)):
        kind: ChangeKind = "added" if index >= known else "shown"
        changes.append(ViewDifference(kind, index, position=after.position_of(index)))
    for index in _moved(middle.within(now), after.within(was)):
        previous = middle.position_of(index)
        changes.append(
            ViewDifference(
                "moved", index, position=after.position_of(index), previous_position=previous
            )
        )
    hidden = [
        ViewDifference("hidden", index, previous_position=middle.position_of(index))
        for index in middle.without(now)
    ]
    return (*hidden, *sorted(changes, key=lambda change: change.position or 0))


def _visible_edits(edits: Mapping[int, int], before: View, after: View) -> dict[int, int]:
    """Returns the edits of which one side shows only the old message and the other only the new
    one.
    """
    return {
        old: new
        for old, new in edits.items()
        if old in before and new in after and old not in after and new not in before
    }


def moved_between(before: View, after: View) -> frozenset[int]:
    """The log indices of the messages of both views that stand in another order in ``after``."""
    left = before.within(after.indices_as_runs())
    return frozenset(_moved(left, after.within(before.indices_as_runs())))


def _moved(left: View, right: View) -> Iterator[int]:
    """Returns what is outside of a longest common subsequence of two orders of the same indices."""
    if left == right:
        return
    same = left.common_prefix_length(right)
    order = list(right.slice(same, len(right)))
    places = {index: place for place, index in enumerate(left.slice(same, len(left)))}
    staying = set(_longest_rising([places[index] for index in order]))
    yield from (index for place, index in enumerate(order) if place not in staying)


def _longest_rising(numbers: Sequence[int]) -> Iterator[int]:
    """Returns the places of a longest increasing subsequence of distinct numbers, from its end."""
    tails: list[int] = []  # the smallest number in which a rising sequence of each length ends
    holders: list[int] = []  # the places of these
    before: list[int] = []
    for place, number in enumerate(numbers):
        length = bisect_left(tails, number)
        tails[length : length + 1] = [number]
        holders[length : length + 1] = [place]
        before.append(holders[length - 1] if length else -1)
    here = holders[-1] if holders else -1
    while here >= 0:
        yield here
        here = before[here]


def diff_revisions(
    before: Revision, after: Revision, revisions: Mapping[int, Revision]
) -> tuple[ViewDifference, ...]:
    """Returns ``diff_views`` of two revisions of one tree, with edits from the path between
    them.
    """
    edits = edits_between(before, after, revisions)
    return diff_views(before.view, after.view, known=before.log_length, edits=edits)


def edits_between(
    before: Revision, after: Revision, revisions: Mapping[int, Revision]
) -> dict[int, int]:
    """Returns log index before -> after for each replace (done or undone) on the path between
    them.
    """
    ancestors = {revision.id for revision in lineage(before.id, revisions)}
    down: list[Revision] = []
    shared = after.id
    for revision in lineage(after.id, revisions):
        shared = revision.id
        if shared in ancestors:
            break
        down.append(revision)
    steps: list[tuple[int, int]] = []
    for revision in lineage(before.id, revisions):
        if revision.id == shared:
            break
        steps.extend((new, old) for old, new in _replacement(revision, revisions))
    for revision in reversed(down):
        steps.extend(_replacement(revision, revisions))
    return _composed(steps)


def _composed(steps: Iterable[tuple[int, int]]) -> dict[int, int]:
    first: dict[int, int] = {}  # what stands there now -> what stood there at first
    for old, new in steps:
        first[new] = first.pop(old, old)
    return {origin: index for index, origin in first.items() if origin != index}


def _replacement(
    revision: Revision, revisions: Mapping[int, Revision]
) -> Iterator[tuple[int, int]]:
    """Returns ``(old, new)`` log indices if the revision is a replace."""
    if revision.operation != "replace" or revision.parent is None or revision.config is None:
        return
    block = orjson.loads(revision.config)["replace"]
    yield revisions[revision.parent].view.index_at(block["index"]), block["message"]["index"]
