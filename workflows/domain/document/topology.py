"""The shape of a workflow as a graph: edges in and out, starts, reachability, cycles."""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from workflows.domain.document.graph import START, Document, Edge, Node

UNITING: Final = frozenset({"merge", "join"})


@dataclass(frozen=True, slots=True)
class Graph:
    """A document indexed by id.

    Of two elements with one id the first counts, and edges to nodes that do not exist are omitted,
    so that a draft with problems can still be traversed and drawn. ``incoming`` is in document
    order, ``outgoing`` by falling weight and then in document order. The places are the indices in
    the document's lists.
    """

    document: Document
    nodes: Mapping[str, Node]
    edges: Mapping[str, Edge]
    incoming: Mapping[str, tuple[Edge, ...]]
    outgoing: Mapping[str, tuple[Edge, ...]]
    starts: tuple[str, ...]
    node_places: Mapping[str, int]
    edge_places: Mapping[str, int]


def usual_edges(graph: Graph, node_id: str) -> tuple[str, ...]:
    """Returns the edges along which a node is usually entered: all of a merge, else the first.

    Source: rest.md, ``preview``.
    """
    incoming = tuple(edge.id for edge in graph.incoming.get(node_id, ()))
    node = graph.nodes.get(node_id)
    return incoming if node is not None and node.type in UNITING else incoming[:1]


def graph_of(document: Document) -> Graph:
    """Returns the index of a document, built in O(nodes + edges)."""
    node_places: dict[str, int] = {}
    for place, node in enumerate(document.nodes):
        node_places.setdefault(node.id, place)
    nodes = {name: document.nodes[place] for name, place in node_places.items()}
    edges: dict[str, Edge] = {}
    edge_places: dict[str, int] = {}
    incoming: dict[str, list[Edge]] = {name: [] for name in nodes}
    outgoing: dict[str, list[Edge]] = {name: [] for name in nodes}
    for place, edge in enumerate(document.edges):
        if edge.id in edges or edge.from_node not in nodes or edge.to_node not in nodes:
            continue
        edges[edge.id] = edge
        edge_places[edge.id] = place
        incoming[edge.to_node].append(edge)
        outgoing[edge.from_node].append(edge)
    for listed in outgoing.values():
        listed.sort(key=lambda edge: -(edge.weight or 0))
    return Graph(
        document=document,
        nodes=nodes,
        edges=edges,
        incoming={name: tuple(listed) for name, listed in incoming.items()},
        outgoing={name: tuple(listed) for name, listed in outgoing.items()},
        starts=_starts(nodes, incoming),
        node_places=node_places,
        edge_places=edge_places,
    )


def _starts(nodes: Mapping[str, Node], incoming: Mapping[str, list[Edge]]) -> tuple[str, ...]:
    """Returns the nodes where an execution begins, in document order.

    These are the nodes of type ``start``; without one, those without incoming edges from other
    nodes; in a graph that is only cycles, the first node of the document.
    """
    typed = tuple(name for name, node in nodes.items() if node.type == START)
    if typed:
        return typed
    first = tuple(name for name in nodes if all(edge.from_node == name for edge in incoming[name]))
    return first or tuple(nodes)[:1]


def reachable(
    graph: Graph, origins: Iterable[str], without: Collection[str] = ()
) -> frozenset[str]:
    """Returns the nodes reachable from ``origins``, those included, ``without`` some edges."""
    seen = {name for name in origins if name in graph.nodes}
    waiting = deque(seen)
    while waiting:
        for edge in graph.outgoing[waiting.popleft()]:
            if edge.to_node not in seen and edge.id not in without:
                seen.add(edge.to_node)
                waiting.append(edge.to_node)
    return frozenset(seen)


def shortest_path(graph: Graph, origins: Iterable[str], target: str) -> tuple[Edge, ...] | None:
    """Returns a shortest path of edges from ``origins`` to ``target``; None without one."""
    came_by: dict[str, Edge | None] = {name: None for name in origins if name in graph.nodes}
    waiting = deque(came_by)
    while waiting and target not in came_by:
        for edge in graph.outgoing[waiting.popleft()]:
            if edge.to_node not in came_by:
                came_by[edge.to_node] = edge
                waiting.append(edge.to_node)
    if target not in came_by:
        return None
    steps: list[Edge] = []
    here = came_by[target]
    while here is not None:
        steps.append(here)
        here = came_by[here.from_node]
    return tuple(reversed(steps))


def cycles(graph: Graph) -> list[tuple[str, ...]]:
    """Returns one shortest cycle for each strongly connected set of nodes.

    In document order; each begins with its set's first node and does not repeat it at the end.
    """
    order = {name: position for position, name in enumerate(graph.nodes)}
    components = strongly_connected(
        list(graph.nodes), lambda name: [edge.to_node for edge in graph.outgoing[name]]
    )
    found: list[tuple[str, ...]] = []
    for component in components:
        first = min(component, key=order.__getitem__)
        if len(component) > 1:
            found.append(_cycle_through(graph, first, frozenset(component)))
        elif any(edge.to_node == first for edge in graph.outgoing[first]):
            found.append((first,))
    return sorted(found, key=lambda cycle: order[cycle[0]])


def _cycle_through(graph: Graph, first: str, component: frozenset[str]) -> tuple[str, ...]:
    came_from: dict[str, str] = {first: first}
    waiting = deque([first])
    while waiting:
        here = waiting.popleft()
        for edge in graph.outgoing[here]:
            if edge.to_node == first and here != first:
                steps = [here]
                while steps[-1] != first:
                    steps.append(came_from[steps[-1]])
                return tuple(reversed(steps))
            if edge.to_node in component and edge.to_node not in came_from:
                came_from[edge.to_node] = here
                waiting.append(edge.to_node)
    return (first,)  # pragma: no cover - a component of several nodes has a cycle through each


def strongly_connected(
    origins: Sequence[str], successors: Callable[[str], Sequence[str]]
) -> list[tuple[str, ...]]:
    """Yields Tarjan's components reachable from ``origins``, each after those that it leads to.

    Iterative, because a chain of ten thousand nodes is deeper than Python's stack.
    """
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    open_nodes: list[str] = []
    is_open: set[str] = set()
    components: list[tuple[str, ...]] = []
    for origin in origins:
        if origin in index:
            continue
        index[origin] = low[origin] = len(index)
        open_nodes.append(origin)
        is_open.add(origin)
        stack = [(origin, iter(successors(origin)))]
        while stack:
            here, rest = stack[-1]
            for target in rest:
                if target not in index:
                    index[target] = low[target] = len(index)
                    open_nodes.append(target)
                    is_open.add(target)
                    stack.append((target, iter(successors(target))))
                    break
                if target in is_open:
                    low[here] = min(low[here], index[target])
            else:
                stack.pop()
                if stack:
                    low[stack[-1][0]] = min(low[stack[-1][0]], low[here])
                if low[here] == index[here]:
                    cut = len(open_nodes) - 1
                    while open_nodes[cut] != here:
                        cut -= 1
                    component = tuple(open_nodes[cut:])
                    del open_nodes[cut:]
                    is_open.difference_update(component)
                    components.append(component)
    return components
