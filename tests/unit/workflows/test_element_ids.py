"""Ids of new nodes and edges, from the name of the node or the ends of the edge."""

import pytest

from workflows.domain.document import graph
from workflows.pages.elements.element_ids import new_edge_id, new_node_id

DOCUMENT = graph.read(
    {
        "name": "Small",
        "nodes": [{"id": "draft", "type": "llm"}, {"id": "draft-2", "type": "llm"}],
        "edges": [{"id": "draft-draft-2", "type": "sequence", "from": "draft", "to": "draft-2"}],
    }
)


@pytest.mark.parametrize(
    ("name", "node_type", "expected"),
    [
        ("Check the *answer*, 2nd", "llm", "check-the-answer-2nd"),
        ("Draft", "llm", "draft-3"),
        (None, "context_processor", "context_processor"),
        ("Ünïcode & <b>Straße</b>", "llm", "unicode-strasse"),
        ("回答", "llm", "llm"),
        ("回答", "模型", "node"),
        ("Says what the customer wants in a line", "llm", "says-what-the-customer-wants-in-a-line"),
        ("a" * 50, "llm", "a" * 40),
    ],
)
def test_a_node_is_called_after_its_name_else_its_type(
    name: str | None, node_type: str, expected: str
) -> None:
    assert new_node_id(DOCUMENT, name, node_type) == expected


def test_an_edge_is_called_after_its_ends_and_no_id_is_too_long() -> None:
    assert new_edge_id(DOCUMENT, "draft", "draft-2") == "draft-draft-2-2"
    assert len(new_edge_id(DOCUMENT, "a" * 64, "b" * 64)) <= 64
