"""Rows of bulk jobs: who works on one, how far it is, and what came of each item."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from django.db.models import Count, Q, QuerySet

from bulk.models import BulkItem, BulkJob
from ctxadmin.lib.errors import NotFound
from ctxadmin.lib.ids import is_public_id
from ctxadmin.lib.sentence import say

# Who works on a job says so twice a second; after so long a silence it counts as dead.
LEASE: Final = timedelta(seconds=30)
MOST_ATTEMPTS: Final = 3  # without an item done in between
KEPT_FOR: Final = timedelta(days=90)
DRAFTS_KEPT_FOR: Final = timedelta(days=1)
ACTIVE: Final = (BulkJob.Status.QUEUED, BulkJob.Status.RUNNING)
_LOOKED_AT: Final = 10
_REMOVED: Final = 20  # jobs at once


class BulkProblem(StrEnum):
    """Why a job stopped before its end."""

    INTERRUPTED = "interrupted"
    NOT_ALLOWED = "not_allowed"
    ERROR = "error"

    @property
    def sentence(self) -> str:
        match self:
            case BulkProblem.INTERRUPTED:
                return say("The server stopped at the same item several times.")
            case BulkProblem.NOT_ALLOWED:
                return say("The person who started it no longer has the right to do this.")
            case BulkProblem.ERROR:
                return say("An unexpected error stopped it. The log of the server has the details.")


def find_job(workspace: int, public_id: str) -> BulkJob:
    """A job of the workspace; NotFound, also for a foreign one."""
    rows = BulkJob.objects.filter(workspace=workspace, public_id=public_id)
    row = rows.first() if is_public_id(public_id) else None
    if row is None:
        raise NotFound(say("There is no bulk action {name}.", name=repr(public_id[:64])))
    return row


def latest_jobs(workspace: int, count: int) -> Sequence[BulkJob]:
    """The latest jobs that were started."""
    rows = BulkJob.objects.filter(workspace=workspace).exclude(status=BulkJob.Status.DRAFT)
    return list(rows.order_by("-key")[:count])


def count_active(workspace: int) -> int:
    """How many jobs of a workspace wait or run."""
    return int(BulkJob.objects.filter(workspace=workspace, status__in=ACTIVE).count())


def items_of(job: BulkJob, outcome: str | None = None) -> QuerySet[BulkItem]:
    """The items of a job in their order, or only those with an outcome."""
    rows = BulkItem.objects.filter(job=job.key)
    if outcome is not None:
        rows = rows.filter(outcome=outcome)
    return rows.order_by("place")


def outcomes_of(job: BulkJob) -> tuple[int, int]:
    """How many items of a job are done, and how many refused."""
    found = BulkItem.objects.filter(job=job.key).aggregate(
        done=Count("place", filter=Q(outcome=BulkItem.Outcome.DONE)),
        refused=Count("place", filter=Q(outcome=BulkItem.Outcome.REFUSED)),
    )
    return int(found["done"]), int(found["refused"])


def mark(item: BulkItem, outcome: BulkItem.Outcome, why: bytes = b"") -> bool:
    """Write down what came of an item; False if that is known already."""
    rows = BulkItem.objects.filter(
        conversation=item.conversation, job=item.job, outcome=BulkItem.Outcome.WAITING
    )
    return bool(rows.update(outcome=outcome, why=why))


def enqueue(job: BulkJob, reason: str) -> bool:
    """Start a draft; False if somebody did."""
    rows = BulkJob.objects.filter(key=job.key, status=BulkJob.Status.DRAFT)
    return bool(rows.update(status=BulkJob.Status.QUEUED, reason=reason))


def stop(job: BulkJob, now: datetime) -> bool:
    """Cancel a job; False if it has ended. Whoever works on it stops within a second."""
    rows = BulkJob.objects.filter(key=job.key, status__in=ACTIVE)
    return _end(rows, BulkJob.Status.CANCELLED, now)


def is_any_running() -> bool:
    """True if somebody works on a job, or died at it less than a lease ago."""
    return bool(BulkJob.objects.filter(status=BulkJob.Status.RUNNING).exists())


def is_abandoned(job: BulkJob, now: datetime) -> bool:
    """True if nobody works on a job that is to be done."""
    if job.status == BulkJob.Status.QUEUED:
        return True
    if job.status != BulkJob.Status.RUNNING:
        return False
    return job.until is None or not now <= job.until <= now + 2 * LEASE


def take_next(holder: str, now: datetime) -> BulkJob | None:
    """Take the oldest job that nobody works on, None if there is none.

    Whoever takes it moves its lease on, on the condition that nobody did so before: so two never
    have it. One that was taken too often without an item done fails. A lease far ahead is one of a
    clock that was wrong.
    """
    silent = Q(until__lt=now) | Q(until__gt=now + 2 * LEASE) | Q(until=None)
    free = Q(status=BulkJob.Status.QUEUED) | (Q(status=BulkJob.Status.RUNNING) & silent)
    for row in BulkJob.objects.filter(free).order_by("key")[:_LOOKED_AT]:
        own = BulkJob.objects.filter(
            key=row.key, status=row.status, attempts=row.attempts, until=row.until
        )
        if row.attempts >= MOST_ATTEMPTS:
            _end(own, BulkJob.Status.FAILED, now, problem=BulkProblem.INTERRUPTED)
            continue
        taken = {
            "status": BulkJob.Status.RUNNING,
            "attempts": row.attempts + 1,
            "holder": holder,
            "until": now + LEASE,
            "started_at": row.started_at or now,
        }
        if own.update(**taken):
            for name, value in taken.items():
                setattr(row, name, value)
            return row
    return None


def renew(row: BulkJob, done: int, refused: int, now: datetime) -> bool:
    """Say that it goes on, and how far; False if it was cancelled or somebody else has it."""
    attempts = {"attempts": 1} if done + refused > row.done + row.refused else {}
    row.done, row.refused = done, refused
    return bool(_own(row).update(done=done, refused=refused, until=now + LEASE, **attempts))


def finish(row: BulkJob, now: datetime, problem: BulkProblem | None = None) -> bool:
    """End a job; False if it was cancelled or somebody else has it."""
    done, refused = outcomes_of(row)
    status = BulkJob.Status.DONE if problem is None else BulkJob.Status.FAILED
    return _end(_own(row), status, now, done=done, refused=refused, problem=problem or "")


def count_again(row: BulkJob) -> None:
    """Set the numbers of a job that was cancelled to what came of its items."""
    done, refused = outcomes_of(row)
    BulkJob.objects.filter(key=row.key).update(done=done, refused=refused)


def old_jobs(now: datetime, *, remove: bool) -> int:
    """How many jobs are so old that nobody will ask for them; they are removed."""
    drafts = Q(status=BulkJob.Status.DRAFT, created_at__lt=now - DRAFTS_KEPT_FOR)
    rows = BulkJob.objects.filter(drafts | Q(created_at__lt=now - KEPT_FOR))
    keys = list(rows.values_list("key", flat=True))
    if remove:
        for start in range(0, len(keys), _REMOVED):
            part = keys[start : start + _REMOVED]
            BulkItem.objects.filter(job__in=part).delete()
            BulkJob.objects.filter(key__in=part).delete()
    return len(keys)


def _own(row: BulkJob) -> QuerySet[BulkJob]:
    return BulkJob.objects.filter(key=row.key, status=BulkJob.Status.RUNNING, holder=row.holder)


def _end(rows: QuerySet[BulkJob], status: BulkJob.Status, now: datetime, **values: object) -> bool:
    return bool(rows.update(status=status, ended_at=now, holder="", until=None, **values))
