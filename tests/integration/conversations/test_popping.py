"""Popping: the last messages leave the view as one batch, and come back with a rollback."""

from collections.abc import Callable
from typing import Any

import pytest

from conversations.domain.revisions import Seen
from conversations.models import Conversation, Revision
from conversations.services import use_cases
from conversations.services.results import Popped
from conversations.store.conversation import find_revision, view_of
from ctxadmin.accounts.services import default_workspace
from ctxadmin.audit.models import AuditEntry
from ctxadmin.audit.verification import verify_stream
from ctxadmin.identity.roles import Scope
from ctxadmin.lib.errors import VersionConflict
from tests.concurrent_writers import together
from tests.factories import calls, conversation, drafts, engine, result, system, user
from tests.integration.checkpoints.flows import Run, everything, ok, refused
from tests.openapi import CheckedApi

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def run() -> Run:
    default_workspace()
    return Run(CheckedApi(), conversation(*[user(str(number)) for number in range(4)]))


def pop(run: Run, body: Any = None, **headers: str) -> Any:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return run.post("messages/pop", body or {}, **named)


def contents(answer: Any) -> list[str]:
    return [each["content"] for each in answer["messages" if "messages" in answer else "results"]]


def test_the_last_message_is_answered_and_hidden(run: Run) -> None:
    found = ok(pop(run))
    (message,) = found["messages"]
    assert (message["content"], message["index"], message["visible"]) == ("3", 3, False)
    assert (found["batch"], found["revision"], found["visible_count"]) == (1, 1, 3)
    assert contents(ok(run.get("messages"))) == ["0", "1", "2"]
    assert contents(ok(pop(run))) == ["2"]


def test_several_are_one_batch_in_the_order_of_the_view_and_a_rollback_brings_them_back(
    run: Run,
) -> None:
    assert contents(ok(pop(run, {"count": 3, "reason": "to answer anew"}))) == ["1", "2", "3"]
    batches = ok(run.get("batches"))["results"]
    assert [(each["operation"], each["reason"]) for each in batches] == [
        ("start", None),
        ("truncate", "to answer anew"),
    ]
    assert batches[1]["config"]["truncate"] == {"remove_last": 3}
    ok(run.post("rollback", {"batch": 0}))
    assert contents(ok(run.get("messages"))) == ["0", "1", "2", "3"]


def test_more_than_there_are_is_all_of_them(run: Run) -> None:
    assert len(ok(pop(run, {"count": 1000}))["messages"]) == 4
    assert Revision.objects.latest("number").reason == use_cases.POPPED


def test_an_empty_view_is_an_empty_list_and_opens_no_batch(run: Run) -> None:
    ok(pop(run, {"count": 4}))
    before = everything()
    found = ok(pop(run))
    assert found == {
        "messages": [],
        "batch": 1,
        "revision": 1,
        "visible_count": 0,
        "warnings": [],
    }
    assert everything() == before


def test_a_pair_that_is_split_and_hidden_tools_are_reported(run: Run) -> None:
    ok(run.append(calls("a"), result("a")))
    assert [each["code"] for each in ok(pop(run))["warnings"]] == ["split_pair"]
    ok(run.append({**system("tools"), "tool_description": True}))
    assert "tools_hidden" in [each["code"] for each in ok(pop(run))["warnings"]]


def test_what_was_seen_is_compared(run: Run) -> None:
    refused(pop(run, {"expected_revision": 1}), 409, "version_conflict")
    refused(pop(run, {"expectedCount": 5}), 409, "version_conflict")
    refused(pop(run, {}, if_match='"0.3"'), 409, "version_conflict")
    assert contents(ok(pop(run, {"expected_revision": 0, "expected_count": 4}))) == ["3"]
    assert contents(ok(pop(run, {}, if_match='"1.3"'))) == ["2"]


@pytest.mark.parametrize("body", [{"count": 0}, {"count": -1}, {"count": 1001}, {"count": 1.5}])
def test_a_number_that_is_none_is_refused(run: Run, body: Any) -> None:
    refused(pop(run, body), 422, "validation", "/count")
    refused(pop(run, {"dry_run": True}), 422, "validation", "/dry_run")


def test_a_repeat_with_its_idempotency_key_gets_the_same_messages(run: Run) -> None:
    first = ok(pop(run, {"count": 2}, idempotency_key="k"))
    assert ok(pop(run, {"count": 2}, idempotency_key="k")) == first
    assert contents(ok(run.get("messages"))) == ["0", "1"]
    refused(pop(run, {"count": 1}, idempotency_key="k"), 409, "duplicate")


def test_who_may_not_operate_may_not_pop(run: Run) -> None:
    refused(pop(run.by(Scope.DESIGN)), 403, "forbidden")


def test_people_wait_until_nothing_runs(run: Run) -> None:
    ok(run.post("executions", {}))
    head = Conversation.objects.get(key=run.head.key)
    assert head.status == "RUNNING"
    reviewer = run.by(Scope.REVIEW)
    refused(pop(reviewer), 409, "invalid_state")
    assert contents(ok(pop(run))) == ["3"]


def test_a_pop_is_on_record_once(run: Run) -> None:
    ok(pop(run, {"count": 2}))
    assert AuditEntry.objects.filter(action="messages.operate").count() == 1
    assert not verify_stream(run.head.key)


def test_callers_at_once_never_get_the_same_message() -> None:
    head, actor = conversation(*[user(str(number)) for number in range(10)]), engine()

    def task(count: int) -> Callable[[], Popped]:
        return lambda: use_cases.pop_messages(actor, head.public_id, count)

    results = together([task(1), task(2), task(3), task(1), task(2), task(4)])
    taken = [list(each.messages) for each in results if isinstance(each, Popped)]
    assert len(taken) == 6
    assert sorted(index for part in taken for index in part) == list(range(10))
    assert all(part == list(range(part[0], part[0] + len(part))) for part in taken if part)
    current = Conversation.objects.get(key=head.key)
    assert current.visible_count == 0
    assert len(view_of(find_revision(head.key, current.current_revision))) == 0
    assert not verify_stream(head.key)


def test_of_callers_who_saw_the_same_view_one_gets_the_message() -> None:
    head, actor = conversation(user("a"), user("b")), engine()
    seen = Seen(0, 2)
    results = together([lambda: use_cases.pop_messages(actor, head.public_id, 1, seen=seen)] * 4)
    assert sum(isinstance(each, Popped) for each in results) == 1
    assert sum(isinstance(each, VersionConflict) for each in results) == 3


def test_messages_that_come_meanwhile_are_popped_or_stay() -> None:
    head, actor = conversation(user("a")), engine()
    append = lambda: use_cases.append(actor, head.public_id, drafts(user("b")))  # noqa: E731
    results = together([append, lambda: use_cases.pop_messages(actor, head.public_id, 5), append])
    (popped,) = [each for each in results if isinstance(each, Popped)]
    current = Conversation.objects.get(key=head.key)
    assert len(popped.messages) + current.visible_count == 3
