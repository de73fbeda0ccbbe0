"""Which edges are taken, and which nodes are ready."""

from collections.abc import Mapping, Sequence

import pytest
from pydantic import JsonValue

from ctxadmin.lib.errors import NotFound, ValidationFailed
from workflows.domain.document.graph import read
from workflows.domain.document.topology import Graph, graph_of
from workflows.domain.running.plan import Plan
from workflows.domain.running.routing import (
    EdgeOutcome,
    Marking,
    RouteDecision,
    decide,
    ready_nodes,
    replay,
)


def plan(
    *edges: str, nodes: str = "", options: Mapping[str, dict[str, object]] | None = None
) -> Plan:
    """A workflow of edges ``a>b`` (``a!b`` an error edge); an edge's id is its text."""
    ends = [edge.replace("!", ">").split(">") for edge in edges]
    names = dict.fromkeys([*nodes.split(), *(name for pair in ends for name in pair)])
    return Plan(
        read(
            {
                "name": "w",
                "nodes": [{"id": name, "type": "llm"} for name in names],
                "edges": [
                    {
                        "id": f"{a}-{b}",
                        "type": "error" if "!" in edge else "sequence",
                        "from": a,
                        "to": b,
                        **(options or {}).get(f"{a}-{b}", {}),
                    }
                    for edge, (a, b) in zip(edges, ends, strict=True)
                ],
            }
        )
    )


def graph(*edges: str, nodes: str = "") -> Graph:
    return plan(*edges, nodes=nodes).graph


def ready(found: Graph, executed: str, *refused: str) -> str:
    """The ready nodes after ``executed``; ``refused`` names edges that were not taken.

    ``a-b`` is the edge at the first completion of a, ``a2-b`` at its second.
    """
    decisions = []
    for text in refused:
        source, _, target = text.partition("-")
        name = source.rstrip("123456789")
        occurrence = int(source[len(name) :] or 1)
        decisions.append(RouteDecision(name, occurrence, f"{name}-{target}", passes=False))
    return " ".join(ready_nodes(found, executed.split(), decisions))


def taken(next_edges: Sequence[EdgeOutcome]) -> list[str]:
    return [each.edge for each in next_edges if each.passes]


# Decisions


def test_an_edge_without_a_condition_is_taken() -> None:
    (found,) = decide(plan("a>b"), "a", {}, {})
    assert found.as_json() == {
        "edge": "a-b",
        "to": "b",
        "passes": True,
        "reason": "no condition",
    }


def test_the_edges_own_condition_decides_whatever_its_type() -> None:
    conditions: dict[str, dict[str, object]] = {
        "a-b": {"condition": "context.x === 1"},
        "a-c": {"type": "conditional", "condition": "context.x > 1"},
        "a-d": {"type": "conditional", "condition": "metadata['k'] === 'v'"},
    }
    found = decide(plan("a>b", "a>c", "a>d", options=conditions), "a", {"x": 1}, {"k": "v"})
    assert taken(found) == ["a-b", "a-d"]
    assert found[1].reason == "the condition is false: context.x > 1"


def test_a_filters_condition_blocks_context_and_never_routing() -> None:
    options: dict[str, dict[str, object]] = {
        "a-b": {"context_filter": {"type": "conditional", "condition": "false"}}
    }
    assert taken(decide(plan("a>b", options=options), "a", {}, {})) == ["a-b"]


def test_a_conditional_edge_without_a_condition_of_its_own_is_taken() -> None:
    found = decide(plan("a>b", options={"a-b": {"type": "conditional"}}), "a", {}, {})
    assert taken(found) == ["a-b"]


def test_error_edges_are_taken_on_failure_only() -> None:
    workflow = plan("a>b", "a!c")
    assert taken(decide(workflow, "a", {}, {})) == ["a-b"]
    assert taken(decide(workflow, "a", {}, {}, failed=True)) == ["a-c"]


def test_the_condition_of_an_error_edge_counts_too() -> None:
    workflow = plan("a!b", "a!c", options={"a-b": {"condition": "context.kind === 'timeout'"}})
    assert taken(decide(workflow, "a", {"kind": "other"}, {}, failed=True)) == ["a-c"]


def test_decisions_come_by_falling_weight_and_every_passing_edge_is_taken() -> None:
    options: dict[str, dict[str, object]] = {"a-c": {"weight": 5}, "a-d": {"weight": 1}}
    assert taken(decide(plan("a>b", "a>c", "a>d", options=options), "a", {}, {})) == [
        "a-c",
        "a-d",
        "a-b",
    ]


def test_a_node_that_does_not_exist_has_no_decisions() -> None:
    with pytest.raises(NotFound):
        decide(plan("a>b"), "x", {}, {})


# Ready nodes


def test_the_starts_are_ready_at_first() -> None:
    assert ready(graph("a>c", "b>c"), "") == "a b"


def test_a_successor_is_ready_when_its_dependency_is_done() -> None:
    assert ready(graph("a>b", "b>c"), "a") == "b"


def test_the_end_leaves_nothing_ready() -> None:
    assert ready(graph("a>b"), "a b") == ""


def test_a_join_waits_for_all_taken_branches() -> None:
    found = graph("s>a", "s>b", "a>J", "b>J")
    assert ready(found, "s a") == "b"
    assert ready(found, "s a b") == "J"
    assert ready(found, "s a b J") == ""


def test_a_join_does_not_wait_for_a_branch_that_was_not_taken() -> None:
    found = graph("s>a", "s>b", "a>J", "b>J")
    assert ready(found, "s a", "s-b") == "J"


def test_a_join_waits_for_a_long_branch_and_not_after_it_ended_elsewhere() -> None:
    found = graph("s>a", "a>J", "s>b", "b>c", "c>J", "c>x")
    assert ready(found, "s a b") == "c"
    assert ready(found, "s a b c", "c-J") == "J x"


def test_a_join_waits_for_an_error_branch_that_comes_back() -> None:
    found = graph("s>a", "s>b", "a>J", "b>J", "b!r", "r>J")
    failed = [
        RouteDecision("b", 1, "b-J", passes=False),
        RouteDecision("b", 1, "b-r", passes=True),
    ]
    assert ready_nodes(found, ["s", "a", "b"], failed) == ("r",)
    assert ready_nodes(found, ["s", "a", "b", "r"], failed) == ("J",)


def test_an_error_edge_is_not_taken_without_a_record() -> None:
    assert ready(graph("a>b", "a!c"), "a") == "b"


def test_a_node_that_failed_and_is_not_done_is_ready_for_a_retry() -> None:
    assert ready(graph("a>b", "b>c"), "a") == "b"


def test_the_first_round_of_a_loop_does_not_wait_for_the_second() -> None:
    assert ready(graph("s>H", "H>b", "b>H", "b>x"), "s") == "H"


def test_a_back_edge_makes_a_node_ready_again() -> None:
    found = graph("s>H", "H>b", "b>H", "b>x")
    assert ready(found, "s H b", "b-x") == "H"
    assert ready(found, "s H b H b", "b-x", "b2-H") == "x"


def test_an_edge_to_itself_makes_a_node_ready_again() -> None:
    found = graph("a>a", "a>b")
    assert ready(found, "a", "a-b") == "a"
    assert ready(found, "a a", "a-b", "a2-a") == "b"


def test_a_join_within_a_loop_waits_in_every_round() -> None:
    found = graph("s>H", "H>a", "H>b", "a>J", "b>J", "J>H", "J>x")
    assert ready(found, "s H a b J", "J-x") == "H"
    assert ready(found, "s H a b J H a", "J-x") == "b"
    assert ready(found, "s H a b J H a b", "J-x") == "J"


def test_a_join_behind_a_loop_waits_until_the_loop_is_left() -> None:
    found = graph("s>a", "s>H", "H>b", "b>H", "b>J", "a>J")
    assert ready(found, "s a H b", "b-J") == "H"
    assert ready(found, "s a H b H b", "b-J", "b2-H") == "J"


def test_a_loop_with_two_ways_in_waits_for_both_at_first() -> None:
    found = graph("s>a", "s>b", "a>H", "b>H", "H>c", "c>H")
    assert ready(found, "s a") == "b"
    assert ready(found, "s a b") == "H"
    assert ready(found, "s a b H c") == "H"


def test_two_nodes_that_wait_for_each_other_are_both_ready() -> None:
    found = graph("s>a", "s>b", "a>b", "b>a", "a>x", "b>x")
    assert ready(found, "s") == "a b"


def test_what_waits_for_such_a_circle_continues_waiting() -> None:
    found = graph("s>a", "s>b", "a>b", "b>a", "a>x", "s>x")
    assert ready(found, "s") == "a b"


def test_what_a_branch_left_of_a_round_is_kept_for_the_next() -> None:
    found = graph("s>H", "H>H", "H>J", "s>l", "l>J")
    assert ready(found, "s H H l", "H2-H") == "J"
    assert ready(found, "s H H l J", "H2-H") == "J"
    assert ready(found, "s H H l J J", "H2-H") == ""


def test_a_second_wave_does_not_keep_the_first_from_continuing() -> None:
    found = graph("s>H", "H>H", "H>b", "b>c")
    assert ready(found, "s H") == "H b"


def test_a_start_node_does_not_wait_for_another_start() -> None:
    document = read(
        {
            "name": "w",
            "nodes": [{"id": "a", "type": "start"}, {"id": "b", "type": "start"}],
            "edges": [{"id": "e", "type": "sequence", "from": "a", "to": "b"}],
        }
    )
    assert ready_nodes(graph_of(document), []) == ("a", "b")


def test_a_node_that_was_run_out_of_turn_uses_up_nothing_and_continues() -> None:
    found = graph("a>b", "b>c", "c>d")
    assert ready(found, "a c") == "b d"


def test_an_executed_node_that_the_workflow_does_not_have_changes_nothing() -> None:
    assert ready(graph("a>b"), "x a y") == "b"


def test_a_free_execution_names_no_ready_nodes() -> None:
    assert ready_nodes(None, ["a"], []) == ()


def test_decisions_belong_to_one_occurrence_of_a_node() -> None:
    found = graph("a>a", "a>b")
    decisions = [
        RouteDecision("a", 1, "a-b", passes=False),
        RouteDecision("a", 2, "a-a", passes=False),
    ]
    assert ready_nodes(found, ["a"], decisions) == ("a",)
    assert ready_nodes(found, ["a", "a"], decisions) == ("b",)


# Markings


def test_a_marking_survives_json() -> None:
    found = replay(graph("a>c", "b>c"), ["a"])
    assert Marking.from_json(found.as_json()) == found
    assert found.as_json() == {"due": ["b"], "waiting": {"a-c": 1}}


@pytest.mark.parametrize("bad", [3, {"due": "a"}, {"waiting": {"a": "1"}}, {"x": 1}])
def test_other_json_is_no_marking(bad: JsonValue) -> None:
    with pytest.raises(ValidationFailed):
        Marking.from_json(bad)


def test_edges_of_other_nodes_are_not_taken() -> None:
    found = graph("a>b", "b>c")
    assert Marking.at_start(found).after(found, "a", ["b-c", "gone"]).ready(found) == ()


def test_what_arrived_at_a_node_is_reported_in_document_order() -> None:
    found = graph("s>b", "s>a", "b>J", "a>J", "c>J", nodes="s")
    marking = replay(found, ["s", "a", "b"])
    assert marking.arrived_edges(found, "J") == ("b-J", "a-J")
    assert marking.arrived_edges(found, "s") == marking.arrived_edges(found, "gone") == ()


def test_resuming_elsewhere_before_a_node_runs_the_other_node_in_its_place() -> None:
    found = graph("a>b", "b>c", "c>d")
    marking = replay(found, ["a"]).redirect(found, "b", "d", completed=False)
    assert marking.ready(found) == ("d",)


def test_resuming_elsewhere_after_a_node_runs_the_other_node_in_place_of_its_successors() -> None:
    found = graph("a>b", "b>c", "c>d")
    marking = replay(found, ["a", "b"]).redirect(found, "b", "a", completed=True)
    assert marking.ready(found) == ("a",)


def test_resuming_at_a_node_that_does_not_exist_is_not_found() -> None:
    found = graph("a>b")
    with pytest.raises(NotFound):
        Marking.at_start(found).redirect(found, "a", "x", completed=False)


def test_ten_thousand_nodes_with_thousands_of_waiting_joins_are_decided() -> None:
    branches = range(2_500)
    edges = [
        edge
        for i in branches
        for edge in (f"s>a{i}", f"s>b{i}", f"a{i}>j{i}", f"b{i}>j{i}", f"j{i}>s")
    ]
    found = graph(*edges, nodes="s")
    assert len(ready_nodes(found, ["s", *(f"a{i}" for i in branches)])) == 2_500
