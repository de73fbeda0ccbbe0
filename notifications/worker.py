"""The sender: creates deliveries and sends those that are due.

One thread uses the database; others, without access to it, send. One target has two of them at
most, so that one that does not answer delays nobody else.
"""

import logging
import random
from collections import Counter
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from types import TracebackType
from typing import Final, Self

from ctxadmin.lib import clock
from ctxadmin.lib.errors import VersionConflict
from notifications import store
from notifications.delivery_attempt import Job, prepare_attempt
from notifications.fan_out import enqueue_deliveries
from notifications.models import Delivery
from notifications.sending.outcome import DeliveryOutcome, Problem
from notifications.services import webhooks

_log = logging.getLogger("ctxadmin.notifications")

_THREADS: Final = 16
_OF_ONE_TARGET: Final = 2


class Sender:
    """Sends until it is left, and then waits for running attempts; ``url`` is for links."""

    def __init__(self, url: str = "") -> None:
        self._url = url
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="sender")
        self._sending: dict[Future[DeliveryOutcome], Delivery] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            wait(self._sending)
            self._note()
        finally:
            self._pool.shutdown(cancel_futures=True)

    def run_round(self) -> bool:
        """Makes one round: records outcomes, creates deliveries, sends due ones.

        Returns False if there was nothing to do.
        """
        noted = self._note()
        created = enqueue_deliveries()
        return bool(noted + created + self._send())

    def wait(self, seconds: float) -> None:
        """Waits until an attempt ends, at most so long, even without running ones."""
        if self._sending:
            wait(self._sending, seconds, FIRST_COMPLETED)

    @property
    def is_busy(self) -> bool:
        return bool(self._sending)

    def _send(self) -> int:
        free = _THREADS - len(self._sending)
        if free <= 0:
            return 0
        count = 0
        of = Counter(row.target for row in self._sending.values())
        # One on its way counts as a full target: the next look is soon.
        for row in store.take_due(clock.now(), free, of, _OF_ONE_TARGET):
            self._sending[self._pool.submit(_on_job_done, prepare_attempt(row, self._url))] = row
            count += 1
        return count

    def _note(self) -> int:
        done = [future for future in self._sending if future.done()]
        for future in done:
            row = self._sending[future]
            outcome = future.result()
            store.note(row, outcome, clock.now(), random.random())  # noqa: S311
            if outcome.problem is Problem.GONE:
                with suppress(VersionConflict):  # someone changes it just now: they look at it
                    webhooks.pause_after_gone(row.target)
            if outcome.problem is not None:
                _log.info("delivery %s of %s: %s", row.id, row.channel, outcome.problem.value)
            del self._sending[future]  # not before: a database that is down is asked again
        return len(done)


def _on_job_done(job: Job) -> DeliveryOutcome:
    """Handles the end of a job in a sender's thread: an unexpected error must not end the
    others.
    """
    try:
        return job()
    except Exception:  # noqa: BLE001 - the thread's outermost loop
        _log.exception("a delivery failed")
        return DeliveryOutcome(Problem.CONNECTION)
