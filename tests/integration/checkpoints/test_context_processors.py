"""Context-processor nodes: their operation runs with the completion, or fails with it."""

from typing import Any

import pytest

from tests.factories import user
from tests.integration.checkpoints.flows import (
    Run,
    edge,
    node,
    ok,
    publish,
)

pytestmark = pytest.mark.django_db

CLEAR = {"operation": "clear", "clear": {"keep_system_message": False}}


def processor(slug: str, config: dict[str, Any], *more: dict[str, Any]) -> None:
    """A workflow of a context processor and a node behind it."""
    nodes = [node("tidy", "context_processor", config=config), node("b")]
    publish(slug, [*nodes, node("mend")], [edge("tidy", "b"), *more])


def test_a_processor_runs_its_operation_with_the_completion() -> None:
    processor("w", {"operation": "truncate", "truncate": {"keep_last": 1}})
    run = Run.start("w", state={"messages": [user("one"), user("two")]})
    answer = ok(run.complete("tidy"))
    assert answer["node_status"] == "COMPLETED"
    assert answer["operation"]["hidden"] == [[0, 1]]
    assert (answer["operation"]["batch"], answer["operation"]["revision"]) == (1, 1)
    assert run.contents() == ["two"]
    row = run.versions()[0]
    assert (row["revision"], row["visible_count"]) == (1, 1)
    ok(run.post("rollback", {"batch": 0}))
    assert run.contents() == ["one", "two"]


def test_messages_sent_with_a_processor_come_behind_its_operation() -> None:
    processor("w", CLEAR)
    run = Run.start("w", state={"messages": [user("one")]})
    ok(run.complete("tidy", messages=[user("after")]))
    assert run.contents() == ["after"]


def test_a_processor_that_fails_changes_nothing_but_the_record() -> None:
    processor("w", {"operation": "replace", "replace": {"index": 7, "message": user("x")}})
    run = Run.start("w", state={"k": 1, "messages": [user("one")]})
    answer = ok(run.complete("tidy", state_data={"k": 2}, messages=[user("lost")]))
    assert (answer["status"], answer["node_status"]) == ("FAILED", "FAILED")
    assert answer["error"]["code"] == "out_of_range"
    assert "operation" not in answer
    assert (run.state(), run.contents()) == ({"k": 1}, ["one"])
    (entry,) = run.snapshot()["execution_history"]
    assert (entry["status"], entry["error"]["code"]) == ("FAILED", "out_of_range")
    assert run.snapshot()["revision"] == 0
    (newest, *_) = run.versions()
    assert newest["changed_keys"] == []


def test_a_processor_that_fails_takes_its_error_edges() -> None:
    broken = {"operation": "replace", "replace": {"index": 7, "message": user("x")}}
    processor("w", broken, edge("tidy", "mend", "error"))
    run = Run.start("w", state={"messages": [user("one")]})
    answer = ok(run.complete("tidy"))
    assert (answer["status"], answer["node_status"]) == ("RUNNING", "FAILED")
    assert run.snapshot()["ready_nodes"] == ["mend"]
