"""The course of an execution: which node wrote which version, what was decided on edges then."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import orjson

from checkpoints.models import Checkpoint, Execution
from checkpoints.version_inputs import SAVES

# Of a longer one the newest are looked at: 0.1 s with three decisions each.
MOST_VERSIONS: Final = 5_000


@dataclass(frozen=True, slots=True)
class EdgeDecision:
    """A decision on an edge, and why."""

    edge: str
    passes: bool
    reason: str


@dataclass(frozen=True, slots=True)
class NodeRun:
    """A version that a node wrote; ``undone`` if the execution was put back to before it since.

    ``took`` is the time since the version before, None if that was not looked at.
    """

    version: int
    node: str
    at: datetime
    took: timedelta | None
    undone: bool
    ways: Sequence[EdgeDecision]


@dataclass(frozen=True, slots=True)
class Trace:
    """The turns of the nodes, the newest first; ``whole`` is False if there were older ones."""

    turns: Sequence[NodeRun]
    whole: bool

    def of_node(self, node_id: str) -> list[NodeRun]:
        return [turn for turn in self.turns if turn.node == node_id]

    def on_edge(self, edge_id: str) -> list[tuple[NodeRun, EdgeDecision]]:
        """The decisions on an edge with the turns in which they were taken, the newest first."""
        return [(turn, way) for turn in self.turns for way in turn.ways if way.edge == edge_id]

    def runs(self) -> Mapping[str, int]:
        """How often each node wrote a version that still counts."""
        return Counter(turn.node for turn in self.turns if not turn.undone)

    def decisions(self) -> Mapping[str, tuple[int, int]]:
        """By edge: how often it was taken and how often not, as far as that still counts."""
        taken: Counter[str] = Counter()
        refused: Counter[str] = Counter()
        for turn in self.turns:
            for way in turn.ways if not turn.undone else ():
                (taken if way.passes else refused)[way.edge] += 1
        return {edge: (taken[edge], refused[edge]) for edge in (*taken, *refused)}


def trace_of(row: Execution, most: int = MOST_VERSIONS) -> Trace:
    """What the manifests of an execution tell, in one query; nothing of the state is read."""
    rows = Checkpoint.objects.filter(conversation=row.conversation, execution=row.number)
    found = list(
        rows.only("version", "kind", "saved_node", "routing", "restored_from", "created_at")
        .filter(version__lte=row.version)
        .order_by("-version")[: most + 1]
    )
    at = {each.version: each.created_at for each in found}
    standing = _standing(found)
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


def _standing(found: Sequence[Checkpoint]) -> set[int]:
    """The versions that led to the newest: a restored one leads on from what it restored."""
    standing: set[int] = set()
    expected = found[0].version if found else 0
    for each in found:
        if each.version == expected:
            standing.add(each.version)
            put_back = each.restored_from
            expected = each.version - 1 if put_back is None else put_back
    return standing
