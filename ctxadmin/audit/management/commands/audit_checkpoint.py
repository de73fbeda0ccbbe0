"""``manage.py audit_checkpoint``: anchors all streams and prints a signed checkpoint."""

from typing import Any

from django.core.management.base import CommandError

from ctxadmin.audit.anchors import anchor_heads
from ctxadmin.audit.checkpoint import checkpoint_of, write_checkpoint
from ctxadmin.storage.commands import ReadyCommand


class Command(ReadyCommand):
    help = (
        "Print a signed checkpoint of the audit. Store it elsewhere for verify_audit --checkpoint."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        anchor = anchor_heads(everything=True)
        if anchor is None:
            raise CommandError("The anchors of the audit are missing; run verify_audit.")
        self.stdout.write(write_checkpoint(checkpoint_of(anchor)))
