"""The one clock: aware UTC times and their text form."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import lru_cache

_behind = timedelta(0)


def now() -> datetime:
    """Returns the current time, aware, UTC."""
    return datetime.now(UTC) - _behind


@contextmanager
def move_to_past(span: timedelta) -> Iterator[None]:
    """Moves the whole process into the past, so that demo data can have a history.

    Only before a server takes requests; it ends at the present.
    """
    global _behind
    _behind = span
    try:
        yield
    finally:
        _behind = timedelta(0)


@lru_cache(maxsize=256)  # all rows of one write have the same
def iso(moment: datetime) -> str:
    """Returns ISO 8601 in UTC with microseconds and a ``Z``: ``2026-01-31T09:00:00.000000Z``."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"
