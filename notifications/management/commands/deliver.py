"""``manage.py deliver``: sends notifications, ends timed out reviews, anchors the audit."""

import logging
import signal
import time
from argparse import ArgumentParser
from threading import Event, current_thread, main_thread
from typing import Any, Final

from django.core.management.base import BaseCommand
from django.db import DatabaseError, InterfaceError, connection

from checkpoints.services.review_timeouts import answer_overdue
from ctxadmin.audit.anchors import anchor_if_due
from notifications.worker import Sender

_log = logging.getLogger("ctxadmin.notifications")

_LOOK_SECONDS: Final = 1.0
_OVERDUE_SECONDS: Final = 5.0
_ANCHOR_SECONDS: Final = 60.0
_AWAY_SECONDS: Final = 5.0


class Command(BaseCommand):
    help = (
        "Send webhooks and emails, apply the outcome of reviews that timed out, and anchor the "
        "audit, until stopped. Several can run at the same time."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="do what is due now, then exit")
        parser.add_argument("--url", default="", help="address of the server, for links")

    def handle(self, *args: Any, once: bool = False, url: str = "", **options: Any) -> None:
        stop = Event()
        if current_thread() is main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, lambda *_: stop.set())
        with Sender(url) as sender:
            if once:
                answer_overdue()
                anchor_if_due()
                run_until_idle(sender)
            else:
                send_until(sender, stop)


def run_until_idle(sender: Sender) -> None:
    """Sends everything that is due now."""
    while sender.run_round() or sender.is_busy:
        sender.wait(_LOOK_SECONDS)


def send_until(sender: Sender, stop: Event) -> None:
    """Sends until stopped; waits while the database is down."""
    looked = anchored = float("-inf")
    while not stop.is_set():
        pause = _LOOK_SECONDS
        try:
            if time.monotonic() - looked >= _OVERDUE_SECONDS:
                answer_overdue()
                looked = time.monotonic()
            if time.monotonic() - anchored >= _ANCHOR_SECONDS:
                anchor_if_due()
                anchored = time.monotonic()
            if sender.run_round():
                pause = 0.0
        except (DatabaseError, InterfaceError) as error:
            _log.warning("notifications are delayed: %s", error)
            connection.close()  # the next look opens a new one
            pause = _AWAY_SECONDS
        if pause and sender.is_busy:
            sender.wait(pause)
        else:
            stop.wait(pause)
