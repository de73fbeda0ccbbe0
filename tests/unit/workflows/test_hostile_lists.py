"""Long lists of what is wrong: the first is reported, the others are not looked at."""

from collections.abc import Callable

import pytest
from pydantic import JsonValue

from conversations.api.schemas import AppendMessages, CreateConversation
from conversations.domain.configs import read_operation
from ctxadmin.lib.contract import parse
from ctxadmin.lib.errors import ValidationFailed
from workflows.api.schemas import ApplyFilters
from workflows.domain.context.prompt_context import PromptContext

ONES: list[JsonValue] = [1] * 1_000
PARTS = [{"role": "user", "content": ONES}]
CALLS = [{"role": "assistant", "tool_calls": ONES}]
INSERT: JsonValue = {"operation": "insert", "insert": {"position": 0, "messages": ONES}}


@pytest.mark.parametrize(
    ("read", "pointer"),
    [
        (lambda: PromptContext.read({"history": ONES}), "/history/0"),
        (lambda: parse(CreateConversation, {"messages": ONES}), "/messages/0"),
        (lambda: parse(AppendMessages, {"messages": ONES}), "/messages/0"),
        (lambda: parse(AppendMessages, {"messages": PARTS}), "/messages/0/content/0"),
        (lambda: parse(AppendMessages, {"messages": CALLS}), "/messages/0/tool_calls/0"),
        (
            lambda: parse(ApplyFilters, {"context": {}, "messages": ONES, "steps": []}),
            "/messages/0",
        ),
        (lambda: read_operation(INSERT), "/insert/messages/0"),
    ],
)
def test_only_the_first_of_many_wrong_items_is_looked_at(
    read: Callable[[], object], pointer: str
) -> None:
    with pytest.raises(ValidationFailed) as refusal:
        read()
    assert [each.pointer for each in refusal.value.problems] == [pointer]
