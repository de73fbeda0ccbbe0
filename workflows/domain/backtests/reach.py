"""Whether a call of a backtest would get to a node: the conditions on all ways to it."""

from collections import deque
from collections.abc import Callable, Collection, Sequence
from typing import Final

from ctxadmin.lib.errors import ContextError
from workflows.domain.context.prompt_context import NodeInput
from workflows.domain.document.graph import Edge
from workflows.domain.document.topology import Graph, reachable
from workflows.domain.running import flow
from workflows.domain.running.plan import Plan

# Whether the call would be made at all, with what stands before it.
Reaches = Callable[[NodeInput], bool]

_MOST: Final = 8  # conditions that are evaluated for each call


def reaches_node(plan: Plan, node: str) -> Reaches | None:
    """Returns whether a call gets to a node from a start; None where no condition decides that.

    Very many conditions are not evaluated, and none is if one cannot be compiled.
    """
    deciding = [edge for edge in deciding_edges(plan.graph, node) if edge.condition is not None]
    if not 0 < len(deciding) <= _MOST or not all(_is_compiled(plan, edge) for edge in deciding):
        return None
    by_shut: dict[frozenset[str], bool] = {}

    def reaches(node_input: NodeInput) -> bool:
        shut = frozenset(
            edge.id for edge in deciding if flow.false_condition(plan, [edge.id], node_input)
        )
        if shut not in by_shut:
            by_shut[shut] = _is_reached(plan.graph, node, shut)
        return by_shut[shut]

    return reaches


def reaches_along(plan: Plan, edge: Edge) -> Reaches | None:
    """Returns whether a call gets along an edge: to its source, and its condition is true."""
    before = reaches_node(plan, edge.from_node)
    if edge.condition is None:
        return before

    def reaches(node_input: NodeInput) -> bool:
        is_taken = not flow.false_condition(plan, [edge.id], node_input)
        return is_taken and (before is None or before(node_input))

    return reaches


def deciding_edges(graph: Graph, node: str) -> Sequence[Edge]:
    """Returns the edges on the ways from the starts to a node, none if one has no condition."""
    conditional = frozenset(edge.id for edge in graph.edges.values() if edge.condition is not None)
    if not conditional or _is_reached(graph, node, conditional):
        return ()
    begun, leading = reachable(graph, graph.starts), _leading_to(graph, node)
    return [
        edge
        for edge in graph.edges.values()
        if edge.from_node in begun and edge.to_node in leading and edge.from_node != node
    ]


def _is_reached(graph: Graph, node: str, shut: Collection[str]) -> bool:
    """Returns whether a node is reached without some edges."""
    return node in reachable(graph, graph.starts, shut)


def _leading_to(graph: Graph, node: str) -> Collection[str]:
    seen = {node}
    waiting = deque(seen)
    while waiting:
        for edge in graph.incoming[waiting.popleft()]:
            if edge.from_node not in seen:
                seen.add(edge.from_node)
                waiting.append(edge.from_node)
    return seen


def _is_compiled(plan: Plan, edge: Edge) -> bool:
    try:
        plan.edge(edge.id)
    except ContextError:
        return False
    return True
