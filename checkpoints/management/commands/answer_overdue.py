"""``manage.py answer_overdue``: applies the outcome of reviews that timed out."""

import logging
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db import DatabaseError, InterfaceError, connection

from checkpoints.services.review_timeouts import answer_overdue

_log = logging.getLogger("ctxadmin.checkpoints")


class Command(BaseCommand):
    help = "Apply the outcome of every review that timed out, as its designer set it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--every", type=float, metavar="SECONDS", help="repeat until stopped")

    def handle(self, *args: Any, every: float | None = None, **options: Any) -> None:
        if every is None:
            self.stdout.write(f"{answer_overdue()} answered")
            return
        while True:
            try:
                count = answer_overdue()
            except (DatabaseError, InterfaceError) as error:
                _log.warning("timed out reviews are delayed: %s", error)
                connection.close()  # the next look opens a new one
            else:
                if count:
                    self.stdout.write(f"{count} answered")
            time.sleep(every)
