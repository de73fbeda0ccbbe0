"""``manage.py verify_audit``: checks the chains of the audit, their heads and their anchors."""

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from ctxadmin.audit.anchors import last_anchor
from ctxadmin.audit.checkpoint import checkpoint_fault, read_checkpoint
from ctxadmin.audit.checks import verify_and_store
from ctxadmin.audit.verification import Fault
from ctxadmin.lib import clock
from ctxadmin.storage.commands import ReadyCommand


class Command(ReadyCommand):
    help = "Check that no audit entry was changed, removed or inserted."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--checkpoint",
            type=Path,
            metavar="FILE",
            help="also compare with an earlier output of audit_checkpoint",
        )

    def handle(self, *args: Any, checkpoint: Path | None = None, **options: Any) -> None:
        broken = 0
        if checkpoint is not None:
            try:
                fault = checkpoint_fault(read_checkpoint(checkpoint.read_bytes()))
            except (OSError, ValueError) as error:
                raise CommandError(f"{checkpoint} cannot be read: {error}") from None
            if fault:
                broken += 1
                self.stderr.write(f"checkpoint: {fault}")
        found = verify_and_store(self._say, broken)
        if not found.stored:
            self.stderr.write("The outcome is not stored: this database user may not write it.")
        if found.broken:
            raise CommandError(f"{found.broken} of {found.streams} streams are broken.")
        self.stdout.write(f"All {found.streams} streams are intact.")
        if anchor := last_anchor():
            self.stdout.write(f"The last anchor is {anchor.number}, of {clock.iso(anchor.at)}.")

    def _say(self, count: int, faults: Sequence[Fault]) -> None:
        for each in faults:
            self.stderr.write(str(each))
        if count and count % 1000 == 0:
            self.stdout.write(f"{count} streams")
