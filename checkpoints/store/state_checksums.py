"""The checksums of the rows of a state."""

from checkpoints.models import StateKey, StateValue
from ctxadmin.lib.row_sums import row_sum


def sum_of_value(key: str, version: int, value: bytes) -> int:
    """Returns the checksum of a key's value at one version."""
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
    """Returns the checksum of the head of a key, which every change of the key replaces."""
    facts = f"{name}|{version}|{first}|{last}|{digest}|{size}|{count}|{gone:d}|"
    return row_sum(facts, bytes(spans))


def sum_of_key(row: StateKey) -> int:
    """Returns ``sum_of_head`` of a row."""
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
    """Returns a row of a key with its checksum."""
    row.sum = sum_of_key(row)
    return row


def summed_value(row: StateValue) -> StateValue:
    """Returns a new row of a value with its checksum."""
    row.sum = sum_of_value(row.key, row.version, bytes(row.value))
    return row
