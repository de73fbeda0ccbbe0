"""Reported usage in SQL: a row for each version whose engine reported any."""

from collections.abc import Iterable
from typing import Final

from checkpoints.domain.usage import ModelUsage, cost_of
from checkpoints.models import Checkpoint, Execution, Usage
from checkpoints.store.rows_of_versions import read_with_rows
from ctxadmin.lib.row_sums import row_sum
from ctxadmin.storage.tables import Table

_USAGE: Final = Table(Usage)


def usage_row(execution: Execution, checkpoint: Checkpoint, usage: ModelUsage) -> Usage:
    """Returns the row of a new version's usage, for the node that it saved."""
    return Usage(
        conversation=checkpoint.conversation,
        execution=checkpoint.execution,
        version=checkpoint.version,
        workspace=execution.workspace,
        workflow=execution.workflow,
        workflow_version=execution.workflow_version,
        node_id=checkpoint.saved_node,
        model=usage.model or "",
        input_tokens=usage.input_tokens,
        cached_tokens=usage.cached_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        output_tokens=usage.output_tokens,
        cost=usage.cost_parts,
        day=checkpoint.created_at.date().isoformat(),
    )


def insert_usage(row: Usage) -> None:
    _USAGE.insert([row])


def sum_of_usage(row: Usage) -> int:
    """Returns the checksum of a row, which is in the row of its version."""
    facts = (
        *(row.version, row.workspace, row.workflow, row.workflow_version, row.day),
        *(row.input_tokens, row.cached_tokens, row.cache_write_tokens, row.output_tokens, row.cost),
    )
    return row_sum("|".join(map(str, facts)), row.node_id.encode(), b"|", row.model.encode())


def read_usage(rows: Iterable[Checkpoint]) -> dict[int, ModelUsage]:
    """Returns the usage of versions of one execution, without a query if none reported any.

    Raises Damaged if a checksum differs.
    """
    found = read_with_rows(_USAGE, rows, lambda row: row.usage_sum, sum_of_usage)
    return {version: usage_of(row) for version, row in found.items()}


def usage_at(row: Checkpoint) -> ModelUsage | None:
    """Returns the usage of one version, None if its engine reported nothing."""
    return read_usage([row]).get(row.version)


def usage_of(row: Usage) -> ModelUsage:
    """Returns a row as its value."""
    return ModelUsage.model_construct(
        model=row.model or None,
        input_tokens=row.input_tokens,
        cached_tokens=row.cached_tokens,
        cache_write_tokens=row.cache_write_tokens,
        output_tokens=row.output_tokens,
        cost=cost_of(row.cost),
    )
