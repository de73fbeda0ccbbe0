"""The room that a page keeps free for a graph until its canvas is there."""

from dataclasses import dataclass
from typing import Final

from workflows.domain.document.graph import Document
from workflows.domain.document.layout import CARD_HEIGHT, CARD_WIDTH
from workflows.domain.document.topology import graph_of
from workflows.pages.drawing.svg import MOST_DRAWN, positions_of

_AROUND: Final = 28
_LEGEND: Final = 56  # frontend/src/graph/view/first_view.ts


@dataclass(frozen=True, slots=True)
class Room:
    """Pixels of a graph in full size, with the legend of its marks below it."""

    width: int
    height: int


def room_of(document: Document) -> Room | None:
    """Returns the room of a graph; None for one that pages do not draw, or that has no nodes."""
    if not document.nodes or len(document.nodes) > MOST_DRAWN:
        return None
    places, _downwards = positions_of(graph_of(document))
    xs, ys = [spot.x for spot in places.values()], [spot.y for spot in places.values()]
    width = max(xs) - min(xs) + CARD_WIDTH + 2 * _AROUND
    height = max(ys) - min(ys) + CARD_HEIGHT + 2 * _AROUND + _LEGEND
    return Room(round(width), round(height))
