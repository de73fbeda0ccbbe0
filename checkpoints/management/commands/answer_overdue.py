"""``manage.py answer_overdue``: pauses that nobody answered in time get their outcome."""

import logging
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db import DatabaseError, InterfaceError, connection

from checkpoints.services.overdue import answer_overdue

_log = logging.getLogger("ctxadmin.checkpoints")


class Command(BaseCommand):
    help = "Give every pause whose time is over the outcome that its designer chose."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--every", type=float, metavar="SECONDS", help="look again and again, until stopped"
        )

    def handle(self, *args: Any, every: float | None = None, **options: Any) -> None:
        if every is None:
            self.stdout.write(f"{answer_overdue()} answered")
            return
        while True:
            try:
                count = answer_overdue()
            except (DatabaseError, InterfaceError) as error:
                _log.warning("overdue pauses wait: %s", error)
                connection.close()  # the next look opens a new one
            else:
                if count:
                    self.stdout.write(f"{count} answered")
            time.sleep(every)
