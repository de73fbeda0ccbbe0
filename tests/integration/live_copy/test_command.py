"""``manage.py live_copy`` as an operator runs it."""

import json
from datetime import datetime
from io import StringIO

import pytest
import redis
from django.core.management import CommandError, call_command

from checkpoints.live_copy.checksums import sum_of
from checkpoints.live_copy.port import ALL_PARTS, Part
from checkpoints.live_copy.redis_copy import RedisLiveCopy
from conversations.models import Conversation
from ctxadmin.storage.redis.link import Link
from tests.factories import conversation, user
from tests.integration.checkpoints.flows import Run, chain, ok
from tests.integration.live_copy import steps

pytestmark = pytest.mark.django_db(transaction=True)


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("live_copy", *arguments, stdout=out, stderr=out)
    return out.getvalue()


@pytest.fixture
def head(copy: RedisLiveCopy) -> Conversation:
    found = conversation(user("hello"), public_id="c")
    steps.save("c", "more", x=1, large="L" * 200_000)
    steps.snapshot("c")
    return found


def test_sizes_tells_keys_sizes_changes_and_expiries(head: Conversation) -> None:
    shown = run("sizes", "c")
    for part in ALL_PARTS:
        assert f"{part.key(head.key)}: change 2, " in shown
    assert "never expires" in shown
    assert "1 conversations" in shown
    assert f"c {{{head.key}}}: latest change 2" in run("sizes", "--all")


def test_show_prints_the_state_and_the_messages_as_json(head: Conversation) -> None:
    shown = json.loads(run("show", "c"))
    assert list(shown) == ["context:state:c", "checkpoint:c"]
    state = shown["context:state:c"]
    assert state["x"] == 1
    assert state["large"] == "L" * 200_000
    assert [each["content"] for each in state["messages"]] == ["hello", "more"]


def test_show_prints_the_checkpoint_as_json(copy: RedisLiveCopy) -> None:
    chain("two", "a", "b")
    execution = Run.start("two")
    ok(execution.complete("a", state_data={"x": 1}))
    name = execution.head.public_id
    snapshot = execution.snapshot()
    shown = json.loads(run("show", name))
    state, checkpoint = shown[f"context:state:{name}"], shown[f"checkpoint:{name}"]
    assert state == {
        **snapshot["state_data"],
        "execution_history": snapshot["execution_history"],
    }
    assert len(state["execution_history"]) == 1
    assert snapshot["executed_node_ids"] == ["a"]
    assert checkpoint == {
        "conversationId": name,
        "nodeId": snapshot["current_node_id"],
        "stateSnapshot": state,
        "executedNodeIds": snapshot["executed_node_ids"],
        "timestamp": pytest.approx(
            datetime.fromisoformat(snapshot["timestamp"]).timestamp() * 1000, abs=1
        ),
        "version": snapshot["version"],
    }
    assert isinstance(checkpoint["timestamp"], int)


def test_show_prints_what_redis_holds(head: Conversation, server: redis.Redis) -> None:
    server.hset(Part.STATE.key(head.key), "=x", sum_of("x", [b"2"]) + b"2")
    assert json.loads(run("show", "c"))["context:state:c"]["x"] == 2


@pytest.mark.parametrize("part", ALL_PARTS)
def test_show_says_what_to_do_without_a_whole_copy(
    head: Conversation, server: redis.Redis, part: Part
) -> None:
    server.delete(part.key(head.key))
    with pytest.raises(CommandError, match="live_copy rebuild c"):
        run("show", "c")
    run("rebuild", "c")
    assert run("show", "c")


def test_verify_compares_and_says_so(head: Conversation) -> None:
    assert "1 same" in run("verify", "--all")


@pytest.mark.parametrize("total", [b"00000000", sum_of("x", [b"2"])])
def test_verify_finds_another_value_also_with_a_sum_that_fits(
    head: Conversation, server: redis.Redis, total: bytes
) -> None:
    server.hset(Part.STATE.key(head.key), "=x", total + b"2")
    with pytest.raises(CommandError):
        run("verify", "c")
    assert "1 rebuilt" in run("rebuild", "c")
    assert "1 same" in run("verify", "c")


def test_verify_does_not_mind_a_copy_that_is_behind(
    head: Conversation, server: redis.Redis
) -> None:
    server.delete(Part.MESSAGES.key(head.key))
    assert "1 behind" in run("verify", "--all")


def test_verify_finds_what_belongs_to_no_conversation(
    head: Conversation, server: redis.Redis
) -> None:
    server.hset(Part.STATE.key(77), "mark", "1 1 x")
    with pytest.raises(CommandError):
        run("verify", "--all")
    run("rebuild", "--all")
    assert not server.exists(Part.STATE.key(77))


def test_drop_leaves_nothing(head: Conversation, server: redis.Redis) -> None:
    assert "1 dropped" in run("drop", "--all")
    assert not list(server.scan_iter())


@pytest.mark.parametrize("what", ["show", "sizes", "verify", "rebuild", "drop"])
def test_a_redis_that_is_down_is_reported_in_a_sentence(
    head: Conversation, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.setattr(Link, "is_down", True)
    with pytest.raises(CommandError, match="does not respond"):
        run(what, "c")


@pytest.mark.parametrize(
    "wrong",
    [
        ["show"],
        ["show", "--all"],
        ["sizes", "c", "--all"],
        ["show", "nobody"],
        ["show", "c", "--workspace=x"],
    ],
)
def test_what_is_not_there_is_refused(head: Conversation, wrong: list[str]) -> None:
    with pytest.raises(CommandError):
        run(*wrong)


@pytest.mark.django_db
def test_without_redis_there_is_nothing_to_show() -> None:
    with pytest.raises(CommandError, match="REDIS_URL is not set"):
        run("sizes", "--all")
    with pytest.raises(CommandError, match="REDIS_URL is not set"):
        run("show", "c")
