"""The runs of a node and the decisions on an edge, as lines of a panel."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from checkpoints.contexts.trace import EdgeDecision, NodeRun
from checkpoints.models import Checkpoint, Execution
from checkpoints.pages.presenters import TimelineLine, version_line
from checkpoints.services.annotations import labels_of
from checkpoints.store.pinned_workflow import PinnedVersion

_MOST_LINES: Final = 20


@dataclass(frozen=True, slots=True)
class NodeRunLine:
    """A version that a node wrote; ``has_input`` if the state that it saw is still stored.

    ``first`` and ``count`` are the messages of the log written with it.
    """

    line: TimelineLine
    undone: bool
    has_input: bool
    first: int
    count: int

    @property
    def as_list(self) -> tuple[TimelineLine]:
        """Returns the line as the list that the timeline template takes."""
        return (self.line,)


@dataclass(frozen=True, slots=True)
class EdgeDecisionLine:
    """A decision on an edge, with the version in which it was made."""

    version: int
    at: datetime
    passes: bool
    reason: str
    undone: bool


def node_run_lines(
    row: Execution, turns: Sequence[NodeRun], pinned: PinnedVersion
) -> list[NodeRunLine]:
    """Returns the latest runs of a node, with two queries."""
    shown = turns[:_MOST_LINES]
    wanted = {turn.version for turn in shown} | {turn.version - 1 for turn in shown}
    rows = Checkpoint.objects.filter(
        conversation=row.conversation, execution=row.number, version__in=wanted
    ).defer("answer", "routing", "marking", "whole")
    by_version = {each.version: each for each in rows}
    labels = labels_of(row, [turn.version for turn in shown])
    return [
        _turn_line(
            replace(
                version_line(row, by_version[turn.version], pinned),
                took=turn.took,
                label=labels.get(turn.version, ""),
            ),
            turn,
            by_version[turn.version],
            by_version.get(turn.version - 1),
        )
        for turn in shown
    ]


def _turn_line(
    line: TimelineLine, turn: NodeRun, written: Checkpoint, before: Checkpoint | None
) -> NodeRunLine:
    first = before.log_count if before is not None else written.log_count
    return NodeRunLine(
        line=line,
        undone=turn.undone,
        has_input=before is not None and before.thinned_at is None and line.thinned_at is None,
        first=first,
        count=written.log_count - first,
    )


def edge_decision_lines(found: Sequence[tuple[NodeRun, EdgeDecision]]) -> list[EdgeDecisionLine]:
    """Returns the latest decisions on an edge."""
    return [
        EdgeDecisionLine(turn.version, turn.at, way.passes, way.reason, turn.undone)
        for turn, way in found[:_MOST_LINES]
    ]
