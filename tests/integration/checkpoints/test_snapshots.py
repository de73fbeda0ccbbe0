"""Reading snapshots and versions: form, keys, ETags, former versions, differences."""

import pytest

from checkpoints.models import Checkpoint, Execution, StateKey, StateValue
from ctxadmin.identity.roles import Scope
from tests.factories import Api, conversation, system, user
from tests.integration.checkpoints.flows import REVIEW, Run, chain, node, ok, publish, refused

pytestmark = pytest.mark.django_db

FIELDS = {
    "conversation_id",
    "execution",
    "workflow",
    "current_node_id",
    "current_node_name",
    "status",
    "pause_requested",
    "state_data",
    "execution_history",
    "executed_node_ids",
    "ready_nodes",
    "timestamp",
    "version",
    "revision",
    "pause",
}


def test_a_paused_execution_says_why_it_waits() -> None:
    timeout = {"timeout": {"seconds": 60, "outcome": "reject"}}
    chain("asks", "a", "b", configs={"b": REVIEW | timeout})
    run = Run.start("asks")
    assert run.snapshot()["pause"] is None
    ok(run.complete("a"))
    pause = run.snapshot()["pause"]
    assert (pause["node_id"], pause["when"], pause["reason"]) == ("b", "before", "look at this")
    assert pause["since"] < pause["deadline"]
    assert pause["outcome"] == "reject"


def test_a_conversation_without_an_execution_is_idle() -> None:
    run = Run(Api(), conversation(user("hello")))
    snapshot = run.snapshot()
    assert snapshot.keys() == FIELDS
    assert (snapshot["status"], snapshot["execution"], snapshot["version"]) == ("IDLE", None, 0)
    assert run.contents() == ["hello"]
    assert run.get("snapshot").headers["ETag"] == '"0.0.1"'


def test_a_snapshot_has_the_position_of_the_execution() -> None:
    publish("named", [node("a", name="Ask first")], [])
    run = Run.start("named", state={"k": 1})
    ok(run.complete("a", result={"response": "r", "output": [1]}, status="PAUSED"))
    snapshot = run.snapshot()
    assert snapshot.keys() == FIELDS
    assert snapshot["current_node_id"] == "a"
    assert snapshot["current_node_name"] == "Ask first"
    assert snapshot["state_data"] == {"k": 1, "a_output": [1], "messages": []}
    (entry,) = snapshot["execution_history"]
    assert entry["timestamp"] == snapshot["timestamp"]
    del entry["timestamp"]
    assert entry == {
        "node_id": "a",
        "status": "COMPLETED",
        "checkpoint_id": "done-a",
        "version": 1,
        "response": "r",
    }


def test_messages_of_a_snapshot_look_as_in_their_own_list() -> None:
    run = Run.start()
    ok(run.append(system("s"), user("u")))
    shown = ok(run.get("messages"))["results"]
    assert run.snapshot()["state_data"]["messages"] == shown


def test_keys_chooses_what_the_state_has() -> None:
    run = Run.start(state={"a": 1, "b": 2, "c": 3, "messages": [user("x")]})
    assert ok(run.get("snapshot?keys=a,c,unknown"))["state_data"] == {"a": 1, "c": 3}
    assert ok(run.get("snapshot?keys=messages"))["state_data"].keys() == {"messages"}
    assert ok(run.get("snapshot?keys="))["state_data"] == {}
    assert ok(run.get("checkpoints/0?keys=b"))["state_data"] == {"b": 2}


def test_the_etag_has_version_revision_and_count() -> None:
    run = Run.start()
    ok(run.save("c1", messages=[user("x")]))
    first = run.get("snapshot").headers["ETag"]
    assert first == '"1.0.1"'
    ok(run.append(user("y")))
    assert run.get("snapshot").headers["ETag"] == '"1.0.2"'


def test_an_unchanged_snapshot_is_not_sent_again() -> None:
    run = Run.start()
    etag = run.get("snapshot").headers["ETag"]
    again = run.get("snapshot", **{"If-None-Match": f'"other", {etag}'})
    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", etag)
    ok(run.save("c1"))
    assert run.get("snapshot", **{"If-None-Match": etag}).status_code == 200


def test_a_pause_that_was_asked_for_shows_although_the_version_is_the_same() -> None:
    run = Run.start()
    etag = run.get("snapshot").headers["ETag"]
    ok(run.post("pause"))
    shown = ok(run.get("snapshot", **{"If-None-Match": etag}))
    assert shown["pause_requested"] is True


def test_every_version_reads_back_as_it_was() -> None:
    run = Run.start(reducers={"log": "append"}, state={"log": [0]})
    seen = [run.snapshot()]
    for number in range(1, 6):
        update = {"log": [number], f"key{number}": number, f"key{number - 2}": {"$delete": True}}
        ok(run.save(f"c{number}", state_data=update, messages=[user(str(number))]))
        seen.append(run.snapshot())
    for number, snapshot in enumerate(seen):
        assert ok(run.get(f"checkpoints/{number}")) == snapshot


def test_a_version_shows_the_messages_of_then_whatever_came_later() -> None:
    run = Run.start()
    ok(run.save("c1", messages=[user("one")]))
    ok(run.append(user("two")))
    ok(run.save("c2"))
    ok(run.post("operations", {"operation": "clear", "clear": {"keep_system_message": False}}))
    ok(run.save("c3"))
    contents = [
        [
            message["content"]
            for message in ok(run.get(f"checkpoints/{n}"))["state_data"]["messages"]
        ]
        for n in range(4)
    ]
    assert contents == [[], ["one"], ["one", "two"], []]


@pytest.mark.parametrize("version", ["2", "-1", "1.0", "x", "99999999999999999999", "latest"])
def test_a_version_that_does_not_exist_is_not_found(version: str) -> None:
    run = Run.start()
    refused(run.get(f"checkpoints/{version}"), 404, "not_found")


def test_versions_of_an_idle_conversation() -> None:
    run = Run(Api(), conversation())
    assert ok(run.get("checkpoints")) == {"results": [], "next": None}
    refused(run.get("checkpoints/0"), 404, "not_found")


def test_the_list_of_versions_comes_in_pages_latest_first() -> None:
    run = Run.start()
    for number in range(4):
        ok(run.save(f"c{number}"))
    first = ok(run.get("checkpoints?limit=2"))
    assert [row["version"] for row in first["results"]] == [4, 3]
    second = ok(run.get(f"checkpoints?limit=2&cursor={first['next']}"))
    assert [row["version"] for row in second["results"]] == [2, 1]
    last = ok(run.get(f"checkpoints?limit=2&cursor={second['next']}"))
    assert ([row["version"] for row in last["results"]], last["next"]) == ([0], None)


def test_a_foreign_cursor_is_refused() -> None:
    run = Run.start()
    refused(run.get("checkpoints?cursor=WyJhIl0"), 422, "validation", "?cursor")


def test_a_row_of_the_list_tells_what_was_written() -> None:
    run = Run.start()
    ok(run.save("c1", "ask", state_data={"k": 1}, messages=[user("x")]))
    row = run.versions()[0]
    assert (row["kind"], row["checkpoint_id"], row["node_id"]) == ("checkpoint", "c1", "ask")
    assert (row["revision"], row["visible_count"], row["executed_count"]) == (0, 1, 1)
    assert row["author"] == "token:test token"
    assert row["written_bytes"] > 0


def test_the_difference_of_two_versions() -> None:
    run = Run.start(state={"same": 1, "gone": 1, "text": {"a": [1, 2]}, "messages": [user("x")]})
    update = {"gone": {"$delete": True}, "text": {"a": [1, 3]}, "new": None}
    ok(run.save("c1", state_data=update, messages=[user("y")]))
    found = ok(run.get("checkpoints/diff?from=0&to=1"))
    assert found["state"] == [
        {"path": "/gone", "kind": "removed", "before": 1},
        {"path": "/new", "kind": "added", "after": None},
        {"path": "/text/a/1", "kind": "changed", "before": 2, "after": 3},
    ]
    assert found["messages"] == [{"kind": "added", "index": 1, "position": 1}]
    back = ok(run.get("checkpoints/diff?from=1&to=0"))
    assert [change["kind"] for change in back["state"]] == ["added", "removed", "changed"]
    assert back["messages"] == [{"kind": "hidden", "index": 1, "previous_position": 1}]


def test_the_difference_tells_edited_messages() -> None:
    run = Run.start(state={"messages": [user("x"), user("y")]})
    replace = {"index": 0, "message": user("better")}
    ok(run.post("operations", {"operation": "replace", "replace": replace}))
    ok(run.save("c1"))
    found = ok(run.get("checkpoints/diff?from=0&to=1"))["messages"]
    assert [(change["kind"], change["index"], change["previous_index"]) for change in found] == [
        ("edited", 2, 0)
    ]


@pytest.mark.parametrize(
    ("query", "pointer"), [("", "?from"), ("?from=0", "?to"), ("?from=a&to=1", "?from")]
)
def test_the_difference_needs_two_numbers(query: str, pointer: str) -> None:
    refused(Run.start().get(f"checkpoints/diff{query}"), 422, "validation", pointer)


def test_the_difference_with_an_unknown_version_is_not_found() -> None:
    refused(Run.start().get("checkpoints/diff?from=0&to=9"), 404, "not_found")


def test_every_token_reads() -> None:
    chain("triage", "a")
    run = Run.start("triage").by(Scope.DESIGN)
    for path in ("snapshot", "checkpoints", "checkpoints/0", "checkpoints/diff?from=0&to=0"):
        assert run.get(path).status_code == 200
    assert run.enter("a").status_code == 200


def test_a_foreign_workspace_finds_nothing() -> None:
    run = Run(Api(slug="elsewhere"), Run.start().head)
    for path in ("snapshot", "checkpoints", "checkpoints/0", "checkpoints/diff?from=0&to=0"):
        refused(run.get(path), 404, "not_found")


def test_an_erased_conversation_leaves_no_rows_of_executions() -> None:
    run = Run.start(state={"k": 1})
    ok(run.save("c1"))
    assert run.api.delete(run.path).status_code == 204
    for table in (Checkpoint, Execution, StateKey, StateValue):
        assert not table.objects.exists()
