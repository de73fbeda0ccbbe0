"""Edges explain what they pass, rename and block."""

from tests.unit.workflows.contexts import chat, explained, node_input, of_edge, verdicts
from workflows.domain.context.explain import run_steps

GIVEN = node_input(
    {"error.code": 7, "result.text": "r", "exception.kind": "x", "a": 1},
    history=["error.handler", "writer"],
    metadata={"error.at": "now", "team": "red"},
    messages=chat(),
)


def test_an_edge_explains_itself() -> None:
    step = of_edge(type="selective", include_patterns=["error.*", "a"], exclude_patterns=["a"])
    told = {each.name: each for each in explained(step, GIVEN).decisions if each.name}
    assert told["error.code"].reason == "include pattern 0 'error.*' matches"
    assert (told["a"].verdict, told["a"].rule) == ("dropped", 0)
    assert told["a"].reason == "exclude pattern 0 'a' matches"
    assert told["result.text"].reason == "no include pattern matches"


def test_a_blocked_edge_names_its_condition() -> None:
    told = explained(of_edge(type="conditional", condition="context.a === 2"), GIVEN).decisions
    assert {each.verdict for each in told} == {"dropped"}
    assert told[0].reason == "the condition 'context.a === 2' is false"
    assert verdicts(told, "messages") == dict.fromkeys(range(6), "dropped")


def test_a_renamed_name_is_followed_through_the_next_step() -> None:
    rename = of_edge(type="transform", transform_rules=[{"pattern": "a", "rename": "b"}])
    drop = of_edge(type="selective", exclude_patterns=["b"])
    shout = of_edge(type="transform", transform_rules=[{"pattern": "b", "transform": "uppercase"}])
    [dropped] = run_steps(
        node_input({"a": "x"}), [("one", rename), ("two", drop)], explain=True
    ).decisions
    assert (dropped.name, dropped.verdict, dropped.step) == ("a", "dropped", "two")
    [changed] = run_steps(
        node_input({"a": "x"}), [("one", rename), (2, shout)], explain=True
    ).decisions
    assert (changed.name, changed.renamed, changed.step) == ("a", "b", 2)
    assert (changed.before, changed.after) == ("x", "X")


def test_names_that_swap_are_followed() -> None:
    swap = of_edge(
        type="transform",
        transform_rules=[{"pattern": "a", "rename": "b"}, {"pattern": "b", "rename": "a"}],
    )
    drop = of_edge(type="selective", exclude_patterns=["a"])
    told = run_steps(node_input({"a": 1, "b": 2}), [(0, swap), (1, drop)], explain=True).decisions
    assert [(each.name, each.verdict, each.renamed) for each in told] == [
        ("a", "changed", "b"),
        ("b", "dropped", None),
    ]


def test_history_entries_are_followed_by_their_place() -> None:
    first = of_edge(type="selective", exclude_patterns=["x"])
    second = of_edge(
        type="transform",
        transform_rules=[{"pattern": "b", "target": "history", "transform": "redact"}],
    )
    given = node_input(history=["x", "a", "b", "x", "a"])
    told = run_steps(given, [(0, first), (1, second)], explain=True).decisions
    assert [(each.name, each.index, each.verdict, each.step) for each in told] == [
        ("x", 0, "dropped", 0),
        ("a", 1, "kept", 1),
        ("b", 2, "changed", 1),
        ("x", 3, "dropped", 0),
        ("a", 4, "kept", 1),
    ]
