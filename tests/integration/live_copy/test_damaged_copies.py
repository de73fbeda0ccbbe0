"""Whatever is wrong with the live copy, a read returns what SQL has."""

from collections.abc import Callable, Iterable, Mapping
from typing import cast

import pytest
import redis
from django.db import models

from checkpoints.live_copy import current
from checkpoints.live_copy.port import FoundParts, NoLiveCopy, Part, Value
from checkpoints.live_copy.redis_copy import RedisLiveCopy
from checkpoints.models import Checkpoint, Execution, StateKey, StateValue
from conversations.models import Conversation, Mark, Message, Move, Revision
from conversations.writing import announcements
from conversations.writing.announcements import ChangeNotice
from ctxadmin.audit.models import AuditEntry
from ctxadmin.audit.record import AuditMark
from tests.factories import conversation, user
from tests.integration.live_copy import steps
from tests.integration.live_copy.steps import counted, snapshot, snapshot_in_sql

pytestmark = pytest.mark.django_db(transaction=True)
Redis = redis.Redis
Rows = list[models.Model]


@pytest.fixture
def head(copy: RedisLiveCopy) -> Conversation:
    """A conversation that the copy has in whole, with small and large values and lists."""
    found = conversation(user("hello"), public_id="c")
    steps.save("c", "and more", x=1, y=2, large="L" * 300_000)
    snapshot("c")
    steps.append("c", "and another piece")
    with counted({"hits": 1, "doubts": 0}):
        snapshot("c")
    return found


def all_keys(server: Redis) -> list[bytes]:
    return sorted(server.scan_iter())


def test_a_flushed_copy_is_filled_again(head: Conversation, server: Redis) -> None:
    server.flushdb()
    with counted({"doubts": 1, "rebuilds": 4}):
        assert snapshot("c") == snapshot_in_sql("c")
    with counted({"hits": 1}):
        assert snapshot("c") == snapshot_in_sql("c")


def test_a_former_copy_that_is_put_back_is_not_believed(head: Conversation, server: Redis) -> None:
    kept = {key: server.dump(key) or b"" for key in all_keys(server)}
    steps.save("c", "newer", x=2)
    new = snapshot("c")
    server.flushdb()
    for key, data in kept.items():
        server.restore(key, 0, data)
    with counted({"doubts": 1}):
        assert snapshot("c") == new == snapshot_in_sql("c")


def _other_mark(server: Redis, key: str) -> None:
    server.hset(key, "mark", "1 1 " + "0" * 64)


def _no_mark(server: Redis, key: str) -> None:
    server.hdel(key, "mark")


def _text_instead(server: Redis, key: str) -> None:
    server.set(key, "{}")


def _list_instead_of_a_text(server: Redis, key: str) -> None:
    for name in list(server.scan_iter(f"{key}:*")):
        server.set(name, "[]")


def _pieces_lost(server: Redis, key: str) -> None:
    for name in list(server.scan_iter(f"{key}:*")):
        if server.type(name) == b"list":
            server.lpop(name)


def _lists_evicted(server: Redis, key: str) -> None:
    for name in list(server.scan_iter(f"{key}:*")):
        if server.type(name) == b"list":
            server.delete(name)


def _values(server: Redis, key: str) -> dict[bytes, bytes]:
    fields = cast(dict[bytes, bytes], server.hgetall(key))
    return {field: content for field, content in fields.items() if field.startswith(b"=")}


def _own_lists(server: Redis, key: str) -> list[str]:
    """The lists of a part; the key of the state is how that of the messages begins."""
    found = [name.decode() for name in server.scan_iter(f"{key}:*", _type="list")]
    return [name for name in found if name.count(":") == key.count(":") + 1]


def _other_byte(server: Redis, key: str) -> None:
    """A byte of every value is another one; nothing has another length."""
    for field, content in _values(server, key).items():
        if len(content) > 1:
            server.hset(key, field, content[:-1] + bytes([content[-1] ^ 1]))
    for name in _own_lists(server, key):
        piece = cast(bytes, server.lpop(name))
        server.lpush(name, piece[:-2] + bytes([piece[-2] ^ 1]) + piece[-1:])


def _other_order(server: Redis, key: str) -> None:
    """The values, or the pieces of every list, take each other's places."""
    values = _values(server, key)
    for field, other in {b"=x": b"=y", b"=y": b"=x"}.items() if b"=x" in values else ():
        server.hset(key, field, values[other])
    for name in _own_lists(server, key):
        server.lmove(name, name, "LEFT", "RIGHT")


def _piece_less(server: Redis, key: str) -> None:
    for name in _own_lists(server, key):
        server.lpop(name)


def _field_more(server: Redis, key: str) -> None:
    server.hset(key, "=more", "00000000{}")


def _field_less(server: Redis, key: str) -> None:
    server.hdel(key, next(iter(_values(server, key))).decode())


def _other_field(server: Redis, key: str) -> None:
    _field_less(server, key)
    server.hset(key, "junk", "1")


def _empty_piece(server: Redis, key: str) -> None:
    for name in _own_lists(server, key):
        server.lpush(name, "")


def _no_text(server: Redis, key: str) -> None:
    server.hset(key, b"=\xff", "00000000{}")
    server.hset(key, "fields", server.hlen(key))


@pytest.mark.parametrize("part", [Part.STATE, Part.MESSAGES])
@pytest.mark.parametrize(
    "tamper",
    [
        *(_other_byte, _other_order, _piece_less, _empty_piece),
        *(_field_more, _field_less, _other_field, _no_text),
    ],
)
def test_bytes_that_no_one_wrote_are_noticed_and_written_again(
    head: Conversation, server: Redis, part: Part, tamper: Callable[[Redis, str], None]
) -> None:
    tamper(server, part.key(head.key))
    with counted({"doubts": 1, "damaged": 1, "rebuilds": 1}):
        assert snapshot("c") == snapshot_in_sql("c")
    with counted({"hits": 1, "doubts": 0}):
        assert snapshot("c") == snapshot_in_sql("c")


@pytest.mark.parametrize(
    "tamper", [_other_byte, _piece_less, _empty_piece, _field_less, _other_field]
)
def test_a_change_does_not_hide_a_damage(
    head: Conversation, server: Redis, tamper: Callable[[Redis, str], None]
) -> None:
    for part in (Part.STATE, Part.MESSAGES):
        tamper(server, part.key(head.key))
    steps.save("c", "next", z=3)
    assert snapshot("c") == snapshot_in_sql("c")


@pytest.mark.parametrize("one", Part)
@pytest.mark.parametrize("other", Part)
def test_no_part_takes_the_place_of_another(
    head: Conversation, server: Redis, one: Part, other: Part
) -> None:
    for suffix in ("", ":whole"):
        name, target = one.key(head.key) + suffix, other.key(head.key) + suffix
        if server.exists(name) and name != target:
            server.copy(name, target, replace=True)
    assert snapshot("c") == snapshot_in_sql("c")


def test_what_redis_has_no_room_for_is_no_damage(head: Conversation, server: Redis) -> None:
    _lists_evicted(server, Part.MESSAGES.key(head.key))
    with counted({"doubts": 1, "damaged": 0}):
        assert snapshot("c") == snapshot_in_sql("c")


def test_the_sum_of_a_list_follows_every_piece(head: Conversation, server: Redis) -> None:
    """Appended at the end, in small and in large pieces, until pieces are joined."""
    for number in range(300):
        large = ["L" * 200_000] * (number % 97 == 0)
        steps.append("c", f"{number} " + "text " * (number % 7), *large)
    with counted({"hits": 1, "doubts": 0}):
        assert snapshot("c") == snapshot_in_sql("c")


@pytest.mark.parametrize("part", [Part.STATE, Part.MESSAGES])
@pytest.mark.parametrize(
    "tamper",
    [
        _other_mark,
        _no_mark,
        _text_instead,
        _list_instead_of_a_text,
        _pieces_lost,
        _lists_evicted,
    ],
)
def test_a_part_that_is_not_whole_is_read_from_sql_and_fixed(
    head: Conversation, server: Redis, part: Part, tamper: Callable[[Redis, str], None]
) -> None:
    tamper(server, part.key(head.key))
    with counted({"doubts": 1}):
        assert snapshot("c") == snapshot_in_sql("c")
    with counted({"hits": 1, "doubts": 0}):
        assert snapshot("c") == snapshot_in_sql("c")


@pytest.mark.parametrize("tamper", [_text_instead, _lists_evicted, _list_instead_of_a_text])
def test_a_change_follows_into_a_broken_part_or_drops_it(
    head: Conversation, server: Redis, tamper: Callable[[Redis, str], None]
) -> None:
    for part in Part:
        tamper(server, part.key(head.key))
    steps.save("c", "next", x=2)
    steps.save("c", "and next", large="M" * 300_000)
    assert snapshot("c") == snapshot_in_sql("c")


class TestABackupPutBack:
    TABLES = (
        Conversation,
        Message,
        Mark,
        Revision,
        Move,
        Execution,
        Checkpoint,
        StateKey,
        StateValue,
        AuditEntry,
    )

    def test_other_content_under_the_same_version_is_seen(self, head: Conversation) -> None:
        backup = [list(table.objects.all()) for table in self.TABLES]
        steps.save("c", "before the loss", x="before")
        lost = snapshot("c")
        self._put_back(backup)
        current_copy = current.copy()
        current.set_current(NoLiveCopy())  # as a process that could not reach Redis just then
        steps.save("c", "after it was", x="after!")
        current.set_current(current_copy)
        found = snapshot("c")
        assert found == snapshot_in_sql("c")
        assert found != lost
        assert [b"before the loss" in found, b"after it was" in found] == [False, True]

    def test_a_change_does_not_follow_into_the_copy_of_what_was_lost(
        self, head: Conversation
    ) -> None:
        backup = [list(table.objects.all()) for table in self.TABLES]
        steps.save("c", "before the loss", x="before")
        snapshot("c")
        self._put_back(backup)
        steps.save("c", "after it was", x="after!")
        steps.save("c", "and on", y=1)
        assert snapshot("c") == snapshot_in_sql("c")

    def _put_back(self, backup: Iterable[Rows]) -> None:
        for table, rows in zip(self.TABLES, backup, strict=True):
            table._default_manager.all().delete()
            table._default_manager.bulk_create(rows)


class TestTheOrderOfArrival:
    """What processes do between a commit and the word to the copy, in any order."""

    def _changes(self, monkeypatch: pytest.MonkeyPatch, count: int) -> list[ChangeNotice]:
        """Committed changes of which the copy has not heard yet."""
        held: list[ChangeNotice] = []
        monkeypatch.setattr(announcements, "FOLLOWERS", [held.extend])
        for number in range(count):
            steps.save("c", f"text {number}", x=number + 10)
        return held

    def test_a_later_change_that_arrives_first_is_never_undone(
        self, head: Conversation, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fifth, sixth = self._changes(monkeypatch, 2)
        current.follow_changes([sixth])
        assert snapshot("c") == snapshot_in_sql("c")
        current.follow_changes([fifth])
        assert snapshot("c") == snapshot_in_sql("c")

    def test_a_change_that_is_reported_late_is_not_missed_meanwhile(
        self, head: Conversation, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        changes = self._changes(monkeypatch, 3)
        assert snapshot("c") == snapshot_in_sql("c")
        current.follow_changes(changes)
        assert snapshot("c") == snapshot_in_sql("c")

    def test_a_change_that_is_reported_twice_counts_once(
        self, head: Conversation, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (change,) = self._changes(monkeypatch, 1)
        current.follow_changes([change, change])
        assert snapshot("c") == snapshot_in_sql("c")

    def test_a_reader_who_writes_late_does_not_bring_the_old_state_back(
        self, head: Conversation, copy: RedisLiveCopy, server: Redis
    ) -> None:
        server.flushdb()
        current.set_current(_Slow(copy, lambda: steps.save("c", "meanwhile", x=5)))
        before = snapshot("c")
        current.set_current(copy)
        assert b"meanwhile" not in before
        assert snapshot("c") == snapshot_in_sql("c")

    def test_a_reader_who_writes_late_does_not_undo_what_another_wrote(
        self, head: Conversation, copy: RedisLiveCopy, server: Redis
    ) -> None:
        def meanwhile() -> None:
            current.set_current(copy)
            steps.save("c", "meanwhile", x=5)
            snapshot("c")

        server.flushdb()
        current.set_current(_Slow(copy, meanwhile))
        snapshot("c")
        with counted({"hits": 1}):
            assert snapshot("c") == snapshot_in_sql("c")


class _Slow(RedisLiveCopy):
    """A copy to which something happens between a reader's look at it and what he writes."""

    def __init__(self, copy: RedisLiveCopy, meanwhile: Callable[[], object]) -> None:
        super().__init__(copy.link)
        self.meanwhile = meanwhile

    def put(
        self,
        conversation: int,
        mark: AuditMark,
        parts: Mapping[Part, Mapping[str, Value]],
        found: FoundParts,
        seconds: Mapping[Part, int],
    ) -> None:
        self.meanwhile()
        super().put(conversation, mark, parts, found, seconds)
