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
_CLEAR: Final = 3  # between a line and the tiles that it passes
_EDGE: Final = 4  # of a line from the upper end of the picture

_Spot = tuple[float, float]


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
        paths=[_path(source, target, height, list(places.values())) for source, target in ends],
        width=2 * _MARGIN + max(len(found) - 1, 0) * _COLUMN + WIDTH,
        height=height + (_BOW if leads_back else 0),
    )


def _path(source: _Spot, target: _Spot, bottom: float, tiles: Sequence[_Spot]) -> str:
    """Returns a line between two tiles and around all others; back it goes around all of them."""
    (left, top), (right, end) = source, target
    if left >= right:
        return _back(source, target, bottom, tiles)
    start, stop = (left + WIDTH, top + HEIGHT / 2), (right, end + HEIGHT / 2)
    between = [spot for spot in tiles if left < spot[0] < right]
    if not any(_is_crossed(spot, start, stop) for spot in between):
        return f"M{start[0]} {start[1]}" + _curve(start, stop)
    level = _free_level(between, (start[1] + stop[1]) / 2, bottom)
    first = min(x for x, _y in between), level
    last = max(x for x, _y in between) + WIDTH, level
    return f"M{start[0]} {start[1]}{_curve(start, first)}L{last[0]} {level}{_curve(last, stop)}"


def _back(source: _Spot, target: _Spot, bottom: float, tiles: Sequence[_Spot]) -> str:
    """Returns a line below all tiles; above them if one is below an end of it and none above."""

    def is_free(*, above: bool) -> bool:
        return not any(
            x == end_x and y != end_y and (y < end_y) == above
            for x, y in tiles
            for end_x, end_y in (source, target)
        )

    over = not is_free(above=False) and is_free(above=True)
    level, side = (_EDGE, 0) if over else (bottom, HEIGHT)
    (left, top), (right, end) = ((x + WIDTH / 2, y + side) for x, y in (source, target))
    turn = min(8, (left - right) / 2) if left > right else 0
    return (
        f"M{left} {top}C{left} {level} {left} {level} {left - turn} {level}"
        f"L{right + turn} {level}C{right} {level} {right} {level} {right} {end}"
    )


def _curve(start: _Spot, stop: _Spot) -> str:
    bend = min(8, (stop[0] - start[0]) / 2)
    return f"C{start[0] + bend} {start[1]} {stop[0] - bend} {stop[1]} {stop[0]} {stop[1]}"


def _is_crossed(tile: _Spot, start: _Spot, stop: _Spot) -> bool:
    """Returns True if the straight line between two points comes near a tile."""
    x, y = tile
    slope = (stop[1] - start[1]) / (stop[0] - start[0])
    levels = [start[1] + (at - start[0]) * slope for at in (x, x + WIDTH)]
    return min(levels) < y + HEIGHT + _CLEAR and max(levels) > y - _CLEAR


def _free_level(tiles: Sequence[_Spot], wanted: float, bottom: float) -> float:
    """Returns the level next to the wanted one at which a line runs through none of the tiles."""
    levels = sorted(range(_EDGE, int(bottom)), key=lambda level: abs(level - wanted))
    for level in levels:
        if all(not y - _CLEAR < level < y + HEIGHT + _CLEAR for _x, y in tiles):
            return level
    return _EDGE
