"""Cards that only the former of two compared graphs has, on the drawing of both."""

import pytest

from tests.unit.workflows.test_compare import document
from workflows.domain.document.compare import compare
from workflows.domain.document.graph import Document
from workflows.domain.document.layout import CARD_WIDTH
from workflows.pages.drawing.diff_drawing import draw_difference, merge_graphs


def node(name: str, x: int, y: int) -> dict[str, object]:
    return {"id": name, "type": "llm", "position": {"x": x, "y": y}}


def edge(start: str, end: str) -> dict[str, object]:
    return {"id": f"{start}-{end}", "type": "sequence", "from": start, "to": end}


COLUMN = [node("a", 0, 0), node("b", 0, 170), node("c", 0, 340)]
LOOP = [edge("a", "b"), edge("b", "c"), edge("c", "a")]


def spot_of_ghost(after: Document, x: int, y: int) -> tuple[float, float]:
    before = document([*COLUMN, node("ghost", x, y)], LOOP)
    found = merge_graphs(before, after).nodes[-1]
    assert found.id == "ghost"
    assert found.position is not None
    return found.position.x, found.position.y


@pytest.mark.parametrize(("x", "y"), [(-300, 170), (0, 510)])
def test_a_removed_card_stays_where_it_was_if_the_place_is_free(x: int, y: int) -> None:
    assert spot_of_ghost(document(COLUMN, LOOP), x, y) == (x, y)


@pytest.mark.parametrize("y", [0, 170, 340])
def test_a_removed_card_gives_way_to_the_line_of_a_loop(y: int) -> None:
    x, same = spot_of_ghost(document(COLUMN, LOOP), CARD_WIDTH + 10, y)
    assert same == y
    assert x > CARD_WIDTH + 30


def test_a_removed_card_gives_way_to_a_card_that_stands_there_now() -> None:
    moved = [*COLUMN[:2], node("c", 10, 510)]
    x, y = spot_of_ghost(document(moved, LOOP[:2]), 0, 500)
    assert y == 500
    assert abs(x - 10) >= CARD_WIDTH


def test_marks_of_edges_are_drawn_over_other_words() -> None:
    before = document(COLUMN, LOOP)
    after = document(COLUMN, [*LOOP[1:], {**edge("a", "b"), "id": "z", "condition": "x"}])
    drawing = draw_difference(before, after, compare(before, after))
    assert drawing is not None
    assert [line.mark for line in drawing.lines] == ["", "", "added", "removed"]
