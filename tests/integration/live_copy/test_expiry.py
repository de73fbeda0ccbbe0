"""After how long the keys of a live copy expire (semantics 3.10)."""

from collections.abc import Mapping

import pytest
import redis
from pytest_django import Settings

from checkpoints.domain.move_commands import MoveExecution
from checkpoints.domain.status import Status
from checkpoints.live_copy.port import ALL_PARTS, Part
from checkpoints.services import status_changes
from tests.factories import conversation, engine, user
from tests.integration.live_copy import steps

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("copy")]
DAY = 86_400
WEEK = 7 * DAY
NEVER = -1


def expiry(server: redis.Redis, key: int) -> Mapping[Part, set[int]]:
    """The seconds left of the keys of each part, rounded up to a minute."""
    found = {}
    for part in ALL_PARTS:
        names = [part.key(key), f"{part.key(key)}:whole"]
        left = [server.ttl(name) for name in names if server.exists(name)]
        found[part] = {each if each < 0 else -(-each // 60) * 60 for each in left}
    return found


def test_of_a_conversation_alone_after_a_week(server: redis.Redis) -> None:
    head = conversation(user("hello"), public_id="c")
    steps.snapshot("c")
    assert expiry(server, head.key)[Part.MESSAGES] == {WEEK}
    steps.append("c", "more")
    assert expiry(server, head.key)[Part.MESSAGES] == {WEEK}


def test_running_and_paused_executions_never(server: redis.Redis) -> None:
    head = conversation(user("hello"), public_id="c")
    steps.snapshot("c")
    steps.save("c", "x", x=1)
    steps.snapshot("c")
    assert set.union(*expiry(server, head.key).values()) == {NEVER}
    status_changes.pause(engine(), "c", MoveExecution())
    steps.save("c", "x", x=2)
    assert set.union(*expiry(server, head.key).values()) == {NEVER}


def test_an_ended_one_a_day_after_its_end_and_its_checkpoint_after_a_week(
    server: redis.Redis,
) -> None:
    head = conversation(user("hello"), public_id="c")
    steps.save("c", "x", x=1)
    steps.snapshot("c")
    steps.save("c", "x", x=2, status=Status.COMPLETED)
    found = expiry(server, head.key)
    assert found[Part.EXECUTED] == {DAY}
    assert found[Part.STATE] == found[Part.MESSAGES] == {WEEK}


def test_each_save_restarts_the_period(server: redis.Redis, settings: Settings) -> None:
    settings.LIVE_CHECKPOINT_SECONDS, settings.LIVE_EXECUTION_SECONDS = 600, 300
    head = conversation(user("hello"), public_id="c")
    steps.save("c", "x", x=1, status=Status.COMPLETED)
    steps.snapshot("c")
    for part in ALL_PARTS:
        server.expire(part.key(head.key), 60)
    steps.append("c", "more")
    found = expiry(server, head.key)
    assert found[Part.EXECUTED] == {300}
    assert found[Part.STATE] == found[Part.HISTORY] == found[Part.MESSAGES] == {600}


def test_what_expired_is_read_from_sql_and_written_again(server: redis.Redis) -> None:
    head = conversation(user("hello"), public_id="c")
    steps.save("c", "x", x=1, status=Status.COMPLETED)
    steps.snapshot("c")
    server.delete(Part.EXECUTED.key(head.key))
    with steps.counted({"doubts": 1, "rebuilds": 1}):
        assert steps.snapshot("c") == steps.snapshot_in_sql("c")
