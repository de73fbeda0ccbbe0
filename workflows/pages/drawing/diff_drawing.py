"""The difference of two documents as one drawing, with marks on what differs."""

from collections.abc import Iterable, Sequence

from workflows.domain.document.compare import ElementChange
from workflows.domain.document.graph import Document
from workflows.pages.drawing.ghost_places import place_ghosts
from workflows.pages.drawing.svg import Drawing, Links, Mark, draw


class ListLinks(Links):
    """Links everything that is drawn to the list of differences below."""

    def node(self, node_id: str) -> str:
        return "#differences"

    def edge(self, edge_id: str) -> str:
        return "#differences"


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
    return draw(merge_graphs(before, after), links=ListLinks(), marks=marks)


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
