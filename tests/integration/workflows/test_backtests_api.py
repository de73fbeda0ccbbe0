"""Backtests over REST: started, replayed in the background, read, cancelled, continued, removed."""

import json
from datetime import timedelta
from typing import Any

import pytest

from conversations.lifecycle import erasure
from ctxadmin.accounts.services import default_workspace, system_actor
from ctxadmin.background.leases import LEASE, MOST_ATTEMPTS, is_abandoned
from ctxadmin.identity.roles import Scope
from ctxadmin.lib import clock
from ctxadmin.lib.errors import TooLarge
from tests.factories import Api, assistant, calls, conversation, result, user, workspace
from tests.openapi import CheckedApi
from workflows.backtests import runner, store, use_cases
from workflows.backtests.replaying import ProcessDied
from workflows.backtests.runner import RUNNER
from workflows.backtests.store import JOBS
from workflows.models import Backtest

pytestmark = pytest.mark.django_db

TALK = [user("hi"), calls("c1"), result("c1"), assistant("done"), user("more"), assistant("ok")]
BUDGET: dict[str, Any] = {"policies": [{"preset": "budget"}, {"preset": "last_5_naive"}]}


def started(api: Api, body: dict[str, Any] | None = None) -> str:
    answer = api.post("/backtests", body or BUDGET)
    assert answer.status_code == 201, answer.content
    found = json.loads(answer.content)
    assert answer.headers["Location"] == f"/api/v1/backtests/{found['id']}"
    return str(found["id"])


def read(api: Api, name: str) -> dict[str, Any]:
    answer = api.get(f"/backtests/{name}")
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = json.loads(answer.content)
    return found


def policies(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {each["policy"]: each for each in found["result"]["policies"]}


def test_a_backtest_waits_is_replayed_and_tells_its_result(api: CheckedApi) -> None:
    conversation(*TALK, public_id="one")
    conversation(*TALK, public_id="two")
    name = started(api)
    waiting = read(api, name)
    assert (waiting["status"], waiting["total"], waiting["done"]) == ("queued", 2, 0)
    assert waiting["result"] is None
    assert RUNNER.run_next()
    found = read(api, name)
    assert (found["status"], found["done"], found["attempts"]) == ("done", 2, 1)
    assert found["result"]["calls"] == 6
    rows = policies(found)
    assert list(rows) == [
        "Full history",
        "As recorded",
        "Budget 2,500 to 1,900",
        "Last 5, pairs split",
    ]
    assert rows["Last 5, pairs split"]["invalid_calls"] == 0
    assert rows["Full history"]["cost_change"] == 0
    assert [each["calls"] for each in rows["Full history"]["per_call"]] == [2, 2, 2]
    assert rows["Last 5, pairs split"]["spread"]["median"] == 0
    assert not RUNNER.run_next()


def test_only_the_conversations_that_are_asked_for_are_replayed(api: CheckedApi, flow: str) -> None:
    conversation(*TALK, public_id="mine", workflow="flow")
    conversation(*TALK, public_id="other")
    far = workspace("far")
    assert far.key != default_workspace().key
    by_workflow = started(api, {**BUDGET, "workflow": "flow"})
    by_text = started(api, {**BUDGET, "conversations": {"q": "othe", "last": 5}})
    by_number = started(api, {**BUDGET, "conversations": {"last": 1}})
    assert [read(api, each)["total"] for each in (by_workflow, by_text, by_number)] == [1, 1, 1]


def test_only_calls_of_a_node_count_and_tool_schemas_are_sent_in_front(api: CheckedApi) -> None:
    node = {**assistant("by ask"), "node_id": "ask"}
    conversation(user("hi"), node, user("more"), {**node, "node_id": "other"}, public_id="one")
    schemas = [{"type": "function", "function": {"name": "find_order"}}]
    plain = started(api, {**BUDGET, "calls_of": "ask"})
    sent = started(api, {**BUDGET, "calls_of": "ask", "tools": schemas})
    while RUNNER.run_next():
        pass
    bare, with_tools = (read(api, each)["result"] for each in (plain, sent))
    assert bare["calls"] == with_tools["calls"] == 1
    assert with_tools["policies"][0]["sent_tokens"] > bare["policies"][0]["sent_tokens"]


def test_nodes_of_the_draft_are_policies(api: CheckedApi, flow: str) -> None:
    keep = {"operation": "truncate", "truncate": {"keep_last": 1}, "pairing": "keep"}
    nodes = [
        {
            "id": "ask",
            "type": "any",
            "context_filter": {"default_behavior": "pass", "messages": [keep]},
        }
    ]
    document = {"name": "Flow", "nodes": nodes, "edges": []}
    api.put("/workflows/flow/draft", {"document": document, "expected_version": 0})
    conversation(*TALK, public_id="one", workflow="flow")
    name = started(api, {"workflow": "flow", "policies": [{"node": "ask"}]})
    assert RUNNER.run_next()
    rows = policies(read(api, name))
    assert rows["ask"]["sent_tokens"] < rows["Full history"]["sent_tokens"]


def test_an_upload_is_done_at_once_and_not_stored(api: CheckedApi) -> None:
    name = started(api, {**BUDGET, "upload": [{"messages": TALK}, {"messages": TALK}]})
    found = read(api, name)
    assert (found["status"], found["result"]["conversations"]) == ("done", 2)
    row = Backtest.objects.get()
    assert b"more" not in bytes(row.question) + bytes(row.result)


def test_prices_are_of_a_model_in_proportion_or_given(api: CheckedApi) -> None:
    upload = [{"messages": [user("hi " * 900), assistant("ok"), user("more"), assistant("yes")]}]
    price = {"input": 3, "cached": 0, "cache_write": 0}
    costs = []
    for chosen in ({}, {"model": "gpt-5-mini"}, {"price": price}):
        found = read(api, started(api, {**BUDGET, "upload": upload, **chosen}))
        costs.append(policies(found)["Full history"]["cost"])
    assert len(set(costs)) == 3
    assert costs[2] == 0
    assert policies(found)["Full history"]["cost_change"] is None


@pytest.mark.parametrize(
    ("body", "status", "pointer"),
    [
        ({}, 422, "/policies"),
        ({"policies": []}, 422, "/policies"),
        ({"policies": [{"preset": "unheard"}]}, 422, "/policies/0"),
        ({"policies": [{"node": "ask"}]}, 422, "/policies/0/node"),
        ({"policies": [{"preset": "budget"}] * 33}, 422, "/policies"),
        ({**BUDGET, "conversations": {"last": 2_001}}, 422, "/conversations/last"),
        ({**BUDGET, "conversations": {"status": "ASLEEP"}}, 422, "/conversations/status"),
        ({**BUDGET, "conversations": {}, "upload": []}, 422, "/upload"),
        ({**BUDGET, "model": "unheard"}, 422, "/model"),
        ({**BUDGET, "prices": "low"}, 422, "/prices"),
        ({**BUDGET, "price": {"input": -1, "cached": 0, "cache_write": 0}}, 422, "/price/input"),
        ({**BUDGET, "keep_frist": 3}, 422, "/keep_frist"),
    ],
)
def test_what_makes_no_sense_names_its_field(
    api: CheckedApi, body: dict[str, Any], status: int, pointer: str
) -> None:
    answer = api.post("/backtests", body)
    assert answer.status_code == status
    assert [each["pointer"] for each in json.loads(answer.content)["errors"]] == [pointer]
    assert not Backtest.objects.exists()


def test_an_unknown_workflow_or_backtest_is_not_found(api: CheckedApi) -> None:
    assert api.post("/backtests", {**BUDGET, "workflow": "unheard"}).status_code == 404
    assert api.get("/backtests/unheard").status_code == 404
    assert api.delete("/backtests/unheard").status_code == 404


def test_more_work_than_one_backtest_may_ask_for_is_refused(
    api: CheckedApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation(*TALK, public_id="one")
    monkeypatch.setattr(use_cases, "MOST_WORK", 6 * 4 - 1)
    answer = api.post("/backtests", BUDGET)
    assert answer.status_code == 413
    assert json.loads(answer.content)["limit"] == 23
    monkeypatch.setattr(use_cases, "MOST_WORK", 6 * 4)
    started(api)


def test_a_workspace_has_few_backtests_that_are_not_done(api: CheckedApi) -> None:
    names = [started(api) for _ in range(4)]
    refused = api.post("/backtests", BUDGET)
    assert refused.status_code == 409
    assert json.loads(refused.content)["code"] == "invalid_state"
    assert api.delete(f"/backtests/{names[0]}").status_code == 204
    started(api)


def test_conversations_that_are_too_long_are_left_out_by_name(
    api: CheckedApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation(*TALK, public_id="long")
    conversation(user("hi"), assistant("ok"), public_id="short")
    monkeypatch.setattr(use_cases, "MOST_MESSAGES", 5)
    found = read(api, started(api))
    assert (found["total"], found["left_out"]) == (1, ["long"])


def test_who_may_preview_may_start_and_cancel_and_everyone_in_the_workspace_may_read() -> None:
    conversation(*TALK, public_id="one")
    allowed = {Scope.DESIGN, Scope.REVIEW, Scope.ADMIN}
    name = started(CheckedApi([Scope.DESIGN]))
    for scope in Scope:
        other = CheckedApi([scope])
        assert other.get(f"/backtests/{name}").status_code == 200
        status = 201 if scope in allowed else 403
        answer = other.post("/backtests", BUDGET)
        assert answer.status_code == status
        if status == 201:
            assert other.delete(f"/backtests/{json.loads(answer.content)['id']}").status_code == 204
    assert CheckedApi([Scope.ENGINE]).delete(f"/backtests/{name}").status_code == 403


def test_a_backtest_of_another_workspace_is_not_found(api: CheckedApi) -> None:
    name = started(api)
    Backtest.objects.update(workspace=workspace("far").key)
    assert api.get(f"/backtests/{name}").status_code == 404
    assert api.delete(f"/backtests/{name}").status_code == 404


def test_one_that_is_removed_while_it_runs_stops_and_leaves_nothing(
    api: CheckedApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation(*TALK, public_id="one")
    name = started(api)
    monkeypatch.setattr(runner, "RENEW_SECONDS", 0.0)

    class Removing(runner.Heartbeat):
        def __call__(self, done: int) -> bool:
            assert api.delete(f"/backtests/{name}").status_code == 204
            return super().__call__(done)

    monkeypatch.setattr(runner, "Heartbeat", Removing)
    assert RUNNER.run_next()
    assert not Backtest.objects.exists()


def test_progress_is_reported_while_it_runs(
    api: CheckedApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        conversation(*TALK, public_id=f"c{number}")
    name = started(api)
    monkeypatch.setattr(runner, "RENEW_SECONDS", 0.0)
    told: list[tuple[str, int]] = []

    class Telling(runner.Heartbeat):
        def __call__(self, done: int) -> bool:
            goes_on = super().__call__(done)
            found = read(api, name)
            told.append((found["status"], found["done"]))
            return goes_on

    monkeypatch.setattr(runner, "Heartbeat", Telling)
    assert RUNNER.run_next()
    assert told == [("running", 3)]


@pytest.mark.both_databases
def test_two_servers_never_replay_the_same(api: CheckedApi) -> None:
    started(api)
    now = clock.now()
    assert JOBS.take_next("first", now) is not None
    assert JOBS.take_next("second", now) is None


@pytest.mark.both_databases
def test_a_backtest_of_a_dead_server_is_continued_and_that_server_cannot_end_it(
    api: CheckedApi,
) -> None:
    conversation(*TALK, public_id="one")
    name = started(api)
    dead = JOBS.take_next("dead", clock.now())
    assert dead is not None
    assert not is_abandoned(Backtest.objects.get(), clock.now())
    later = clock.now() + LEASE + timedelta(seconds=1)
    assert is_abandoned(Backtest.objects.get(), later)
    taken = JOBS.take_next("alive", later)
    assert taken is not None
    assert not JOBS.renew(dead, later, done=1)
    assert not JOBS.finish(dead, later, result=b"{}", done=1)
    assert read(api, name)["status"] == "running"
    assert read(api, name)["attempts"] == 2


def test_one_that_is_interrupted_again_and_again_fails_with_the_reason(api: CheckedApi) -> None:
    name = started(api)
    now = clock.now()
    for number in range(MOST_ATTEMPTS):
        now += 2 * LEASE
        assert JOBS.take_next(f"server-{number}", now) is not None
    assert JOBS.take_next("last", now + 2 * LEASE) is None
    found = read(api, name)
    assert found["status"] == "failed"
    assert "The server stopped while it ran" in found["problem"]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (TooLarge("much"), "more work than one backtest is allowed"),
        (ProcessDied(), "A process ended too early"),
        (RuntimeError("unheard"), "The log of the server"),
    ],
)
def test_what_goes_wrong_is_reported_and_does_not_stop_the_next(
    api: CheckedApi, monkeypatch: pytest.MonkeyPatch, error: Exception, said: str
) -> None:
    name, later = started(api), started(api)

    def broken(*arguments: object, **options: object) -> object:
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(runner, "run_backtest", broken)
        assert RUNNER.run_next()
    assert read(api, name)["status"] == "failed"
    assert said in read(api, name)["problem"]
    assert RUNNER.run_next()
    assert read(api, later)["status"] == "done"


def test_reading_an_unfinished_backtest_continues_it(
    api: CheckedApi, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    woken: list[bool] = []
    monkeypatch.setattr(RUNNER, "wake", lambda: woken.append(True))
    name = started(api)
    with django_capture_on_commit_callbacks(execute=True):
        read(api, name)
    assert woken == [True]
    JOBS.take_next("server", clock.now())
    with django_capture_on_commit_callbacks(execute=True):
        read(api, name)
    assert woken == [True]


def test_erased_conversations_are_skipped_and_their_ids_gone(api: CheckedApi) -> None:
    conversation(*TALK, public_id="gone")
    conversation(*TALK, public_id="stays")
    before, after = started(api), started(api)
    assert RUNNER.run_next()
    erasure.erase(system_actor(default_workspace(), "test"), "gone")
    assert RUNNER.run_next()
    assert read(api, before)["result"]["conversations"] == 2
    assert read(api, after)["result"]["conversations"] == 1
    assert not any(
        b"gone" in bytes(row.question) + bytes(row.result) for row in Backtest.objects.all()
    )


def test_maintenance_removes_backtests_after_a_week(api: CheckedApi) -> None:
    started(api)
    now = clock.now()
    assert store.old_backtests(now + timedelta(days=6), remove=True) == 0
    assert store.old_backtests(now + timedelta(days=8), remove=False) == 1
    assert store.old_backtests(now + timedelta(days=8), remove=True) == 1
    assert not Backtest.objects.exists()


def test_starting_twice_with_one_key_is_one_backtest(api: CheckedApi) -> None:
    answers = [api.post("/backtests", BUDGET, **{"Idempotency-Key": "once"}) for _ in range(2)]
    assert len({answer.content for answer in answers}) == 1
    assert Backtest.objects.count() == 1
