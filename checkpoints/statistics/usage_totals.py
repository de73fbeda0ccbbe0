"""Model usage for pages: of a workspace by day, of an execution by node."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from checkpoints.models import Execution, Usage
from checkpoints.statistics.usage_costs import UsageSum, added_up, priced, sums_by_model
from conversations.workspace.pricing import Prices, prices_of

# Sums by day, workflow, version, node and model of one page; more are left out, and it says so.
MOST_SUMS: Final = 20_000


@dataclass(frozen=True, slots=True)
class SumGroup:
    """The group of a sum; parts that were not requested are empty."""

    day: str
    workflow: str
    version: int | None
    node: str
    model: str


@dataclass(frozen=True, slots=True)
class UsageTotals:
    """Sums of the days ``days`` (UTC), oldest first, including days without usage.

    ``cut`` is set if there were too many sums to add all of them.
    """

    days: Sequence[str]
    sums: Sequence[tuple[SumGroup, UsageSum]]
    cut: bool

    @property
    def total(self) -> UsageSum:
        return sum((each for _, each in self.sums), UsageSum())

    def by_day(self) -> list[tuple[str, UsageSum]]:
        found = added_up((group.day, each) for group, each in self.sums)
        return [(day, found.get(day, UsageSum())) for day in self.days]

    def by_version(self) -> dict[tuple[str, int | None], UsageSum]:
        return added_up(((group.workflow, group.version), each) for group, each in self.sums)

    def by_model(self) -> dict[str, UsageSum]:
        return added_up((group.model, each) for group, each in self.sums)

    def by_node(self) -> dict[str, UsageSum]:
        return added_up((group.node, each) for group, each in self.sums)


def totals_of_workspace(workspace: int, today: date, count: int) -> UsageTotals:
    """Returns the last ``count`` days of all workflows, without nodes; reads a single index."""
    return _totals(workspace, today, count, ("day", "workflow", "workflow_version"))


def totals_of_workflow(workspace: int, workflow: str, today: date, count: int) -> UsageTotals:
    """Returns the last ``count`` days of one workflow, with its nodes."""
    columns = ("day", "workflow", "workflow_version", "node_id")
    return _totals(workspace, today, count, columns, workflow)


def _totals(
    workspace: int, today: date, count: int, columns: Sequence[str], workflow: str | None = None
) -> UsageTotals:
    days = [(today - timedelta(days=back)).isoformat() for back in range(count - 1, -1, -1)]
    rows = Usage.objects.filter(workspace=workspace, day__gte=days[0])
    if workflow is not None:
        rows = rows.filter(workflow=workflow)
    found = sums_by_model(rows, columns, MOST_SUMS)
    prices = prices_of(workspace) if found else Prices()
    sums = [
        (
            SumGroup(
                row["day"],
                row["workflow"],
                row["workflow_version"],
                row.get("node_id", ""),
                row["model"],
            ),
            priced(row, prices),
        )
        for row in found
    ]
    return UsageTotals(days, sums, len(found) == MOST_SUMS)


def usage_of_nodes(execution: Execution) -> Mapping[str, UsageSum]:
    """Returns the usage of the nodes of one execution; nodes without a report are omitted."""
    rows = Usage.objects.filter(conversation=execution.conversation, execution=execution.number)
    found = sums_by_model(rows, ("node_id",), MOST_SUMS)
    prices = prices_of(execution.workspace) if found else Prices()
    return added_up((row["node_id"], priced(row, prices)) for row in found)
