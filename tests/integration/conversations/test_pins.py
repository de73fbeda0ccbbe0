"""Pinning over REST: who, when and why; operations, exports, forks and erasure know it."""

import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from conversations.lifecycle import transfers
from conversations.models import Conversation, Mark, Pin
from ctxadmin.accounts.services import default_workspace
from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.roles import Scope
from tests.factories import conversation, engine, user
from tests.integration.checkpoints.flows import Run, node, ok, publish, refused
from tests.openapi import CheckedApi

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def run() -> Run:
    default_workspace()
    return Run(CheckedApi(), conversation(*[user(str(number)) for number in range(4)]))


def pin(run: Run, message: object, **body: Any) -> Any:
    return run.api.patch(f"{run.path}/messages/{message}", {"pinned": True, **body})


def pinned(run: Run) -> list[int]:
    found = ok(run.get("messages?view=all"))["results"]
    return [each["index"] for each in found if each.get("pinned")]


def test_a_message_is_pinned_with_a_reason_and_unpinned(run: Run) -> None:
    found = ok(pin(run, 1, reason="the order number"))
    assert (found["pinned"], found["pinned_by"]["reason"]) == (True, "the order number")
    assert found["pinned_by"]["author"].startswith("token:")
    assert pinned(run) == [1]
    found = ok(pin(run, "log-1", pinned=False))
    assert "pinned" not in found
    assert pinned(run) == []
    entries = AuditEntry.objects.filter(action="messages.pin").order_by("seq")
    assert [json.loads(bytes(entry.detail)) for entry in entries] == [
        {"message": 1, "pinned": True},
        {"message": 1, "pinned": False},
    ]


def test_what_is_pinned_already_or_nothing_that_is_asked_changes_nothing(run: Run) -> None:
    ok(pin(run, 1))
    before = ok(run.api.get(run.path))
    ok(pin(run, 1, reason="again"))
    ok(run.api.patch(f"{run.path}/messages/1", {}))
    ok(pin(run, 2, pinned=False))
    assert ok(run.api.get(run.path)) == before


def test_operations_keep_it_and_say_so(run: Run) -> None:
    ok(pin(run, 1))
    body = {"operation": "truncate", "truncate": {"keep_last": 1}}
    found = ok(run.post("operations", body))
    assert found["hidden"] == [[0, 1], [2, 3]]
    assert [each["code"] for each in found["warnings"]] == ["kept_pinned"]
    assert [each["index"] for each in ok(run.get("messages"))["results"]] == [1, 3]
    found = ok(run.post("operations", {**body, "include_pinned": True}))
    assert found["hidden"] == [[1, 2]]


def test_the_view_stays_and_a_write_on_the_earlier_revision_conflicts(run: Run) -> None:
    seen = ok(run.api.get(run.path))
    ok(pin(run, 1, reason="why"))
    now = ok(run.api.get(run.path))
    assert (now["visible_count"], now["current_batch"]) == (4, 0)
    assert now["current_revision"] == seen["current_revision"] + 1
    body = {
        "operation": "clear",
        "clear": {},
        "expected_revision": seen["current_revision"],
        "expected_count": 4,
    }
    refused(run.post("operations", body), 409, "version_conflict")
    last = ok(run.get("batches"))["results"][-1]
    assert (last["operation"], last["config"], last["reason"]) == (
        "append",
        {"pin": {"index": 1, "pinned": True}},
        "why",
    )


def test_pops_leave_pinned_messages_and_take_those_in_front(run: Run) -> None:
    ok(pin(run, 3))
    found = ok(run.post("messages/pop", {"count": 2}))
    assert [each["index"] for each in found["messages"]] == [1, 2]
    assert [each["index"] for each in ok(run.get("messages"))["results"]] == [0, 3]
    ok(run.post("messages/pop", {"count": 9}))
    assert ok(run.post("messages/pop", {}))["messages"] == []


def test_an_append_can_pin_and_takes_more_statements_only_then(run: Run) -> None:
    def statements(**fields: Any) -> int:
        with CaptureQueriesContext(connection) as queries:
            ok(run.append({"role": "user", "content": "x", **fields}))
        return len([each for each in queries if "_pin" in each["sql"] or "_mark" in each["sql"]])

    assert statements() == 0
    assert statements(pinned=True) > 0
    assert pinned(run) == [5]


def test_exports_and_forks_take_pins_along_and_an_erasure_removes_them(run: Run) -> None:
    ok(pin(run, 1, reason="why"))
    ok(pin(run, 2))
    ok(pin(run, 2, pinned=False))
    head = Conversation.objects.get()
    document: dict[str, Any] = json.loads(transfers.export(engine(), head.public_id))
    (written,) = document["pins"]
    assert (written["index"], written["reason"]) == (1, "why")
    again = ok(run.api.post("/conversations/import", document))
    found = ok(run.api.get(f"/conversations/{again['id']}/messages/1"))
    assert found["pinned_by"] == ok(run.get("messages/1"))["pinned_by"]
    twice = {**document, "pins": [written, written]}
    refused(run.api.post("/conversations/import", twice), 422, "validation", "/pins/1/index")
    beyond = {**document, "pins": [{**written, "index": 9}]}
    refused(run.api.post("/conversations/import", beyond), 422, "validation", "/pins/0/index")
    for each in Conversation.objects.all():
        assert run.api.delete(f"/conversations/{each.public_id}").status_code == 204
    assert not Pin.objects.exists()
    assert not Mark.objects.exists()


def test_people_wait_until_nothing_runs_and_viewers_may_not(run: Run) -> None:
    ok(run.post("executions", {}))
    reviewer = CheckedApi((Scope.REVIEW,))
    refused(reviewer.patch(f"{run.path}/messages/1", {"pinned": True}), 409, "invalid_state")
    ok(pin(run, 1))  # an engine may
    designer = CheckedApi((Scope.DESIGN,))
    refused(designer.patch(f"{run.path}/messages/1", {"pinned": True}), 403, "forbidden")
    refused(pin(run, 99), 404, "not_found")


def test_an_engine_that_knows_the_view_of_before_gets_what_a_pin_brought_in() -> None:
    last = {"operation": "truncate", "truncate": {"keep_last": 1}}
    publish("short", [node("a", "llm", context_filter={"messages": [last]})], [])
    run = Run.start("short")
    ok(run.append(user("order A-1042"), user("and?")))
    known = ok(run.enter("a"))
    assert [each["index"] for each in known["messages"]] == [1]
    ok(pin(run, 0))
    told = {"revision": known["revision"], "count": known["count"]}
    again = ok(run.enter("a", known=told))
    assert [each["index"] for each in again["messages"]] == [0, 1]
    assert again["messages_from"] == 0
    assert [each["code"] for each in again["warnings"]] == ["kept_pinned"]
