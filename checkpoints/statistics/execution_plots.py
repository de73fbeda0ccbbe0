"""How many executions began on each day, and how long the paused ones have waited."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Final

from django.db.models import Count, Q
from django.db.models.functions import TruncDate

from checkpoints.domain.status import Status
from checkpoints.models import Execution

WAITS: Final = (
    timedelta(minutes=10),
    timedelta(hours=1),
    timedelta(days=1),
    timedelta(days=7),
)


@dataclass(frozen=True, slots=True)
class StartedDay:
    """The executions that began on one day (UTC), by the status that they have now."""

    day: str
    by_status: Mapping[str, int]

    @property
    def count(self) -> int:
        return sum(self.by_status.values())


def started_by_day(workspace: int, now: datetime, count: int) -> list[StartedDay]:
    """Returns the last ``count`` days, oldest first, including days without an execution.

    Reads one index of the days asked for, no row.
    """
    first = (now.astimezone(UTC) - timedelta(days=count - 1)).date()
    since = datetime(first.year, first.month, first.day, tzinfo=UTC)
    rows = Execution.objects.filter(workspace=workspace, created_at__gte=since)
    groups = rows.annotate(day=TruncDate("created_at", tzinfo=UTC)).values("day", "status")
    found: dict[str, Counter[str]] = {}
    for group in groups.annotate(n=Count("number")).order_by():
        found.setdefault(group["day"].isoformat(), Counter())[group["status"]] += group["n"]
    days = [(first + timedelta(days=number)).isoformat() for number in range(count)]
    return [StartedDay(day, found.get(day, {})) for day in days]


def waiting_counts(workspace: int, now: datetime) -> Sequence[int]:
    """Returns the number of paused executions that have waited less than each of ``WAITS``.

    Each is counted once, in the first that it fits; the last number are those that have waited
    longer than all.
    """
    rows = Execution.objects.filter(
        workspace=workspace, status=Status.PAUSED, waiting_since__isnull=False
    )
    longer = {
        f"longer_{place}": Count("number", filter=Q(waiting_since__lte=now - wait))
        for place, wait in enumerate(WAITS)
    }
    found = rows.aggregate(all=Count("number"), **longer)
    bounds = [found["all"], *(found[name] for name in longer), 0]
    return [more - less for more, less in pairwise(bounds)]
