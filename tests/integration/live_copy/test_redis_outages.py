"""Redis stalls, fails and recovers: nothing waits for it and nothing is lost."""

from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest
import redis
from django.core.management import call_command
from django.db import OperationalError
from django.test import Client

from checkpoints.live_copy import current
from checkpoints.live_copy import erasure as erasing
from checkpoints.live_copy.port import Part
from checkpoints.live_copy.redis_copy import RedisLiveCopy
from checkpoints.models import UndroppedCopy
from conversations.lifecycle import erasure
from ctxadmin.identity.roles import Role
from ctxadmin.storage.redis import links
from ctxadmin.storage.redis.address import read_address
from ctxadmin.storage.redis.link import Link
from tests.factories import conversation, person, signed_in, user
from tests.integration.live_copy import steps
from tests.integration.live_copy.steps import counted, snapshot, snapshot_in_sql
from tests.servers import Redis

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("following")]


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Redis]:
    """A Redis of the test's own."""
    with Redis(tmp_path) as server:
        yield server


@pytest.fixture
def returned(own: Redis) -> Iterator[Event]:
    """Set when the link has found its Redis again, and dropped what it had to."""
    back = Event()
    link = Link(read_address(own.url), timeout=0.5, pause=0.05)
    link.on_return += [erasing.drop_erased_in_thread, back.set]
    current.set_current(RedisLiveCopy(link))
    links.use(link)
    yield back
    links.use(None)
    link.close()


def test_an_unreachable_redis_is_not_called_until_it_is_back(own: Redis, returned: Event) -> None:
    conversation(user("hello"), public_id="c")
    snapshot("c")
    own.kill()
    with counted({"openings": 1, "failures": 1}):
        for number in range(5):
            steps.save("c", f"text {number}", x=number)
            assert snapshot("c") == snapshot_in_sql("c")
    own.start()
    assert returned.wait(20)
    assert snapshot("c") == snapshot_in_sql("c")
    with counted({"hits": 1}):
        assert snapshot("c") == snapshot_in_sql("c")


def test_a_redis_that_stalls_costs_one_timeout_and_what_it_missed_is_seen(
    own: Redis, returned: Event
) -> None:
    conversation(user("hello"), public_id="c")
    snapshot("c")
    own.pause()
    with counted({"openings": 1, "failures": 1}):
        for number in range(5):
            steps.save("c", f"text {number}", x=number)
            assert snapshot("c") == snapshot_in_sql("c")
    own.go_on()
    assert returned.wait(20)
    assert snapshot("c") == snapshot_in_sql("c")


def test_a_redis_that_refuses_is_asked_again_and_believed_in_nothing(
    own: Redis, returned: Event
) -> None:
    conversation(user("hello"), public_id="c")
    snapshot("c")
    with redis.Redis.from_url(own.url) as client:
        client.config_set("maxmemory", 1)
        steps.save("c", "more", x=1)
        assert snapshot("c") == snapshot_in_sql("c")
        client.config_set("maxmemory", 0)
    with counted({"openings": 0}):
        assert snapshot("c") == snapshot_in_sql("c")
        assert snapshot("c") == snapshot_in_sql("c")


def snapshot_is_read_from_sql() -> None:
    conversation(user("hello"), public_id="other")
    assert snapshot("other") == snapshot_in_sql("other")


class TestErasure:
    def test_it_drops_the_keys_after_its_commit(self, own: Redis, returned: Event) -> None:
        conversation(user("hello"), public_id="c")
        steps.save("c", large="L" * 300_000)
        snapshot("c")
        erasure.erase(person(Role.ADMIN), "c")
        with redis.Redis.from_url(own.url) as client:
            assert not list(client.scan_iter())
        assert not UndroppedCopy.objects.exists()

    def test_while_redis_is_down_it_waits_for_its_return(self, own: Redis, returned: Event) -> None:
        head = conversation(user("hello"), public_id="c")
        steps.save("c", x=1)
        snapshot("c")
        own.pause()
        erasure.erase(person(Role.ADMIN), "c")
        assert UndroppedCopy.objects.get().conversation == head.key
        own.go_on()
        assert returned.wait(20)
        with redis.Redis.from_url(own.url) as client:
            assert not list(client.scan_iter())
        assert not UndroppedCopy.objects.exists()

    def test_what_waits_is_dropped_by_maintenance_too(self, own: Redis, returned: Event) -> None:
        left = UndroppedCopy.objects.create(conversation=7)
        call_command("maintain", "--only", "sessions")
        assert not UndroppedCopy.objects.filter(pk=left.pk).exists()

    def test_without_sql_it_is_postponed(
        self, own: Redis, returned: Event, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        UndroppedCopy.objects.create(conversation=7)

        def lost() -> int:
            raise OperationalError("gone")

        with monkeypatch.context() as patched:
            patched.setattr(erasing, "drop_erased", lost)
            own.kill()
            snapshot_is_read_from_sql()
            own.start()
            assert returned.wait(20)
        assert UndroppedCopy.objects.exists()
        assert erasing.drop_erased() == 1

    def test_a_reader_who_writes_after_it_leaves_nothing_behind(
        self, own: Redis, returned: Event, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        conversation(user("hello"), public_id="c")
        steps.save("c", x=1)
        put = RedisLiveCopy.put

        def put_late(*arguments: object) -> None:
            erasure.erase(person(Role.ADMIN), "c")
            put(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(RedisLiveCopy, "put", put_late)
        snapshot("c")
        with redis.Redis.from_url(own.url) as client:
            assert not list(client.scan_iter())

    def test_a_conversation_with_the_same_id_has_keys_of_its_own(
        self, own: Redis, returned: Event
    ) -> None:
        first = conversation(user("hello"), public_id="c")
        erasure.erase(person(Role.ADMIN), "c")
        second = conversation(user("other"), public_id="c")
        assert Part.STATE.key(first.key) != Part.STATE.key(second.key)


def test_readyz_and_the_footer_tell_and_the_server_stays_ready(
    own: Redis, returned: Event, client: Client
) -> None:
    assert _found(client) == (200, "ok")
    own.kill()
    assert _found(client) == (200, "warning")
    assert "Redis is unavailable" in signed_in(Role.VIEWER).get("/conversations/").content.decode()


def _found(client: Client) -> tuple[int, str]:
    answer = client.get("/readyz")
    checks = {check["check"]: check["level"] for check in answer.json()["checks"]}
    return answer.status_code, checks["live_copy"]
