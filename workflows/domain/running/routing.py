"""Routing: which edges are taken when a node completes, and which nodes are ready then.

The rule, as a game of tokens:

1. A start node is ready from the beginning.
2. A node that completes decides each of its outgoing edges once. An edge that is taken carries
   one token to the node that it leads to; an edge that is not taken carries nothing, so nobody
   waits for it. Completing uses up one token from each edge on which some wait.
3. A node at which a token waits is *active*, and so is a start that did not run. An active node
   waits for another one from which a path leads to one of its *silent* edges, on which nothing
   waits; a path that passes a third active node counts as that one's. A start waits for nobody.
4. An active node is ready if the only nodes it waits for also wait for it.

So a join waits for every branch that was taken, however long it is, and for none that was not.
Paths through the node itself do not count: the first round of a loop does not wait for the second.
Rule 4 resolves circular waiting: something is ready as long as a token waits anywhere.

A loop makes a node ready again because its back edge brings a new token. Error edges are taken on
failure only. A node that failed with no error edge to take did not complete: its tokens still wait,
so it is ready for a retry. Rule 3 is that of BPMN's inclusive gateway, for every node. Source:
semantics 3.8 and 2.6.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field, JsonValue

from ctxadmin.lib.contract import Contract, parse
from ctxadmin.lib.errors import NotFound
from ctxadmin.lib.sentence import say
from workflows.domain.conditions.condition import compile_condition
from workflows.domain.document.graph import Edge
from workflows.domain.document.topology import Graph, strongly_connected
from workflows.domain.running.plan import Plan


@dataclass(frozen=True, slots=True)
class EdgeOutcome:
    """The decision on one outgoing edge of a completed node (rest.md, ``complete``)."""

    edge: str
    to: str
    passes: bool
    reason: str

    def as_json(self) -> dict[str, JsonValue]:
        return {"edge": self.edge, "to": self.to, "passes": self.passes, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class RouteDecision:
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
) -> tuple[EdgeOutcome, ...]:
    """Decides on every outgoing edge of a node that completed or failed.

    In order of falling weight, then of the document. Every edge that passes is taken; weights only
    sort. ``variables`` and ``metadata`` are those of the flow after the node, not those that the
    node saw. Raises NotFound for a node that the workflow lacks.
    """
    outgoing = plan.graph.outgoing.get(node_id)
    if outgoing is None:
        raise NotFound(say("The workflow has no node {name}.", name=repr(node_id)))
    return tuple(
        EdgeOutcome(edge.id, edge.to_node, *_passes(edge, variables, metadata, failed=failed))
        for edge in outgoing
    )


def _passes(
    edge: Edge,
    variables: Mapping[str, JsonValue],
    metadata: Mapping[str, JsonValue],
    *,
    failed: bool,
) -> tuple[bool, str]:
    if failed != (edge.type == "error"):
        return False, say("the node failed") if failed else say("taken only when the node fails")
    if edge.condition is None:
        return True, say("the node failed") if failed else say("no condition")
    if compile_condition(edge.condition).evaluate(variables, metadata):
        return True, say("the condition is true: {condition}", condition=edge.condition)
    return False, say("the condition is false: {condition}", condition=edge.condition)


class _MarkingJson(Contract):
    due: Annotated[tuple[str, ...], Field(strict=False)] = ()
    waiting: dict[str, int] = {}


@dataclass(frozen=True, slots=True)
class Marking:
    """The positions of the tokens of an execution.

    ``due`` are nodes that run without a token: the starts at first, later a node from which a
    person resumed. ``waiting`` counts the tokens on each edge, none with 0.
    """

    due: frozenset[str] = frozenset()
    waiting: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def at_start(cls, graph: Graph) -> "Marking":
        """Returns the marking of an execution in which nothing ran yet."""
        return cls(frozenset(graph.starts))

    @classmethod
    def from_json(cls, data: object) -> "Marking":
        """Parses the marking of ``as_json``; raises ValidationFailed for anything else."""
        read = parse(_MarkingJson, data)
        return cls(frozenset(read.due), read.waiting)

    def as_json(self) -> dict[str, JsonValue]:
        """Returns a JSON value for a checkpoint, proportional to the nodes and edges with
        tokens.
        """
        waiting: dict[str, JsonValue] = {name: self.waiting[name] for name in sorted(self.waiting)}
        return {"due": list[JsonValue](sorted(self.due)), "waiting": waiting}

    def after(self, graph: Graph, node_id: str, taken: Collection[str]) -> "Marking":
        """Returns the marking when ``node_id`` completed and the edges ``taken`` were taken.

        Never refuses: a node that was not ready, because an engine or a person chose it, uses up
        the tokens at it, if any. Edges that do not leave the node are ignored.
        """
        if node_id not in graph.nodes:
            return self
        waiting = dict(self.waiting)
        for edge in graph.incoming[node_id]:
            _remove_one(waiting, edge.id)
        for edge in graph.outgoing[node_id]:
            if edge.id in taken:
                waiting[edge.id] = waiting.get(edge.id, 0) + 1
        return Marking(self.due - {node_id}, waiting)

    def redirect(self, graph: Graph, paused: str, to: str, *, completed: bool) -> "Marking":
        """Returns the marking when a person resumes at ``to`` instead of where the execution
        paused.

        ``completed`` distinguishes a pause after ``paused``, whose successors will not run, from a
        pause before it, when it will not run itself. Raises NotFound if the workflow has no node
        ``to``.
        """
        if to not in graph.nodes:
            raise NotFound(say("The workflow has no node {name}.", name=repr(to)))
        ways = graph.outgoing if completed else graph.incoming
        waiting = dict(self.waiting)
        for edge in ways.get(paused, ()):
            _remove_one(waiting, edge.id)
        due = self.due if completed else self.due - {paused}
        return Marking(due | {to}, waiting)

    def arrived_edges(self, graph: Graph, node_id: str) -> tuple[str, ...]:
        """Returns the edges with tokens for ``node_id``, in document order."""
        return tuple(edge.id for edge in graph.incoming.get(node_id, ()) if edge.id in self.waiting)

    def ready(self, graph: Graph) -> tuple[str, ...]:
        """Returns the nodes whose dependencies are done, in document order.

        O(nodes + edges) at most.
        """
        active = {name for name in self.due if name in graph.nodes}
        active |= {graph.edges[name].to_node for name in self.waiting if name in graph.edges}
        silent = {name: self._silent(graph, name) for name in active}
        ready = active
        if len(active) > 1 and any(silent.values()):
            ready = _not_waiting(graph, active, silent)
        return tuple(sorted(ready, key=graph.node_places.__getitem__))

    def _silent(self, graph: Graph, node_id: str) -> list[str]:
        """Returns the sources of an active node's edges without tokens."""
        if node_id in self.due:
            return []
        return [edge.from_node for edge in graph.incoming[node_id] if edge.id not in self.waiting]


def _remove_one(waiting: dict[str, int], edge_id: str) -> None:
    count = waiting.get(edge_id, 0)
    if count > 1:
        waiting[edge_id] = count - 1
    elif count:
        del waiting[edge_id]


def _not_waiting(
    graph: Graph, active: Collection[str], silent: Mapping[str, Sequence[str]]
) -> set[str]:
    """Returns the active nodes that wait only for nodes that wait for them (rules 3 and 4).

    Walking back from an active node along its silent edges, and from there along all edges up to
    the next active nodes, finds those it waits for: they alone can still send it something by a
    path that does not pass through itself. One pass over the components of this relation.
    """

    def looks_back_to(name: str) -> Sequence[str]:
        if name in silent:
            return silent[name]
        return [edge.from_node for edge in graph.incoming[name]]

    ready: set[str] = set()
    component_of: dict[str, int] = {}
    meets_active: list[bool] = []
    components = strongly_connected(sorted(active), looks_back_to)
    for number, component in enumerate(components):
        component_of |= dict.fromkeys(component, number)
        waits = any(
            meets_active[component_of[source]]
            for name in component
            for source in looks_back_to(name)
            if component_of[source] != number
        )
        here = [name for name in component if name in active]
        meets_active.append(waits or bool(here))
        if not waits:
            ready.update(here)
    return ready


def replay(
    graph: Graph, executed: Sequence[str], decisions: Iterable[RouteDecision] = ()
) -> Marking:
    """Returns the marking after the nodes ``executed`` completed in that order.

    An edge without a recorded decision - a checkpoint that an engine saved without completing the
    node here - is assumed to be taken unless it is an error edge.
    """
    recorded: defaultdict[tuple[str, int], dict[str, bool]] = defaultdict(dict)
    for decision in decisions:
        recorded[decision.node, decision.occurrence][decision.edge] = decision.passes
    marking = Marking.at_start(graph)
    occurrences: Counter[str] = Counter()
    for name in executed:
        occurrences[name] += 1
        known = recorded.get((name, occurrences[name]), {})
        taken = {
            edge.id
            for edge in graph.outgoing.get(name, ())
            if known.get(edge.id, edge.type != "error")
        }
        marking = marking.after(graph, name, taken)
    return marking


def ready_nodes(
    graph: Graph | None, executed: Sequence[str], decisions: Iterable[RouteDecision] = ()
) -> tuple[str, ...]:
    """Returns the ready nodes after ``executed``, a pure function of its arguments.

    A free execution has no graph: any node can run, so none is named.
    """
    return () if graph is None else replay(graph, executed, decisions).ready(graph)
