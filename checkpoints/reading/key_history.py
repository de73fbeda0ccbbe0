"""Finds the versions that wrote a key of the state."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from checkpoints.models import Checkpoint, Execution, StateValue
from checkpoints.store.executions import execution_at
from checkpoints.store.state import digest_of_name

_MOST_EXECUTIONS: Final = 300  # before the one that is shown, with a query each


@dataclass(frozen=True, slots=True)
class KeyWrite:
    """One write of a key: how (a ChangeKind), its size in bytes, and the version it came with."""

    kind: str
    size: int
    checkpoint: Checkpoint


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
    """Returns the versions that wrote a key, latest first, with two queries.

    ``before`` leaves out that version and later ones. Values that retention removed are not among
    them. Both queries follow primary keys: the number of versions of the execution costs nothing.
    """
    values = StateValue.objects.filter(
        conversation=row.conversation, execution=row.number, key=digest_of_name(name)
    )
    if before is not None:
        values = values.filter(version__lt=before)
    found = list(values.order_by("-version").values_list("version", "kind", "size")[:most])
    rows = Checkpoint.objects.filter(
        conversation=row.conversation,
        execution=row.number,
        version__in=[version for version, _kind, _size in found],
    ).defer("answer", "routing", "marking", "whole")
    by_version = {each.version: each for each in rows}
    return [
        KeyWrite(kind, size, by_version[version])
        for version, kind, size in found
        if version in by_version
    ]
