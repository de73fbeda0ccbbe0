"""Replays backtests that are asked for, in the background of a server."""

import logging
import os
import threading
import time
from typing import Final

import orjson
from django.db import Error, connection

from ctxadmin.lib import clock
from ctxadmin.lib.errors import TooLarge
from ctxadmin.lib.ids import new_public_id
from ctxadmin.lib.sentence import say
from workflows import backtest_store as store
from workflows.backtest_questions import Question
from workflows.backtest_store import BacktestProblem
from workflows.backtesting import Cancelled, ProcessDied, run_backtest
from workflows.domain.backtests.sums import PolicySums
from workflows.models import Backtest
from workflows.recordings import recorded_by_keys

_log = logging.getLogger("ctxadmin.backtests")

_RENEW_SECONDS: Final = 1.0
_MOST_SECONDS: Final = 600.0
# A process takes a second to start; less work than this is done sooner without one. A policy takes
# 25 to 50 microseconds for a message.
_FEW_MESSAGES: Final = 20_000  # times policies
_MESSAGES_OF_PROCESS: Final = 200_000
_PROCESSES: Final = 2
_NICE: Final = 10  # so that those who wait for a page or a call go first


class BacktestRunner:
    """One thread at most, which ends when there is nothing left to replay.

    Whoever asks for a backtest wakes it, and whoever looks at one that nobody replays. So one whose
    server died is taken up by the next look at it, on any server.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._again = False

    def wake(self) -> None:
        """Have what waits replayed; returns at once."""
        with self._lock:
            self._again = True
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="backtests", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while self._has_work():
            try:
                while run_next():
                    pass
            except Error as error:  # a database that is down: the next look wakes it
                _log.warning("backtests wait: %s", type(error).__name__)
            finally:
                connection.close()

    def _has_work(self) -> bool:
        with self._lock:
            again, self._again = self._again, False
            if not again:
                self._thread = None
            return again


RUNNER: Final = BacktestRunner()


def run_next() -> bool:
    """Replay the backtest that waits longest; False if none does."""
    row = store.take_next(new_public_id("runner"), clock.now())
    if row is None:
        return False
    try:
        _replay(row)
    except Cancelled:
        _log.info("backtest %s: stopped", row.public_id)
    except TooLarge:
        _fail(row, BacktestProblem.TOO_MUCH_WORK)
    except ProcessDied:
        _fail(row, BacktestProblem.PROCESS_DIED)
    except Error:
        raise
    except Exception:  # noqa: BLE001 - the thread's outermost loop
        _log.exception("backtest %s failed", row.public_id)
        _fail(row, BacktestProblem.ERROR)
    return True


def _replay(row: Backtest) -> None:
    question = Question.read(bytes(row.question))
    replayed: list[int] = []
    conversations = recorded_by_keys(
        question.conversations, replayed, tool_tokens=question.tool_tokens
    )
    sums = run_backtest(
        question.asked(),
        conversations,
        processes=_processes_for(question.work),
        nice=_NICE,
        progress=_Heartbeat(row),
    )
    store.finish(row, result_bytes(sums, replayed), len(replayed), clock.now())


def _processes_for(work: int) -> int:
    """None for little, so that it is done at once; one, or two, for more."""
    if work <= _FEW_MESSAGES:
        return 0
    cores = os.cpu_count() or 1
    return min(_PROCESSES, cores) if work > _MESSAGES_OF_PROCESS else 1


def result_bytes(sums: list[PolicySums], replayed: list[int]) -> bytes:
    """A result as it is stored; ``replayed`` are the keys of its conversations, in order."""
    return orjson.dumps({"sums": [each.as_json() for each in sums], "conversations": replayed})


def _fail(row: Backtest, problem: BacktestProblem) -> None:
    _log.info("backtest %s: %s", row.public_id, problem.value)
    store.fail(row, problem, clock.now())


class _Heartbeat:
    """Says now and then how far a backtest is, and hears whether it goes on."""

    def __init__(self, row: Backtest) -> None:
        self._row = row
        self._told = time.monotonic()
        self._until = self._told + _MOST_SECONDS

    def __call__(self, done: int) -> bool:
        now = time.monotonic()
        if now > self._until:
            raise TooLarge(
                say("This backtest takes too long; choose fewer conversations or policies.")
            )
        if now - self._told < _RENEW_SECONDS:
            return True
        self._told = now
        return store.renew(self._row, done, clock.now())
