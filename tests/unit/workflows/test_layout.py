"""Places for nodes that have none."""

from workflows.domain.document.graph import read
from workflows.domain.document.layout import CARD_HEIGHT, CARD_WIDTH, lay_out, layers
from workflows.domain.document.topology import Graph, graph_of


def graph(*edges: str) -> Graph:
    """A graph of edges ``a>b``; nodes in the order in which they are named first."""
    ends = [edge.split(">") for edge in edges]
    nodes = [{"id": n, "type": "llm"} for n in dict.fromkeys(n for pair in ends for n in pair)]
    listed = [
        {"id": f"e{number}", "type": "sequence", "from": source, "to": target}
        for number, (source, target) in enumerate(ends)
    ]
    return graph_of(read({"name": "w", "nodes": nodes, "edges": listed}))


def test_every_node_stands_right_of_all_that_lead_to_it() -> None:
    assert layers(graph("s>a", "s>b", "a>c", "s>c", "c>d", "b>d")) == [
        ["s"],
        ["a", "b"],
        ["c"],
        ["d"],
    ]


def test_an_edge_back_does_not_move_what_it_leads_to() -> None:
    assert layers(graph("s>a", "a>b", "b>a", "b>c", "c>s", "c>c")) == [["s"], ["a"], ["b"], ["c"]]


def test_nodes_that_no_start_reaches_are_placed_too() -> None:
    found = graph("a>b", "c>d", "d>c")
    assert sorted(name for layer in layers(found) for name in layer) == ["a", "b", "c", "d"]


def test_neighbours_stand_at_the_height_of_what_leads_to_them() -> None:
    found = layers(graph("s>a", "s>b", "s>c", "c>x", "b>y", "a>z"))
    assert found[1:] == [["a", "b", "c"], ["z", "y", "x"]]


def test_no_two_cards_overlap() -> None:
    spots = list(lay_out(graph("s>a", "s>b", "a>c", "b>c", "c>s")).values())
    for i, one in enumerate(spots):
        for other in spots[i + 1 :]:
            assert abs(one.x - other.x) >= CARD_WIDTH or abs(one.y - other.y) >= CARD_HEIGHT


def test_a_given_position_is_kept_and_the_others_stand_below() -> None:
    nodes = [
        {"id": "a", "type": "llm", "position": {"x": 10, "y": 500.5}},
        {"id": "b", "type": "llm"},
    ]
    edges = [{"id": "e", "type": "sequence", "from": "a", "to": "b"}]
    found = lay_out(graph_of(read({"name": "w", "nodes": nodes, "edges": edges})))
    assert (found["a"].x, found["a"].y) == (10, 500.5)
    assert found["b"].y >= 500.5 + CARD_HEIGHT


def test_positions_alone_are_given_back() -> None:
    nodes = [{"id": "a", "type": "llm", "position": {"x": 1, "y": 2}}]
    found = lay_out(graph_of(read({"name": "w", "nodes": nodes, "edges": []})))
    assert [(spot.x, spot.y) for spot in found.values()] == [(1, 2)]


def test_an_empty_workflow_has_no_places() -> None:
    assert lay_out(graph()) == {}


def test_the_same_document_gives_the_same_places() -> None:
    edges = ["s>a", "s>b", "a>c", "b>c", "c>a"]
    assert lay_out(graph(*edges)) == lay_out(graph(*edges))


def test_a_chain_and_a_fan_of_ten_thousand_nodes_are_placed() -> None:
    assert len(layers(graph(*(f"n{i}>n{i + 1}" for i in range(9_999))))) == 10_000
    assert len(layers(graph(*(f"s>n{i}" for i in range(9_999))))[1]) == 9_999
