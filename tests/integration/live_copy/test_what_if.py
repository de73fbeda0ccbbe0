"""What if beside a live copy: a whole copy is read, a damaged or missing one changes no answer."""

import pytest
import redis

from checkpoints.live_copy.redis_copy import RedisLiveCopy
from ctxadmin.identity.roles import Scope
from tests.factories import user
from tests.integration.checkpoints.flows import Run, edge, node, ok, publish
from tests.integration.live_copy.steps import counted
from tests.openapi import CheckedApi

pytestmark = pytest.mark.django_db(transaction=True)

NODES = [node("begin", "start"), node("write", "llm", context_type="pass_through")]
NARROW = {"rules": [{"type": "exclude", "pattern": "secret"}], "default_behavior": "pass"}
CHANGED = {
    "name": "letter",
    "nodes": [NODES[0], {**NODES[1], "context_filter": NARROW}],
    "edges": [edge("begin", "write")],
}


@pytest.fixture
def api() -> CheckedApi:
    return CheckedApi([Scope.ENGINE, Scope.REVIEW, Scope.DESIGN])


@pytest.fixture
def run(copy: RedisLiveCopy, api: CheckedApi) -> Run:
    """An execution that wrote twice, of which the copy has the state of now."""
    publish("letter", NODES, [edge("begin", "write")])
    made = Run.start("letter", api, state={"secret": "x"})
    made.append(user("hello"))
    ok(made.complete("begin"))
    ok(made.complete("write", state_data={"secret": "changed since"}))
    made.snapshot()
    return made


def ask(api: CheckedApi) -> object:
    return ok(api.post("/workflows/letter/what-if", {"document": CHANGED, "last": 5}))


def test_it_believes_a_whole_copy_and_leaves_it_as_it_is(
    run: Run, api: CheckedApi, server: redis.Redis
) -> None:
    before = {key: server.dump(key) for key in server.scan_iter()}
    assert before
    with counted({"hits": 2, "doubts": 0, "rebuilds": 0}):
        answer = ask(api)
    assert "secret" in str(answer)
    assert "changed since" not in str(answer)
    assert {key: server.dump(key) for key in server.scan_iter()} == before


def test_it_answers_the_same_when_the_copy_is_gone_or_damaged(
    run: Run, api: CheckedApi, server: redis.Redis
) -> None:
    expected = ask(api)
    for key in list(server.scan_iter()):
        if server.type(key) == b"hash":
            field = next(iter(server.hkeys(key)))
            server.hset(key, field, b"damaged")
    assert ask(api) == expected
    server.flushdb()
    assert ask(api) == expected
