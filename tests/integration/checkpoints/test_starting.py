"""Starting executions: pinned, free, pending, with a state; and what is refused."""

import pytest

from ctxadmin.identity.roles import Scope
from tests.factories import Api, conversation, engine, user
from tests.integration.checkpoints.flows import REVIEW, Run, chain, everything, ok, publish, refused
from tests.integration.checkpoints.flows import node as a_node
from workflows.services import use_cases as workflows

pytestmark = pytest.mark.django_db


def start(run: Run, **body: object) -> object:
    return run.post("executions", body)


def test_a_free_execution_runs_at_version_0_and_names_no_ready_node() -> None:
    run = Run(Api(), conversation())
    answer = ok(start(run))
    assert answer.pop("execution").startswith("exec_")
    assert answer == {"status": "RUNNING", "version": 0, "ready_nodes": []}


def test_a_pinned_execution_names_the_start_as_ready() -> None:
    chain("triage", "a", "b")
    run = Run(Api(), conversation())
    assert ok(start(run, workflow="triage"))["ready_nodes"] == ["a"]
    assert run.snapshot()["workflow"] == "triage"


def test_version_0_is_a_row_of_its_own() -> None:
    run = Run.start(state={"k": 1})
    (first,) = run.versions()
    assert (first["version"], first["kind"], first["changed_keys"]) == (0, "start", ["k"])
    assert ok(run.get("checkpoints/0"))["state_data"]["k"] == 1


def test_input_becomes_user_input_beside_the_state() -> None:
    run = Run.start(input={"question": "why"}, state={"k": [1]})
    assert run.state() == {"user_input": {"question": "why"}, "k": [1]}


def test_input_and_user_input_together_are_refused() -> None:
    run = Run(Api(), conversation())
    refused(start(run, input=1, state={"user_input": 2}), 422, "validation", "/state/user_input")


def test_messages_of_the_initial_state_go_into_the_conversation() -> None:
    run = Run.start(state={"messages": [user("hello")]})
    assert run.contents() == ["hello"]
    assert run.state() == {}


def test_a_bad_message_of_the_initial_state_is_named() -> None:
    run = Run(Api(), conversation())
    problem = start(run, state={"messages": [{"role": "user"}]})
    refused(problem, 422, "validation", "/state/messages/0/content")


def test_start_false_leaves_it_pending_until_a_resume() -> None:
    chain("triage", "a", "b")
    run = Run.start("triage", start=False)
    assert run.snapshot()["status"] == "PENDING"
    assert ok(run.post("resume")) == {
        "status": "RUNNING",
        "version": 1,
        "ready_nodes": ["a"],
        "pause_requested": False,
    }


def test_a_start_node_that_wants_review_pauses_at_once() -> None:
    chain("careful", "a", "b", configs={"a": REVIEW})
    run = Run(Api(), conversation())
    assert ok(start(run, workflow="careful"))["status"] == "PAUSED"
    assert run.snapshot()["current_node_id"] == "a"


def test_a_second_execution_waits_until_the_first_has_ended() -> None:
    run = Run.start()
    before = everything()
    problem = refused(start(run), 409, "invalid_state")
    assert problem["status_now"] == "RUNNING"
    assert everything() == before
    ok(run.post("cancel"))
    assert ok(start(run))["version"] == 0


def test_a_failed_execution_does_not_block_a_new_one() -> None:
    run = Run.start()
    ok(run.complete("a", result={"error": "broken"}))
    assert run.snapshot()["status"] == "FAILED"
    assert ok(start(run))["status"] == "RUNNING"
    assert run.snapshot()["executed_node_ids"] == []


def test_a_conversation_repeats_status_and_workflow_of_its_execution() -> None:
    chain("triage", "a")
    run = Run.start("triage")
    shown = ok(run.api.get(run.path))
    assert (shown["status"], shown["workflow"]) == ("RUNNING", "triage")


def test_an_unknown_workflow_is_not_found() -> None:
    run = Run(Api(), conversation())
    before = everything()
    refused(start(run, workflow="nowhere"), 404, "not_found")
    assert everything() == before


def test_an_unknown_version_of_a_workflow_is_not_found() -> None:
    chain("triage", "a")
    refused(start(Run(Api(), conversation()), workflow="triage", version=7), 404, "not_found")


def test_a_version_without_a_workflow_is_refused() -> None:
    run = Run(Api(), conversation())
    refused(start(run, version=1), 422, "validation", "/version")


def test_an_execution_stays_with_its_version_when_another_is_published() -> None:
    chain("triage", "a", "b")
    run = Run.start("triage")
    designer = Api([Scope.DESIGN])
    draft = ok(designer.get("/workflows/triage/draft"))
    document = {**draft["document"], "nodes": [a_node("z")], "edges": []}
    saved = designer.put(
        "/workflows/triage/draft",
        {"document": document, "expected_version": draft["draft_version"]},
    )
    number = ok(saved)["draft_version"]
    ok(designer.post("/workflows/triage/publish", {"expected_version": number}))
    assert ok(run.complete("a"))["next"][0]["to"] == "b"
    assert ok(start(Run(Api(), conversation()), workflow="triage"))["ready_nodes"] == ["z"]


def test_a_conversation_that_names_a_published_workflow_runs_it() -> None:
    chain("triage", "a")
    run = Run(Api(), conversation(workflow="triage"))
    assert ok(start(run))["ready_nodes"] == ["a"]


def test_a_conversation_whose_workflow_is_only_drafted_runs_free() -> None:
    workflows.create(engine(Scope.DESIGN), workflows.NewWorkflow(slug="drafted"))
    run = Run(Api(), conversation(workflow="drafted"))
    assert ok(start(run))["ready_nodes"] == []
    assert ok(run.save("c1", "any"))["version"] == 1


def test_the_workflow_of_an_execution_gives_its_reducers() -> None:
    publish("counting", [a_node("a")], [], reducers={"count": "increment", "*_log": "append"})
    run = Run.start("counting", state={"count": 2, "my_log": [1]})
    ok(run.save("c1", state_data={"count": 3, "my_log": [2]}))
    assert run.state() == {"count": 5, "my_log": [1, 2]}


def test_a_free_execution_has_reducers_of_its_own() -> None:
    run = Run.start(reducers={"seen": "append"}, state={"seen": [1]})
    ok(run.save("c1", state_data={"seen": [2]}))
    assert run.state() == {"seen": [1, 2]}


def test_an_unknown_reducer_is_named() -> None:
    run = Run(Api(), conversation())
    refused(start(run, reducers={"k": "apend"}), 422, "validation", "/reducers/k")


def test_a_wrong_type_in_the_initial_state_is_named() -> None:
    run = Run(Api(), conversation())
    before = everything()
    wrong = start(run, reducers={"k": "increment"}, state={"k": "one"})
    refused(wrong, 422, "type_mismatch", "/state/k")
    assert everything() == before


def test_a_token_without_the_scope_engine_cannot_start() -> None:
    run = Run(Api([Scope.REVIEW]), conversation())
    refused(start(run), 403, "forbidden")


def test_a_foreign_conversation_is_not_found() -> None:
    run = Run(Api(slug="elsewhere"), conversation())
    refused(start(run), 404, "not_found")


def test_a_deleted_workflow_does_not_start_but_continues() -> None:
    chain("triage", "a", "b")
    run = Run.start("triage")
    workflows.delete(engine(Scope.DESIGN), "triage")
    refused(start(Run(Api(), conversation()), workflow="triage"), 404, "not_found")
    assert ok(run.complete("a"))["next"][0]["passes"] is True
