"""Checkpoints that operate on the view, pause before a node, and begin a new execution."""

from typing import Any

import pytest

from ctxadmin.identity.roles import Scope
from tests.factories import Api, conversation, user
from tests.integration.checkpoints.flows import Run, chain, ok, refused

pytestmark = pytest.mark.django_db

HIDE_FIRST = {"operation": "truncate", "truncate": {"remove_first": 1}}


@pytest.fixture
def run() -> Run:
    return Run(Api([Scope.ENGINE]), conversation())


def test_operations_come_before_the_messages_in_one_transaction(run: Run) -> None:
    ok(run.save("c1", messages=[user("a"), user("b")]))
    ok(run.save("c2", operations=[HIDE_FIRST], messages=[user("c")]))
    assert run.contents() == ["b", "c"]
    newest = run.versions()[0]
    assert (newest["version"], newest["revision"], newest["visible_count"]) == (2, 1, 2)


def test_an_operation_that_fails_leaves_nothing_of_the_checkpoint(run: Run) -> None:
    ok(run.save("c1", messages=[user("a")]))
    wrong = {"operation": "replace", "replace": {"index": 7, "message": user("x")}}
    answer = run.save("c2", state_data={"k": 1}, operations=[HIDE_FIRST, wrong])
    problem = refused(answer, 422, "out_of_range")
    assert problem["errors"][0]["pointer"].startswith("/operations/1")
    assert (run.contents(), run.state(), run.snapshot()["version"]) == (["a"], {}, 1)


def test_the_same_operations_again_are_the_same_save(run: Run) -> None:
    ok(run.save("c1", messages=[user("a"), user("b")]))
    first = run.save("c2", operations=[HIDE_FIRST])
    again = run.save("c2", operations=[HIDE_FIRST])
    assert (first.status_code, again.status_code) == (201, 200)
    assert run.contents() == ["b"]
    refused(run.save("c2"), 409, "duplicate")


def test_a_pause_before_a_node_waits_there_with_its_reason(run: Run) -> None:
    ok(run.save("c1", "draft"))
    saved = ok(run.save("c2", "send", pause_before="send", pause_reason="Send it?"))
    assert saved == {"version": 2, "status": "PAUSED"}
    snapshot = run.snapshot()
    assert snapshot["pause"]["node_id"] == "send"
    assert (snapshot["pause"]["when"], snapshot["pause"]["reason"]) == ("before", "Send it?")
    assert snapshot["executed_node_ids"] == ["draft"]
    assert snapshot["ready_nodes"] == ["send"]
    moved = ok(run.by(Scope.REVIEW).post("approve", {"node_id": "send"}))
    assert (moved["status"], moved["ready_nodes"]) == ("RUNNING", ["send"])


@pytest.mark.parametrize(
    "body",
    [
        {"pause_reason": "why"},
        {"pause_before": "send", "status": "COMPLETED"},
        {"pause_before": ""},
        {"new_execution": "yes"},
        {"operations": [{"operation": "shuffle"}]},
    ],
)
def test_what_contradicts_itself_is_refused(run: Run, body: dict[str, Any]) -> None:
    refused(run.save("c1", **body), 422, "validation")
    assert run.snapshot()["status"] == "IDLE"


def test_a_workflow_pauses_before_none_of_other_workflows() -> None:
    chain("two", "a", "b")
    run = Run.start("two")
    refused(run.save("c1", "a", pause_before="elsewhere"), 404, "not_found")
    assert ok(run.save("c1", "a", pause_before="b"))["status"] == "PAUSED"


def test_a_new_execution_begins_only_when_the_last_one_has_ended(run: Run) -> None:
    ok(run.save("c1", state_data={"k": 1}, new_execution=True))
    first = run.snapshot()["execution"]
    assert ok(run.save("c2", new_execution=True, status="COMPLETED"))["version"] == 2
    assert run.snapshot()["execution"] == first
    refused(run.save("c3"), 409, "invalid_state")
    assert ok(run.save("c3", new_execution=True, state_data={"n": 2})) == {
        "version": 1,
        "status": "RUNNING",
    }
    assert run.snapshot()["execution"] != first
    assert run.state() == {"n": 2}


def test_the_versions_of_a_former_execution_can_be_read(run: Run) -> None:
    ok(run.save("c1", state_data={"k": 1}, status="COMPLETED"))
    first = run.snapshot()["execution"]
    ok(run.save("c2", new_execution=True))
    former = ok(run.get(f"checkpoints?execution={first}&include=state"))["results"]
    assert [row["checkpoint_id"] for row in former] == ["c1", None]
    assert {row["execution"] for row in former} == {first}
    assert former[0]["state_data"] == {"k": 1, "messages": []}
    assert ok(run.get("checkpoints?id=c1"))["results"] == []
    (found,) = ok(run.get("checkpoints?id=c1&execution=any"))["results"]
    assert (found["execution"], found["version"]) == (first, 1)
    assert ok(run.get("checkpoints?id=unknown&execution=any"))["results"] == []


def test_other_executions_are_not_found(run: Run) -> None:
    other = Run(run.api, conversation())
    ok(other.save("c1"))
    ok(run.save("c1"))
    for name in (other.snapshot()["execution"], "nobody", "%C3%A9", ""):
        refused(run.get(f"checkpoints?execution={name}"), 404, "not_found")
    refused(run.get("checkpoints?execution=any"), 422, "validation")
