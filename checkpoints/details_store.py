"""The details of checkpoints in SQL: a row for each that has any."""

from collections.abc import Iterable
from typing import Final

from checkpoints.domain.details import NO_DETAILS, Details
from checkpoints.models import Checkpoint, CheckpointDetails
from conversations.damage import ALTERED, MISSING, damaged
from ctxadmin.storage.tables import Table

_DETAILS: Final = Table(CheckpointDetails)


def insert_details(checkpoint: Checkpoint, details: Details) -> None:
    """Store the details of a new checkpoint."""
    row = CheckpointDetails(
        conversation=checkpoint.conversation,
        execution=checkpoint.execution,
        version=checkpoint.version,
        namespace=details.namespace,
        parent=details.parent,
        metadata=details.metadata,
    )
    _DETAILS.insert([row])


def read_details(rows: Iterable[Checkpoint]) -> dict[int, Details]:
    """The details of versions of one execution; nothing is asked if none of them has any.

    Damaged if they differ from what was written.
    """
    having = {row.version: row for row in rows if row.details_sum is not None}
    if not having:
        return {}
    first = next(iter(having.values()))
    where = {"conversation": first.conversation, "execution": first.execution}
    found: dict[int, Details] = {}
    for row in _DETAILS.find_all(where, "version", [*having]):
        details = details_of(row)
        if details.sum(row.version) != having[row.version].details_sum:
            raise damaged(row.conversation, "version", row.version, ALTERED)
        found[row.version] = details
    if missing := sorted(having.keys() - found.keys()):
        raise damaged(first.conversation, "version", missing[0], MISSING)
    return found


def details_at(row: Checkpoint) -> Details:
    """The details of one checkpoint."""
    return read_details([row]).get(row.version, NO_DETAILS)


def details_of(row: CheckpointDetails) -> Details:
    """A row as its value."""
    return Details(bytes(row.metadata), row.parent, row.namespace)
