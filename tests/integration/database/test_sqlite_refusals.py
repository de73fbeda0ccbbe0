"""The API on a SQLite file that is locked, full or not writable."""

import sqlite3
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

from conversations.models import Message
from tests.factories import Api, conversation, user

pytestmark = [pytest.mark.only("sqlite"), pytest.mark.django_db(transaction=True)]


@pytest.fixture
def api() -> Api:
    conversation(user("before"), public_id="talk")
    return Api()


@pytest.fixture
def pragma() -> Iterator[Any]:
    """Set something on this thread's connection, which is closed afterwards."""

    def set_to(text: str) -> Any:
        with connection.cursor() as cursor:
            return cursor.execute(f"PRAGMA {text}").fetchone()

    yield set_to
    connection.close()


def assert_refused(answer: Any, words: str) -> None:
    assert answer.status_code == 503
    assert answer.json()["code"] == "unavailable"
    assert words in answer.json()["detail"]
    assert int(answer["Retry-After"]) > 0


def append(api: Api, text: str) -> Any:
    return api.post("/conversations/talk/messages", {"messages": [user(text)]})


def test_a_lock_that_another_holds_is_refused_and_worth_another_try(api: Api, pragma: Any) -> None:
    pragma("busy_timeout=10")
    holder = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        assert_refused(append(api, "meanwhile"), "took too long")
    finally:
        holder.close()
    assert append(api, "free").status_code == 201


def test_a_full_disk_is_refused_and_nothing_is_half_done(api: Api, pragma: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")  # or what was deleted before leaves room
    (pages,) = pragma("page_count")
    pragma(f"max_page_count={pages}")
    assert_refused(append(api, "x" * 1_000_000), "full")
    assert Message.objects.count() == 1
    pragma("max_page_count=1000000")
    assert append(api, "room").status_code == 201


def test_a_file_that_cannot_be_written_serves_reads(api: Api, pragma: Any) -> None:
    note_use(api)
    pragma("query_only=1")
    assert_refused(append(api, "meanwhile"), "cannot be written")
    assert api.get("/conversations/talk/messages").status_code == 200
    pragma("query_only=0")
    assert append(api, "writable").status_code == 201


def note_use(api: Api) -> None:
    """The first call of a token is noted, which is a write of its own."""
    assert api.get("/conversations/talk").status_code == 200
