"""Rows of backtests: their results, and the lease of who replays one."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from ctxadmin.background import leases
from ctxadmin.background.leases import JobTable
from ctxadmin.lib.errors import NotFound
from ctxadmin.lib.sentence import say
from workflows.models import Backtest

JOBS: Final = JobTable(Backtest, restarts=True, deferred=("result",))
KEPT_FOR: Final = timedelta(days=7)
_LONG: Final = ("question", "result")


class BacktestProblem(StrEnum):
    """Why a backtest failed."""

    INTERRUPTED = leases.INTERRUPTED
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
                    "It took more work than one backtest is allowed. Select fewer conversations "
                    "or policies, or use manage.py backtest."
                )
            case BacktestProblem.PROCESS_DIED:
                return say("A process ended too early, perhaps for lack of memory.")
            case BacktestProblem.ERROR:
                return say("An unexpected error stopped it. The log of the server has the details.")


def find_backtest(workspace: int, public_id: str) -> Backtest:
    """A backtest of the workspace; NotFound, also for a foreign one."""
    row = JOBS.find(workspace, public_id)
    if row is None:
        raise NotFound(say("There is no backtest {name}.", name=repr(public_id[:64])))
    return row


def latest_backtests(workspace: int, workflow: str, count: int) -> Sequence[Backtest]:
    """The latest of a workflow, without what they ask and found."""
    rows = Backtest.objects.filter(workspace=workspace, workflow=workflow).defer(*_LONG)
    return list(rows.order_by("-key")[:count])


def remove(row: Backtest) -> None:
    """Removes a backtest; its worker stops when it renews its lease."""
    Backtest.objects.filter(key=row.key).delete()


def old_backtests(now: datetime, *, remove: bool) -> int:
    """How many backtests are so old that nobody will ask for them; they are removed."""
    rows = Backtest.objects.filter(created_at__lt=now - KEPT_FOR)
    return int(rows.delete()[0]) if remove else int(rows.count())
