"""Works on the jobs of one kind in a thread of a server."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Final, Generic

from django.db import Error, connection

from ctxadmin.background.leases import JobT, JobTable
from ctxadmin.lib import clock
from ctxadmin.lib.ids import new_public_id
from ctxadmin.telemetry.application import AsgiApp

_log = logging.getLogger("ctxadmin.background")

WATCH_SECONDS: Final = 5.0
_RETRY_SECONDS: Final = 5.0
_RETRIES: Final = 24  # of a database that is down: two minutes


class JobRunner(Generic[JobT]):
    """One thread at most, which ends when there is nothing left to do.

    Whoever starts a job wakes it, whoever looks at one that nobody works on, and the first request
    of each server. While others work on a job it watches them, so that a job whose server died goes
    on. ``fail`` ends a job at an unexpected error.
    """

    def __init__(
        self,
        name: str,
        table: JobTable[JobT],
        work: Callable[[JobT], None],
        fail: Callable[[JobT], object],
    ) -> None:
        self._name = name
        self._table = table
        self._work = work
        self._fail = fail
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._is_needed = False
        self._called = threading.Event()

    def wake(self) -> None:
        """Starts the thread if it does not run; returns at once."""
        with self._lock:
            self._is_needed = True
            self._called.set()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()

    def run_next(self) -> bool:
        """Works on the job that waits longest, to its end; returns False if none waits."""
        row = self._table.take_next(new_public_id("runner"), clock.now())
        if row is None:
            return False
        try:
            self._work(row)
        except Error:
            raise
        except Exception:  # noqa: BLE001 - the thread's outermost loop
            _log.exception("%s: job %s failed", self._name, row.public_id)
            self._fail(row)
        return True

    def run_all(self) -> None:
        """Works until no job waits, and none is left that another may die at."""
        while True:
            self._called.clear()
            if not self.run_next():
                if not self._table.is_any_running():
                    return
                self.wait_for_jobs()

    def wait_for_jobs(self) -> None:
        """Waits before it looks again at the jobs of others."""
        self._called.wait(WATCH_SECONDS)

    def _run(self) -> None:
        failures = 0
        while self._has_work():
            try:
                self.run_all()
                failures = 0
            except Error as error:
                _log.warning("%s: jobs wait: %s", self._name, type(error).__name__)
                failures += 1
                if failures < _RETRIES:
                    self._is_needed = True
            finally:
                connection.close()
            if failures and self._is_needed:
                time.sleep(_RETRY_SECONDS)

    def _has_work(self) -> bool:
        with self._lock:
            needed, self._is_needed = self._is_needed, False
            if not needed:
                self._thread = None
            return needed


def resume_jobs_on_first_request(app: AsgiApp, runners: Sequence[JobRunner[Any]]) -> AsgiApp:
    """Wraps the application of a server, whose first request has unfinished jobs continue.

    Not earlier: a supervisor imports the application before it forks its workers.
    """
    woken = False

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        nonlocal woken
        if not woken:
            woken = True
            for runner in runners:
                runner.wake()
        await app(scope, receive, send)

    return answer
