"""Restoring versions and forking them: state, lists, tokens, messages, digests, records."""

import pytest

from checkpoints.domain.reducers import ReducerTable
from checkpoints.domain.state import head_of, totals_of
from checkpoints.models import Checkpoint, Execution, StateKey, StateValue
from conversations.models import Conversation
from ctxadmin.audit.models import AuditEntry
from ctxadmin.audit.verification import verify_stream
from ctxadmin.identity.roles import Scope
from ctxadmin.lib.json_bytes import dumps
from tests.factories import Api, assistant, calls, conversation, result, user
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

REDUCERS = {"log": "append", "sum": "increment"}
WHOLE = ("state_data", "execution_history", "executed_node_ids")


def what_it_was(snapshot: dict[str, object]) -> dict[str, object]:
    """What a restore brings back of a snapshot."""
    return {name: snapshot[name] for name in WHOLE}


def grown() -> tuple[Run, list[dict[str, object]]]:
    """An execution of several versions, PAUSED, and its snapshots."""
    run = Run.start(reducers=REDUCERS, state={"log": [0], "kept": "x" * 500})
    seen = [run.snapshot()]
    for number in range(1, 5):
        update = {"log": [number], "sum": number, f"k{number}": number}
        update |= {f"k{number - 1}": {"$delete": True}}
        ok(run.complete(f"n{number}", state_data=update, messages=[user(str(number))]))
        seen.append(run.snapshot())
    run.pause_now()
    return run, seen


def conversation_of(public_id: str) -> Conversation:
    return Conversation.objects.get(public_id=public_id)


def digest_from_scratch(snapshot: dict[str, object]) -> str:
    state = snapshot["state_data"]
    assert isinstance(state, dict)
    table = ReducerTable.of(REDUCERS)
    heads = {
        key: head_of(dumps(value), table.for_key(key))
        for key, value in state.items()
        if key != "messages"
    }
    return totals_of(heads).digest.hex()


@pytest.mark.parametrize("version", range(5))
def test_a_restore_brings_back_state_lists_and_messages(version: int) -> None:
    run, seen = grown()
    answer = ok(run.post(f"checkpoints/{version}/restore", {"reason": "wrong turn"}))
    assert answer == {"version": 6, "status": "PAUSED", "restored_from": version}
    snapshot = run.snapshot()
    assert what_it_was(snapshot) == what_it_was(seen[version])
    assert snapshot["status"] == "PAUSED"
    row, then = run.versions()[0], run.versions()[-1 - version]
    assert row["state_digest"] == then["state_digest"] == digest_from_scratch(snapshot)
    assert (row["kind"], row["restored_from"], row["reason"]) == ("restore", version, "wrong turn")


def test_every_version_still_reads_back_after_restores_and_more_work() -> None:
    run, _ = grown()
    for version in (2, 4, 3, 6):
        ok(run.post(f"checkpoints/{version}/restore"))
        ok(run.post("resume"))
        ok(run.save(f"after-{version}", state_data={"log": [version * 100], "sum": 1}))
        ok(run.complete("more", f"more-{version}", messages=[assistant("m")], status="PAUSED"))
    seen = {row["version"]: ok(run.get(f"checkpoints/{row['version']}")) for row in run.versions()}
    digests = {row["version"]: row["state_digest"] for row in run.versions()}
    assert sorted(seen) == list(range(len(seen)))
    for version, snapshot in seen.items():
        assert digest_from_scratch(snapshot) == digests[version]
    assert run.state()["log"] == [0, 1, 2, 600]


def test_an_append_after_a_restore_continues_from_what_was_restored() -> None:
    run, _ = grown()
    ok(run.post("checkpoints/1/restore"))
    ok(run.update("n1", state_data={"log": ["a"]}))
    ok(run.update("n1", state_data={"log": ["b"]}))
    assert run.state()["log"] == [0, 1, "a", "b"]
    ok(run.post("checkpoints/4/restore"))
    assert run.state()["log"] == [0, 1, 2, 3, 4]
    ok(run.post("checkpoints/7/restore"))
    assert run.state()["log"] == [0, 1, "a"]
    ok(run.update("n1", state_data={"log": ["c"]}))
    assert run.state()["log"] == [0, 1, "a", "c"]
    assert run.state()["sum"] == 1


def test_a_restore_writes_small_rows_and_copies_nothing() -> None:
    run, _ = grown()
    ok(run.post("checkpoints/1/restore"))
    rows = StateValue.objects.filter(version=6)
    assert {row.kind for row in rows} == {"same", "gone"}
    assert all(not row.value for row in rows)
    assert not rows.filter(key=StateKey.objects.get(name="kept").key).exists()
    assert run.versions()[0]["written_bytes"] == 0


def test_a_restore_of_the_latest_version_is_a_version_too() -> None:
    run, _ = grown()
    assert ok(run.post("checkpoints/5/restore"))["version"] == 6
    assert run.versions()[0]["changed_keys"] == []


def test_a_restore_takes_the_view_back_over_operations_and_nothing_logged_is_lost() -> None:
    run = Run.start(state={"messages": [user("one"), user("two")]})
    ok(run.post("operations", {"operation": "clear", "clear": {"keep_system_message": False}}))
    ok(run.save("c1", messages=[user("three")], status="PAUSED"))
    ok(run.append(user("four")))
    ok(run.post("checkpoints/0/restore"))
    assert run.contents() == ["one", "two"]
    ok(run.post("checkpoints/1/restore"))
    assert run.contents() == ["three"]
    logged = ok(run.get("messages?view=all"))["results"]
    assert [message["content"] for message in logged] == ["one", "two", "three", "four"]


def test_a_restored_execution_is_ready_where_it_was_then() -> None:
    nodes = [node("a"), node("b"), node("c"), node("join")]
    edges = [
        when("a", "b", "context.way === 'b'"),
        when("a", "c", "context.way === 'c'"),
        edge("b", "join"),
        edge("c", "join"),
    ]
    publish("w", nodes, edges)
    run = Run.start("w", state={"way": "b"})
    ok(run.complete("a"))
    ok(run.complete("b", status="PAUSED"))
    assert run.snapshot()["ready_nodes"] == ["join"]
    ok(run.post("checkpoints/0/restore"))
    assert run.snapshot()["ready_nodes"] == ["a"]
    assert run.snapshot()["current_node_id"] is None
    ok(run.update("anything", state_data={"way": "c"}))
    ok(run.post("resume"))
    ok(run.complete("a", "a2"))
    assert run.snapshot()["ready_nodes"] == ["c"]


def test_a_restore_before_a_gate_waits_there_again() -> None:
    chain("w", "a", "b", "c", configs={"b": REVIEW})
    run = Run.start("w")
    ok(run.complete("a"))
    ok(run.post("approve"))
    ok(run.complete("b", status="PAUSED"))
    ok(run.post("checkpoints/1/restore"))
    snapshot = run.snapshot()
    assert (snapshot["current_node_id"], snapshot["ready_nodes"]) == ("b", ["b"])
    refused(run.by(Scope.ENGINE).post("resume"), 403, "forbidden")


def test_a_failed_execution_can_go_back() -> None:
    run = Run.start(state={"k": 1})
    ok(run.save("c1", state_data={"k": 2}))
    ok(run.complete("a", result={"error": "broken"}))
    assert ok(run.post("checkpoints/0/restore"))["status"] == "PAUSED"
    assert run.state() == {"k": 1}


@pytest.mark.parametrize("status", ["RUNNING", "COMPLETED", "CANCELLED", "PENDING"])
def test_a_restore_is_refused_in_other_statuses(status: str) -> None:
    run = Run.start(start=status != "PENDING")
    if status in ("COMPLETED", "CANCELLED"):
        ok(run.save("c1", status=status))
    before = everything()
    refused(run.post("checkpoints/0/restore"), 409, "invalid_state")
    assert everything() == before


def test_a_restore_of_an_unknown_version_changes_nothing() -> None:
    run, _ = grown()
    before = everything()
    refused(run.post("checkpoints/99/restore"), 404, "not_found")
    refused(run.post("checkpoints/c1/restore"), 404, "not_found")
    refused(run.post("checkpoints/1/restore", {"expected_version": 1}), 409, "version_conflict")
    assert everything() == before


def test_a_restore_needs_the_scope_review() -> None:
    run, _ = grown()
    refused(run.by(Scope.ENGINE).post("checkpoints/1/restore"), 403, "forbidden")
    refused(run.by(Scope.ENGINE).post("checkpoints/1/fork"), 403, "forbidden")


@pytest.mark.parametrize("version", range(6))
def test_a_fork_has_the_whole_history_up_to_its_version(version: int) -> None:
    run, seen = grown()
    answer = run.post(f"checkpoints/{version}/fork", {"id": "forked", "title": "another way"})
    assert answer.status_code == 201
    assert answer.headers["Location"] == "/api/v1/conversations/forked"
    told = answer.json()
    assert (told["title"], told["status"], told["version"]) == ("another way", "PAUSED", version)
    (source,) = Execution.objects.filter(conversation=run.head.key)
    assert told["forked_from"] == {
        "conversation": run.head.public_id,
        "execution": source.public_id,
        "version": version,
    }
    forked = Run(run.api, conversation_of("forked"))
    for number in range(version + 1):
        mine = ok(forked.get(f"checkpoints/{number}"))
        theirs = ok(run.get(f"checkpoints/{number}"))
        assert what_it_was(mine) == what_it_was(theirs)
    assert len(forked.versions()) == version + 1
    snapshot = forked.snapshot()
    assert (snapshot["status"], snapshot["version"]) == ("PAUSED", version)
    if version < 5:
        assert what_it_was(snapshot) == what_it_was(seen[version])
    digests = [row["state_digest"] for row in forked.versions()]
    assert digests == [row["state_digest"] for row in run.versions()[5 - version :]]
    assert told["message_count"] == min(version, 4)


def test_a_fork_continues_by_itself_and_leaves_its_source_alone() -> None:
    run, _ = grown()
    ok(run.post("checkpoints/2/fork", {"id": "forked"}))
    before = run.snapshot()
    forked = Run(run.api, conversation_of("forked"))
    ok(forked.update("n2", state_data={"log": ["f"], "k1": "again"}))
    ok(forked.post("resume"))
    ok(forked.complete("n3", state_data={"log": ["g"]}, messages=[assistant("new")]))
    assert forked.state()["log"] == [0, 1, 2, "f", "g"]
    assert forked.state()["k1"] == "again"
    assert forked.contents() == ["1", "2", "new"]
    assert [row["version"] for row in forked.versions()] == [5, 4, 3, 2, 1, 0]
    ok(forked.post("pause"))
    ok(forked.save("p"))
    ok(forked.post("checkpoints/1/restore"))
    assert forked.state() == {"log": [0, 1], "sum": 1, "kept": "x" * 500, "k1": 1}
    assert run.snapshot() == before


def test_a_fork_has_the_revisions_and_moves_of_then() -> None:
    run = Run.start(state={"messages": [user("one"), user("two"), user("three")]})
    ok(run.post("operations", {"operation": "truncate", "truncate": {"keep_last": 1}}))
    ok(run.post("rollback", {"batch": 0}))
    ok(run.save("c1", messages=[user("four")]))
    ok(run.append(user("five")))
    ok(run.post("operations", {"operation": "clear", "clear": {"keep_system_message": False}}))
    ok(run.post("rollback", {"batch": 0}))
    ok(run.post("checkpoints/1/fork", {"id": "forked"}))
    forked = Run(run.api, conversation_of("forked"))
    assert forked.contents() == ["one", "two", "three", "four"]
    batches = ok(forked.get("batches?all=true"))
    assert [row["operation"] for row in batches["results"]] == ["start", "truncate", "append"]
    assert [row["visible_count"] for row in batches["results"]] == [3, 1, 4]
    assert len(batches["moves"]) == 1
    ok(forked.post("restore", {"revision": 1}))
    assert forked.contents() == ["three"]
    ok(forked.append(user("six")))
    assert forked.contents() == ["three", "six"]
    assert len(ok(forked.get("batches?all=true"))["moves"]) == 2
    ok(forked.post("rollback", {"batch": 0}))
    shown = ok(forked.api.get(forked.path))
    assert shown["tokens"] == sum(
        message["tokens"] for message in ok(forked.get("messages"))["results"]
    )


def test_a_fork_of_a_fork_and_of_a_restored_execution() -> None:
    run, seen = grown()
    ok(run.post("checkpoints/2/restore"))
    ok(run.update("n2", state_data={"log": ["x"]}))
    ok(run.post("checkpoints/7/fork", {"id": "one"}))
    ok(run.api.post("/conversations/one/checkpoints/7/fork", {"id": "two"}))
    two = Run(run.api, conversation_of("two"))
    assert two.state()["log"] == [0, 1, 2, "x"]
    assert what_it_was(ok(two.get("checkpoints/4"))) == what_it_was(seen[4])


def test_a_fork_of_a_fork_has_only_the_moves_of_then() -> None:
    run = Run.start(state={"messages": [user("one")]})
    for number in range(3):
        ok(run.save(f"c{number}"))
        ok(run.post("operations", {"operation": "clear", "clear": {"keep_system_message": False}}))
        ok(run.post("rollback", {"batch": 0}))
    ok(run.save("last"))
    ok(run.post("checkpoints/4/fork", {"id": "first"}))
    first = Run(run.api, conversation_of("first"))
    ok(first.post("restore", {"revision": 2}))
    for version, moves in ((4, 3), (3, 2), (2, 1), (1, 0)):
        ok(first.post(f"checkpoints/{version}/fork", {"id": f"second-{version}"}))
        second = Run(run.api, conversation_of(f"second-{version}"))
        assert len(ok(second.get("batches?all=true"))["moves"]) == moves
        assert second.contents() == ["one"]


@pytest.mark.parametrize("status", ["RUNNING", "COMPLETED", "CANCELLED", "FAILED"])
def test_a_fork_is_possible_in_any_status(status: str) -> None:
    chain("w", "a", "b")
    run = Run.start("w")
    ok(run.complete("a"))
    if status != "RUNNING":
        ok(run.save("c1", "b", status=status))
    ok(run.post("checkpoints/1/fork", {"id": "forked"}))
    forked = Run(run.api, conversation_of("forked"))
    snapshot = forked.snapshot()
    assert (snapshot["status"], snapshot["ready_nodes"]) == ("PAUSED", ["b"])
    ok(forked.post("resume"))
    assert ok(forked.complete("b"))["status"] == "COMPLETED"


def test_a_fork_is_on_record_on_both_sides() -> None:
    run, _ = grown()
    ok(run.post("checkpoints/2/fork", {"id": "forked"}))
    forked = conversation_of("forked")
    theirs = list(AuditEntry.objects.filter(stream=run.head.key).order_by("seq"))
    ours = list(AuditEntry.objects.filter(stream=forked.key).order_by("seq"))
    assert theirs[-1].action == "checkpoint.fork"
    assert b'"fork":"forked"' in bytes(theirs[-1].detail)
    assert [entry.action for entry in ours] == ["checkpoint.fork"]
    assert run.head.public_id.encode() in bytes(ours[0].detail)
    assert not verify_stream(run.head.key)
    assert not verify_stream(forked.key)
    (row,) = Execution.objects.filter(conversation=forked.key)
    assert (row.origin_conversation, row.origin_version) == (run.head.public_id, 2)


def test_a_fork_to_a_taken_id_changes_nothing() -> None:
    run, _ = grown()
    taken = conversation()
    before = everything()
    answer = run.post("checkpoints/1/fork", {"id": taken.public_id})
    refused(answer, 409, "duplicate", "/id")
    refused(run.post("checkpoints/1/fork", {"id": "a b"}), 422, "validation", "/id")
    refused(run.post("checkpoints/99/fork"), 404, "not_found")
    assert everything() == before


def test_an_idle_conversation_cannot_be_forked() -> None:
    refused(Run(Api(), conversation()).post("checkpoints/0/fork"), 404, "not_found")


def test_a_repeated_fork_with_one_idempotency_key_makes_one_conversation() -> None:
    run, _ = grown()
    key = {"Idempotency-Key": "once"}
    first = run.post("checkpoints/1/fork", {}, **key)
    again = run.post("checkpoints/1/fork", {}, **key)
    assert first.content == again.content
    assert Checkpoint.objects.filter(version=0).count() == 2


def test_a_tool_that_runs_again_after_a_restore_answers_its_call_again() -> None:
    chain("tooled", "ask", "tools", "answer")
    run = Run.start("tooled")
    ok(run.complete("ask", messages=[user("q"), calls("c1")]))
    ok(run.complete("tools", messages=[result("c1", "wrong")], status="PAUSED"))
    ok(run.post("checkpoints/1/restore", {"reason": "the tool lied"}))
    batch = Conversation.objects.get().current_batch
    ok(run.post("resume"))
    ok(run.complete("tools", "tools-again", messages=[result("c1", "right")]))
    assert run.contents()[-1] == "right"
    assert Conversation.objects.get().current_batch == batch == 0
    entered = ok(run.enter("answer"))
    assert [message["role"] for message in entered["messages"]][-2:] == ["assistant", "tool"]
    cut = {"operation": "truncate", "truncate": {"keep_last": 1}, "pairing": "keep"}
    assert ok(run.post("operations", cut | {"dry_run": True}))["warnings"] == []
