"""Reads the messages of runs of the log by few ranges instead of one by one."""

from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import islice
from operator import or_
from typing import Final, TypeVar

from django.db.models import Q, QuerySet

from conversations.domain.runs import Run, Runs
from conversations.models import Message

ItemT = TypeVar("ItemT", int, str)

MANY: Final = 2000  # from so many single look-ups on, one range that holds them all is cheaper
_CHUNK: Final = 500
_RANGES: Final = 40  # in one query: each is a seek, and MariaDB plans by all of them


def chunks(items: Iterable[ItemT]) -> Iterator[list[ItemT]]:
    """Yields the items in lists that fit into one query."""
    remaining = iter(items)
    while part := list(islice(remaining, _CHUNK)):
        yield part


def rows_of(conversation: int, runs: Runs, *, gap: int) -> Iterator[QuerySet[Message]]:
    """Yields queries that find, together and in order, the messages of ascending ``runs``.

    Each finds later messages than the one before. They include messages between the runs: a gap of
    up to ``gap`` messages is read, because it costs less than another range.
    """
    joined = _merge_runs(runs, gap)
    while part := list(islice(joined, _RANGES)):
        ranges = reduce(or_, (Q(index__gte=start, index__lt=stop) for start, stop in part))
        yield Message.objects.filter(ranges, conversation=conversation)


def _merge_runs(runs: Runs, gap: int) -> Iterator[Run]:
    """Merges runs within ``gap`` of each other."""
    held: Run | None = None
    for start, stop in runs:
        if held is not None and start - held[1] <= gap:
            held = (held[0], stop)
            continue
        if held is not None:
            yield held
        held = (start, stop)
    if held is not None:
        yield held
