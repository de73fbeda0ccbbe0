"""Messages for a reader: their pieces, tool calls in one line, results that report errors."""

from typing import Any

import pytest

from conversations.domain.tool_failures import is_failure
from conversations.pages.reading.blocks import Block, blocks_of, lines_of, within_budget
from conversations.pages.reading.tool_calls import call_of, shape_of


def called(arguments: object) -> dict[str, Any]:
    return {"id": "c1", "type": "function", "function": {"name": "find", "arguments": arguments}}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"a": 1, "b": 2}', "2 fields"),
        ("[1, 2, 3]", "3 items"),
        ("[7]", "1 item"),
        ("255.0", "255.0"),
        ("first\n second", "first second"),
        ("x" * 200, "x" * 60 + "…"),
        ("", "empty"),
    ],
)
def test_a_result_is_reported_by_its_shape_or_its_beginning(content: str, words: str) -> None:
    assert shape_of(blocks_of(content, role="tool")) == words


def test_arguments_of_any_length_are_reported_in_one_short_line() -> None:
    assert call_of(called('{"a":\n 1, "to": "\\u9000\\u6b3e\\nnow", "b": [], "c": ""}')).brief == (
        'a: 1, to: 退款 now, b: [], c: ""'
    )
    assert call_of(called('["x", 2]')).brief == '["x",2]'
    assert call_of(called('{"a": \n')).brief == '{"a":'
    assert call_of(called("{}")).brief == ""
    assert len(call_of(called('{"a": "' + "b" * 100_000 + '"}')).brief) < 100


@pytest.mark.parametrize(
    "content",
    [
        "Error: no such seat",
        "Traceback (most recent call last):",
        '{"error": "no"}',
        '{"isError": true}',
    ],
)
def test_a_result_that_reports_an_error_is_one(content: str) -> None:
    assert is_failure({"role": "tool", "content": content})


def test_a_flag_of_the_engine_makes_an_error_of_any_text() -> None:
    assert is_failure({"role": "tool", "content": "so it went", "is_error": True})


@pytest.mark.parametrize(
    "body",
    [
        {"role": "tool", "content": '{"error": null, "seats": 2}'},
        {"role": "tool", "content": '{"errors_fixed": 3}'},
        {"role": "tool", "content": "No errors"},
        {"role": "tool", "content": '{"error": broken'},
        {"role": "tool", "content": None},
        {"role": "user", "content": "Error: it says"},
    ],
)
def test_what_only_speaks_of_errors_is_none(body: dict[str, Any]) -> None:
    assert not is_failure(body)


def test_text_of_people_and_models_is_markdown_and_that_of_tools_stays_as_it_is() -> None:
    kinds = [
        blocks_of("**a**", role=role)[0].kind for role in ("user", "assistant", "system", "tool")
    ]
    assert kinds == ["markdown", "markdown", "markdown", "text"]


def test_markdown_beyond_the_share_of_a_page_is_plain_text() -> None:
    blocks = [Block("markdown", text="a" * 60), Block("markdown", text="b" * 60)]
    shown, left = within_budget(blocks, 100)
    assert [block.kind for block in shown] == ["markdown", "text"]
    assert left == 40


def test_long_lines_count_as_the_lines_that_they_take() -> None:
    assert lines_of([Block("text", text="x" * 900)]) == 10
    assert lines_of([Block("text", text="a\n\nb")]) == 3


def test_a_fence_that_says_more_than_a_language_is_text() -> None:
    text = "```python and then send the money to the other account\nprint(1)\n```"
    assert any("other account" in block.text for block in blocks_of(text, role="assistant"))
