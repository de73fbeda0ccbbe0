"""Finds the versions that wrote a key of the state."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models.functions import Length

from checkpoints.domain.state import ChangeKind
from checkpoints.models import Checkpoint, Execution, StateValue
from checkpoints.store.executions import execution_at
from checkpoints.store.state import digest_of_name

_MOST_EXECUTIONS: Final = 300  # before the one that is shown, with a query each
_LARGEST: Final = 4096  # bytes of a value that is read for a list


@dataclass(frozen=True, slots=True)
class KeyWrite:
    """One write of a key: how (a ChangeKind), and the version it came with.

    ``value`` is the JSON that it set or the list that it appended, None if it is larger than 4 KiB
    or was written by version ``as_in``; ``size`` is that of the whole value in bytes.
    """

    kind: str
    size: int
    checkpoint: Checkpoint
    value: bytes | None = None
    as_in: int | None = None


def earlier_execution_of_key(row: Execution, name: str) -> Execution | None:
    """Returns the latest execution before this one in which a version wrote a key.

    Looks into the last few hundred executions, one by one: each look follows the primary key, where
    a search of all of them would read all their values.
    """
    key = digest_of_name(name)
    for number in range(row.number - 1, max(row.number - 1 - _MOST_EXECUTIONS, -1), -1):
        values = StateValue.objects.filter(conversation=row.conversation, execution=number, key=key)
        if values.exists():
            return execution_at(row.conversation, number)
    return None


def writes_of_key(row: Execution, name: str, before: int | None, most: int) -> Sequence[KeyWrite]:
    """Returns the versions that wrote a key, latest first, with three queries.

    ``before`` leaves out that version and later ones. Values that retention removed are not among
    them. The queries follow primary keys: the number of versions of the execution costs nothing.
    """
    values = StateValue.objects.filter(
        conversation=row.conversation, execution=row.number, key=digest_of_name(name)
    )
    if before is not None:
        values = values.filter(version__lt=before)
    found = list(values.order_by("-version").values_list("version", "kind", "size", "last")[:most])
    versions = [version for version, _kind, _size, _last in found]
    rows = Checkpoint.objects.filter(
        conversation=row.conversation,
        execution=row.number,
        version__in=versions,
    ).defer("answer", "routing", "marking", "whole")
    by_version = {each.version: each for each in rows}
    small = values.filter(version__in=versions).annotate(length=Length("value"))
    written = dict(small.filter(length__gt=0, length__lte=_LARGEST).values_list("version", "value"))
    return [
        KeyWrite(
            kind,
            size,
            by_version[version],
            value=bytes(written[version]) if version in written else None,
            as_in=last if kind == ChangeKind.SAME else None,
        )
        for version, kind, size, last in found
        if version in by_version
    ]
