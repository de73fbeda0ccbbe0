"""Rows of bulk jobs: what came of each item, and the lease of who works on one."""

from collections.abc import Collection, Sequence
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
    STOPPED = "stopped"
    ERROR = "error"

    @property
    def sentence(self) -> str:
        match self:
            case BulkProblem.INTERRUPTED:
                return say("The server stopped at the same item several times.")
            case BulkProblem.NOT_ALLOWED:
                return say("Who started it no longer has the right to do this.")
            case BulkProblem.STOPPED:
                return say("The download of the file stopped before its end.")
            case BulkProblem.ERROR:
                return say("An unexpected error stopped it. The log of the server has the details.")


def find_job(workspace: int, public_id: str) -> BulkJob:
    """A job of the workspace; NotFound, also for a foreign one."""
    row = JOBS.find(workspace, public_id)
    if row is None:
        raise NotFound(say("There is no bulk action {name}.", name=repr(public_id[:64])))
    return _counted(row)


def latest_jobs(workspace: int, count: int) -> Sequence[BulkJob]:
    """The latest jobs that were started."""
    rows = BulkJob.objects.filter(workspace=workspace).exclude(status=BulkJob.Status.DRAFT)
    return [_counted(row) for row in rows.order_by("-key")[:count]]


def jobs_before(workspace: int, key: int | None, count: int) -> Sequence[BulkJob]:
    """The jobs that were started before one, the latest first."""
    rows = BulkJob.objects.filter(workspace=workspace).exclude(status=BulkJob.Status.DRAFT)
    if key is not None:
        rows = rows.filter(key__lt=key)
    return [_counted(row) for row in rows.order_by("-key")[:count]]


def _counted(row: BulkJob) -> BulkJob:
    """Counts the items of a cancelled job whose worker has not stopped, or died at it."""
    if row.status == BulkJob.Status.CANCELLED and row.holder:
        row.done, row.refused = outcomes_of(row)
    return row


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
    """Records the outcome of an item; returns False if it is recorded already."""
    rows = BulkItem.objects.filter(
        conversation=item.conversation, job=item.job, outcome=BulkItem.Outcome.WAITING
    )
    return bool(rows.update(outcome=outcome, why=why))


def enqueue(job: BulkJob, reason: str, label: str) -> bool:
    """Starts a draft; returns False if someone else did."""
    rows = BulkJob.objects.filter(key=job.key, status=BulkJob.Status.DRAFT)
    return bool(rows.update(status=BulkJob.Status.QUEUED, reason=reason, label=label))


def stop(job: BulkJob, now: datetime) -> bool:
    """Cancels a job; returns False if it has ended. Its worker stops within a second."""
    return JOBS.cancel(job, BulkJob.Status.CANCELLED, now)


def renew(row: BulkJob, done: int, refused: int, now: datetime) -> bool:
    """Renews the lease with the progress; returns False if it was cancelled or taken over."""
    attempts = {"attempts": 1} if done + refused > row.done + row.refused else {}
    row.done, row.refused = done, refused
    return JOBS.renew(row, now, done=done, refused=refused, **attempts)


def finish(row: BulkJob, now: datetime, problem: BulkProblem | None = None) -> bool:
    """Ends a job; returns False if it was cancelled, which it then leaves, or taken over."""
    done, refused = outcomes_of(row)
    if problem is None:
        ended = JOBS.finish(row, now, done=done, refused=refused)
    else:
        ended = JOBS.fail(row, problem, now, done=done, refused=refused)
    if not ended:
        leave(row)
    return ended


def leave(row: BulkJob) -> None:
    """Gives up a job that was cancelled; its counts are those of its items."""
    done, refused = outcomes_of(row)
    JOBS.leave(row, BulkJob.Status.CANCELLED, done=done, refused=refused)


def start_sending(job: BulkJob, holder: str, now: datetime) -> bool:
    """Starts a draft whose work is the answer to a request; returns False if it was started."""
    lease = {"holder": holder, "until": now + leases.LEASE, "started_at": now}
    rows = BulkJob.objects.filter(key=job.key, status=BulkJob.Status.DRAFT)
    return bool(rows.update(status=BulkJob.Status.RUNNING, **lease))


def is_sent_on(job: BulkJob, done: int, refused: int, now: datetime) -> bool:
    """Writes the progress of a job that is being sent; returns False if it was cancelled.

    One that counted as stopped, because its reader paused for long, is sent on.
    """
    rows = BulkJob.objects.filter(key=job.key).exclude(status=BulkJob.Status.CANCELLED)
    return bool(rows.update(until=now + leases.LEASE, done=done, refused=refused))


def end_sending(job: BulkJob, now: datetime, problem: BulkProblem | None) -> None:
    """Ends a job that was sent, unless it was cancelled; its counts are those of its items."""
    done, refused = outcomes_of(job)
    rows = BulkJob.objects.filter(key=job.key)
    rows.update(done=done, refused=refused, holder="", until=None, ended_at=now)
    status = BulkJob.Status.DONE if problem is None else BulkJob.Status.FAILED
    sent = rows.exclude(status=BulkJob.Status.CANCELLED)
    sent.update(status=status, problem=problem or "")


def jobs_of_requests(workspace: int, causes: Collection[tuple[str, str]]) -> Sequence[BulkJob]:
    """Returns the jobs of authors whose changes have the ids of requests."""
    wanted = {cause for cause in causes if cause[1]}
    rows = BulkJob.objects.filter(
        workspace=workspace, request_id__in={request_id for _, request_id in wanted}
    )
    started = rows.exclude(status=BulkJob.Status.DRAFT) if wanted else ()
    return [row for row in started if (row.author, row.request_id) in wanted]


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
