"""The one clock: aware UTC times and their text form."""

from datetime import UTC, datetime
from functools import lru_cache


def now() -> datetime:
    """The current time, aware, UTC."""
    return datetime.now(UTC)


@lru_cache(maxsize=256)  # all rows of one write have the same
def iso(moment: datetime) -> str:
    """ISO 8601 in UTC with microseconds and a ``Z``: ``2026-01-31T09:00:00.000000Z``."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"
