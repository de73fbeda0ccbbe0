"""How many executions began on each day, and how long the paused ones have waited."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from django.db.models import Count, Q
from django.db.models.functions import TruncDate

from checkpoints.domain.status import Status
from checkpoints.domain.waiting_times import WAITS
from checkpoints.models import Execution


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


def waiting_counts(workspace: int, now: datetime) -> Mapping[str, int]:
    """Returns the number of paused executions in each range of ``WAITS``."""
    rows = Execution.objects.filter(
        workspace=workspace, status=Status.PAUSED, waiting_since__isnull=False
    )
    at_least = {
        f"at_least_{name}": Count("number", filter=Q(waiting_since__lte=now - least))
        if least
        else Count("number")
        for name, (least, _most) in WAITS.items()
    }
    counts = [*rows.aggregate(**at_least).values(), 0]
    return {name: more - less for name, (more, less) in zip(WAITS, pairwise(counts), strict=True)}
