"""``manage.py search_index``: keeps the search index up to date, or builds it again."""

import logging
import signal
from argparse import ArgumentParser
from threading import Event, current_thread, main_thread
from time import monotonic
from typing import Any, Final

from django.core.management.base import BaseCommand
from django.db import DatabaseError, InterfaceError, connection

from search import indexer, words
from search.models import SearchProgress

_log = logging.getLogger("ctxadmin.search")

_LOOK_SECONDS: Final = 1.0
_AWAY_SECONDS: Final = 5.0
_TELL_SECONDS: Final = 2.0
_FORGET_SECONDS: Final = 3600.0  # rewriting a large index takes seconds of processor time
_STEP_SECONDS: Final = 0.02  # between its steps, for other writers


class Command(BaseCommand):
    help = "Add what is written to the search index, until stopped. Several can run."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="add what is there now, then exit")
        parser.add_argument(
            "--rebuild", action="store_true", help="empty the index, build it again, then exit"
        )

    def handle(self, *args: Any, once: bool = False, rebuild: bool = False, **options: Any) -> None:
        if rebuild or once:
            progress = _Told(self.stdout)
            (indexer.rebuild if rebuild else indexer.run_until_done)(progress)
            if rebuild:
                words.compact()
            self.stdout.write("The index is up to date.")
            return
        stop = Event()
        if current_thread() is main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, lambda *_: stop.set())
        follow(stop)


def follow(stop: Event) -> None:
    """Indexes until stopped; waits while the database is down.

    Once an hour, and at the start, the index forgets the words of what was removed.
    """
    due = 0.0
    while not stop.is_set():
        pause = _LOOK_SECONDS
        try:
            if indexer.run_round():
                pause = 0.0
            elif monotonic() >= due:
                words.forget_removed(lambda: stop.wait(_STEP_SECONDS))
                due = monotonic() + _FORGET_SECONDS
        except (DatabaseError, InterfaceError) as error:
            _log.warning("the search index is delayed: %s", error)
            connection.close()  # the next look opens a new one
            pause = _AWAY_SECONDS
        stop.wait(pause)


class _Told:
    """Prints the progress of a walk every two seconds."""

    def __init__(self, out: Any) -> None:
        self._out = out
        self._at = monotonic()

    def __call__(self, progress: SearchProgress) -> None:
        if progress.total and monotonic() - self._at > _TELL_SECONDS:
            self._at = monotonic()
            self._out.write(f"{progress.walked} of {progress.total} conversations")
            self._out.flush()
