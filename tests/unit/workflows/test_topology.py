"""Starts, reach and cycles of a workflow."""

from workflows.domain.document.graph import read
from workflows.domain.document.topology import Graph, cycles, graph_of, reachable, shortest_path


def graph(*edges: str, nodes: str = "", typed: dict[str, str] | None = None) -> Graph:
    """A graph of edges ``a>b``; nodes in the order in which they are named first."""
    names = list(dict.fromkeys([*nodes.split(), *(name for e in edges for name in e.split(">"))]))
    return graph_of(
        read(
            {
                "name": "w",
                "nodes": [{"id": n, "type": (typed or {}).get(n, "llm")} for n in names],
                "edges": [
                    {
                        "id": f"e{i}",
                        "type": "sequence",
                        "from": e[: e.index(">")],
                        "to": e.split(">")[1],
                    }
                    for i, e in enumerate(edges)
                ],
            }
        )
    )


def test_nodes_without_incoming_edges_are_the_starts() -> None:
    assert graph("a>c", "b>c").starts == ("a", "b")


def test_nodes_of_type_start_are_the_only_starts() -> None:
    assert graph("a>c", "b>c", "c>b", typed={"b": "start"}).starts == ("b",)


def test_an_edge_to_itself_does_not_keep_a_node_from_being_a_start() -> None:
    assert graph("a>a", "a>b").starts == ("a",)


def test_a_graph_that_is_only_a_cycle_starts_with_its_first_node() -> None:
    assert graph("b>c", "c>a", "a>b", nodes="c").starts == ("c",)


def test_an_empty_graph_has_no_start() -> None:
    assert graph().starts == ()


def test_a_dangling_edge_and_a_second_element_of_an_id_are_left_out() -> None:
    document = read(
        {
            "name": "w",
            "nodes": [{"id": "a", "type": "llm"}, {"id": "a", "type": "tool"}],
            "edges": [
                {"id": "e", "type": "sequence", "from": "a", "to": "a"},
                {"id": "e", "type": "error", "from": "a", "to": "a"},
                {"id": "f", "type": "sequence", "from": "a", "to": "gone"},
            ],
        }
    )
    found = graph_of(document)
    assert found.nodes["a"].type == "llm"
    assert [edge.type for edge in found.outgoing["a"]] == ["sequence"]


def test_outgoing_edges_come_by_falling_weight_and_then_as_written() -> None:
    edges = [
        {"id": f"e{i}", "type": "sequence", "from": "a", "to": "a", **weight}
        for i, weight in enumerate(
            [{}, {"weight": 2}, {"weight": -1}, {"weight": 2}, {"weight": 0}]
        )
    ]
    document = read({"name": "w", "nodes": [{"id": "a", "type": "llm"}], "edges": edges})
    assert [e.id for e in graph_of(document).outgoing["a"]] == ["e1", "e3", "e0", "e4", "e2"]
    assert [e.id for e in graph_of(document).incoming["a"]] == ["e0", "e1", "e2", "e3", "e4"]


def test_reach_ends_where_no_edge_leads() -> None:
    found = graph("a>b", "b>a", "b>c", "d>c")
    assert reachable(found, found.starts) == {"c", "d"}
    assert reachable(found, ["a", "unknown"]) == {"a", "b", "c"}


def test_a_way_is_a_shortest_one() -> None:
    found = graph("a>b", "b>c", "c>d", "a>c")
    assert [edge.id for edge in shortest_path(found, ["a"], "d") or ()] == ["e3", "e2"]


def test_a_start_is_come_to_by_no_edge_and_an_unreachable_node_by_none() -> None:
    found = graph("a>b", nodes="c")
    assert shortest_path(found, ["a"], "a") == ()
    assert shortest_path(found, ["a"], "c") is None


def test_a_graph_without_cycles_names_none() -> None:
    assert cycles(graph("a>b", "a>c", "b>d", "c>d")) == []


def test_each_knot_of_cycles_is_named_once_by_a_shortest_one() -> None:
    found = graph("s>a", "a>b", "b>c", "c>a", "b>a", "c>d", "d>d")
    assert cycles(found) == [("a", "b"), ("d",)]


def test_a_chain_of_ten_thousand_nodes_is_walked() -> None:
    found = graph(*(f"n{i}>n{(i + 1) % 10_000}" for i in range(10_000)))
    assert len(cycles(found)[0]) == 10_000
    assert len(reachable(found, found.starts)) == 10_000
