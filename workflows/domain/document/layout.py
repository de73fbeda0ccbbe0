"""Positions for nodes that have none, in layers from the starts on."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from workflows.domain.document.topology import Graph

# The card of a node, the same on the canvas (frontend/src/graph/model/places.ts), and the room
# between two cards.
CARD_WIDTH: Final = 220
CARD_HEIGHT: Final = 84
_ACROSS: Final = CARD_WIDTH + 80
_DOWN: Final = CARD_HEIGHT + 40


@dataclass(frozen=True, slots=True)
class NodePosition:
    """The upper left corner of a node's card, in canvas units."""

    x: float
    y: float


def lay_out(graph: Graph) -> Mapping[str, NodePosition]:
    """Returns a position for every node, in document order; the same for equal documents.

    A node with a position keeps it. The others are in layers from left to right, each right of all
    nodes that lead to it (edges that close a cycle are ignored); if some have positions, the layers
    begin below those. O(nodes + edges), apart from sorting within layers.
    """
    given = {
        name: NodePosition(node.position.x, node.position.y)
        for name, node in graph.nodes.items()
        if node.position is not None
    }
    if len(given) == len(graph.nodes):
        return given
    left = min((spot.x for spot in given.values()), default=0.0)
    top = max((spot.y + _DOWN for spot in given.values()), default=0.0)
    found = dict(given)
    missing = ([name for name in layer if name not in given] for layer in layers(graph))
    for column, layer in enumerate(layer for layer in missing if layer):
        for row, name in enumerate(layer):
            found[name] = NodePosition(left + column * _ACROSS, top + row * _DOWN)
    return {name: found[name] for name in graph.nodes}


def layers(graph: Graph) -> list[list[str]]:
    """Returns the nodes in layers; every edge that closes no cycle leads to a later layer.

    Within a layer nodes have the height of what leads to them, so that fewer edges cross.
    """
    forward = _without_back_edges(graph)
    depth = _longest_way(graph, forward)
    found: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for name in graph.nodes:
        found[depth[name]].append(name)
    sources: dict[str, list[str]] = {name: [] for name in graph.nodes}
    for name, targets in forward.items():
        for target in targets:
            sources[target].append(name)
    _sort_by_neighbours(found, sources)
    return found


def _without_back_edges(graph: Graph) -> dict[str, list[str]]:
    """Returns the successors of each node, without the edges that close a cycle from the starts.

    The walk is depth first and has its own stack: ten thousand nodes can form one chain.
    """
    forward: dict[str, list[str]] = {name: [] for name in graph.nodes}
    on_the_way: set[str] = set()
    seen: set[str] = set()
    for origin in [*graph.starts, *graph.nodes]:
        if origin in seen:
            continue
        seen.add(origin)
        on_the_way.add(origin)
        stack = [(origin, iter(graph.outgoing[origin]))]
        while stack:
            here, rest = stack[-1]
            edge = next(rest, None)
            if edge is None:
                stack.pop()
                on_the_way.discard(here)
            elif edge.to_node not in on_the_way:
                forward[here].append(edge.to_node)
                if edge.to_node not in seen:
                    seen.add(edge.to_node)
                    on_the_way.add(edge.to_node)
                    stack.append((edge.to_node, iter(graph.outgoing[edge.to_node])))
    return forward


def _longest_way(graph: Graph, forward: Mapping[str, list[str]]) -> dict[str, int]:
    """Returns the length of the longest path to each node, in a graph without cycles."""
    open_ways = dict.fromkeys(graph.nodes, 0)
    for targets in forward.values():
        for target in targets:
            open_ways[target] += 1
    depth = dict.fromkeys(graph.nodes, 0)
    waiting = deque(name for name, count in open_ways.items() if not count)
    while waiting:
        here = waiting.popleft()
        for target in forward[here]:
            depth[target] = max(depth[target], depth[here] + 1)
            open_ways[target] -= 1
            if not open_ways[target]:
                waiting.append(target)
    return depth


def _sort_by_neighbours(found: list[list[str]], sources: Mapping[str, list[str]]) -> None:
    """Sorts each layer by the mean height of its nodes' sources; ties keep their order."""
    height = {name: float(row) for layer in found for row, name in enumerate(layer)}
    for layer in found:
        wish = {
            name: sum(height[source] for source in sources[name]) / len(sources[name])
            if sources[name]
            else height[name]
            for name in layer
        }
        layer.sort(key=wish.__getitem__)
        for row, name in enumerate(layer):
            height[name] = float(row)
