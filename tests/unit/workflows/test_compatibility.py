"""Whether what a node sees is enough for it."""

from collections.abc import Mapping
from typing import Any

import pytest
from pydantic import JsonValue

from conversations.domain.message import read_messages
from conversations.domain.view import View
from ctxadmin.lib.errors import IncompatibleContext
from workflows.domain.checks.compatibility import MissingContext, find_missing_context
from workflows.domain.context.prompt_context import Messages, NodeInput, PromptContext
from workflows.domain.document.graph import Node

Message = Mapping[str, JsonValue]

USER: Message = {"role": "user", "content": "hi"}
RESULT: Message = {"role": "tool", "tool_call_id": "c1", "content": "42"}


def call(*names: str) -> Message:
    calls: list[JsonValue] = [{"id": name, "type": "function"} for name in names]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def node_input(*messages: Message, shown: list[int] | None = None, **variables: Any) -> NodeInput:
    read = Messages.of(read_messages([dict(each) for each in messages]) if messages else ())
    if shown is not None:
        read = read.with_view(View.of_indices(shown))
    named = {name.replace("__", "."): value for name, value in variables.items()}
    return NodeInput(PromptContext(variables=named), read)


def lack(kind: str, seen: NodeInput, node_type: str = "step") -> MissingContext | None:
    return find_missing_context(Node(id="n", type=node_type), kind, seen)


def test_a_model_needs_a_variable_or_a_visible_message() -> None:
    found = lack("llm_context", node_input())
    assert found is not None
    assert found.missing == ("variables", "messages")
    assert lack("llm_context", node_input(USER)) is None
    assert lack("llm_context", node_input(llm__model=1)) is None
    assert lack("llm_context", node_input(USER, shown=[])) is not None


@pytest.mark.parametrize("name", ["tool__name", "function__x", "tool", "function"])
def test_a_variable_of_a_tool_or_a_function_is_enough_for_a_tool(name: str) -> None:
    variables: dict[str, Any] = {name: 1}
    assert lack("tool_context", node_input(**variables)) is None


def test_other_variables_are_not_enough_for_a_tool() -> None:
    found = lack("tool_context", node_input(USER, tools=1, toolbox__x=1))
    assert found is not None
    assert found.missing == ("tool.*", "function.*", "tool_calls")


def test_an_unanswered_call_is_enough_for_a_tool() -> None:
    assert lack("tool_context", node_input(USER, call("c1"))) is None
    assert lack("tool_context", node_input(USER, call("c1", "c2"), RESULT)) is None


def test_an_answered_or_a_hidden_call_is_not_enough_for_a_tool() -> None:
    assert lack("tool_context", node_input(USER, call("c1"), RESULT)) is not None
    assert lack("tool_context", node_input(USER, call("c1"), shown=[0])) is not None


@pytest.mark.parametrize(
    "kind",
    [
        "pass_through",
        "filter_in",
        "filter_out",
        "transform",
        "isolate",
        "merge",
        "human_context",
        "system_context",
        "custom_processor",
    ],
)
def test_the_other_types_need_nothing(kind: str) -> None:
    assert lack(kind, node_input()) is None


def test_what_a_model_would_reject_is_named_by_its_indices() -> None:
    seen = node_input(USER, call("c1"), RESULT, shown=[0, 2])
    found = lack("llm_context", seen)
    assert found is not None
    assert found.indices == (2,)


def test_an_llm_node_of_another_context_type_calls_a_model_too() -> None:
    seen = node_input(USER, call("c1"), RESULT, shown=[0, 1])
    assert lack("pass_through", seen, "llm") is not None
    assert lack("pass_through", seen, "decision") is None


def test_whole_pairs_are_no_lack() -> None:
    assert lack("llm_context", node_input(USER, call("c1"), RESULT)) is None


def test_the_refusal_carries_what_is_missing() -> None:
    found = lack("llm_context", node_input())
    assert found is not None
    refusal = found.refusal()
    assert isinstance(refusal, IncompatibleContext)
    assert refusal.extra() == {"missing": ["variables", "messages"], "indices": []}
