"""Conditions on the visible messages (semantics 2.7)."""

from typing import Any

import pytest
from pydantic import JsonValue

from tests.unit.workflows.contexts import (
    applied,
    block,
    chat,
    let_pass,
    names,
    node_input,
    of_edge,
    of_filter,
    rule,
    shown,
)
from workflows.domain.conditions.condition import compile_condition
from workflows.domain.conditions.figures import add_figures, figures_seen
from workflows.domain.context.prompt_context import NodeInput
from workflows.domain.filters.edge_filter import default_edge_filter


def holds(text: str, given: NodeInput) -> bool:
    condition = compile_condition(text)
    figures = figures_seen(condition.figures, given.messages)
    return condition.evaluate(given.context.variables, add_figures(given.context.metadata, figures))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("context.messages === 6", True),
        ("context.turns === 2", True),
        ("context.last_role === 'user'", True),
        ("context.last_role.startsWith('us')", True),
        ("context.last_role.length === 4", True),
        ("context.tokens > 20 && context.tokens < 200", True),
        ("context.tokens > 60000", False),
        ("metadata['tokens'] === null", True),
        ("variables['tokens'] === null", True),
        ("context.token === null", True),
    ],
)
def test_they_count_the_visible_messages(text: str, expected: bool) -> None:
    assert holds(text, node_input(messages=chat())) is expected


def test_a_variable_or_metadata_of_that_name_wins() -> None:
    assert holds("context.tokens === 7", node_input({"tokens": 7}, messages=chat()))
    assert holds(
        "context.turns === 'many'", node_input(metadata={"turns": "many"}, messages=chat())
    )
    assert holds("context.last_role.deep === 1", node_input({"last_role": {"deep": 1}}))


def test_without_messages_they_are_zero_and_null() -> None:
    text = "context.tokens === 0 && context.messages === 0 && context.last_role === null"
    assert holds(text, node_input())


def test_a_rule_and_an_edge_filter_look_at_what_comes_in() -> None:
    large = {"condition": "context.messages > 5"}
    step = of_filter(let_pass(rule("exclude", "tool", target="messages", **large)))
    assert shown(applied(step, node_input(messages=chat()))) == [0, 1, 2, 4, 5]
    few: list[JsonValue] = [{"role": "user", "content": "hi"}]
    assert shown(applied(step, node_input(messages=chat(*few)))) == [0]  # type: ignore[arg-type]
    edge = of_edge(type="conditional", condition="context.turns > 5")
    assert names(applied(edge, node_input({"a": 1}, messages=chat()))) == []


def test_tokens_that_were_emptied_do_not_count() -> None:
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "go", "tokens": 10},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c"}], "tokens": 10},
        {"role": "tool", "tool_call_id": "c", "content": "x" * 9, "tokens": 500},
    ]
    empty: JsonValue = {
        "operation": "budget",
        "budget": {
            "max_tokens": 100,
            "target_tokens": 50,
            "drop": "tool_results",
            "keep_last_results": 0,
        },
    }
    given = applied(
        of_filter(block(messages=[empty], default_behavior="pass")),
        node_input(messages=chat(*messages)),
    )
    assert holds("context.tokens < 100", given)


def test_a_conditional_edge_on_figures_passes_everything_by_itself() -> None:
    assert default_edge_filter("conditional", "context.tokens > 9").type == "pass_all"
    assert default_edge_filter("conditional", "context.score > 9").type == "conditional"
    assert default_edge_filter("conditional", "context.tokens >").type == "conditional"
