"""The trace of an execution: the versions of each node, and the decisions on edges."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import orjson

from checkpoints.contexts.version_inputs import SAVES
from checkpoints.models import Checkpoint, Execution

# Of a longer one the newest are looked at: 0.1 s with three decisions each.
MOST_VERSIONS: Final = 5_000


@dataclass(frozen=True, slots=True)
class EdgeDecision:
    """A decision on an edge, and its reason."""

    edge: str
    passes: bool
    reason: str


@dataclass(frozen=True, slots=True)
class NodeRun:
    """A version that a node wrote; ``undone`` if the execution was restored to before it since.

    ``took`` is the time since the version before, None if that was not read.
    """

    version: int
    node: str
    at: datetime
    took: timedelta | None
    undone: bool
    ways: Sequence[EdgeDecision]


@dataclass(frozen=True, slots=True)
class Trace:
    """The runs of the nodes, latest first; ``whole`` is False if there were older ones."""

    turns: Sequence[NodeRun]
    whole: bool

    def of_node(self, node_id: str) -> list[NodeRun]:
        return [turn for turn in self.turns if turn.node == node_id]

    def on_edge(self, edge_id: str) -> list[tuple[NodeRun, EdgeDecision]]:
        """Returns the decisions on an edge with the runs in which they were made, latest first."""
        return [(turn, way) for turn in self.turns for way in turn.ways if way.edge == edge_id]

    def runs(self) -> Mapping[str, int]:
        """Returns how many versions of each node still count."""
        return Counter(turn.node for turn in self.turns if not turn.undone)

    def decisions(self) -> Mapping[str, tuple[int, int]]:
        """Returns by edge how often it was taken and how often not, as far as that still counts."""
        taken: Counter[str] = Counter()
        refused: Counter[str] = Counter()
        for turn in self.turns:
            for way in turn.ways if not turn.undone else ():
                (taken if way.passes else refused)[way.edge] += 1
        return {edge: (taken[edge], refused[edge]) for edge in (*taken, *refused)}


def trace_of(row: Execution, most: int = MOST_VERSIONS) -> Trace:
    """Returns the trace from the manifests of an execution, with one query; reads no state."""
    rows = Checkpoint.objects.filter(conversation=row.conversation, execution=row.number)
    found = list(
        rows.only("version", "kind", "saved_node", "routing", "restored_from", "created_at")
        .filter(version__lte=row.version)
        .order_by("-version")[: most + 1]
    )
    at = {each.version: each.created_at for each in found}
    standing = _versions_in_effect(found)
    turns = [
        NodeRun(
            version=each.version,
            node=each.saved_node,
            at=each.created_at,
            took=each.created_at - at[each.version - 1] if each.version - 1 in at else None,
            undone=each.version not in standing,
            ways=[
                EdgeDecision(way["edge"], way["passes"], way["reason"])
                for way in orjson.loads(bytes(each.routing))
            ],
        )
        for each in found[:most]
        if each.saved_node and each.kind in SAVES
    ]
    return Trace(turns, len(found) <= most)


def _versions_in_effect(found: Sequence[Checkpoint]) -> set[int]:
    """Returns the versions that led to the latest: a restore continues from what it restored."""
    standing: set[int] = set()
    expected = found[0].version if found else 0
    for each in found:
        if each.version == expected:
            standing.add(each.version)
            put_back = each.restored_from
            expected = each.version - 1 if put_back is None else put_back
    return standing
