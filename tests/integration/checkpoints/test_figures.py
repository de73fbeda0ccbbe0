"""Edges whose condition looks at the messages, on running executions (semantics 2.7)."""

from typing import Any

import pytest

from tests.factories import user
from tests.integration.checkpoints.flows import Run, edge, node, ok, publish, when

pytestmark = pytest.mark.django_db

CONDITION = "context.turns === 2 && context.messages === 3 && context.last_role === 'assistant'"
CUT: dict[str, Any] = {"operation": "truncate", "truncate": {"keep_last": 1}}


def start() -> Run:
    """``a``, then a processor if the context is large, then ``b``."""
    publish(
        "large",
        [node("a", "llm"), node("cut", "context_processor", config=CUT), node("b", "llm")],
        [
            when("a", "cut", "context.tokens > 100"),
            when("a", "b", "context.tokens <= 100"),
            edge("cut", "b"),
        ],
    )
    return Run.start("large")


def test_a_small_context_goes_around_the_processor() -> None:
    run = start()
    ok(run.append(user("short")))
    found = run.complete("a").json()
    assert [(each["to"], each["passes"]) for each in found["next"]] == [("cut", False), ("b", True)]
    assert ok(run.enter("b"))["messages"][0]["content"] == "short"


def test_a_large_one_is_cut_and_the_next_node_sees_what_is_left() -> None:
    run = start()
    ok(run.append(user("长消息" * 400), user("last")))
    found = run.complete("a").json()
    assert [(each["to"], each["passes"]) for each in found["next"]] == [("cut", True), ("b", False)]
    assert run.snapshot()["ready_nodes"] == ["cut"]
    assert run.complete("cut").status_code == 201
    assert run.snapshot()["ready_nodes"] == ["b"]
    assert [each["content"] for each in ok(run.enter("b"))["messages"]] == ["last"]


def test_what_the_node_itself_appends_counts() -> None:
    run = start()
    ok(run.append(user("short")))
    answer = {"role": "assistant", "content": "long " * 400}
    found = run.complete("a", messages=[answer]).json()
    assert [each["passes"] for each in found["next"]] == [True, False]


def test_turns_and_the_last_role_are_those_after_the_step() -> None:
    publish(
        "turns",
        [node("a", "llm"), node("b", "llm")],
        [
            when(
                "a",
                "b",
                CONDITION,
            )
        ],
    )
    run = Run.start("turns")
    ok(run.append(user("one"), user("two")))
    answer = {"role": "assistant", "content": "done"}
    assert [each["passes"] for each in run.complete("a", messages=[answer]).json()["next"]] == [
        True
    ]
