"""``manage.py seed_demo``: demo workflows, conversations and executions to play with."""

from typing import Any

from django.core.management.base import CommandError

from ctxadmin.accounts.services import default_workspace, system_actor
from ctxadmin.storage.commands import ReadyCommand
from demo.engine import ServerRefused
from demo.seed import seed


class Command(ReadyCommand):
    help = "Make the demo data that is missing; what is there stays as it is."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            seed(system_actor(default_workspace(), "seed_demo"), self._tell)
        except ServerRefused as refused:
            raise CommandError(
                f"The demo data is not complete: {refused} What was begun is undone; run "
                "manage.py seed_demo again for the rest."
            ) from None

    def _tell(self, text: str) -> None:
        self.stdout.write(f"   {text}")
        self.stdout.flush()
