"""``manage.py verify_audit``: checks the hash chain of every stream of the audit."""

from typing import Any

from django.core.management.base import CommandError

from ctxadmin.audit.models import AuditEntry
from ctxadmin.audit.record import first_break
from ctxadmin.web.commands import ReadyCommand


class Command(ReadyCommand):
    help = "Check that no audit entry was changed, removed or put in between."

    def handle(self, *args: Any, **options: Any) -> None:
        streams = AuditEntry.objects.order_by("stream").values_list("stream", flat=True).distinct()
        broken = 0
        for count, stream in enumerate(streams, start=1):
            entries = AuditEntry.objects.filter(stream=stream).order_by("seq").iterator(1000)
            seq = first_break(entries)
            if seq is not None:
                broken += 1
                self.stderr.write(f"stream {stream}: the chain breaks at entry {seq}")
            if count % 1000 == 0:
                self.stdout.write(f"{count} of {len(streams)} streams")
        if broken:
            raise CommandError(f"{broken} of {len(streams)} streams are broken.")
        self.stdout.write(f"All {len(streams)} streams hold.")
