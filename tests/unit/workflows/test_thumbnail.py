"""The small picture of a workflow."""

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
