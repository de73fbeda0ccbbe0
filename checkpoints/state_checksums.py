"""The checksums of the rows that a state is made of."""

from checkpoints.models import StateKey, StateValue
from ctxadmin.lib.row_sums import row_sum


def sum_of_value(key: str, version: int, value: bytes) -> int:
    """Of what one version wrote to one key."""
    return row_sum(f"{key}|{version}|", value)


def sum_of_head(
    name: str,
    version: int,
    first: int,
    last: int,
    spans: bytes,
    digest: str,
    size: int,
    count: int | None,
    *,
    gone: int,
) -> int:
    """Of the head of a key, which every change of the key replaces."""
    facts = f"{name}|{version}|{first}|{last}|{digest}|{size}|{count}|{gone:d}|"
    return row_sum(facts, bytes(spans))


def sum_of_key(row: StateKey) -> int:
    """``sum_of_head`` of a row."""
    return sum_of_head(
        row.name,
        row.version,
        row.first,
        row.last,
        bytes(row.spans),
        row.digest,
        row.size,
        row.count,
        gone=row.gone,
    )


def summed_key(row: StateKey) -> StateKey:
    """A row of a key with its sum."""
    row.sum = sum_of_key(row)
    return row


def summed_value(row: StateValue) -> StateValue:
    """A new row of a value with its sum."""
    row.sum = sum_of_value(row.key, row.version, bytes(row.value))
    return row
