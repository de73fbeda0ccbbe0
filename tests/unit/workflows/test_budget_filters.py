"""Budgets in the filters of nodes and edges: what the node sees of its messages."""

import json
from typing import Any

import pytest
from pydantic import JsonValue

from conversations.domain.operations import tokens_of
from ctxadmin.lib.errors import ValidationFailed
from tests.unit.workflows.contexts import (
    applied,
    block,
    chat,
    explained,
    let_pass,
    node_input,
    of_edge,
    of_filter,
    rule,
    shown,
)
from workflows.domain.context.prompt_context import NodeInput
from workflows.domain.document.yaml_io import dump, load
from workflows.domain.filters.context_filter import read_filter
from workflows.domain.running.flow import counting

CALLS: JsonValue = [{"id": "c1"}]
IMAGE: JsonValue = {"type": "image_url", "image_url": {"url": "x"}}


def budget(most: int, target: int, **options: Any) -> JsonValue:
    return {
        "operation": "budget",
        "budget": {"max_tokens": most, "target_tokens": target, **options},
    }


def talk(*roles: str, each: int = 10) -> NodeInput:
    """An input with messages of ten tokens."""
    messages: list[dict[str, JsonValue]] = [
        {"role": role, "content": f"{place}", "tokens": each} for place, role in enumerate(roles)
    ]
    return node_input(messages=chat(*messages))


def looked_up(*results: int) -> NodeInput:
    """An input with calls and results of so many tokens."""
    messages: list[dict[str, JsonValue]] = [{"role": "user", "content": "go", "tokens": 10}]
    for place, tokens in enumerate(results):
        call: JsonValue = [{"id": f"c{place}"}]
        messages.append({"role": "assistant", "content": None, "tool_calls": call, "tokens": 10})
        parts: JsonValue = [{"type": "text", "text": f"found {place}"}, IMAGE]
        answer: dict[str, JsonValue] = {"role": "tool", "tool_call_id": f"c{place}"}
        messages.append({**answer, "content": parts, "tokens": tokens})
    return node_input(messages=chat(*messages))


def tokens(given: NodeInput) -> int:
    log = given.messages.log
    return tokens_of(given.messages.view, counting(given.messages, log.tokens))  # type: ignore[attr-defined]


def contents(given: NodeInput) -> list[JsonValue]:
    """What the node reads in each message."""
    found: list[JsonValue] = []
    for index in given.messages.view:
        body = json.loads(given.messages.log.entry(index).draft.body)  # type: ignore[attr-defined]
        found.append(given.messages.seen_message(index, body).get("content"))
    return found


def test_a_node_sees_what_its_budget_leaves_and_nothing_is_logged() -> None:
    given = talk("system", "user", "assistant", "user", "assistant", "user")
    seen = applied(of_filter(let_pass(messages=[budget(50, 30)])), given)
    assert shown(seen) == [0, 5]
    assert seen.messages.log is given.messages.log
    assert len(given.messages.log) == 6


def test_an_edge_keeps_a_budget_too() -> None:
    given = talk("user", "user", "user", "user")
    step = of_edge(type="pass_all", messages=[budget(30, 10)])
    assert shown(applied(step, given)) == [3]


def test_rules_come_first_so_what_they_hide_does_not_count() -> None:
    given = talk("user", "assistant", "user", "assistant", "user")
    hides = let_pass(rule("exclude", "assistant", target="messages"), messages=[budget(30, 10)])
    assert shown(applied(of_filter(hides), given)) == [0, 2, 4]


def test_old_results_are_empty_for_the_node_alone() -> None:
    given = looked_up(100, 100, 100)
    over = budget(250, 200, drop="tool_results", keep_last_results=1, placeholder="gone")
    seen = applied(of_filter(let_pass(messages=[over])), given)
    assert shown(seen) == [0, 1, 2, 3, 4, 5, 6]
    assert contents(seen)[2] == contents(seen)[4] == "gone"
    assert isinstance(contents(seen)[6], list)
    assert seen.messages.inserted == ()
    assert isinstance(contents(given)[2], list)


def test_what_was_emptied_counts_as_its_placeholder() -> None:
    given = looked_up(100, 100)
    over = budget(200, 150, drop="tool_results", keep_last_results=1, placeholder="gone")
    seen = applied(of_filter(let_pass(messages=[over])), given)
    placeholder = 5  # "gone" and the frame of a message
    assert (tokens(given), tokens(seen)) == (230, 130 + placeholder)
    told = seen.messages.seen_message(2, {"content": "x", "tokens": 100, "tokens_estimated": False})
    assert told == {"content": "gone", "tokens": placeholder, "tokens_estimated": True}


def test_a_second_budget_counts_what_the_first_one_left() -> None:
    given = looked_up(100, 100, 10)
    empties = budget(200, 150, drop="tool_results", keep_last_results=1, placeholder="gone")
    drops = budget(160, 100)
    seen = applied(of_filter(let_pass(messages=[empties, drops])), given)
    assert shown(seen) == [0, 1, 2, 3, 4, 5, 6]
    assert shown(applied(of_filter(let_pass(messages=[drops])), given)) != shown(seen)


def test_a_transform_still_changes_the_texts_that_stay() -> None:
    given = looked_up(100, 100)
    over = budget(200, 150, drop="tool_results", keep_last_results=1, placeholder="gone")
    loud = rule("transform", "*", target="messages", transform="uppercase")
    seen = applied(of_filter(let_pass(loud, messages=[over])), given)
    assert contents(seen)[0] == "GO"
    assert contents(seen)[2] == "gone"


def test_each_message_says_what_the_budget_did_to_it() -> None:
    given = looked_up(100, 100)
    over = budget(200, 150, drop="tool_results", keep_last_results=1)
    decisions = explained(of_filter(let_pass(messages=[over])), given).decisions
    found = {each.index: each for each in decisions if each.section == "messages"}
    assert [found[index].verdict for index in range(5)] == [
        "kept",
        "kept",
        "changed",
        "kept",
        "kept",
    ]
    assert found[2].reason == "emptied by “over 200 tokens, cut to 150”"
    cut = explained(
        of_filter(let_pass(messages=[budget(30, 10)])), talk("user", "user", "user", "user")
    )
    reasons = [each.reason for each in cut.decisions if each.verdict == "dropped"]
    assert reasons == ["hidden by “over 30 tokens, cut to 10”"] * 3


def test_a_budget_that_cannot_be_met_is_a_warning_of_its_step() -> None:
    given = talk("system", "user", each=100)
    result = of_filter(let_pass(messages=[budget(50, 20)]))(given, "own", False)
    assert [(each.code, each.step) for each in result.warnings] == [("over_budget", "own")]


def test_a_budget_with_a_target_above_its_maximum_is_refused_at_its_field() -> None:
    with pytest.raises(ValidationFailed) as caught:
        read_filter(block(messages=[budget(10, 20)]), "/filter")
    pointers = [each.pointer for each in caught.value.problems]
    assert pointers == ["/filter/messages/0/budget/target_tokens"]


def test_a_document_with_a_budget_travels_as_yaml() -> None:
    text = """
nodes:
  - id: a
    type: llm
    context_filter:
      messages:
        - operation: budget
          budget: {maxTokens: 100, target_tokens: 50, drop: tool_results, placeholder: ""}
  - id: b
    type: context_processor
    config:
      operation: budget
      budget: {max_tokens: 100, target_tokens: 50}
edges:
  - {id: e, type: sequence, from: a, to: b, context_filter: {type: pass_all, messages: [
      {operation: budget, budget: {max_tokens: 9, target_tokens: 5}}]}}
"""
    document = load(text, default_name="x")
    assert load(dump(document), default_name="x") == document
