"""The prompt context: how it is read, and how a state becomes one."""

import pytest
from pydantic import JsonValue

from ctxadmin.lib.errors import TooLarge, ValidationFailed
from workflows.domain.context.prompt_context import MAX_NAMES, HistoryEntry, PromptContext


def test_data_of_a_context_stays_as_it_came() -> None:
    data: JsonValue = {
        "template": "T",
        "variables": {"keepFirst": {"nodeId": [1, None]}, "a.b": None},
        "history": [
            {
                "node_id": "n",
                "prompt": "p",
                "response": {"toolCalls": []},
                "timestamp": 5,
                "metadata": {"toolCall": True},
            }
        ],
        "metadata": {"humanInteraction": 1},
    }
    assert PromptContext.read(data).as_json() == data


def test_a_context_is_read_in_both_spellings_and_its_parts_may_be_missing() -> None:
    read = PromptContext.read({"history": [{"nodeId": "n"}], "variables": None})
    assert read == PromptContext(history=(HistoryEntry("n"),))


@pytest.mark.parametrize(
    ("data", "pointer"),
    [
        ({"variables": []}, "/c/variables"),
        ({"template": 1}, "/c/template"),
        ({"history": [{}]}, "/c/history/0/node_id"),
        ({"history": [{"node_id": "n", "metadata": "x"}]}, "/c/history/0/metadata"),
        ({"metdata": {}}, "/c/metdata"),
        ([], "/c"),
    ],
)
def test_a_context_of_a_wrong_shape_is_refused(data: JsonValue, pointer: str) -> None:
    with pytest.raises(ValidationFailed) as caught:
        PromptContext.read(data, "/c")
    assert pointer in [problem.pointer for problem in caught.value.problems]


def test_a_context_of_too_many_names_is_too_large() -> None:
    names = {str(number): None for number in range(MAX_NAMES + 1)}
    with pytest.raises(TooLarge) as caught:
        PromptContext.read({"variables": names}, "/c")
    assert caught.value.problems[0].pointer == "/c/variables"


def test_the_context_of_a_state_leaves_out_messages_and_history() -> None:
    context = PromptContext.of_state(
        {"user_input": "hi", "messages": [], "execution_history": [], "a_output": {"x": 1}},
        [
            {"node_id": "a", "status": "COMPLETED", "prompt": "p", "response": "r", "version": 1},
            {"node_id": "b", "status": "FAILED"},
            {"node_id": "c", "metadata": {"k": 1}, "timestamp": "2026"},
        ],
        template="T",
        conversation_metadata={"a": 1, "b": 1},
        execution_metadata={"b": 2},
    )
    assert context.variables == {"user_input": "hi", "a_output": {"x": 1}}
    assert context.history == (
        HistoryEntry("a", "p", "r"),
        HistoryEntry("c", timestamp="2026", metadata={"k": 1}),
    )
    assert context.metadata == {"a": 1, "b": 2}
    assert context.template == "T"
