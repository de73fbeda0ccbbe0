"""``manage.py seed_demo``: adds demo workflows, conversations and executions."""

from typing import Any

from django.core.management.base import CommandError

from ctxadmin.accounts.services import default_workspace, system_actor
from ctxadmin.storage.commands import ReadyCommand
from demo.engine import ServerRefused
from demo.seed import seed


class Command(ReadyCommand):
    help = "Add the demo data that is missing. Existing data does not change."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            seed(system_actor(default_workspace(), "seed_demo"), self._print)
        except ServerRefused as refused:
            raise CommandError(
                f"The demo data is not complete: {refused} The unfinished part was undone. Run "
                "manage.py seed_demo again."
            ) from None

    def _print(self, text: str) -> None:
        self.stdout.write(f"   {text}")
        self.stdout.flush()
