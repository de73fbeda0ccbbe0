"""Completing nodes: results, history, processors that work and fail, repeats."""

from typing import Any

import pytest
from django.db import OperationalError

from checkpoints import entering
from conversations.models import Conversation
from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.roles import Scope
from tests.factories import Api, assistant, conversation, system, user
from tests.integration.checkpoints.flows import (
    Run,
    chain,
    edge,
    everything,
    node,
    ok,
    publish,
    refused,
    when,
)

pytestmark = pytest.mark.django_db

CLEAR = {"operation": "clear", "clear": {"keep_system_message": False}}


def processor(slug: str, config: dict[str, Any], *more: dict[str, Any]) -> None:
    """A workflow of a context processor and a node behind it."""
    nodes = [node("tidy", "context_processor", config=config), node("b")]
    publish(slug, [*nodes, node("mend")], [edge("tidy", "b"), *more])


def test_a_completion_writes_output_messages_state_and_history() -> None:
    chain("w", "a", "b")
    run = Run.start("w")
    answer = run.complete(
        "a",
        "c1",
        result={"prompt": "p", "response": "r", "output": {"x": 1}, "metadata": {"m": 1}},
        state_data={"k": 2},
        messages=[user("q"), assistant("r")],
    )
    assert answer.status_code == 201
    assert answer.json() == {
        "version": 1,
        "status": "RUNNING",
        "node_status": "COMPLETED",
        "next": [{"edge": "a-b", "to": "b", "passes": True, "reason": "no condition"}],
        "pause_requested": False,
    }
    snapshot = run.snapshot()
    assert run.state() == {"a_output": {"x": 1}, "k": 2}
    assert run.contents() == ["q", "r"]
    assert snapshot["executed_node_ids"] == ["a"]
    (entry,) = snapshot["execution_history"]
    assert entry.pop("timestamp")
    assert entry == {
        "node_id": "a",
        "status": "COMPLETED",
        "checkpoint_id": "c1",
        "version": 1,
        "prompt": "p",
        "response": "r",
        "metadata": {"m": 1},
    }


def test_messages_of_a_completion_name_their_node() -> None:
    run = Run.start()
    ok(run.complete("a", messages=[user("q")]))
    assert ok(run.get("messages"))["results"][0]["node_id"] == "a"


def test_history_of_the_initial_state_stands_before_the_entry_of_the_node() -> None:
    sent = [{"node_id": "inner", "note": 1}]
    run = Run.start(state={"execution_history": sent})
    ok(run.complete("a", state_data={"execution_history": None}))
    history = run.snapshot()["execution_history"]
    assert history[0] == sent[0]
    assert history[1]["node_id"] == "a"
    assert "execution_history" not in run.state()


def test_no_history_is_taken_but_with_the_initial_state() -> None:
    run = Run.start()
    forged = {"execution_history": [{"node_id": "approved", "status": "COMPLETED"}]}
    where = "/state_data/execution_history"
    before = everything()
    refused(run.complete("a", state_data=forged), 422, "validation", where)
    refused(run.save("c1", state_data=forged), 422, "validation", where)
    refused(run.save("c1", state_data={"execution_history": []}), 422, "validation", where)
    assert everything() == before
    run.pause_now()
    reviewer = run.by(Scope.REVIEW)
    before = everything()
    refused(reviewer.update("a", state_data=forged), 422, "validation", where)
    assert everything() == before


def test_a_completion_of_a_node_that_is_not_ready_writes_nothing() -> None:
    chain("w", "a", "b", "c")
    run = Run.start("w")
    before = everything()
    problem = refused(run.complete("c", messages=[user("early")]), 409, "invalid_state")
    assert (problem["ready_nodes"], problem["status_now"]) == (["a"], "RUNNING")
    assert everything() == before
    ok(run.complete("a"))
    assert refused(run.complete("a", "again"), 409, "invalid_state")["ready_nodes"] == ["b"]
    refused(run.complete("nowhere"), 404, "not_found")


def test_a_conversation_whose_workflow_cannot_start_there_gets_no_execution() -> None:
    chain("w", "a", "b")
    run = Run(Api(), conversation(workflow="w"))
    before = everything()
    assert refused(run.complete("b"), 409, "invalid_state")["ready_nodes"] == ["a"]
    assert everything() == before
    assert ok(run.complete("a"))["version"] == 1


def test_a_completion_that_is_repeated_is_the_same_though_its_node_is_not_ready_now() -> None:
    chain("w", "a", "b")
    run = Run.start("w")
    first = run.complete("a")
    again = run.complete("a")
    assert (again.status_code, again.content) == (200, first.content)
    forced = run.by(Scope.REVIEW).complete("a", force=True)
    assert (forced.status_code, forced.content) == (200, first.content)
    refused(run.complete("a", result={"output": "other"}), 409, "duplicate")


def test_a_node_of_a_loop_is_ready_again_when_an_edge_to_it_passed() -> None:
    edges = [edge("a", "b"), when("b", "a", "context.more === true"), edge("b", "c")]
    publish("w", [node("a"), node("b"), node("c")], edges)
    run = Run.start("w", state={"more": True})
    ok(run.complete("a", "a1"))
    refused(run.complete("a", "a2"), 409, "invalid_state")
    ok(run.complete("b", "b1"))
    ok(run.complete("a", "a2"))
    ok(run.complete("b", "b2", state_data={"more": False}))
    refused(run.complete("a", "a3"), 409, "invalid_state")


def test_a_node_is_ready_where_a_resume_a_restore_or_a_fork_put_the_execution() -> None:
    chain("w", "a", "b", "c")
    run = Run.start("w", Api((Scope.ENGINE, Scope.REVIEW)))
    ok(run.complete("a"))
    ok(run.complete("b", status="PAUSED"))
    ok(run.post("resume", {"from_node": "a"}))
    refused(run.complete("c", "early"), 409, "invalid_state")
    ok(run.complete("a", "a2", status="PAUSED"))
    ok(run.post("checkpoints/2/restore"))
    ok(run.post("approve"))
    refused(run.complete("b", "b2"), 409, "invalid_state")
    other = ok(run.post("checkpoints/1/fork"))["id"]
    fork = Run(run.api, Conversation.objects.get(public_id=other))
    ok(fork.post("resume"))
    refused(fork.complete("c"), 409, "invalid_state")
    ok(fork.complete("b"))
    assert ok(run.complete("c"))["status"] == "COMPLETED"


def test_force_completes_a_node_that_is_not_ready_and_is_on_record() -> None:
    chain("w", "a", "b", "c")
    run = Run.start("w", Api((Scope.ENGINE,)))
    before = everything()
    problem = refused(run.complete("b", force=True), 403, "forbidden")
    assert "review or admin" in problem["detail"]
    assert everything() == before
    ok(run.by(Scope.REVIEW).complete("b", force=True))
    entries = AuditEntry.objects.filter(stream=run.head.key).order_by("-seq")
    assert entries[0].action == "node.force"
    snapshot = run.snapshot()
    assert snapshot["executed_node_ids"] == ["b"]
    assert snapshot["ready_nodes"] == ["a", "c"]
    ok(run.by(Scope.ADMIN).complete("a", force=True))
    assert entries.all()[0].action == "node.complete"  # it was ready: nothing had to be forced


def test_force_changes_no_status_and_makes_no_node() -> None:
    chain("w", "a", "b")
    run = Run.start("w", Api((Scope.ENGINE, Scope.REVIEW)))
    refused(run.complete("nowhere", force=True), 404, "not_found")
    ok(run.complete("a", status="PAUSED"))
    refused(run.complete("b", force=True), 409, "invalid_state")


def test_a_checkpoint_may_be_of_any_node_of_the_workflow() -> None:
    chain("w", "a", "b", "c")
    run = Run.start("w")
    ok(run.save("c1", "b"))
    assert run.snapshot()["ready_nodes"] == ["a", "c"]
    ok(run.complete("c"))


def test_a_completion_in_an_idle_conversation_starts_an_execution() -> None:
    run = Run(Api(), conversation())
    assert ok(run.complete("a"))["version"] == 1
    assert run.snapshot()["executed_node_ids"] == ["a"]


def test_an_output_is_data_even_if_it_looks_like_a_directive() -> None:
    run = Run.start(state={"a_output": 1})
    ok(run.complete("a", result={"output": {"$delete": True}}))
    assert run.state() == {"a_output": {"$delete": True}}


def test_an_output_and_its_key_in_the_state_are_refused_together() -> None:
    run = Run.start()
    before = everything()
    twice = run.complete("a", result={"output": 1}, state_data={"a_output": 2})
    refused(twice, 422, "validation", "/state_data/a_output")
    assert everything() == before


def test_an_output_goes_through_its_reducer_and_its_error_names_it() -> None:
    run = Run.start(reducers={"*_output": "append"})
    ok(run.complete("a", "c1", result={"output": [1]}))
    ok(run.complete("a", "c2", result={"output": [2]}))
    assert run.state() == {"a_output": [1, 2]}
    before = everything()
    refused(run.complete("a", "c3", result={"output": 3}), 422, "type_mismatch", "/result/output")
    assert everything() == before


def test_null_is_no_output() -> None:
    run = Run.start()
    ok(run.complete("a", result={"output": None}))
    assert run.state() == {}


def test_a_repeat_gets_the_same_answer_and_changes_nothing() -> None:
    chain("w", "a", "b")
    run = Run.start("w")
    first = run.complete("a", result={"output": 1}, enter_next=True)
    ok(run.complete("b"))
    before = everything()
    again = run.complete("a", result={"output": 1}, enter_next=True, expected_version=40)
    assert (again.status_code, again.content) == (200, first.content)
    assert everything() == before
    without = run.complete("a", result={"output": 1})
    assert "entered" not in without.json()
    refused(run.complete("a", result={"output": 2}), 409, "duplicate")
    refused(run.complete("b", "done-a", result={"output": 1}), 409, "duplicate")


def test_an_error_of_the_engine_changes_nothing_but_the_record() -> None:
    chain("w", "a", "b")
    run = Run.start("w", state={"k": 1})
    ok(run.append(user("x")))
    answer = ok(
        run.complete(
            "a",
            result={"error": {"message": "no route", "kind": "network"}, "prompt": "p"},
            state_data={"k": 2},
            messages=[user("lost")],
        )
    )
    assert (answer["status"], answer["node_status"]) == ("FAILED", "FAILED")
    assert answer["error"] == {"message": "no route", "kind": "network"}
    assert [step["passes"] for step in answer["next"]] == [False]
    snapshot = run.snapshot()
    assert (run.state(), run.contents()) == ({"k": 1}, ["x"])
    assert snapshot["executed_node_ids"] == []
    (entry,) = snapshot["execution_history"]
    assert (entry["status"], entry["prompt"]) == ("FAILED", "p")
    assert entry["error"] == {"message": "no route", "kind": "network"}
    assert run.versions()[0]["reason"] == "no route"
    assert snapshot["ready_nodes"] == ["a"]


def test_the_words_of_a_failure_stay_out_of_the_audit() -> None:
    run = Run.start()
    ok(run.complete("a", result={"error": "no entry for Anna Example"}))
    assert "Anna" not in repr(list(AuditEntry.objects.values()))


def test_a_failed_node_is_tried_again_after_a_resume() -> None:
    chain("w", "a", "b")
    run = Run.start("w")
    ok(run.complete("a", "try-1", result={"error": "broken"}))
    refused(run.complete("a", "try-2"), 409, "invalid_state")
    moved = ok(run.post("resume"))
    assert (moved["status"], moved["ready_nodes"]) == ("RUNNING", ["a"])
    assert ok(run.complete("a", "try-2"))["status"] == "RUNNING"
    statuses = [entry["status"] for entry in run.snapshot()["execution_history"]]
    assert statuses == ["FAILED", "COMPLETED"]


def test_error_edges_are_taken_on_failure_only() -> None:
    nodes = [node("a"), node("b"), node("mend")]
    publish("w", nodes, [edge("a", "b"), edge("a", "mend", "error")])
    run = Run.start("w")
    answer = ok(run.complete("a", "c1", result={"error": "broken"}))
    assert (answer["status"], answer["node_status"]) == ("RUNNING", "FAILED")
    assert {step["to"]: step["passes"] for step in answer["next"]} == {"b": False, "mend": True}
    snapshot = run.snapshot()
    assert (snapshot["ready_nodes"], snapshot["executed_node_ids"]) == (["mend"], ["a"])
    well = Run.start("w")
    answer = ok(well.complete("a", "c1"))
    assert {step["to"]: step["passes"] for step in answer["next"]} == {"b": True, "mend": False}


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


def test_conditions_see_the_state_after_the_node_and_the_metadata() -> None:
    nodes = [node("a"), node("high"), node("low"), node("vip")]
    edges = [
        when("a", "high", "context.a_output.score >= 5"),
        when("a", "low", "context.a_output.score < 5"),
        when("a", "vip", "metadata.tier === 'vip' && context.log.length === 2"),
    ]
    publish("w", nodes, edges, reducers={"log": "append"})
    run = Run.start("w", state={"log": [1]}, metadata={"tier": "vip"})
    answer = ok(run.complete("a", result={"output": {"score": 7}}, state_data={"log": [2]}))
    assert {step["to"]: step["passes"] for step in answer["next"]} == {
        "high": True,
        "low": False,
        "vip": True,
    }
    assert run.snapshot()["ready_nodes"] == ["high", "vip"]


def test_conditions_find_dotted_names_and_miss_deleted_ones() -> None:
    nodes = [node("a"), node("b"), node("c")]
    edges = [
        when("a", "b", "variables['llm.model'] === 'm' && context.llm.model === 'm'"),
        when("a", "c", "context.old === null"),
    ]
    publish("w", nodes, edges)
    run = Run.start("w", state={"llm.model": "m", "old": 1})
    answer = ok(run.complete("a", state_data={"old": {"$delete": True}}))
    assert [step["passes"] for step in answer["next"]] == [True, True]


def test_the_last_node_of_a_workflow_completes_the_execution() -> None:
    chain("w", "a", "b")
    run = Run.start("w")
    ok(run.complete("a"))
    assert ok(run.complete("b"))["status"] == "COMPLETED"
    assert run.snapshot()["ready_nodes"] == []
    refused(run.complete("a", "more"), 409, "invalid_state")


def test_enter_next_tells_what_the_next_node_sees() -> None:
    chain("w", "a", "b")
    run = Run.start("w", state={"k": 1})
    entered = ok(run.complete("a", messages=[user("x")], enter_next=True))["entered"]
    assert (entered["node_id"], entered["edges"]) == ("b", ["a-b"])
    assert entered == ok(run.enter("b"))


def test_enter_next_is_null_when_nothing_runs_next() -> None:
    chain("w", "a", "b")
    run = Run.start("w")
    assert ok(run.complete("a", status="PAUSED", enter_next=True))["entered"] is None
    ok(run.post("resume"))
    assert ok(run.complete("b", enter_next=True))["entered"] is None
    assert ok(Run.start().complete("a", enter_next=True))["entered"] is None


def test_a_next_node_that_lacks_something_does_not_undo_the_completion() -> None:
    publish("w", [node("a"), node("ask", "llm")], [edge("a", "ask")])
    run = Run.start("w")
    entered = ok(run.complete("a", enter_next=True))["entered"]
    assert entered["node_id"] == "ask"
    assert entered["problem"]["code"] == "incompatible_context"
    assert run.snapshot()["version"] == 1


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"checkpoint_id": "a b"}, "/checkpoint_id"),
        ({"checkpoint_id": "diff"}, "/checkpoint_id"),
        ({"result": {"outptu": 1}}, "/result/outptu"),
        ({"result": {"error": 5}}, "/result/error"),
        ({"messages": [system("")]}, "/messages/0/content"),
        ({"status": "IDLE"}, "/status"),
    ],
)
def test_a_body_without_the_form_of_the_contract_changes_nothing(
    body: dict[str, Any], pointer: str
) -> None:
    run = Run.start()
    before = everything()
    problem = refused(
        run.post("nodes/a/complete", {"checkpoint_id": "c1", **body}), 422, "validation"
    )
    assert problem["errors"][0]["pointer"].startswith(pointer)
    assert everything() == before


def test_an_unknown_node_is_not_found() -> None:
    chain("w", "a")
    run = Run.start("w")
    before = everything()
    refused(run.complete("z"), 404, "not_found")
    assert everything() == before


def test_a_stale_version_is_a_conflict() -> None:
    run = Run.start()
    ok(run.save("c1", state_data={"k": 1}))
    before = everything()
    problem = refused(run.complete("a", expected_version=0), 409, "version_conflict")
    assert (problem["actual"], problem["changed_keys"]) == (1, ["k"])
    assert everything() == before


def test_a_reviewer_cannot_complete() -> None:
    refused(Run.start().by(Scope.REVIEW).complete("a"), 403, "forbidden")


def test_camel_case_is_read_too() -> None:
    run = Run.start()
    body = {"checkpointId": "c1", "stateData": {"someKey": 1}, "result": {"output": {"aB": 1}}}
    ok(run.post("nodes/a/complete", body))
    assert run.state() == {"someKey": 1, "a_output": {"aB": 1}}


def _database_goes_away(*_: object) -> bytes:
    raise OperationalError(2013, "Lost connection")


@pytest.mark.django_db(transaction=True)
def test_a_completion_is_not_denied_when_the_next_node_cannot_be_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chain("w", "a", "b")
    run = Run.start("w")
    monkeypatch.setattr(entering, "entered_next", _database_goes_away)
    answer = ok(run.complete("a", "c1", enter_next=True))
    assert (answer["version"], answer["entered"]["version"]) == (1, 1)
    assert answer["entered"]["problem"]["code"] == "unavailable"
    monkeypatch.undo()
    assert ok(run.complete("a", "c1", enter_next=True))["entered"]["node_id"] == "b"


@pytest.mark.django_db(transaction=True)
def test_under_an_idempotency_key_nothing_is_completed_when_the_next_node_cannot_be_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chain("w", "a", "b")
    run = Run.start("w")
    monkeypatch.setattr(entering, "entered_next", _database_goes_away)
    body = {"checkpoint_id": "c1", "enter_next": True}
    answer = run.post("nodes/a/complete", body, **{"Idempotency-Key": "k"})
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert run.snapshot()["version"] == 0
