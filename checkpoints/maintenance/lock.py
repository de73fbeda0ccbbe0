"""The lock in SQL that lets one maintenance run work at a time, on any machine."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final

import orjson
from django.db.models import Q
from pydantic import JsonValue

from checkpoints.models import Maintenance
from ctxadmin.lib import clock
from ctxadmin.lib.errors import Unavailable
from ctxadmin.lib.ids import new_public_id
from ctxadmin.lib.json_bytes import dumps

# A run that was killed blocks the next one no longer than this. Two at once, should a clock jump,
# do nothing wrong: every step takes its conversation's head and looks again.
LEASE: Final = timedelta(minutes=10)
_NAME: Final = "maintain"
_RENEW_SECONDS: Final = 60.0


class MaintenanceRunning(Exception):
    """Another run is active; it counts as dead if it is silent beyond ``until``."""

    def __init__(self, until: datetime | None) -> None:
        super().__init__()
        self.until = until


class MaintenanceLease:
    """The lock while it is held."""

    def __init__(self, holder: str) -> None:
        self.report: dict[str, object] = {}
        self._holder = holder
        self._renewed_at = time.monotonic()

    def renew(self) -> None:
        """Renews the lock; raises Unavailable if another run has taken over."""
        if time.monotonic() - self._renewed_at < _RENEW_SECONDS:
            return
        rows = Maintenance.objects.filter(name=_NAME, holder=self._holder)
        if not rows.update(until=clock.now() + LEASE):
            raise Unavailable("Another run of maintenance took over.")
        self._renewed_at = time.monotonic()


@contextmanager
def hold_lock() -> Iterator[MaintenanceLease]:
    """Holds the lock; raises Busy. The report is stored if the block completes."""
    Maintenance.objects.get_or_create(name=_NAME)
    holder, now = new_public_id("run"), clock.now()
    free = Q(holder="") | Q(until=None) | Q(until__lt=now) | Q(until__gt=now + 2 * LEASE)
    rows = Maintenance.objects.filter(name=_NAME)
    if not rows.filter(free).update(holder=holder, until=now + LEASE):
        raise MaintenanceRunning(rows.values_list("until", flat=True).first())
    holding = MaintenanceLease(holder)
    own = rows.filter(holder=holder)
    try:
        yield holding
    except BaseException:
        own.update(holder="", until=None)
        raise
    own.update(holder="", until=None, ended_at=clock.now(), report=dumps(holding.report))


def last_run() -> tuple[datetime, dict[str, JsonValue]] | None:
    """Returns when a run last completed, and its report."""
    row = Maintenance.objects.filter(name=_NAME).first()
    if row is None or row.ended_at is None:
        return None
    return row.ended_at, orjson.loads(bytes(row.report) or b"{}")
