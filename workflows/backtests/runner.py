"""Replays a backtest that someone asked for."""

import logging
import os
import time
from typing import Final

import orjson

from ctxadmin.background.runner import JobRunner
from ctxadmin.lib import clock
from ctxadmin.lib.errors import TooLarge
from ctxadmin.lib.sentence import say
from workflows.backtests import store
from workflows.backtests.questions import Question
from workflows.backtests.recordings import recorded_by_keys
from workflows.backtests.replaying import Cancelled, ProcessDied, run_backtest
from workflows.backtests.store import BacktestProblem
from workflows.domain.backtests.sums import PolicySums
from workflows.models import Backtest

_log = logging.getLogger("ctxadmin.backtests")

RENEW_SECONDS: Final = 1.0
_MOST_SECONDS: Final = 600.0
# A process takes a second to start; less work than this is done sooner without one. A policy takes
# 25 to 50 microseconds for a message.
_FEW_MESSAGES: Final = 20_000  # times policies
_MESSAGES_OF_PROCESS: Final = 200_000
_PROCESSES: Final = 2
_NICE: Final = 10  # so that those who wait for a page or a call go first


def work(row: Backtest) -> None:
    """Replays a backtest from its start, and writes down the result or why there is none."""
    try:
        _replay(row)
    except Cancelled:
        _log.info("backtest %s: stopped", row.public_id)
    except TooLarge:
        _fail(row, BacktestProblem.TOO_MUCH_WORK)
    except ProcessDied:
        _fail(row, BacktestProblem.PROCESS_DIED)


def _replay(row: Backtest) -> None:
    question = Question.read(bytes(row.question))
    replayed: list[int] = []
    conversations = recorded_by_keys(
        question.conversations, replayed, tool_tokens=question.tool_tokens
    )
    sums = run_backtest(
        question.replay_request(),
        conversations,
        processes=_processes_for(question.work),
        nice=_NICE,
        progress=Heartbeat(row),
    )
    result = result_bytes(sums, replayed)
    store.JOBS.finish(row, clock.now(), result=result, done=len(replayed))


def _processes_for(work: int) -> int:
    """None for little, so that it is done at once; one, or two, for more."""
    if work <= _FEW_MESSAGES:
        return 0
    cores = os.cpu_count() or 1
    return min(_PROCESSES, cores) if work > _MESSAGES_OF_PROCESS else 1


def result_bytes(sums: list[PolicySums], replayed: list[int]) -> bytes:
    """A result as it is stored; ``replayed`` are the keys of its conversations, in order."""
    return orjson.dumps({"sums": [each.as_json() for each in sums], "conversations": replayed})


def _fail(row: Backtest, problem: BacktestProblem = BacktestProblem.ERROR) -> None:
    _log.info("backtest %s: %s", row.public_id, problem.value)
    store.JOBS.fail(row, problem, clock.now())


class Heartbeat:
    """Renews the lease with the progress of a backtest, and tells whether it continues."""

    def __init__(self, row: Backtest) -> None:
        self._row = row
        self._renewed = time.monotonic()
        self._until = self._renewed + _MOST_SECONDS

    def __call__(self, done: int) -> bool:
        now = time.monotonic()
        if now > self._until:
            raise TooLarge(
                say("This backtest takes too long; choose fewer conversations or policies.")
            )
        if now - self._renewed < RENEW_SECONDS:
            return True
        self._renewed = now
        return store.JOBS.renew(self._row, clock.now(), done=done)


RUNNER: Final = JobRunner("backtests", store.JOBS, work, _fail)
