"""``manage.py seed_demo``: demo workflows, conversations and executions to play with."""

from typing import Any

from django.core.management.base import BaseCommand

from ctxadmin.accounts.services import default_workspace, system_actor
from demo.seed import seed


class Command(BaseCommand):
    help = "Make the demo data that is missing; what is there stays as it is."

    def handle(self, *args: Any, **options: Any) -> None:
        seed(system_actor(default_workspace(), "seed_demo"), self._tell)

    def _tell(self, text: str) -> None:
        self.stdout.write(f"   {text}")
        self.stdout.flush()
