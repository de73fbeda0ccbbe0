"""A small picture of a workflow without words: its nodes from left to right, and its edges."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ctxadmin.ui.components import Tone
from workflows.domain.document.graph import Document
from workflows.domain.document.layout import layers
from workflows.domain.document.topology import graph_of
from workflows.pages.drawing.summaries import tone_of

WIDTH: Final = 22
HEIGHT: Final = 14
_COLUMN: Final = 34
_ROW: Final = 24
_MARGIN: Final = 12
_BOW: Final = 16  # how far an edge that leads back goes below the nodes


@dataclass(frozen=True, slots=True)
class ThumbnailTile:
    """A node as a colored rectangle; ``x`` and ``y`` are its upper left corner."""

    x: float
    y: float
    tone: Tone


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """The rectangles and the paths of an SVG of ``width`` by ``height``."""

    tiles: Sequence[ThumbnailTile]
    paths: Sequence[str]
    width: float
    height: float
    tile_width: int = WIDTH
    tile_height: int = HEIGHT


def thumbnail(document: Document) -> Thumbnail:
    graph = graph_of(document)
    found = layers(graph)
    most = max((len(layer) for layer in found), default=1)
    places = {
        name: (_MARGIN + column * _COLUMN, _MARGIN + (row + (most - len(layer)) / 2) * _ROW)
        for column, layer in enumerate(found)
        for row, name in enumerate(layer)
    }
    ends = [(places[edge.from_node], places[edge.to_node]) for edge in graph.edges.values()]
    height = 2 * _MARGIN + (most - 1) * _ROW + HEIGHT
    leads_back = any(source[0] >= target[0] for source, target in ends)
    return Thumbnail(
        tiles=[
            ThumbnailTile(*places[name], tone_of(node.type)) for name, node in graph.nodes.items()
        ],
        paths=[_path(source, target, height) for source, target in ends],
        width=2 * _MARGIN + max(len(found) - 1, 0) * _COLUMN + WIDTH,
        height=height + (_BOW if leads_back else 0),
    )


def _path(source: tuple[float, float], target: tuple[float, float], bottom: float) -> str:
    """Returns a line between two tiles; one that leads back goes below all of them."""
    (left, top), (right, end) = source, target
    if left < right:
        return (
            f"M{left + WIDTH} {top + HEIGHT / 2}"
            f"C{left + WIDTH + 8} {top + HEIGHT / 2} {right - 8} {end + HEIGHT / 2}"
            f" {right} {end + HEIGHT / 2}"
        )
    low = bottom + _BOW - 6
    return (
        f"M{left + WIDTH / 2} {top + HEIGHT}C{left + WIDTH / 2} {low}"
        f" {right + WIDTH / 2} {low} {right + WIDTH / 2} {end + HEIGHT}"
    )
