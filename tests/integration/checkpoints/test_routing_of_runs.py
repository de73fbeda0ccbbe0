"""Where workflows continue: branches, joins, loops, and executed nodes that engines name."""

import pytest

from tests.factories import user
from tests.integration.checkpoints.flows import Run, chain, edge, node, ok, publish, when

pytestmark = pytest.mark.django_db


def diamond(slug: str = "diamond") -> None:
    """A node, two branches by condition, and a join."""
    nodes = [node("a"), node("left"), node("right"), node("join")]
    edges = [
        when("a", "left", "context.left === true"),
        when("a", "right", "context.right === true"),
        edge("left", "join"),
        edge("right", "join"),
    ]
    publish(slug, nodes, edges)


def test_a_join_waits_for_every_branch_that_was_taken() -> None:
    diamond()
    run = Run.start("diamond", state={"left": True, "right": True})
    ok(run.complete("a"))
    assert run.snapshot()["ready_nodes"] == ["left", "right"]
    ok(run.complete("right"))
    assert run.snapshot()["ready_nodes"] == ["left"]
    ok(run.complete("left"))
    assert run.snapshot()["ready_nodes"] == ["join"]
    assert ok(run.complete("join"))["status"] == "COMPLETED"
    assert run.snapshot()["executed_node_ids"] == ["a", "right", "left", "join"]


def test_a_join_does_not_wait_for_a_branch_that_was_not_taken() -> None:
    diamond()
    run = Run.start("diamond", state={"right": True})
    answer = ok(run.complete("a"))
    assert {step["to"]: step["passes"] for step in answer["next"]} == {"left": False, "right": True}
    ok(run.complete("right"))
    assert run.snapshot()["ready_nodes"] == ["join"]


def test_a_node_in_a_loop_runs_again_and_again() -> None:
    nodes = [node("think", "task"), node("act"), node("end")]
    edges = [
        when("think", "act", "context.more === true"),
        when("think", "end", "context.more !== true"),
        edge("act", "think"),
    ]
    publish("loop", nodes, edges)
    run = Run.start("loop", state={"more": True})
    for turn in range(3):
        ok(run.complete("think", f"t{turn}"))
        assert run.snapshot()["ready_nodes"] == ["act"]
        ok(run.complete("act", f"a{turn}"))
    ok(run.complete("think", "last", state_data={"more": False}))
    assert run.snapshot()["ready_nodes"] == ["end"]
    assert run.snapshot()["executed_node_ids"] == ["think", "act"] * 3 + ["think"]
    assert ok(run.complete("end"))["status"] == "COMPLETED"


def test_nothing_is_taken_and_nothing_is_left() -> None:
    diamond()
    run = Run.start("diamond")
    assert ok(run.complete("a"))["status"] == "COMPLETED"


def test_a_saved_checkpoint_routes_as_a_completion_does() -> None:
    diamond()
    run = Run.start("diamond", state={"right": True})
    ok(run.save("c1", "a"))
    assert run.snapshot()["ready_nodes"] == ["right"]
    assert ok(run.save("c2", "right", state_data={"k": 1}))["status"] == "RUNNING"
    assert ok(run.save("c3", "join"))["status"] == "COMPLETED"


def test_executed_nodes_that_only_add_are_appended() -> None:
    chain("w", "a", "b", "c", "d")
    run = Run.start("w")
    ok(run.save("c1", "a"))
    ok(run.save("c2", "c", executed_node_ids=["a", "b", "c"]))
    snapshot = run.snapshot()
    assert (snapshot["executed_node_ids"], snapshot["ready_nodes"]) == (["a", "b", "c"], ["d"])


def test_executed_nodes_that_go_back_replace_those_that_were_there() -> None:
    diamond()
    run = Run.start("diamond", state={"right": True})
    ok(run.complete("a"))
    ok(run.complete("right"))
    assert run.snapshot()["ready_nodes"] == ["join"]
    ok(run.save("c1", "a", executed_node_ids=["a"]))
    snapshot = run.snapshot()
    assert (snapshot["executed_node_ids"], snapshot["ready_nodes"]) == (["a"], ["right"])
    ok(run.complete("right", "again"))
    assert run.snapshot()["executed_node_ids"] == ["a", "right"]
    assert ok(run.get("checkpoints/2"))["executed_node_ids"] == ["a", "right"]
    assert ok(run.get("checkpoints/3"))["executed_node_ids"] == ["a"]


def test_executed_nodes_are_distinguished_by_the_decisions_on_record() -> None:
    nodes = [node("a"), node("x"), node("y")]
    edges = [
        when("a", "x", "context.n < 2"),
        when("a", "y", "context.n >= 2"),
        edge("x", "a"),
    ]
    publish("rounds", nodes, edges)
    run = Run.start("rounds", state={"n": 0})
    ok(run.complete("a", "a1"))
    ok(run.complete("x", "x1"))
    ok(run.complete("a", "a2", state_data={"n": 2}))
    assert run.snapshot()["ready_nodes"] == ["y"]
    ok(run.save("back", "x", executed_node_ids=["a", "x"]))
    assert run.snapshot()["ready_nodes"] == ["a"]
    ok(run.save("one", "x", executed_node_ids=["a"], status="PAUSED"))
    assert run.snapshot()["ready_nodes"] == ["x"]
    ok(run.post("checkpoints/3/restore"))
    assert run.snapshot()["ready_nodes"] == ["y"]
    ok(run.post("resume"))
    ok(run.save("again", "a", executed_node_ids=["a", "x"]))
    assert run.snapshot()["ready_nodes"] == ["a"]


def test_a_free_execution_keeps_the_executed_nodes_that_its_engine_names() -> None:
    run = Run.start()
    ok(run.save("c1", "a"))
    ok(run.save("c2", "b", executed_node_ids=["x", "y", "x"]))
    assert run.snapshot()["executed_node_ids"] == ["x", "y", "x"]
    ok(run.save("c3", "b", executed_node_ids=["x", "y", "x"]))
    ok(run.save("c4", "z"))
    assert run.snapshot()["executed_node_ids"] == ["x", "y", "x", "z"]
    counts = [row["executed_count"] for row in run.versions()]
    assert counts == [4, 3, 3, 1, 0]


def test_start_nodes_run_side_by_side() -> None:
    publish("two", [node("a"), node("b"), node("join")], [edge("a", "join"), edge("b", "join")])
    run = Run.start("two")
    assert run.snapshot()["ready_nodes"] == ["a", "b"]
    ok(run.complete("b", messages=[user("b")]))
    assert run.snapshot()["ready_nodes"] == ["a"]
    ok(run.complete("a"))
    assert run.snapshot()["ready_nodes"] == ["join"]
