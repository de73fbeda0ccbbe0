"""The small picture of a workflow."""

import re
from collections.abc import Iterator

from workflows.domain.document.graph import Document, read
from workflows.pages.drawing.thumbnail import HEIGHT, WIDTH, thumbnail
from workflows.starters import STARTERS


def loop() -> Document:
    names = ("ask", "left", "right", "end")
    ways = [("ask", "left"), ("ask", "right"), ("left", "end"), ("right", "end"), ("end", "ask")]
    return read(
        {
            "name": "Loop",
            "nodes": [{"id": name, "type": "llm"} for name in names],
            "edges": [
                {"id": f"e{number}", "type": "sequence", "from": source, "to": target}
                for number, (source, target) in enumerate(ways)
            ],
        }
    )


def test_branches_stand_side_by_side_between_what_they_come_from_and_lead_to() -> None:
    ask, left, right, end = thumbnail(loop()).tiles
    assert ask.x < left.x == right.x < end.x
    assert left.y + HEIGHT < right.y
    assert ask.y == end.y == (left.y + right.y) / 2


def test_every_node_and_every_edge_is_within_the_picture() -> None:
    for document in (loop(), *map(read, STARTERS.values())):
        picture = thumbnail(document)
        assert len(picture.tiles) == len(document.nodes)
        assert len(picture.paths) == len(document.edges)
        for tile in picture.tiles:
            assert 0 <= tile.x <= picture.width - WIDTH
            assert 0 <= tile.y <= picture.height - HEIGHT


def test_an_empty_workflow_has_an_empty_picture() -> None:
    picture = thumbnail(read({"name": "Empty", "nodes": [], "edges": []}))
    assert (picture.tiles, picture.paths) == ([], [])
    assert picture.width > 0


def _points(path: str) -> Iterator[tuple[float, float]]:
    """Points along a path, close to each other."""
    here: tuple[float, float] = (0, 0)
    for letter, text in re.findall(r"([MLC])([^MLC]+)", path):
        numbers = [float(number) for number in text.split()]
        ends = list(zip(numbers[::2], numbers[1::2], strict=True))
        if letter == "M":
            here = ends[0]
            continue
        first, second, last = (here, ends[-1], ends[-1]) if letter == "L" else ends
        for step in range(41):
            t = step / 40
            weights = ((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3)
            x, y = (
                sum(weight * point[axis] for weight, point in zip(weights, corners, strict=True))
                for axis in (0, 1)
                for corners in [(here, first, second, last)]
            )
            yield x, y
        here = last


def test_no_line_runs_through_a_tile() -> None:
    for document in (loop(), *map(read, STARTERS.values())):
        picture = thumbnail(document)
        for path in picture.paths:
            for x, y in _points(path):
                for tile in picture.tiles:
                    inside = tile.x < x < tile.x + WIDTH and tile.y < y < tile.y + HEIGHT
                    assert not inside, (document.name, path, tile)
