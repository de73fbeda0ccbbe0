"""The heads of streams: rows of any app that count the entries of a stream."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from django.db.models import Exists, F, Model, OuterRef

from ctxadmin.audit.models import AuditEntry


@dataclass(frozen=True, slots=True)
class Head:
    """The number of entries of a stream, and the hash of the last; "" where it is not stored."""

    seq: int
    hash: str


@dataclass(frozen=True, slots=True)
class HeadTable:
    """A model with one row for each stream; ``hash`` is "" if no field stores that."""

    model: type[Model]
    stream: str = "key"
    seq: str = "change_seq"
    hash: str = ""


_tables: Final[list[HeadTable]] = []


def register_heads(table: HeadTable) -> None:
    """Registers rows of an app with which verification compares its streams."""
    _tables.append(table)


def heads_of(streams: Collection[int]) -> Mapping[int, Head]:
    """Returns the heads of some streams; without those that have none."""
    found: dict[int, Head] = {}
    for table in _tables:
        rows = table.model._default_manager.filter(**{f"{table.stream}__in": streams})
        names = [table.stream, table.seq, *([table.hash] if table.hash else [])]
        for stream, seq, *hashes in rows.values_list(*names):
            found[stream] = Head(seq, hashes[0] if hashes else "")
    return found


def heads_without_entries() -> Iterator[int]:
    """Returns the streams that have entries by their head, and none in the audit."""
    entries = AuditEntry.objects.filter(stream=OuterRef("found"))
    for table in _tables:
        rows = table.model._default_manager.filter(**{f"{table.seq}__gt": 0})
        rows = rows.annotate(found=F(table.stream)).filter(~Exists(entries))
        yield from rows.values_list("found", flat=True).iterator(1000)
