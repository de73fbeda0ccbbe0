"""Works on bulk jobs in the background of a server."""

import logging
import threading
import time
from itertools import chain
from typing import Any, Final

from django.db import Error, connection

from bulk import store
from bulk.item_changes import change_item
from bulk.models import BulkItem, BulkJob
from bulk.store import BulkProblem
from ctxadmin.accounts.authentication import person_in
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.bulk_actions import BulkAction
from ctxadmin.lib import clock
from ctxadmin.lib.errors import Unavailable
from ctxadmin.lib.ids import new_public_id
from ctxadmin.telemetry.application import AsgiApp

_log = logging.getLogger("ctxadmin.bulk")

WATCH_SECONDS: Final = 5.0
_RENEW_SECONDS: Final = 0.5
_PART: Final = 200  # items that are read at once
_TRIES: Final = 5  # of an item that others hold
_RETRY_SECONDS: Final = 5.0
_RETRIES: Final = 24  # of a database that is down: two minutes


class BulkRunner:
    """One thread at most, which ends when there is nothing left to do.

    Whoever starts a job wakes it, whoever looks at one that nobody works on, and the first request
    of each server. While others work on a job it watches them, so that a job whose server died goes
    on.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._again = False
        self._called = threading.Event()

    def wake(self) -> None:
        """Have the jobs that wait done; returns at once."""
        with self._lock:
            self._again = True
            self._called.set()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="bulk", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        failures = 0
        while self._has_work():
            try:
                self._work_on()
                failures = 0
            except Error as error:
                _log.warning("bulk jobs wait: %s", type(error).__name__)
                failures += 1
                if failures < _RETRIES:
                    self._again = True
            finally:
                connection.close()
            if failures and self._again:
                time.sleep(_RETRY_SECONDS)

    def _work_on(self) -> None:
        """Works until nothing waits, and nobody works on a job that would stay if they died."""
        while True:
            self._called.clear()
            if not run_next():
                if not store.is_any_running():
                    return
                self._called.wait(WATCH_SECONDS)

    def _has_work(self) -> bool:
        with self._lock:
            again, self._again = self._again, False
            if not again:
                self._thread = None
            return again


RUNNER: Final = BulkRunner()


def continuing_jobs(app: AsgiApp) -> AsgiApp:
    """Wraps the application of a server, whose first request has unfinished jobs go on.

    Not earlier: a supervisor imports the application before it forks its workers.
    """
    woken = False

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        nonlocal woken
        if not woken:
            woken = True
            RUNNER.wake()
        await app(scope, receive, send)

    return answer


def run_next() -> bool:
    """Work on the job that waits longest, to its end; False if none waits."""
    row = store.take_next(new_public_id("runner"), clock.now())
    if row is None:
        return False
    try:
        _work(row)
    except Error:
        raise
    except Exception:  # noqa: BLE001 - the thread's outermost loop
        _log.exception("bulk job %s failed", row.public_id)
        store.finish(row, clock.now(), BulkProblem.ERROR)
    return True


def _work(row: BulkJob) -> None:
    action = BulkAction(row.action)
    row.done, row.refused = store.outcomes_of(row)
    done, refused = row.done, row.refused
    renewed = time.monotonic() - _RENEW_SECONDS
    actor: Actor | None = None
    for item in chain.from_iterable(iter(lambda: _next_items(row), [])):
        if time.monotonic() - renewed >= _RENEW_SECONDS:
            if not store.renew(row, done, refused, clock.now()):
                _log.info("bulk job %s: stopped", row.public_id)
                store.count_again(row)
                return
            actor = person_in(row.workspace, row.person, row.request_id, row.address)
            renewed = time.monotonic()
        if actor is None or not actor.may(action.right):
            store.finish(row, clock.now(), BulkProblem.NOT_ALLOWED)
            return
        outcome = _change(actor, action, item, row.reason)
        done += outcome == BulkItem.Outcome.DONE
        refused += outcome == BulkItem.Outcome.REFUSED
    store.finish(row, clock.now())


def _next_items(row: BulkJob) -> list[BulkItem]:
    """Returns the next items of which nothing is known."""
    return list(store.items_of(row, BulkItem.Outcome.WAITING)[:_PART])


def _change(actor: Actor, action: BulkAction, item: BulkItem, reason: str) -> BulkItem.Outcome:
    for left in reversed(range(_TRIES)):
        try:
            return change_item(actor, action, item, reason)
        except (Unavailable, Error):
            if not left:
                raise
            time.sleep(0.2)
    raise AssertionError  # the last try raises or returns
