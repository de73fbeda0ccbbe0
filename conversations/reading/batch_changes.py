"""The messages that revisions hid and brought, by their numbers in the log."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from conversations.domain import runs as run_sets
from conversations.domain.runs import Runs
from conversations.domain.view import View
from conversations.models import Revision

_PART: Final = 500  # revisions that are read together


@dataclass(frozen=True, slots=True)
class BatchChange:
    """What a revision hid and brought when it was opened, against the view before it."""

    before: View
    hidden: Runs
    came: Runs


def changes_of(conversation: int, rows: Sequence[Revision]) -> Mapping[int, BatchChange]:
    """Returns the changes of revisions, by their numbers, with a query for each 500.

    Without those whose view or whose parent's is stored as a patch: it would take more reads.
    """
    pairs = {
        row.number: row for row in rows if row.parent is not None and row.operation != "append"
    }
    wanted = {number for row in pairs.values() for number in (row.number, row.parent)}
    views = _whole_views(conversation, sorted(number for number in wanted if number is not None))
    found: dict[int, BatchChange] = {}
    for number, row in pairs.items():
        before = views.get(row.parent) if row.parent is not None else None
        after = views.get(number)
        if before is None or after is None:
            continue
        if row.branched_at is not None:
            before = before.within(((0, row.branched_at),))
        was, now = before.indices_as_runs(), after.indices_as_runs()
        hidden, came = run_sets.difference(was, now), run_sets.difference(now, was)
        found[number] = BatchChange(before, hidden, came)
    return found


def _whole_views(conversation: int, numbers: Sequence[int]) -> dict[int, View]:
    found: dict[int, View] = {}
    for start in range(0, len(numbers), _PART):
        part = numbers[start : start + _PART]
        rows = Revision.objects.filter(conversation=conversation, number__in=part, patches=0)
        stored = rows.values_list("number", "opened", "grown")
        found.update(_decoded((number, bytes(a), bytes(b)) for number, a, b in stored))
    return found


def _decoded(rows: Iterable[tuple[int, bytes, bytes]]) -> Iterable[tuple[int, View]]:
    for number, opened, grown in rows:
        try:
            view = View.decode(opened)
            yield number, view.concat(View.decode(grown)) if grown else view
        except ValueError:  # damaged, as reading the batch itself says
            continue
