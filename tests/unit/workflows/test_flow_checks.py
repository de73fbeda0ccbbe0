"""Which nodes are noted because nothing continues from them, or several branches do."""

import pytest

from demo.counter import STEPS
from tests.unit.workflows.test_problems import Fields, edge, found, node, problems
from workflows.domain.checks.problems import check
from workflows.domain.document.graph import read
from workflows.starters import STARTERS, StarterName, starter

NOTES = ("dead_end", "fork")
START, ASK, DONE = (
    node("s", "start") | {"name": "Start"},
    node("a") | {"name": "Ask"},
    node("z", "end") | {"name": "Done"},
)


def notes(nodes: list[dict[str, object]], edges: list[Fields]) -> list[tuple[str, str]]:
    listed = [each for each in problems(nodes, edges) if each.code in NOTES]
    assert {each.severity for each in listed} <= {"note"}
    return [(each.code, each.message) for each in listed]


def chain(*ends: str) -> list[Fields]:
    return [edge(f"e{number}", each) for number, each in enumerate(ends)]


def test_a_node_without_a_way_out_is_noted_where_the_workflow_has_an_end() -> None:
    nodes = [START, ASK, DONE]
    assert notes(nodes, chain("s>a")) == [("dead_end", "Ask leads nowhere")]
    assert notes(nodes, [*chain("s>a"), edge("f", "a>z", "error")]) == [
        ("dead_end", "Ask leads nowhere")
    ]
    assert notes(nodes, chain("s>a", "a>z")) == []


def test_without_an_end_any_node_may_be_the_last() -> None:
    assert notes([node("s", "start"), node("a")], chain("s>a")) == []


def test_a_node_that_is_tied_to_nothing_is_unreachable_and_no_dead_end() -> None:
    listed = problems([node("s", "start"), node("a"), node("z", "end")], chain("s>z"))
    assert found(listed) == [("/nodes/1", "unreachable_node", "error")]


def test_several_edges_that_are_always_taken_are_noted() -> None:
    nodes = [START, ASK, DONE]
    edges = chain("s>a", "s>z", "a>z")
    (problem,) = [each for each in problems(nodes, edges) if each.code == "fork"]
    assert problem.message == "Start continues to Ask and Done at once"
    assert (problem.pointer, problem.node, problem.severity) == ("/nodes/0", "s", "note")


def test_two_edges_to_one_node_and_edges_with_conditions_are_no_fork() -> None:
    nodes = [node("s", "start"), node("a"), node("z", "end")]
    edges = [
        *chain("s>a", "s>a", "a>z"),
        edge("c", "s>z", condition="context.messages > 3"),
        edge("f", "s>z", "error"),
    ]
    assert notes(nodes, edges) == []


@pytest.mark.parametrize("kind", ["merge", "join"])
def test_branches_that_meet_again_are_parallel_on_purpose(kind: str) -> None:
    nodes = [node("s", "start"), *(node(n) for n in "abc"), node("m", kind), node("z", "end")]
    edges = chain("s>a", "s>b", "a>c", "c>m", "b>m", "m>z")
    assert notes(nodes, edges) == []
    assert [code for code, _ in notes(nodes, [*edges, edge("x", "s>z")])] == ["fork"]


def test_branches_that_meet_in_a_loop_meet() -> None:
    nodes = [node("s", "start"), node("m", "merge"), node("a"), node("b")]
    assert notes(nodes, chain("s>m", "m>a", "m>b", "a>m", "b>m")) == []


def test_a_fork_of_many_branches_names_some() -> None:
    nodes = [node("s", "start"), *(node(f"n{number}") for number in range(9))]
    ((_, message),) = notes(nodes, chain(*(f"s>n{number}" for number in range(9))))
    assert message == "s continues to n0, n1, n2, n3, n4, n5 and 3 more at once"


@pytest.mark.parametrize("name", STARTERS)
def test_no_template_has_such_a_note(name: StarterName) -> None:
    assert [each.code for each in check(starter(name, "Mine")) if each.code in NOTES] == []


def test_no_workflow_of_the_demo_has_such_a_note() -> None:
    # The other workflows of the demo are templates.
    for step in STEPS:
        listed = check(read(step.document))
        assert [each.code for each in listed if each.code in NOTES] == []
