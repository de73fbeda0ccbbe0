"""Rows beside those of versions, whose checksums the rows of the versions hold."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from checkpoints.models import Checkpoint, CheckpointDetails, Usage
from conversations.store.damage import ALTERED, MISSING, damaged
from ctxadmin.storage.tables import Table

RowT = TypeVar("RowT", CheckpointDetails, Usage)


def read_with_rows(
    table: Table[RowT],
    rows: Iterable[Checkpoint],
    stored: Callable[[Checkpoint], int | None],
    sum_of: Callable[[RowT], int],
) -> dict[int, RowT]:
    """The rows of ``table`` beside ``rows`` of one execution, by version.

    ``stored`` is the checksum in the row of a version, None if it has nothing beside it; if no
    version has, nothing is asked. Damaged if a row is missing, or differs from what was written.
    """
    having: dict[int, Checkpoint] = {row.version: row for row in rows if stored(row) is not None}
    if not having:
        return {}
    first = next(iter(having.values()))
    where = {"conversation": first.conversation, "execution": first.execution}
    found: dict[int, RowT] = {}
    for row in table.find_all(where, "version", [*having]):
        if sum_of(row) != stored(having[row.version]):
            raise damaged(row.conversation, "version", row.version, ALTERED)
        found[row.version] = row
    if missing := sorted(having.keys() - found.keys()):
        raise damaged(first.conversation, "version", missing[0], MISSING)
    return found
