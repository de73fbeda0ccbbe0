"""Rows of bulk jobs: what came of each item, and the lease of who works on one."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from django.db.models import Count, Q, QuerySet

from bulk.models import BulkItem, BulkJob
from ctxadmin.background import leases
from ctxadmin.background.leases import JobTable
from ctxadmin.lib.errors import NotFound
from ctxadmin.lib.sentence import say

JOBS: Final = JobTable(BulkJob)
KEPT_FOR: Final = timedelta(days=90)
DRAFTS_KEPT_FOR: Final = timedelta(days=1)
_REMOVED: Final = 20  # jobs at once


class BulkProblem(StrEnum):
    """Why a job stopped before its end."""

    INTERRUPTED = leases.INTERRUPTED
    NOT_ALLOWED = "not_allowed"
    ERROR = "error"

    @property
    def sentence(self) -> str:
        match self:
            case BulkProblem.INTERRUPTED:
                return say("The server stopped at the same item several times.")
            case BulkProblem.NOT_ALLOWED:
                return say("Who started it no longer has the right to do this.")
            case BulkProblem.ERROR:
                return say("An unexpected error stopped it. The log of the server has the details.")


def find_job(workspace: int, public_id: str) -> BulkJob:
    """A job of the workspace; NotFound, also for a foreign one."""
    row = JOBS.find(workspace, public_id)
    if row is None:
        raise NotFound(say("There is no bulk action {name}.", name=repr(public_id[:64])))
    return row


def latest_jobs(workspace: int, count: int) -> Sequence[BulkJob]:
    """The latest jobs that were started."""
    rows = BulkJob.objects.filter(workspace=workspace).exclude(status=BulkJob.Status.DRAFT)
    return list(rows.order_by("-key")[:count])


def jobs_before(workspace: int, key: int | None, count: int) -> Sequence[BulkJob]:
    """The jobs that were started before one, the latest first."""
    rows = BulkJob.objects.filter(workspace=workspace).exclude(status=BulkJob.Status.DRAFT)
    if key is not None:
        rows = rows.filter(key__lt=key)
    return list(rows.order_by("-key")[:count])


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


def record_outcome(item: BulkItem, outcome: BulkItem.Outcome, why: bytes = b"") -> bool:
    """Write down what came of an item; False if that is known already."""
    rows = BulkItem.objects.filter(
        conversation=item.conversation, job=item.job, outcome=BulkItem.Outcome.WAITING
    )
    return bool(rows.update(outcome=outcome, why=why))


def enqueue(job: BulkJob, reason: str, label: str) -> bool:
    """Start a draft; False if somebody did."""
    rows = BulkJob.objects.filter(key=job.key, status=BulkJob.Status.DRAFT)
    return bool(rows.update(status=BulkJob.Status.QUEUED, reason=reason, label=label))


def stop(job: BulkJob, now: datetime) -> bool:
    """Cancel a job; False if it has ended. Whoever works on it stops within a second."""
    return JOBS.cancel(job, BulkJob.Status.CANCELLED, now)


def renew(row: BulkJob, done: int, refused: int, now: datetime) -> bool:
    """Say that it goes on, and how far; False if it was cancelled or somebody else has it."""
    attempts = {"attempts": 1} if done + refused > row.done + row.refused else {}
    row.done, row.refused = done, refused
    return JOBS.renew(row, now, done=done, refused=refused, **attempts)


def finish(row: BulkJob, now: datetime, problem: BulkProblem | None = None) -> bool:
    """End a job; False if it was cancelled or somebody else has it."""
    done, refused = outcomes_of(row)
    if problem is None:
        return JOBS.finish(row, now, done=done, refused=refused)
    return JOBS.fail(row, problem, now, done=done, refused=refused)


def recount_outcomes(row: BulkJob) -> None:
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
