"""Takes a job under a lease, renews it, and ends the job.

Every step is a write on the condition that nobody else made one in between, so that two processes
never work on the same job, and one whose lease passed to another cannot end it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Generic, TypeVar

from django.db.models import Q, QuerySet

from ctxadmin.background.models import JobStatus, LeasedJob
from ctxadmin.lib.ids import is_public_id

# Who works on a job renews its lease every second or oftener, and counts as dead after so long.
LEASE: Final = timedelta(seconds=30)
MOST_ATTEMPTS: Final = 3  # without progress in between
INTERRUPTED: Final = "interrupted"  # the problem of a job that was taken too often
ACTIVE: Final = (JobStatus.QUEUED, JobStatus.RUNNING)
_READ: Final = 10  # free jobs at once

JobT = TypeVar("JobT", bound=LeasedJob)


@dataclass(frozen=True)
class JobTable(Generic[JobT]):
    """The jobs of one kind; with ``restarts`` an attempt forgets what the one before has done.

    ``deferred`` are columns that are not read with a job that is taken.
    """

    model: type[JobT]
    restarts: bool = False
    deferred: Sequence[str] = ()

    def find(self, workspace: int, public_id: str) -> JobT | None:
        """Returns a job of the workspace; None also for one of another workspace."""
        if not is_public_id(public_id):
            return None
        return self._rows.filter(workspace=workspace, public_id=public_id).first()

    def count_active(self, workspace: int) -> int:
        """Returns how many jobs of a workspace are queued or running."""
        return int(self._rows.filter(workspace=workspace, status__in=ACTIVE).count())

    def is_any_running(self) -> bool:
        """Returns whether someone works on a job, or died at it less than a lease ago."""
        return bool(self._rows.filter(status=JobStatus.RUNNING).exists())

    def take_next(self, holder: str, now: datetime) -> JobT | None:
        """Takes the oldest job that nobody works on; None if there is none.

        One that was taken too often without progress fails as interrupted.
        """
        free = Q(status=JobStatus.QUEUED) | (Q(status=JobStatus.RUNNING) & _lease_is_over(now))
        for row in self._rows.filter(free).defer(*self.deferred).order_by("key")[:_READ]:
            unchanged = self._rows.filter(
                key=row.key, status=row.status, attempts=row.attempts, until=row.until
            )
            if row.attempts >= MOST_ATTEMPTS:
                _end(unchanged, JobStatus.FAILED, now, problem=INTERRUPTED)
                continue
            taken = self._taken(row, holder, now)
            if unchanged.update(**taken):
                for name, value in taken.items():
                    setattr(row, name, value)
                return row
        return None

    def renew(self, row: JobT, now: datetime, **progress: int) -> bool:
        """Renews the lease and writes the progress; False if the job passed to another or ended."""
        return bool(self._held(row).update(until=now + LEASE, **progress))

    def finish(self, row: JobT, now: datetime, **values: object) -> bool:
        """Ends a job as done, with its results; False as of ``renew``."""
        return _end(self._held(row), JobStatus.DONE, now, **values)

    def fail(self, row: JobT, problem: str, now: datetime, **values: object) -> bool:
        """Ends a job with the word that says why; False as of ``renew``."""
        return _end(self._held(row), JobStatus.FAILED, now, problem=problem, **values)

    def cancel(self, row: JobT, status: str, now: datetime) -> bool:
        """Ends a job that is not ended with a status of its kind, whoever works on it.

        Its lease stays until who works on it has noticed (``is_stopping``, ``leave``).
        """
        rows = self._rows.filter(key=row.key, status__in=ACTIVE)
        return bool(rows.update(status=status, ended_at=now))

    def leave(self, row: JobT, status: str, **values: object) -> bool:
        """Gives up the lease of a cancelled job, with its results; False if others hold it."""
        rows = self._rows.filter(key=row.key, status=status, holder=row.holder)
        return bool(rows.update(holder="", until=None, **values))

    @property
    def _rows(self) -> "QuerySet[JobT]":
        return self.model._default_manager.all()

    def _held(self, row: JobT) -> "QuerySet[JobT]":
        return self._rows.filter(key=row.key, status=JobStatus.RUNNING, holder=row.holder)

    def _taken(self, row: JobT, holder: str, now: datetime) -> dict[str, object]:
        taken: dict[str, object] = {
            "status": JobStatus.RUNNING,
            "attempts": row.attempts + 1,
            "holder": holder,
            "until": now + LEASE,
            "started_at": row.started_at or now,
        }
        return taken | {"started_at": now, "done": 0} if self.restarts else taken


def is_abandoned(row: LeasedJob, now: datetime) -> bool:
    """Returns whether nobody works on a job that is not ended."""
    if row.status == JobStatus.QUEUED:
        return True
    return row.status == JobStatus.RUNNING and _is_lease_over(row, now)


def is_stopping(row: LeasedJob, now: datetime) -> bool:
    """Returns whether who works on a job has not noticed yet that it was cancelled."""
    return bool(row.holder) and row.status not in ACTIVE and not _is_lease_over(row, now)


def _is_lease_over(row: LeasedJob, now: datetime) -> bool:
    return row.until is None or not now <= row.until <= now + 2 * LEASE


def _lease_is_over(now: datetime) -> Q:
    """A lease that ends far ahead was taken by a clock that was wrong."""
    return Q(until__lt=now) | Q(until__gt=now + 2 * LEASE) | Q(until=None)


def _end(rows: "QuerySet[JobT]", status: str, now: datetime, **values: object) -> bool:
    return bool(rows.update(status=status, ended_at=now, holder="", until=None, **values))
