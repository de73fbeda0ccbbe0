"""Takes the reasons out of the entries, and anchors the streams of release 0.1.0.

Their entries have no key; how many each stream has is on record in the first anchor, which is made
also where there are none: from then on an entry without a key was not written by ctxadmin.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from django.db import migrations
from django.db.models import Max

from ctxadmin.audit.chain import FIRST_HASH, anchor_hash, heads_digest
from ctxadmin.audit.keys import current_key
from ctxadmin.lib import clock

_CHUNK = 400


def move_reasons(apps: Any, schema_editor: Any) -> None:
    entries, reasons = (apps.get_model("audit", name) for name in ("AuditEntry", "AuditReason"))
    rows = entries.objects.exclude(reason="").values_list("stream", "seq", "reason")
    remaining = rows.iterator(_CHUNK)
    while part := list(islice(remaining, _CHUNK)):
        reasons.objects.bulk_create(
            [reasons(stream=stream, seq=seq, text=text) for stream, seq, text in part],
            ignore_conflicts=True,  # a migration that was stopped goes on
        )


def make_first_anchor(apps: Any, schema_editor: Any) -> None:
    anchors = apps.get_model("audit", "AuditAnchor")
    heads = apps.get_model("audit", "AuditAnchoredHead")
    heads.objects.all().delete()  # of a migration that was stopped
    for part in _chunks(_heads(apps.get_model("audit", "AuditEntry"))):
        heads.objects.bulk_create(
            heads(stream=stream, anchor=1, seq=seq, hash=digest, unkeyed=seq)
            for stream, seq, digest in part
        )
    rows = heads.objects.order_by("stream").values_list("stream", "seq", "hash", "unkeyed")
    anchor = anchors(
        number=1,
        at=clock.now(),
        streams=rows.count(),
        digest=heads_digest(rows.iterator(1000)),
        key_name=current_key().name,
    )
    anchor.hash = anchor_hash(
        FIRST_HASH, 1, anchor.at, anchor.streams, anchor.digest, current_key()
    )
    anchor.save(force_insert=True)


def _heads(entries: Any) -> Iterator[tuple[int, int, str]]:
    """The last entry of each stream."""
    streams = entries.objects.order_by("stream").values_list("stream").annotate(Max("seq"))
    for part in _chunks(streams.iterator(1000)):
        yield from entries.objects.filter(pk__in=part).values_list("stream", "seq", "hash")


def _chunks(rows: Iterator[Any]) -> Iterator[list[Any]]:
    while part := list(islice(rows, _CHUNK)):
        yield part


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0002_keyed_chain"),
    ]

    operations = [
        migrations.RunPython(move_reasons, migrations.RunPython.noop),
        migrations.RunPython(make_first_anchor, migrations.RunPython.noop),
    ]
