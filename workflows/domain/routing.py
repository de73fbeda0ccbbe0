"""Which edges are taken when a node completes, and which nodes are ready then."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from workflows.domain.plan import Plan
from workflows.domain.topology import Graph


@dataclass(frozen=True, slots=True)
class Next:
    """The decision on one outgoing edge of a completed node (api.md, ``complete``)."""

    edge: str
    to: str
    passes: bool
    reason: str

    def as_json(self) -> dict[str, JsonValue]:
        return {"edge": self.edge, "to": self.to, "passes": self.passes, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Decision:
    """A recorded decision: the ``occurrence``-th completion of ``node``, counted from 1."""

    node: str
    occurrence: int
    edge: str
    passes: bool


def decide(
    plan: Plan,
    node_id: str,
    variables: Mapping[str, JsonValue],
    metadata: Mapping[str, JsonValue],
    *,
    failed: bool = False,
) -> tuple[Next, ...]:
    """The decision on every outgoing edge of a node that completed or failed."""
    raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Marking:
    """What waits where: how often each edge was taken and not yet used by the node it leads to.

    ``unstarted`` are the start nodes that did not run yet.
    """

    unstarted: frozenset[str]
    waiting: Mapping[str, int]

    @classmethod
    def at_start(cls, graph: Graph) -> "Marking":
        """The marking of an execution in which nothing ran yet."""
        raise NotImplementedError

    @classmethod
    def from_json(cls, data: JsonValue) -> "Marking":
        raise NotImplementedError

    def as_json(self) -> dict[str, JsonValue]:
        """A small JSON value for a checkpoint: its size is the number of waiting edges."""
        raise NotImplementedError

    def after(self, graph: Graph, node_id: str, taken: Collection[str]) -> "Marking":
        """The marking when ``node_id`` completed and the edges ``taken`` were taken."""
        raise NotImplementedError

    def arrived(self, graph: Graph, node_id: str) -> tuple[str, ...]:
        """The edges along which something waits at ``node_id``, in document order."""
        raise NotImplementedError

    def ready(self, graph: Graph) -> tuple[str, ...]:
        """The nodes whose dependencies are done, in document order."""
        raise NotImplementedError


def replay(graph: Graph, executed: Sequence[str], decisions: Iterable[Decision] = ()) -> Marking:
    """The marking after ``executed`` completed in that order, with the recorded decisions."""
    raise NotImplementedError


def ready_nodes(
    graph: Graph | None, executed: Sequence[str], decisions: Iterable[Decision] = ()
) -> tuple[str, ...]:
    """The ready nodes after ``executed``; without a graph (a free execution) none is named."""
    raise NotImplementedError
