"""The details of checkpoints in SQL: a row for each checkpoint that has any."""

from collections.abc import Iterable
from typing import Final

from checkpoints.domain.details import NO_DETAILS, Details
from checkpoints.models import Checkpoint, CheckpointDetails
from checkpoints.store.rows_of_versions import read_with_rows
from ctxadmin.storage.tables import Table

_DETAILS: Final = Table(CheckpointDetails)


def insert_details(checkpoint: Checkpoint, details: Details) -> None:
    """Stores the details of a new checkpoint."""
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
    """Returns the details of versions of one execution, without a query if none has any.

    Raises Damaged if a checksum differs.
    """
    found = read_with_rows(_DETAILS, rows, lambda row: row.details_sum, _sum_of)
    return {version: details_of(row) for version, row in found.items()}


def _sum_of(row: CheckpointDetails) -> int:
    return details_of(row).sum(row.version)


def details_at(row: Checkpoint) -> Details:
    """Returns the details of one checkpoint."""
    return read_details([row]).get(row.version, NO_DETAILS)


def details_of(row: CheckpointDetails) -> Details:
    """Returns a row as Details."""
    return Details(bytes(row.metadata), row.parent, row.namespace)
