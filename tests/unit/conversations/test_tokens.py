"""Counting tokens."""

import pytest
from pydantic import JsonValue

from conversations.domain.message import MessageDraft, read_logged
from conversations.domain.tokens import tokens_of_message, tokens_of_text
from tests.unit.conversations.chats import assistant, calls, message, user


def test_what_the_engine_reports_wins() -> None:
    assert tokens_of_message(user("x" * 1000, tokens=3)) == 3
    assert tokens_of_message(user("x", tokens=0)) == 0


# True figures of o200k_base, noted once; the estimate is to stay within a quarter of them.
@pytest.mark.parametrize(
    ("text", "true"),
    [
        ("The quick brown fox jumps over the lazy dog.", 10),
        ("You should deny user requests that are against this policy.", 11),
        ("上下文处理器节点不是大语言模型节点,它从不调用模型。", 17),
        ("只保留最近六条消息,隐藏所有工具结果。", 13),
        ('{"reservation_id": "4WQ150", "user_id": "chen_jackson_3290", "cabin": "business"}', 29),
        ("def index_at(self, position: int) -> int:\n    return self.runs[place][1]\n", 22),
        ("2026-01-31T09:12:33.004231Z", 16),
    ],
)
def test_the_estimate_is_near_the_true_figure(text: str, true: int) -> None:
    assert abs(tokens_of_text(text) - true) <= max(true / 4, 2)


def test_an_empty_text_has_no_tokens_and_a_message_has_its_frame() -> None:
    assert tokens_of_text("") == 0
    assert tokens_of_message(assistant("")) == 4


def test_tool_calls_count() -> None:
    assert tokens_of_message(calls("a", "b")) > tokens_of_message(calls("a")) > 8


def test_calls_without_a_function_count_as_their_json() -> None:
    call: JsonValue = {"id": "a", "type": "custom", "input": "word " * 50}
    draft = message("assistant", None, tool_calls=[call])
    assert tokens_of_message(draft) > 50


def test_what_only_a_provider_knows_of_a_call_is_not_counted() -> None:
    custom: dict[str, JsonValue] = {
        "id": "a",
        "type": "custom",
        "custom": {"name": "run", "input": "ls"},
    }
    fields: JsonValue = {"id": "ctc_1", "status": "completed"}
    kept: dict[str, JsonValue] = {"provider": {"format": "responses", "fields": fields}}
    plain = message("assistant", None, tool_calls=[custom])
    with_fields = message("assistant", None, tool_calls=[custom | kept])
    assert tokens_of_message(plain) == tokens_of_message(with_fields)


def test_a_picture_counts_a_flat_figure_whatever_its_bytes() -> None:
    def picture(data: str) -> MessageDraft:
        part: JsonValue = {"type": "image_url", "image_url": {"url": data}}
        return message("user", [{"type": "text", "text": "look"}, part])

    assert tokens_of_message(picture("data:" + "x" * 9000)) == tokens_of_message(picture("y"))


@pytest.mark.parametrize(
    ("part", "tokens"),
    [
        ({"type": "tool_use", "id": "toolu_01A09q90qw90lq917835lq9", "name": "f", "input": {}}, 10),
        ({"type": "tool_use", "id": "a", "name": "get_weather", "input": {"city": "Oslo"}}, 17),
        ({"type": "tool_result", "tool_use_id": "a", "content": "15 degrees"}, 10),
        ({"type": "tool_result", "content": [{"type": "text", "text": "15 degrees"}]}, 10),
        ({"type": "tool_result", "content": [{"type": "image", "source": {}}]}, 773),
        ({"type": "thinking", "thinking": "The user asks for the weather."}, 18),
        ({"type": "text", "text": "15 degrees"}, 2),
        ({"type": "image", "source": {"type": "base64", "data": "x" * 9000}}, 765),
        ({"type": "input_audio", "input_audio": {"data": "x" * 9000, "format": "wav"}}, 600),
        ({"type": "document", "source": {"type": "base64", "data": "x" * 9000}}, 1500),
    ],
)
def test_each_part_counts_as_what_it_is(part: JsonValue, tokens: int) -> None:
    draft = read_logged({"role": "assistant", "content": [part]})
    assert tokens_of_message(draft) - 4 == tokens
