"""The feed of a workspace: every committed change, in an order whose cursor skips nothing."""

import random
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import close_old_connections, connection, transaction

from conversations.models import Conversation, FeedEntry
from conversations.services.use_cases import append
from conversations.workspace import feed
from ctxadmin.identity.roles import Scope
from ctxadmin.lib import clock
from tests.factories import Api, conversation, drafts, engine, user, workspace
from tests.integration.checkpoints.flows import Run, chain, ok, refused

pytestmark = pytest.mark.django_db

WRITERS = 8
WRITES = 6


def events(api: Api, **query: object) -> list[Any]:
    """All events that are asked for, by pages of three."""
    found: list[Any] = []
    after = str(query.pop("after", "0"))
    more = "".join(f"&{name}={value}" for name, value in query.items())
    while True:
        part = ok(api.get(f"/events?limit=3&after={after}{more}"))
        found += part["results"]
        after = part["next"]
        if not part["more"]:
            return found


def whats(found: list[Any]) -> list[str]:
    return [event["what"] for event in found]


def test_changes_of_all_conversations_come_in_one_order() -> None:
    api = Api()
    one, other = Run.start(api=api), Run.start(api=api)
    ok(one.append(user("hello")))
    ok(other.save("s1", "a", state_data={"k": 1}))
    found = events(api)
    cursors = [int(event["cursor"]) for event in found]
    assert cursors == sorted(set(cursors))
    of_one = [event for event in found if event["conversation"] == one.head.public_id]
    assert whats(of_one)[-2:] == ["execution.start", "messages.append"]
    assert [event["seq"] for event in of_one] == list(range(1, len(of_one) + 1))
    (saved,) = [event for event in found if event["what"] == "checkpoint.save"]
    assert saved["conversation"] == other.head.public_id
    assert (saved["version"], saved["status"], saved["keys"]) == (1, "RUNNING", ["k"])
    assert saved["who"] == {"kind": "token", "name": "test token"}


def test_the_cursor_continues_where_it_stood() -> None:
    api = Api()
    run = Run.start(api=api)
    cursor = ok(api.get("/events"))["next"]
    assert ok(api.get(f"/events?after={cursor}"))["results"] == []
    ok(run.append(user("hello")))
    (event,) = ok(api.get(f"/events?after={cursor}"))["results"]
    assert event["what"] == "messages.append"
    assert event["cursor"] == str(int(cursor) + 1)


def test_filters_take_kinds_workflows_and_statuses() -> None:
    chain("w", "a", "b")
    api = Api()
    run = Run.start("w", api)
    Run.start(api=api)
    ok(run.save("s1", "a", status="PAUSED"))
    assert set(whats(events(api, kinds="execution,messages.append"))) == {"execution.start"}
    assert {each["conversation"] for each in events(api, workflow="w")} == {run.head.public_id}
    assert whats(events(api, status="PAUSED")) == ["checkpoint.save"]


def test_an_erased_conversation_leaves_one_event() -> None:
    api = Api()
    run = Run.start(api=api)
    ok(run.append(user("secret")))
    before = events(api)
    assert api.delete(run.path).status_code == 204
    (event,) = [each for each in events(api) if each["conversation"] == run.head.public_id]
    assert event["what"] == "conversation.erase"
    assert int(event["cursor"]) > int(before[-1]["cursor"])
    assert "secret" not in str(event)
    assert events(api) == events(api)


def test_a_workspace_sees_its_own_only() -> None:
    Run.start(api=Api())
    assert events(Api(slug="other")) == []


def test_old_entries_go_and_a_cursor_behind_is_reported() -> None:
    api = Api()
    run = Run.start(api=api)
    cursor = ok(api.get("/events"))["next"]
    ok(run.append(user("old")))
    events(api)
    FeedEntry.objects.update(at=clock.now() - timedelta(days=31))
    ok(run.append(user("new")))
    events(api)
    assert feed.remove_old(clock.now(), remove=False) > 0
    feed.remove_old(clock.now(), remove=True)
    part = ok(api.get(f"/events?after={int(cursor)}"))
    assert part["reset"] is True
    assert whats(part["results"]) == ["messages.append"]
    assert ok(api.get(f"/events?after={part['next']}"))["reset"] is False


def test_a_cursor_ahead_of_all_is_reported() -> None:
    api = Api()
    Run.start(api=api)
    last = ok(api.get("/events"))["next"]
    part = ok(api.get("/events?after=999999"))
    assert (part["reset"], part["next"], part["results"]) == (True, last, [])


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("after=x", "?after"),
        ("limit=0", "?limit"),
        ("status=GONE", "?status"),
        ("kind=a", "?kind"),
        ("kinds=" + ",".join(map(str, range(51))), "?kinds"),
        ("kinds=messages,message.append", "?kinds"),
    ],
)
def test_a_wrong_parameter_is_named(query: str, pointer: str) -> None:
    refused(Api().get(f"/events?{query}"), 422, "validation", pointer)


def test_an_unknown_kind_is_refused_with_those_that_there_are() -> None:
    answer = Api().get("/events?kinds=execution,checkpoints.save")
    refused(answer, 422, "validation", "?kinds")
    detail = answer.json()["detail"]
    assert "'checkpoints.save'" in detail
    assert "checkpoint.save, checkpoint.thin" in detail
    assert "workflow" not in detail


def test_a_part_takes_few_queries(django_assert_max_num_queries: Any) -> None:
    api = Api()
    for _ in range(20):
        ok(Run.start(api=api).save("s1", "a"))
    events(api)
    with django_assert_max_num_queries(15):
        assert len(ok(api.get("/events?limit=100"))["results"]) == 60


@pytest.mark.django_db(transaction=True)
def test_of_writers_of_mixed_speed_nothing_is_skipped_or_out_of_order() -> None:
    """Some commit long after others that began later; the reader reads all the while."""
    actor = engine(Scope.ENGINE)
    heads = [conversation(actor=actor) for _ in range(WRITERS)]
    where = workspace().key
    dice = random.Random(7)
    waits = [[dice.choice((0, 0, 0.02, 0.06)) for _ in range(WRITES)] for _ in heads]
    cursor, seen = 0, list[feed.FeedChange]()

    def write(head: Conversation, seconds: list[float]) -> None:
        for each in seconds:
            with transaction.atomic():
                append(actor, head.public_id, drafts(user("x")))
                if connection.vendor != "sqlite":  # there all others would wait for it
                    time.sleep(each)
        connection.close()

    threads = [threading.Thread(target=write, args=pair) for pair in zip(heads, waits, strict=True)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        cursor = _read(where, cursor, seen)
    for thread in threads:
        thread.join()
    _read(where, cursor, seen)
    close_old_connections()

    by_conversation: dict[int, list[int]] = defaultdict(list)
    for entry in seen:
        by_conversation[entry.conversation].append(entry.seq)
    assert by_conversation == {head.key: list(range(1, WRITES + 2)) for head in heads}
    assert [entry.position for entry in seen] == sorted({entry.position for entry in seen})


def _read(where: int, cursor: int, seen: list[feed.FeedChange]) -> int:
    """Read on behind the cursor for as long as there is something."""
    while (part := feed.read(where, cursor, 10)).entries:
        seen += part.entries
        cursor = part.cursor
    return cursor


@pytest.mark.django_db(transaction=True)
def test_of_many_readers_at_once_each_sees_all_once() -> None:
    api = Api()
    for _ in range(5):
        Run.start(api=api)
    where, barrier = workspace().key, threading.Barrier(4)
    results: list[list[int]] = []

    def look() -> None:
        barrier.wait()
        results.append([entry.seq for entry in feed.read(where, 0, 100).entries])
        connection.close()

    readers: list[Callable[[], None]] = [look] * 4
    threads = [threading.Thread(target=reader) for reader in readers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [results[0]] * 4
    assert len(results[0]) == 10
    assert FeedEntry.objects.count() == 10


def test_a_damaged_number_of_changes_holds_up_no_reader() -> None:
    """What the audit has of the conversation is in the feed, and every other conversation."""
    api = Api()
    conversation(user("hello"), public_id="damaged")
    conversation(user("hello"), public_id="whole")
    Conversation.objects.filter(public_id="damaged").update(change_seq=2**62)
    named = [each["conversation"] for each in events(api)]
    assert sorted(set(named)) == ["damaged", "whole"]
    assert FeedEntry.objects.count() == len(named)
    assert not Conversation.objects.filter(unfed=True).exists()
