"""The nodes and edges of a workflow as tables: the accessible form of the drawing."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ctxadmin.ui.components import Text, Tone
from workflows.domain.checks.problems import Problem
from workflows.domain.document.graph import Document, Edge, Node, title_of
from workflows.domain.processors.registries import Registries, standard
from workflows.pages.drawing import summaries
from workflows.pages.drawing.svg import Links

PER_PAGE: Final = 300


@dataclass(frozen=True, slots=True)
class NodeLine:
    """A node as a row of the outline; ``leads_to`` are the ids and names of its next nodes."""

    id: str
    name: str
    description: str
    type: Text
    icon: str
    tone: Tone
    context_type: str
    is_default: bool
    sees: Text
    filter_words: str
    pause: str
    leads_to: Sequence[tuple[str, str]]
    problems: int
    url: str


@dataclass(frozen=True, slots=True)
class EdgeLine:
    """An edge as a row of the outline; ``from_name`` and ``to_name`` are those of its nodes."""

    id: str
    type: Text
    kind: str
    source: str
    target: str
    from_name: str
    to_name: str
    condition: str
    passes: str
    weight: str
    problems: int
    url: str


@dataclass(frozen=True, slots=True)
class Outline:
    """One page of the rows, and the number of all."""

    nodes: Sequence[NodeLine]
    edges: Sequence[EdgeLine]
    node_count: int
    edge_count: int
    reducers: Sequence[tuple[str, str]]


def outline_of(
    document: Document,
    problems: Sequence[Problem],
    links: Links,
    start: int = 0,
    registries: Registries | None = None,
) -> Outline:
    """Returns the rows from ``start`` on, PER_PAGE of each kind."""
    known = registries or standard()
    shown = [problem for problem in problems if problem.severity != "note"]
    of_nodes = Counter(problem.node for problem in shown)
    of_edges = Counter(problem.edge for problem in shown)
    part = slice(start, start + PER_PAGE)
    names = {node.id: title_of(node) for node in reversed(document.nodes)}
    targets: dict[str, dict[str, str]] = {}
    for edge in document.edges:
        name = names.get(edge.to_node, edge.to_node)
        targets.setdefault(edge.from_node, {})[edge.to_node] = name
    nodes = [
        _node_line(node, known, [*targets.get(node.id, {}).items()], of_nodes[node.id], links)
        for node in document.nodes[part]
    ]
    edges = [
        _edge_line(edge, known, names, of_edges[edge.id], links) for edge in document.edges[part]
    ]
    return Outline(
        nodes=nodes,
        edges=edges,
        node_count=len(document.nodes),
        edge_count=len(document.edges),
        reducers=list(document.reducers.items()),
    )


def _node_line(
    node: Node,
    known: Registries,
    leads_to: Sequence[tuple[str, str]],
    problems: int,
    links: Links,
) -> NodeLine:
    return NodeLine(
        id=node.id,
        name=node.name or "",
        description=node.description or "",
        type=summaries.NODE_TYPE_WORDS.get(node.type, node.type),
        icon=summaries.icon_of(node.type),
        tone=summaries.tone_of(node.type),
        context_type=summaries.context_type_of(node),
        is_default=node.context_type is None,
        sees=summaries.CONTEXT_TYPE_WORDS.get(summaries.context_type_of(node), ""),
        filter_words=summaries.node_filters_line(node, known),
        pause=str(node.config.get("pause") or ""),
        leads_to=leads_to,
        problems=problems,
        url=links.node(node.id),
    )


def _edge_line(
    edge: Edge, known: Registries, names: Mapping[str, str], problems: int, links: Links
) -> EdgeLine:
    return EdgeLine(
        id=edge.id,
        type=summaries.EDGE_TYPE_WORDS.get(edge.type, edge.type),
        kind=edge.type,
        source=edge.from_node,
        target=edge.to_node,
        from_name=names.get(edge.from_node, edge.from_node),
        to_name=names.get(edge.to_node, edge.to_node),
        condition=edge.condition or "",
        passes=summaries.edge_filter_line(edge, known),
        weight="" if edge.weight is None else f"{edge.weight:g}",
        problems=problems,
        url=links.edge(edge.id),
    )
