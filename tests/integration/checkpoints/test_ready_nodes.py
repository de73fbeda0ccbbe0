"""Which nodes can be completed, and which ``force`` completes all the same."""

import pytest

from conversations.models import Conversation
from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.roles import Scope
from tests.factories import Api, conversation, user
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
