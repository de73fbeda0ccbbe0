"""Rows of backtests: who replays one, how far it is, and what came of it."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from django.db.models import Q, QuerySet

from ctxadmin.lib.errors import NotFound
from ctxadmin.lib.ids import is_public_id
from ctxadmin.lib.sentence import say
from workflows.models import Backtest

# Who replays a backtest says so every second; after so long a silence it counts as dead.
LEASE: Final = timedelta(seconds=30)
MOST_ATTEMPTS: Final = 3
KEPT_FOR: Final = timedelta(days=7)
_LOOKED_AT: Final = 10
_ACTIVE: Final = (Backtest.Status.QUEUED, Backtest.Status.RUNNING)
_LONG: Final = ("question", "result")


class BacktestProblem(StrEnum):
    """Why a backtest failed."""

    INTERRUPTED = "interrupted"
    TOO_MUCH_WORK = "too_much_work"
    PROCESS_DIED = "process_died"
    ERROR = "error"

    @property
    def sentence(self) -> str:
        match self:
            case BacktestProblem.INTERRUPTED:
                return say("The server stopped while it ran, several times. Start it again.")
            case BacktestProblem.TOO_MUCH_WORK:
                return say(
                    "It took more work than one backtest may. Select fewer conversations or "
                    "policies, or use manage.py backtest."
                )
            case BacktestProblem.PROCESS_DIED:
                return say("A process ended too early, perhaps for lack of memory.")
            case BacktestProblem.ERROR:
                return say("An unexpected error stopped it. The log of the server has the details.")


def find_backtest(workspace: int, public_id: str) -> Backtest:
    """A backtest of the workspace; NotFound, also for a foreign one."""
    rows = Backtest.objects.filter(workspace=workspace, public_id=public_id)
    row = rows.first() if is_public_id(public_id) else None
    if row is None:
        raise NotFound(say("There is no backtest {name}.", name=repr(public_id[:64])))
    return row


def latest_backtests(workspace: int, workflow: str, count: int) -> Sequence[Backtest]:
    """The latest of a workflow, without what they ask and found."""
    rows = Backtest.objects.filter(workspace=workspace, workflow=workflow).defer(*_LONG)
    return list(rows.order_by("-key")[:count])


def count_active(workspace: int) -> int:
    """How many of a workspace are not ended."""
    return int(Backtest.objects.filter(workspace=workspace, status__in=_ACTIVE).count())


def is_abandoned(row: Backtest, now: datetime) -> bool:
    """True if nobody replays a backtest that is not ended."""
    if row.status == Backtest.Status.QUEUED:
        return True
    if row.status != Backtest.Status.RUNNING:
        return False
    return row.until is None or not now <= row.until <= now + 2 * LEASE


def take_next(holder: str, now: datetime) -> Backtest | None:
    """Take the oldest backtest that nobody replays, None if there is none.

    Whoever takes it moves its lease on, on the condition that nobody did so before: so two never
    have it. One that was taken too often fails as interrupted. A lease far ahead is one of a clock
    that was wrong.
    """
    silent = Q(until__lt=now) | Q(until__gt=now + 2 * LEASE) | Q(until=None)
    free = Q(status=Backtest.Status.QUEUED) | (Q(status=Backtest.Status.RUNNING) & silent)
    for row in Backtest.objects.filter(free).defer("result").order_by("key")[:_LOOKED_AT]:
        own = Backtest.objects.filter(
            key=row.key, status=row.status, attempts=row.attempts, until=row.until
        )
        if row.attempts >= MOST_ATTEMPTS:
            _end(own, Backtest.Status.FAILED, now, problem=BacktestProblem.INTERRUPTED)
            continue
        taken = {
            "status": Backtest.Status.RUNNING,
            "attempts": row.attempts + 1,
            "holder": holder,
            "until": now + LEASE,
            "started_at": now,
            "done": 0,
        }
        if own.update(**taken):
            for name, value in taken.items():
                setattr(row, name, value)
            return row
    return None


def renew(row: Backtest, done: int, now: datetime) -> bool:
    """Say that it goes on, and how far; False if it was cancelled or somebody else has it."""
    return bool(_own(row).update(done=done, until=now + LEASE))


def finish(row: Backtest, result: bytes, done: int, now: datetime) -> bool:
    """Write down the result; False if it was cancelled or somebody else has it."""
    return _end(_own(row), Backtest.Status.DONE, now, result=result, done=done)


def fail(row: Backtest, problem: BacktestProblem, now: datetime) -> bool:
    """Write down why there is no result; False as of ``finish``."""
    return _end(_own(row), Backtest.Status.FAILED, now, problem=problem)


def remove(row: Backtest) -> None:
    """Remove a backtest; whoever replays it stops at its next sign of life."""
    Backtest.objects.filter(key=row.key).delete()


def old_backtests(now: datetime, *, remove: bool) -> int:
    """How many backtests are so old that nobody will ask for them; they are removed."""
    rows = Backtest.objects.filter(created_at__lt=now - KEPT_FOR)
    return int(rows.delete()[0]) if remove else int(rows.count())


def _own(row: Backtest) -> QuerySet[Backtest]:
    return Backtest.objects.filter(key=row.key, status=Backtest.Status.RUNNING, holder=row.holder)


def _end(
    rows: QuerySet[Backtest], status: Backtest.Status, now: datetime, **values: object
) -> bool:
    return bool(rows.update(status=status, ended_at=now, holder="", until=None, **values))
