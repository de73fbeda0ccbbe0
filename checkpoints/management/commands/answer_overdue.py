"""``manage.py answer_overdue``: pauses that nobody answered in time get their outcome."""

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from checkpoints.services.overdue import answer_overdue


class Command(BaseCommand):
    help = "Give every pause whose time is over the outcome that its designer chose."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--every", type=float, metavar="SECONDS", help="look again and again, until stopped"
        )

    def handle(self, *args: Any, every: float | None = None, **options: Any) -> None:
        while True:
            count = answer_overdue()
            if count or every is None:
                self.stdout.write(f"{count} answered")
            if every is None:
                return
            time.sleep(every)
