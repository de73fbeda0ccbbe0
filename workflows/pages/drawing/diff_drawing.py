"""The difference of two documents as one drawing, with marks on what differs."""

from collections.abc import Iterable, Sequence
from typing import Final

from workflows.domain.document.compare import ElementChange
from workflows.domain.document.graph import Document
from workflows.pages.drawing.ghost_places import place_ghosts
from workflows.pages.drawing.svg import Drawing, Links, Mark, draw

# Further changes are only counted in the list.
MOST_CHANGES: Final = 500


def row_id(element: str, name: str) -> str:
    """Returns the id of the first row of a node or an edge in the list of differences."""
    return f"change-{element}-{name}"


class ListLinks(Links):
    """Links what differs to its rows in the list of differences below, all else to the list."""

    def __init__(self, listed: Iterable[ElementChange]) -> None:
        self._listed = {(change.element, change.id) for change in listed}

    def node(self, node_id: str) -> str:
        return self._row("node", node_id)

    def edge(self, edge_id: str) -> str:
        return self._row("edge", edge_id)

    def _row(self, element: str, name: str) -> str:
        return f"#{row_id(element, name)}" if (element, name) in self._listed else "#differences"


def draw_difference(
    before: Document, after: Document, changes: Sequence[ElementChange]
) -> Drawing | None:
    """Draws both documents together, laid out as ``after``; None if that is too large or empty.

    ``changes`` are those of the flow, so that a node that only moved is not marked.
    """
    marks: dict[tuple[str, str], Mark] = {}
    for change in changes:
        if change.element in ("node", "edge"):
            marks[change.element, change.id] = change.kind
    return draw(merge_graphs(before, after), links=ListLinks(changes[:MOST_CHANGES]), marks=marks)


def merge_graphs(before: Document, after: Document) -> Document:
    """Returns ``after`` with what only ``before`` had, in places of its own."""
    nodes, edges = _names(after.nodes), _names(after.edges)
    gone_nodes = tuple(node for node in before.nodes if node.id not in nodes)
    gone_edges = tuple(edge for edge in before.edges if edge.id not in edges)
    if any(node.position is not None for node in after.nodes) != any(
        node.position is not None for node in before.nodes
    ):  # layers of one and places of the other would lie on each other
        gone_nodes = tuple(node.model_copy(update={"position": None}) for node in gone_nodes)
    merged = after.model_copy(
        update={"nodes": (*after.nodes, *gone_nodes), "edges": (*after.edges, *gone_edges)}
    )
    ghosts = place_ghosts(gone_nodes, after.nodes, merged)
    return merged.model_copy(update={"nodes": (*after.nodes, *ghosts)})


def _names(elements: Iterable[object]) -> set[str]:
    return {str(getattr(each, "id", "")) for each in elements}
