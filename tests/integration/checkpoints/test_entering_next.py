"""``enter_next``: a completion answers what the next node sees, or why it cannot be read."""

import pytest
from django.db import OperationalError

from checkpoints.contexts import node_context
from tests.factories import user
from tests.integration.checkpoints.flows import (
    Run,
    chain,
    edge,
    node,
    ok,
    publish,
)

pytestmark = pytest.mark.django_db


def test_enter_next_tells_what_the_next_node_sees() -> None:
    chain("w", "a", "b")
    run = Run.start("w", state={"k": 1})
    entered = ok(run.complete("a", messages=[user("x")], enter_next=True))["entered"]
    assert (entered["node_id"], entered["edges"]) == ("b", ["a-b"])
    assert entered == ok(run.enter("b"))


def test_enter_next_is_null_when_nothing_runs_next() -> None:
    chain("w", "a", "b")
    run = Run.start("w")
    assert ok(run.complete("a", status="PAUSED", enter_next=True))["entered"] is None
    ok(run.post("resume"))
    assert ok(run.complete("b", enter_next=True))["entered"] is None
    assert ok(Run.start().complete("a", enter_next=True))["entered"] is None


def test_a_next_node_that_lacks_something_does_not_undo_the_completion() -> None:
    publish("w", [node("a"), node("ask", "llm")], [edge("a", "ask")])
    run = Run.start("w")
    entered = ok(run.complete("a", enter_next=True))["entered"]
    assert entered["node_id"] == "ask"
    assert entered["problem"]["code"] == "incompatible_context"
    assert run.snapshot()["version"] == 1


def _database_goes_away(*_: object) -> bytes:
    raise OperationalError(2013, "Lost connection")


@pytest.mark.django_db(transaction=True)
def test_a_completion_is_not_denied_when_the_next_node_cannot_be_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chain("w", "a", "b")
    run = Run.start("w")
    monkeypatch.setattr(node_context, "enter_next", _database_goes_away)
    answer = ok(run.complete("a", "c1", enter_next=True))
    assert (answer["version"], answer["entered"]["version"]) == (1, 1)
    assert answer["entered"]["problem"]["code"] == "unavailable"
    monkeypatch.undo()
    assert ok(run.complete("a", "c1", enter_next=True))["entered"]["node_id"] == "b"


@pytest.mark.django_db(transaction=True)
def test_under_an_idempotency_key_nothing_is_completed_when_the_next_node_cannot_be_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chain("w", "a", "b")
    run = Run.start("w")
    monkeypatch.setattr(node_context, "enter_next", _database_goes_away)
    body = {"checkpoint_id": "c1", "enter_next": True}
    answer = run.post("nodes/a/complete", body, **{"Idempotency-Key": "k"})
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert run.snapshot()["version"] == 0
