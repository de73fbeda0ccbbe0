"""Completing nodes: results, history, errors, edges, repeats."""

from typing import Any

import pytest

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


def test_history_of_the_initial_state_precedes_the_entry_of_the_node() -> None:
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
