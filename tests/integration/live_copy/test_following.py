"""The live copy follows every change, and answers byte for byte what SQL answers."""

import pytest

from checkpoints.live_copy.redis_copy import RedisLiveCopy
from conversations import services
from tests.factories import conversation, engine, user
from tests.integration.live_copy import steps
from tests.integration.live_copy.steps import counted, snapshot, snapshot_in_sql

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("copy")]


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


def test_an_operation_makes_the_messages_doubtful_and_nothing_else() -> None:
    conversation(user("hello"), user("again"), public_id="c")
    steps.save("c", x=1)
    snapshot("c")
    steps.keep_last("c", 1)
    with counted({"doubts": 1, "rebuilds": 1}):
        assert snapshot("c") == snapshot_in_sql("c")
    services.rollback(engine(), "c", 0)
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


def test_many_appends_are_sealed_into_few_pieces(copy: RedisLiveCopy) -> None:
    head = conversation(public_id="c")
    snapshot("c")
    for number in range(600):
        steps.append("c", f"message {number}")
    with counted({"hits": 1}):
        assert snapshot("c") == snapshot_in_sql("c")
    assert head.key
