"""Notes nodes from which nothing continues, and those from which several branches run at once."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ctxadmin.lib.sentence import Sentence, say
from workflows.domain.document.elements import Problem
from workflows.domain.document.graph import END, title_of
from workflows.domain.document.topology import UNITING, Graph, strongly_connected

_MOST_NAMED: Final = 6


def dead_ends(graph: Graph, pointer: str) -> Iterator[Problem]:
    """Yields a note for each node, except ends, that no edge leaves other than on an error.

    Only where the workflow has an end node; without one, any node may be the last. A node that no
    edge reaches either is told as unreachable.
    """
    if all(node.type != END for node in graph.nodes.values()):
        return
    for name, node in graph.nodes.items():
        is_tied = bool(graph.incoming[name]) or name in graph.starts
        if node.type == END or not is_tied or _successors(graph, name):
            continue
        message = say("{node} leads nowhere", node=title_of(node))
        where = f"{pointer}/nodes/{graph.node_places[name]}"
        yield Problem(where, "dead_end", message, "note", node=name)


def forks(graph: Graph, pointer: str) -> Iterator[Problem]:
    """Yields a note for each node that continues to several others whatever the state is.

    Branches that all reach one merge or join are parallel on purpose. Source: semantics 3.14.
    """
    meetings: Mapping[str, int] | None = None
    for name, node in graph.nodes.items():
        targets = _always_taken(graph, name)
        if len(targets) < 2:
            continue
        meetings = _meetings(graph) if meetings is None else meetings
        shared = -1
        for target in targets:
            shared &= meetings[target]
        if shared:
            continue
        yield Problem(
            f"{pointer}/nodes/{graph.node_places[name]}",
            "fork",
            _fork_message(title_of(node), [title_of(graph.nodes[each]) for each in targets]),
            "note",
            node=name,
        )


def _fork_message(node: str, targets: Sequence[str]) -> Sentence:
    first, *others = targets[:_MOST_NAMED]
    further = len(targets) - _MOST_NAMED
    last = "" if further > 0 else others.pop()
    names: str = first
    for name in others:
        names = say("{names}, {name}", names=names, name=name)
    if last:
        names = say("{names} and {name}", names=names, name=last)
    else:
        names = say("{names} and {n} more", names=names, n=further)
    return say("{node} continues to {names} at once", node=node, names=names)


def _successors(graph: Graph, name: str) -> list[str]:
    return [edge.to_node for edge in graph.outgoing[name] if edge.type != "error"]


def _always_taken(graph: Graph, name: str) -> list[str]:
    """Returns the nodes that a node's sequence edges without conditions lead to, each once."""
    edges = [edge for edge in graph.outgoing[name] if edge.type == "sequence"]
    return list(dict.fromkeys(edge.to_node for edge in edges if edge.condition is None))


def _meetings(graph: Graph) -> dict[str, int]:
    """Returns the merges and joins that each node reaches, itself included, as bits.

    One pass over the components, each after those that it leads to, in O(nodes + edges) unions.
    """
    uniting = [name for name, node in graph.nodes.items() if node.type in UNITING]
    bits = {name: 1 << place for place, name in enumerate(uniting)}
    reached: dict[str, int] = {}
    for component in strongly_connected(list(graph.nodes), lambda name: _successors(graph, name)):
        found = 0
        for name in component:
            found |= bits.get(name, 0)
            for target in _successors(graph, name):
                found |= reached.get(target, 0)
        reached.update(dict.fromkeys(component, found))
    return reached
