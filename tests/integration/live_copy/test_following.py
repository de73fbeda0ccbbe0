"""The live copy follows every change, and answers byte for byte what SQL answers."""

import base64
from collections.abc import Callable

import pytest
import redis
from django.db import connection
from django.test.utils import CaptureQueriesContext

from checkpoints.contexts.node_context import enter
from checkpoints.domain.commands import SaveCheckpoint
from checkpoints.live_copy.port import Part
from checkpoints.live_copy.redis_copy import RedisLiveCopy
from checkpoints.live_copy.scripts import SEALED_PIECES
from checkpoints.services import checkpoint_saves
from conversations.services import use_cases
from conversations.writing.announcements import announce_group
from ctxadmin.storage.redis.client import Client
from ctxadmin.storage.redis.link import Link
from tests.factories import conversation, engine, user
from tests.integration.live_copy import steps
from tests.integration.live_copy.steps import counted, snapshot, snapshot_in_sql

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("copy")]
Call = Callable[[Client], object]
ASK = Link.call


def test_a_second_read_is_answered_by_the_copy() -> None:
    conversation(user("hello"), public_id="c")
    steps.save("c", "how are you", x=1)
    with counted({"doubts": 1, "rebuilds": 4, "hits": 0}):
        first = snapshot("c")
    with counted({"doubts": 0, "rebuilds": 0, "hits": 1}):
        assert snapshot("c") == first == snapshot_in_sql("c")


def test_the_copy_follows_a_save_without_being_read_again() -> None:
    conversation(user("hello"), public_id="c")
    steps.save("c", x=1, gone="soon")
    snapshot("c")
    with counted({"moves": 4}):
        steps.save("c", "more", x=2, y=[1, 2], gone={"$delete": True})
    with counted({"doubts": 0, "hits": 1}):
        assert snapshot("c") == snapshot_in_sql("c")


def test_opaque_values_of_any_size_are_followed_and_answered() -> None:
    conversation(user("hello"), public_id="c")
    steps.save("c", x=1)
    snapshot("c")
    for number, data in enumerate((bytes(range(256)), bytes(range(256)) * 1000)):
        value = {"type": "msgpack", "base64": base64.b64encode(data).decode()}
        body = {"node_id": "a", "state_data": {}, "opaque": {"blob": value}}
        checkpoint_saves.save(engine(), "c", f"blob-{number}", SaveCheckpoint.model_validate(body))
        with counted({"doubts": 0, "hits": 1}):
            assert snapshot("c") == snapshot_in_sql("c")
        assert value["base64"].encode() in snapshot("c")


def test_what_is_committed_together_is_followed_by_one_round_trip(
    server: "redis.Redis", monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["one", "two", "three", "unread"]
    for name in names:
        conversation(user("hello"), public_id=name)
        steps.save(name, x=1)
        if name != "unread":
            snapshot(name)
    asked: list[Call] = []

    def ask(link: Link, call: Call) -> object:
        asked.append(call)
        return ASK(link, call)

    monkeypatch.setattr(Link, "call", ask)
    for attempt in ("known", "not known"):
        if attempt == "not known":
            server.script_flush()  # as a server that was started again
        asked.clear()
        with counted({"moves": 12, "failures": 0}), announce_group():
            for name in names:
                steps.save(name, attempt, x=2)
        assert len(asked) == 1
        with counted({"hits": 3, "doubts": 0}):
            for name in names[:3]:
                assert snapshot(name) == snapshot_in_sql(name)


def test_an_operation_makes_the_messages_doubtful_and_nothing_else() -> None:
    conversation(user("hello"), user("again"), public_id="c")
    steps.save("c", x=1)
    snapshot("c")
    steps.keep_last("c", 1)
    with counted({"doubts": 1, "rebuilds": 1}):
        assert snapshot("c") == snapshot_in_sql("c")
    use_cases.rollback(engine(), "c", 0)
    with counted({"doubts": 1, "rebuilds": 1}):
        assert snapshot("c") == snapshot_in_sql("c")


def test_a_value_that_becomes_large_and_small_again_is_followed() -> None:
    conversation(public_id="c")
    steps.save("c", x=1)
    snapshot("c")
    for value in ("x" * 500_000, "y" * 500_000, "z"):
        steps.save("c", x=value)
        with counted({"doubts": 0}):
            assert snapshot("c") == snapshot_in_sql("c")


def test_many_appends_are_sealed_into_few_pieces(server: redis.Redis) -> None:
    head = conversation(public_id="c")
    snapshot("c")
    for number in range(600):
        steps.append("c", f"message {number}")
    with counted({"hits": 1}):
        assert snapshot("c") == snapshot_in_sql("c")
    pieces = server.llen(f"{Part.MESSAGES.key(head.key)}:whole")
    assert pieces == 2 + 600 % SEALED_PIECES  # what was there is none of them


def test_a_node_sees_the_same_with_and_without_the_copy() -> None:
    conversation(user("hello"), public_id="c")
    steps.save("c", "more", x=1, y=[1, 2])
    first = enter(engine(), "c", "b")
    with counted({"hits": 1, "doubts": 0}):
        assert enter(engine(), "c", "b") == first
    steps.save("c", "and more", x=2)
    with counted({"hits": 1, "doubts": 0}):
        assert b'"x":2' in enter(engine(), "c", "b")


def test_the_latest_version_by_its_number_is_answered_by_the_copy_too() -> None:
    conversation(user("hello"), public_id="c")
    steps.save("c", "more", x=1)
    steps.save("c", "more", x=2)
    snapshot("c", 2)
    with counted({"hits": 1, "doubts": 0}):
        assert snapshot("c", 2) == snapshot_in_sql("c", 2)


def test_a_former_version_is_read_from_sql_and_leaves_the_copy_alone() -> None:
    conversation(user("hello"), public_id="c")
    steps.save("c", "more", x=1)
    steps.save("c", "more", x=2)
    newest = snapshot("c")
    assert snapshot("c", 0) == snapshot_in_sql("c", 0)
    with counted({"hits": 1, "doubts": 0}):
        assert snapshot("c") == newest


def test_messages_that_came_later_are_not_in_a_version() -> None:
    conversation(user("hello"), public_id="c")
    steps.save("c", "then", x=1)
    snapshot("c")
    steps.append("c", "later")
    snapshot("c")
    found = snapshot("c", 1)
    assert found == snapshot_in_sql("c", 1)
    assert [b"then" in found, b"later" in found] == [True, False]


def test_a_hit_asks_sql_for_the_head_the_execution_and_the_mark() -> None:
    conversation(user("hello"), public_id="c")
    steps.save("c", "more", x=1)
    snapshot("c")
    with CaptureQueriesContext(connection) as asked:
        snapshot("c")
    assert len(asked) <= 4  # with the workspace of the test's actor


def test_a_write_tells_redis_once(copy: RedisLiveCopy, monkeypatch: pytest.MonkeyPatch) -> None:
    conversation(user("hello"), public_id="c")
    snapshot("c")
    calls: list[object] = []
    ask = Link.call

    def asked(link: Link, call: Callable[[Client], object]) -> object:
        calls.append(call)
        return ask(link, call)

    monkeypatch.setattr(Link, "call", asked)
    steps.save("c", "more", x=1)
    assert len(calls) == 1
