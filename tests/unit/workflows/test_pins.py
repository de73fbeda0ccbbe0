"""Pinned messages in the filters of nodes and edges (semantics 4.2)."""

from pydantic import JsonValue

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


def talk() -> NodeInput:
    messages: list[dict[str, JsonValue]] = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "pin", "pinned": True},
        {"role": "assistant", "content": "ok"},
        {"role": "user", "content": "on"},
    ]
    return node_input(messages=chat(*messages))


def test_rules_on_roles_keep_what_is_pinned_and_explain_it() -> None:
    step = of_filter(block(rule("include", "assistant", target="messages")))
    assert shown(applied(step, talk())) == [1, 2]
    found = explained(step, talk())
    assert [each.code for each in found.warnings] == ["kept_pinned"]
    reasons = {each.index: (each.verdict, each.reason) for each in found.decisions}
    assert reasons[1] == ("kept", "pinned")
    assert reasons[3][0] == "dropped"


def test_a_pinned_result_keeps_its_call_where_a_rule_lets_no_assistant_pass() -> None:
    given = node_input(
        messages=chat(
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": None, "tool_calls": [{"id": "c"}]},
            {"role": "tool", "tool_call_id": "c", "content": "found", "pinned": True},
            {"role": "assistant", "content": "done"},
        )
    )
    step = of_filter(block(rule("include", "user", target="messages")))
    assert shown(applied(step, given)) == [0, 1, 2]


def test_what_lets_no_message_pass_passes_no_pins() -> None:
    assert shown(applied(of_edge(type="pass_none"), talk())) == []
    step = of_filter(
        block(rule("include", "x", target="history"), rule("exclude", "*", target="messages"))
    )
    assert shown(applied(step, talk())) == []


def test_operations_of_filters_keep_pins_unless_they_include_them() -> None:
    last: dict[str, JsonValue] = {"operation": "truncate", "truncate": {"keep_last": 1}}
    assert shown(applied(of_filter(let_pass(messages=[last])), talk())) == [1, 3]
    included = of_filter(let_pass(messages=[{**last, "include_pinned": True}]))
    assert shown(applied(included, talk())) == [3]
    budget: dict[str, JsonValue] = {
        "operation": "budget",
        "budget": {"max_tokens": 5, "target_tokens": 1, "keep_system": False},
    }
    assert 1 in shown(applied(of_filter(let_pass(messages=[budget])), talk()))


def test_a_document_travels_as_yaml_with_it() -> None:
    text = """
nodes:
  - id: a
    type: llm
    context_filter:
      messages:
        - {operation: truncate, truncate: {keep_last: 6}, include_pinned: true}
edges: []
"""
    document = load(text, default_name="x")
    assert load(dump(document), default_name="x") == document
    assert "include_pinned: true" in dump(document)
