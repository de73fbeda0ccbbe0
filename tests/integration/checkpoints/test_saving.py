"""Saving checkpoints: updates through reducers, repeats, conflicts, refusals."""

import pytest

from ctxadmin.identity.roles import Scope
from tests.factories import Api, assistant, conversation, user
from tests.integration.checkpoints.flows import Run, chain, everything, ok, refused

pytestmark = pytest.mark.django_db


def test_a_checkpoint_of_an_idle_conversation_starts_an_execution() -> None:
    run = Run(Api(), conversation())
    answer = run.save("c1", "any-node", state_data={"k": 1})
    assert (answer.status_code, answer.json()) == (201, {"version": 1, "status": "RUNNING"})
    snapshot = run.snapshot()
    assert snapshot["state_data"] == {"k": 1, "messages": []}
    assert snapshot["executed_node_ids"] == ["any-node"]
    assert [row["version"] for row in run.versions()] == [1, 0]


def test_the_implicit_start_is_pinned_if_the_conversation_names_a_published_workflow() -> None:
    chain("triage", "a", "b")
    run = Run(Api(), conversation(workflow="triage"))
    ok(run.save("c1", "a"))
    assert run.snapshot()["ready_nodes"] == ["b"]


def test_the_first_checkpoint_starts_a_pending_execution() -> None:
    run = Run.start(start=False)
    assert ok(run.save("c1"))["status"] == "RUNNING"


def test_versions_rise_by_one_without_gaps() -> None:
    run = Run.start()
    assert [ok(run.save(f"c{n}"))["version"] for n in range(4)] == [1, 2, 3, 4]
    assert [row["version"] for row in run.versions()] == [4, 3, 2, 1, 0]


def test_updates_go_through_the_reducers_and_directives() -> None:
    run = Run.start(
        reducers={"log": "append", "sum": "increment", "best": "max", "conf": "merge"},
        state={"log": [1], "sum": 1, "best": 5, "conf": {"a": 1}, "old": 1, "text": "x"},
    )
    update = {
        "log": [2, 3],
        "sum": 2,
        "best": 4,
        "conf": {"b": 2},
        "old": {"$delete": True},
        "text": None,
    }
    ok(run.save("c1", state_data=update))
    assert run.state() == {
        "log": [1, 2, 3],
        "sum": 3,
        "best": 5,
        "conf": {"a": 1, "b": 2},
        "text": None,
    }
    (newest, *_) = run.versions()
    assert newest["changed_keys"] == ["log", "sum", "conf", "old", "text"]


def test_replace_goes_past_the_reducer() -> None:
    run = Run.start(reducers={"log": "append"}, state={"log": [1]})
    ok(run.save("c1", state_data={"log": {"$replace": [9]}}))
    ok(run.save("c2", state_data={"log": [10]}))
    assert run.state() == {"log": [9, 10]}


def test_messages_append_from_both_places() -> None:
    run = Run.start()
    ok(run.save("c1", state_data={"messages": [user("one")]}, messages=[assistant("two")]))
    assert run.contents() == ["one", "two"]
    (newest, *_) = run.versions()
    assert newest["visible_count"] == 2


def test_keys_with_any_characters_come_back() -> None:
    names = ["ключ", "a.b", "with space", "\x00nul", "😀", "A", "a", "executed_node_ids", "ä"]
    run = Run.start(state={name: place for place, name in enumerate(names)})
    ok(run.save("c1", state_data={"a": "new", "😀": "new"}))
    expected = {name: place for place, name in enumerate(names)} | {"a": "new", "😀": "new"}
    assert run.state() == expected
    assert run.snapshot()["executed_node_ids"] == ["a"]


def test_the_same_save_gets_the_same_answer_whatever_the_version_and_status_are() -> None:
    run = Run.start()
    first = run.save("c1", state_data={"k": {"a": 1, "b": 2}})
    ok(run.save("c2", state_data={"k": 3}))
    ok(run.post("cancel"))
    before = everything()
    again = run.save("c1", state_data={"k": {"b": 2, "a": 1}}, expected_version=77)
    assert (again.status_code, again.json()) == (200, first.json())
    assert everything() == before


def test_the_same_id_with_another_body_is_a_duplicate() -> None:
    run = Run.start()
    ok(run.save("c1", state_data={"k": 1}))
    before = everything()
    refused(run.save("c1", state_data={"k": 2}), 409, "duplicate")
    refused(run.save("c1", "b", state_data={"k": 1}), 409, "duplicate")
    refused(run.complete("a", "c1"), 409, "duplicate")
    assert everything() == before


def test_a_checkpoint_id_belongs_to_its_conversation() -> None:
    one, other = Run.start(), Run.start()
    assert one.save("c1").status_code == 201
    assert other.save("c1").status_code == 201


def test_a_stale_version_is_refused_with_the_changes_since() -> None:
    run = Run.start(state={"a": 1, "b": 1})
    ok(run.save("c1", state_data={"a": 2}))
    ok(run.save("c2", state_data={"c": 3}, messages=[user("x")]))
    before = everything()
    problem = refused(run.save("c3", expected_version=0), 409, "version_conflict")
    assert (problem["expected"], problem["actual"]) == (0, 2)
    assert problem["changed_keys"] == ["a", "c", "messages"]
    newer = refused(run.save("c3", expected_version=1), 409, "version_conflict")
    assert newer["changed_keys"] == ["c", "messages"]
    assert everything() == before


def test_the_expected_version_may_come_from_if_match() -> None:
    run = Run.start()
    body = {"node_id": "a", "state_data": {}}
    etag = run.get("snapshot").headers["ETag"]
    assert run.api.put(f"{run.path}/checkpoints/c1", body, **{"If-Match": etag}).status_code == 201
    stale = run.api.put(f"{run.path}/checkpoints/c2", body, **{"If-Match": etag})
    refused(stale, 409, "version_conflict")
    both = {**body, "expected_version": 1}
    odd = run.api.put(f"{run.path}/checkpoints/c2", both, **{"If-Match": etag})
    refused(odd, 422, "validation", "If-Match")


def test_a_checkpoint_needs_a_running_execution() -> None:
    run = Run.start()
    run.pause_now()
    before = everything()
    problem = refused(run.save("c1"), 409, "invalid_state")
    assert problem["status_now"] == "PAUSED"
    assert everything() == before


@pytest.mark.parametrize("status", ["PAUSED", "COMPLETED", "FAILED", "CANCELLED"])
def test_an_engine_may_say_the_status_after(status: str) -> None:
    run = Run.start()
    assert ok(run.save("c1", status=status))["status"] == status
    assert run.snapshot()["status"] == status


def test_no_checkpoint_goes_back_to_pending() -> None:
    refused(Run.start().save("c1", status="PENDING"), 409, "invalid_state")


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"node_id": ""}, "/node_id"),
        ({"status": "DONE"}, "/status"),
        ({"expected_version": -1}, "/expected_version"),
        ({"executed_node_ids": [1]}, "/executed_node_ids/0"),
        ({"messages": [{"role": "nobody", "content": "x"}]}, "/messages/0/role"),
        ({"state_data": {"messages": {"$replace": []}}}, "/state_data/messages"),
        ({"state_data": {"k": {"$delete": 1}}}, "/state_data/k/$delete"),
        ({"state_data": {"": 1}}, "/state_data"),
        ({"surprise": 1}, "/surprise"),
    ],
)
def test_a_body_without_the_form_of_the_contract_changes_nothing(
    body: dict[str, object], pointer: str
) -> None:
    run = Run.start()
    before = everything()
    refused(run.save("c1", **{"node_id": "a", **body}), 422, "validation", pointer)  # type: ignore[arg-type]
    assert everything() == before


def test_a_type_that_does_not_fit_refuses_the_whole_update() -> None:
    run = Run.start(reducers={"sum": "increment"})
    before = everything()
    wrong = run.save("c1", state_data={"k": 1, "sum": True}, messages=[user("x")])
    problem = refused(wrong, 422, "type_mismatch", "/state_data/sum")
    assert problem["key"] == "sum"
    assert everything() == before


def test_a_message_id_that_is_taken_refuses_the_save() -> None:
    run = Run.start()
    ok(run.append({**user("x"), "id": "m1"}))
    before = everything()
    twice = run.save("c1", state_data={"messages": [{**user("y"), "id": "m1"}], "k": 1})
    refused(twice, 409, "duplicate", "/state_data/messages/0/id")
    assert everything() == before


def test_a_node_that_the_workflow_does_not_have_is_not_found() -> None:
    chain("triage", "a")
    run = Run.start("triage")
    before = everything()
    refused(run.save("c1", "b"), 404, "not_found")
    assert everything() == before


@pytest.mark.parametrize("checkpoint_id", ["a b", "import", "x" * 65, "é"])
def test_a_path_id_that_is_none_is_not_found(checkpoint_id: str) -> None:
    refused(Run.start().save(checkpoint_id), 404, "not_found")


def test_a_state_over_the_limit_is_too_large(settings: object) -> None:
    run = Run.start(state={"k": "x" * 1000})
    settings.MAX_STATE_BYTES = 1500  # type: ignore[attr-defined]
    before = everything()
    problem = refused(run.save("c1", state_data={"l": "x" * 500}), 413, "too_large")
    assert problem["limit"] == 1500
    assert everything() == before


def test_a_reviewer_cannot_save() -> None:
    run = Run.start()
    refused(run.by(Scope.REVIEW).save("c1"), 403, "forbidden")


def test_bytes_written_follow_what_changed_and_not_what_is_there() -> None:
    run = Run.start(state={"large": "x" * 100_000}, reducers={"log": "append"})
    ok(run.save("c1", state_data={"log": ["first"], "small": 1}))
    written = [row["written_bytes"] for row in run.versions()]
    assert written[0] < 100
    assert run.versions()[0]["state_bytes"] > 100_000


def test_an_engine_sends_the_whole_list_of_a_long_loop_with_every_save() -> None:
    run = Run.start()
    executed = ["ask", "use"] * 6_000  # more than a workflow has nodes
    for number in (1, 2):
        executed.append("ask")
        ok(run.save(f"c{number}", state_data={}, executed_node_ids=executed))
        assert run.snapshot()["executed_node_ids"] == executed
    most = ["ask"] * 100_000
    ok(run.save("most", state_data={}, executed_node_ids=most))
    more = run.save("more", state_data={}, executed_node_ids=[*most, "ask"])
    refused(more, 422, "validation", "/executed_node_ids")
