"""Recall over REST: lines name what is hidden, engines read it, each recall counts."""

import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from conversations.lifecycle import transfers
from conversations.models import Conversation, Mark, Recall
from ctxadmin.accounts.services import default_workspace
from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.roles import Scope
from tests.factories import conversation, engine, user
from tests.integration.checkpoints.flows import Run, node, ok, publish, refused
from tests.openapi import CheckedApi

pytestmark = pytest.mark.django_db(transaction=True)

LAST = {"operation": "truncate", "truncate": {"keep_last": 2}, "leave_pointer": True}


@pytest.fixture
def run() -> Run:
    default_workspace()
    return Run(CheckedApi(), conversation(*[user(str(number)) for number in range(6)]))


def visible(run: Run) -> list[int]:
    return [each["index"] for each in ok(run.get("messages"))["results"]]


def recalls(run: Run) -> list[tuple[int, str | None, int]]:
    found = ok(run.get("recalls"))["results"]
    return [(each["index"], each["node"], each["recalls"]) for each in found]


def test_an_operation_leaves_a_line_and_a_rollback_takes_it_away(run: Run) -> None:
    found = ok(run.post("operations", LAST))
    assert (found["hidden"], found["added"], found["visible_count"]) == ([[0, 4]], [[6, 7]], 3)
    line = ok(run.get("messages"))["results"][0]
    assert (line["index"], line["role"]) == (6, "system")
    assert line["points_to"] == {"runs": [[0, 4]], "count": 4}
    assert line["content"].startswith("[4 messages are hidden: 0-3.")
    assert found["tokens_after"] == sum(
        each["tokens"] for each in ok(run.get("messages"))["results"]
    )
    ok(run.post("rollback", {"batch": 0}))
    assert visible(run) == [0, 1, 2, 3, 4, 5]


def test_a_dry_run_logs_no_line(run: Run) -> None:
    found = ok(run.post("operations", {**LAST, "dry_run": True}))
    assert found["visible_count"] == 3
    assert len(ok(run.get("messages?view=all"))["results"]) == 6
    assert not Mark.objects.exists()


def test_the_next_line_names_what_the_one_before_named(run: Run) -> None:
    ok(run.post("operations", LAST))
    ok(run.append(user("6"), user("7")))
    ok(run.post("operations", LAST))
    line, *rest = ok(run.get("messages"))["results"]
    assert line["points_to"] == {"runs": [[0, 6]], "count": 6}
    assert [each["index"] for each in rest] == [7, 8]


def test_a_hidden_message_is_read_in_full_and_each_time_counts(run: Run) -> None:
    ok(run.post("operations", LAST))
    before = ok(run.api.get(run.path))
    for _ in range(2):
        found = ok(run.get("messages/1"))
        assert (found["content"], found["visible"]) == ("1", False)
    ok(run.get("messages/log-2?node=plan"))
    assert recalls(run) == [(1, None, 2), (2, "plan", 1)]
    assert ok(run.api.get(run.path)) == before
    assert not AuditEntry.objects.filter(action__contains="recall").exists()


def test_reading_what_is_visible_is_no_recall_unless_a_node_asks(run: Run) -> None:
    ok(run.get("messages/5"))
    ok(run.get("messages?view=all"))
    assert recalls(run) == []
    ok(run.get("messages/5?node=answer"))
    assert recalls(run) == [(5, "answer", 1)]


def test_only_engines_recall(run: Run) -> None:
    ok(run.post("operations", LAST))
    for scope in (Scope.REVIEW, Scope.DESIGN, Scope.ADMIN):
        ok(CheckedApi((scope,)).get(f"{run.path}/messages/1?node=plan"))
    assert recalls(run) == []


def test_what_is_not_there_is_no_recall(run: Run) -> None:
    refused(run.get("messages/99"), 404, "not_found")
    refused(run.get(f"messages/1?node={'n' * 129}"), 422, "validation", "?node")
    assert not Recall.objects.exists()


def test_a_read_of_a_visible_message_writes_nothing(run: Run) -> None:
    with CaptureQueriesContext(connection) as queries:
        ok(run.get("messages/5"))
    assert not [each for each in queries if "_recall" in each["sql"]]


def test_a_node_sees_the_line_of_its_filter_and_recalls_by_it() -> None:
    publish("short", [node("a", "llm", context_filter={"messages": [LAST]})], [])
    run = Run.start("short", CheckedApi())
    ok(run.append(*[user(str(number)) for number in range(6)]))
    seen = ok(run.enter("a"))["messages"]
    assert [each["content"] for each in seen[1:]] == ["4", "5"]
    assert seen[0]["points_to"]["runs"] == [[0, 4]]
    in_format = ok(run.post("nodes/a/enter?format=openai", {}))["messages"]
    assert in_format[0]["role"] == "system"
    assert set(in_format[0]) == {"role", "content"}
    ok(run.get("messages/0?node=a"))
    assert recalls(run) == [(0, "a", 1)]
    found = ok(run.api.get("/recalls?group=node"))["results"]
    assert found == [{"workflow": "short", "node": "a", "recalls": 1}]


def test_recalls_of_a_workspace_are_summed_by_node_workflow_and_day(run: Run) -> None:
    ok(run.post("operations", LAST))
    for path in ("messages/0", "messages/0", "messages/1?node=b"):
        ok(run.get(path))
    get = run.api.get
    assert ok(get("/recalls"))["results"] == [{"recalls": 3}]
    by_node = ok(get("/recalls?group=node"))["results"]
    assert [(each["node"], each["recalls"]) for each in by_node] == [(None, 2), ("b", 1)]
    (day,) = ok(get("/recalls?group=day"))["results"]
    assert day["recalls"] == 3
    first = ok(get("/recalls?group=node&limit=1"))
    rest = ok(get(f"/recalls?group=node&limit=1&cursor={first['next']}"))
    assert first["results"] + rest["results"] == by_node
    assert ok(get("/recalls?since=2999-01-01"))["results"] == [{"recalls": 0}]
    refused(get("/recalls?group=message"), 422, "validation", "?group")
    refused(get("/recalls?since=yesterday"), 422, "validation", "?since")


def test_the_recalls_of_a_conversation_come_in_pages(run: Run) -> None:
    ok(run.post("operations", LAST))
    for index in range(3):
        ok(run.get(f"messages/{index}"))
    first = ok(run.get("recalls?limit=2"))
    rest = ok(run.get(f"recalls?limit=2&cursor={first['next']}"))
    assert [each["index"] for each in first["results"] + rest["results"]] == [0, 1, 2]
    assert rest["next"] is None


def test_lines_travel_and_recalls_stay_and_are_erased(run: Run) -> None:
    ok(run.post("operations", LAST))
    ok(run.get("messages/1"))
    head = Conversation.objects.get()
    document: dict[str, Any] = json.loads(transfers.export(engine(), head.public_id))
    again = ok(run.api.post("/conversations/import", document))
    copy = Run(run.api, Conversation.objects.get(public_id=again["id"]))
    assert recalls(copy) == []
    ok(copy.append(user("6")))
    ok(copy.post("operations", LAST))
    line = ok(copy.get("messages"))["results"][0]
    assert line["points_to"] == {"runs": [[0, 5]], "count": 5}
    for each in Conversation.objects.all():
        assert run.api.delete(f"/conversations/{each.public_id}").status_code == 204
    assert not Recall.objects.exists()
    assert not Mark.objects.exists()


def test_a_line_that_is_sent_as_a_message_is_an_ordinary_message(run: Run) -> None:
    ok(run.post("operations", LAST))
    line = ok(run.get("messages"))["results"][0]
    sent = {name: line[name] for name in ("role", "content", "points_to")}
    ok(run.append(sent))
    found = ok(run.get("messages/7"))
    assert "points_to" not in found
    assert found["content"] == line["content"]
    assert Mark.objects.filter(kind=Mark.LINE).count() == 1


def test_a_processor_node_leaves_a_line_in_the_conversation() -> None:
    config = {"operation": "truncate", "truncate": {"keep_last": 1}, "leave_pointer": True}
    publish("cut", [node("p", "context_processor", config=config)], [])
    run = Run.start("cut", CheckedApi())
    ok(run.append(*[user(str(number)) for number in range(4)]))
    ok(run.complete("p", "c-1"))
    line, last = ok(run.get("messages"))["results"]
    assert (line["points_to"]["runs"], last["content"]) == ([[0, 3]], "3")
