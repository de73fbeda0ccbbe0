"""The messages that revisions hid and brought, by their numbers in the log."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Final

from django.db.models import Q

from conversations.domain import runs as run_sets
from conversations.domain.runs import Runs
from conversations.domain.view import View
from conversations.models import Revision

_PART: Final = 500  # revisions that are read together

Place = tuple[int, int]
"""A conversation's key and the number of one of its revisions."""


@dataclass(frozen=True, slots=True)
class BatchChange:
    """What a revision hid and brought when it was opened, against the view before it."""

    before: View
    hidden: Runs
    came: Runs


def changes_of(rows: Sequence[Revision]) -> Mapping[Place, BatchChange]:
    """Returns the changes of revisions of any conversations, with a query for each 500.

    Without those whose view or whose parent's is stored as a patch: it would take more reads.
    """
    opened = [row for row in rows if row.parent is not None and row.operation != "append"]
    wanted = {
        (row.conversation, number)
        for row in opened
        for number in (row.number, row.parent)
        if number is not None
    }
    views = dict(_whole_views(sorted(wanted)))
    found: dict[Place, BatchChange] = {}
    for row in opened:
        before = None if row.parent is None else views.get((row.conversation, row.parent))
        after = views.get((row.conversation, row.number))
        if before is not None and after is not None:
            found[row.conversation, row.number] = _change(row, before, after)
    return found


def _change(row: Revision, before: View, after: View) -> BatchChange:
    if row.branched_at is not None:
        before = before.within(((0, row.branched_at),))
    was, now = before.indices_as_runs(), after.indices_as_runs()
    return BatchChange(before, run_sets.difference(was, now), run_sets.difference(now, was))


def _whole_views(places: Sequence[Place]) -> Iterator[tuple[Place, View]]:
    for start in range(0, len(places), _PART):
        numbers: dict[int, list[int]] = defaultdict(list)
        for conversation, number in places[start : start + _PART]:
            numbers[conversation].append(number)
        chosen = [Q(conversation=key, number__in=of_it) for key, of_it in numbers.items()]
        rows = Revision.objects.filter(reduce(or_, chosen), patches=0)
        for conversation, number, opened, grown in rows.values_list(
            "conversation", "number", "opened", "grown"
        ):
            try:
                view = View.decode(bytes(opened)).concat(View.decode(bytes(grown)))
            except ValueError:  # damaged, as reading the batch itself says
                continue
            yield (conversation, number), view
