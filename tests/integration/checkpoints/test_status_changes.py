"""Pause, resume, cancel, approve, reject, updates while paused; reviews and their timeouts."""

import re
from datetime import timedelta

import pytest
from django.core.management import call_command

from checkpoints.models import Execution
from ctxadmin.audit.models import AuditEntry
from ctxadmin.audit.verification import verify_stream
from ctxadmin.identity.roles import Scope
from ctxadmin.lib import clock
from tests.factories import Api, conversation, user
from tests.integration.checkpoints.flows import (
    REVIEW,
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

AFTER = {"pause": "after"}


def test_a_pause_comes_with_the_next_checkpoint() -> None:
    run = Run.start()
    asked = ok(run.post("pause", {"reason": "let me look"}))
    assert asked == {"status": "RUNNING", "version": 0, "ready_nodes": [], "pause_requested": True}
    assert run.snapshot()["pause_requested"] is True
    assert ok(run.save("c1", "a"))["status"] == "PAUSED"
    snapshot = run.snapshot()
    assert (snapshot["current_node_id"], snapshot["pause_requested"]) == ("a", False)
    (execution,) = Execution.objects.all()
    assert execution.waiting_since is not None


def test_a_pause_asked_twice_changes_nothing() -> None:
    run = Run.start()
    ok(run.post("pause"))
    before = everything()
    ok(run.post("pause", {"reason": "again"}))
    assert everything() == before


@pytest.mark.parametrize("move", ["pause", "resume", "approve", "reject", "cancel"])
def test_moves_need_an_execution(move: str) -> None:
    run = Run(Api(), conversation())
    problem = refused(run.post(move), 409, "invalid_state")
    assert problem["status_now"] == "IDLE"


ALLOWED = {
    "RUNNING": {"pause", "cancel"},
    "PAUSED": {"resume", "approve", "reject", "cancel"},
    "PENDING": {"resume", "cancel"},
    "FAILED": {"resume"},
    "COMPLETED": set(),
    "CANCELLED": set(),
}


@pytest.mark.parametrize("status", ALLOWED)
@pytest.mark.parametrize("move", ["pause", "resume", "approve", "reject", "cancel"])
def test_every_move_in_every_status(status: str, move: str) -> None:
    run = Run.start(start=status != "PENDING")
    if status in ("PAUSED", "FAILED", "COMPLETED", "CANCELLED"):
        ok(run.save("c1", status=status))
    before = everything()
    answer = run.post(move)
    if move in ALLOWED[status]:
        ok(answer)
        assert AuditEntry.objects.order_by("-seq")[0].action == f"execution.{move}"
    else:
        assert refused(answer, 409, "invalid_state")["status_now"] == status
        assert everything() == before


def test_a_move_is_a_version_with_its_reason() -> None:
    run = Run.start()
    run.pause_now()
    assert ok(run.post("approve", {"reason": "fine"}))["version"] == 2
    row = run.versions()[0]
    assert (row["kind"], row["move"], row["reason"]) == ("move", "approve", "fine")


def test_a_rejection_fails_the_execution_with_the_reason() -> None:
    run = Run.start()
    run.pause_now()
    answer = ok(run.post("reject", {"node_id": "a", "reason": "no"}))
    assert answer["status"] == "FAILED"
    assert run.versions()[0]["reason"] == "no"


def test_the_named_node_must_be_the_paused_one() -> None:
    run = Run.start()
    run.pause_now()
    before = everything()
    refused(run.post("resume", {"node_id": "b"}), 409, "invalid_state")
    assert everything() == before
    ok(run.post("resume", {"node_id": "a"}))


def test_a_stale_move_is_a_conflict() -> None:
    run = Run.start()
    run.pause_now()
    ok(run.update("a", state_data={"k": 1}))
    before = everything()
    problem = refused(run.post("resume", {"expected_version": 1}), 409, "version_conflict")
    assert (problem["actual"], problem["changed_keys"]) == (2, ["k"])
    assert everything() == before


def test_resume_elsewhere_continues_at_the_named_node() -> None:
    chain("w", "a", "b", "c")
    run = Run.start("w")
    ok(run.complete("a", status="PAUSED"))
    moved = ok(run.post("resume", {"from_node": "c"}))
    assert moved["ready_nodes"] == ["c"]
    assert ok(run.complete("c"))["status"] == "COMPLETED"


def test_resume_at_an_unknown_node_is_not_found() -> None:
    chain("w", "a", "b")
    run = Run.start("w")
    ok(run.complete("a", status="PAUSED"))
    refused(run.post("resume", {"from_node": "z"}), 404, "not_found")


def test_only_a_resume_may_jump() -> None:
    run = Run.start()
    run.pause_now()
    refused(run.post("approve", {"from_node": "b"}), 422, "validation", "/from_node")


def test_a_free_execution_is_ready_where_it_was_resumed() -> None:
    run = Run.start()
    run.pause_now()
    assert ok(run.post("resume"))["ready_nodes"] == []
    ok(run.save("c2", "b", status="PAUSED"))
    assert ok(run.post("resume", {"from_node": "x"}))["ready_nodes"] == ["x"]


def test_an_engine_may_pause_resume_and_cancel_but_not_approve() -> None:
    run = Run.start().by(Scope.ENGINE)
    ok(run.post("pause"))
    ok(run.save("c1"))
    refused(run.post("approve"), 403, "forbidden")
    refused(run.post("reject"), 403, "forbidden")
    ok(run.post("resume"))
    ok(run.post("cancel"))


def test_a_rejected_review_is_asked_for_again_by_the_retry() -> None:
    chain("letter", "write", "review", "send", configs={"review": REVIEW})
    run = Run.start("letter")
    ok(run.complete("write"))
    ok(run.post("reject", {"reason": "not like this"}))
    retried = ok(run.by(Scope.ENGINE).post("resume"))
    assert (retried["status"], retried["version"]) == ("PAUSED", 3)
    refused(run.by(Scope.ENGINE).post("resume"), 403, "forbidden")
    assert ok(run.post("approve"))["status"] == "RUNNING"


def test_a_node_that_failed_behind_its_review_is_tried_again_at_once() -> None:
    chain("letter", "write", "review", configs={"review": REVIEW})
    run = Run.start("letter")
    ok(run.complete("write"))
    ok(run.post("approve"))
    ok(run.complete("review", result={"error": "the tool broke"}))
    assert ok(run.by(Scope.ENGINE).post("resume"))["status"] == "RUNNING"


def test_only_a_reviewer_jumps_past_a_review() -> None:
    chain("letter", "write", "review", "send", configs={"review": REVIEW})
    run = Run.start("letter")
    ok(run.complete("write"))
    ok(run.post("reject", {"reason": "no"}))
    jump = {"from_node": "review"}
    refused(run.by(Scope.ENGINE).post("resume", jump), 403, "forbidden")
    assert ok(run.by(Scope.REVIEW).post("resume", jump))["status"] == "RUNNING"


@pytest.mark.parametrize("node_id", ["write", "send"])
def test_at_the_start_an_update_may_name_any_node(node_id: str) -> None:
    chain("letter", "write", "send")
    run = Run.start("letter")
    ok(run.complete("write"))
    run.post("pause")
    ok(run.complete("send", status="PAUSED"))
    ok(run.post("checkpoints/0/restore"))
    assert run.snapshot()["current_node_id"] is None
    ok(run.update(node_id, state_data={"a": 1}))


def test_a_designer_moves_nothing() -> None:
    run = Run.start().by(Scope.DESIGN)
    for move in ("pause", "resume", "cancel", "approve", "reject"):
        refused(run.post(move), 403, "forbidden")


def test_a_node_pauses_before_it_runs_and_again_in_its_next_round() -> None:
    nodes = [node("a"), node("b", config=REVIEW)]
    publish("w", nodes, [edge("a", "b"), when("b", "b", "context.more === true")])
    run = Run.start("w", state={"more": True})
    assert ok(run.complete("a"))["status"] == "PAUSED"
    snapshot = run.snapshot()
    assert (snapshot["current_node_id"], snapshot["ready_nodes"]) == ("b", ["b"])
    assert snapshot["executed_node_ids"] == ["a"]
    ok(run.post("approve"))
    assert ok(run.complete("b", "b1"))["status"] == "PAUSED"
    ok(run.post("approve"))
    assert ok(run.complete("b", "b2", state_data={"more": False}))["status"] == "COMPLETED"


def test_an_approval_is_remembered_when_the_node_fails_and_is_tried_again() -> None:
    chain("w", "a", "b", configs={"b": REVIEW})
    run = Run.start("w")
    ok(run.complete("a"))
    ok(run.post("approve"))
    ok(run.complete("b", "b1", result={"error": "broken"}))
    moved = ok(run.post("resume"))
    assert (moved["status"], moved["ready_nodes"]) == ("RUNNING", ["b"])


def test_a_node_pauses_after_it_ran_and_its_successors_continue() -> None:
    chain("w", "a", "b", configs={"a": AFTER})
    run = Run.start("w")
    assert ok(run.complete("a"))["status"] == "PAUSED"
    snapshot = run.snapshot()
    assert (snapshot["current_node_id"], snapshot["executed_node_ids"]) == ("a", ["a"])
    assert ok(run.post("approve"))["ready_nodes"] == ["b"]


def test_a_pause_after_the_last_node_completes_when_it_continues() -> None:
    chain("w", "a", configs={"a": AFTER})
    run = Run.start("w")
    assert ok(run.complete("a"))["status"] == "PAUSED"
    assert ok(run.post("approve")) == {
        "status": "COMPLETED",
        "version": 2,
        "ready_nodes": [],
        "pause_requested": False,
    }


def test_who_may_not_approve_cannot_resume_at_a_review_gate() -> None:
    chain("w", "a", "b", configs={"b": REVIEW})
    run = Run.start("w")
    ok(run.complete("a"))
    its_engine = run.by(Scope.ENGINE)
    before = everything()
    refused(its_engine.post("resume"), 403, "forbidden")
    refused(its_engine.post("resume", {"from_node": "b"}), 403, "forbidden")
    assert everything() == before
    ok(run.by(Scope.REVIEW).post("resume"))


@pytest.mark.parametrize(
    ("outcome", "status"), [("approve", "RUNNING"), ("reject", "FAILED"), ("cancel", "CANCELLED")]
)
def test_a_pause_that_no_one_answers_gets_its_outcome(outcome: str, status: str) -> None:
    timed = {**REVIEW, "timeout": {"seconds": 60, "outcome": outcome}}
    chain("w", "a", "b", configs={"b": timed})
    run = Run.start("w")
    ok(run.complete("a"))
    call_command("answer_overdue")
    assert run.snapshot()["status"] == "PAUSED"
    _turn_back(minutes=2)
    call_command("answer_overdue")
    assert run.snapshot()["status"] == status
    row = run.versions()[0]
    assert (row["move"], row["author"]) == (outcome, "system:answer_overdue")
    before = everything()
    call_command("answer_overdue")
    assert everything() == before


def _turn_back(minutes: int) -> None:
    """Have every pause begin earlier."""
    past = clock.now() - timedelta(minutes=minutes)
    deadline = b'"deadline":"' + clock.iso(past).encode() + b'"'
    for row in Execution.objects.all():
        decided = re.sub(rb'"deadline":"[^"]*"', deadline, bytes(row.decided))
        Execution.objects.filter(pk=row.pk).update(decided=decided, deadline=past)


def test_people_operate_when_nothing_runs_and_engines_at_any_time() -> None:
    run = Run.start(state={"messages": [user("x")]})
    operation = {"operation": "clear"}
    ok(run.by(Scope.ENGINE).post("operations", operation))
    refused(run.by(Scope.REVIEW).post("operations", operation), 409, "invalid_state")
    run.pause_now()
    ok(run.by(Scope.REVIEW).post("operations", operation))


def test_every_change_has_one_audit_entry_and_the_chain_holds() -> None:
    run = Run.start()
    ok(run.complete("a"))
    ok(run.post("pause"))
    ok(run.complete("b"))
    ok(run.update("b", state_data={"k": 1}, operations=[{"operation": "clear"}]))
    ok(run.post("checkpoints/1/restore"))
    ok(run.post("resume"))
    ok(run.post("cancel"))
    entries = list(AuditEntry.objects.filter(stream=run.head.key).order_by("seq"))
    assert [entry.action for entry in entries] == [
        "conversation.create",
        "execution.start",
        "node.complete",
        "execution.pause",
        "node.complete",
        "snapshot.update",
        "checkpoint.restore",
        "execution.resume",
        "execution.cancel",
    ]
    assert not verify_stream(run.head.key)
    run.head.refresh_from_db()
    assert run.head.change_seq == len(entries)
