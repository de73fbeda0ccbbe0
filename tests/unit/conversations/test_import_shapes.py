"""Conversations of other programs, each recognised as what it is and read into the chat form."""

import json
from typing import Any

import pytest
from pydantic import JsonValue

from conversations.domain.imports import traces
from conversations.domain.imports.files import read_file
from conversations.domain.imports.report import MOST_SHOWN, merge_reports
from conversations.domain.imports.shapes import (
    NAMES,
    TITLES,
    matches,
    read_any,
    read_only,
    recognise,
)
from conversations.domain.message import MOST_MESSAGES
from ctxadmin.lib.errors import ContextError, TooLarge, ValidationFailed
from tests.shape_examples import EXAMPLES, Example, example
from tests.unit.conversations.import_reading import (
    ANSWER,
    HELLO,
    QUESTION,
    bodies,
    example_of_a_run,
    lines,
    read,
    refused,
    turns,
)


@pytest.mark.parametrize("each", EXAMPLES, ids=str)
def test_an_example_is_recognised_as_its_shape_and_as_no_other(each: Example) -> None:
    assert matches(each.value) == ([] if each.in_envelope else [each.shape])
    found = recognise(each.value)
    assert found is not None
    assert found.name == each.shape


@pytest.mark.parametrize("each", EXAMPLES, ids=str)
def test_an_example_is_read_whole(each: Example) -> None:
    found = read(each.value)
    assert found.report.shape == each.shape
    assert found.report.messages == len(found.drafts)
    assert found.report.calls == sum(len(draft.call_ids) for draft in found.drafts)
    assert found.report.results == sum(draft.answers is not None for draft in found.drafts)
    said = "".join(text for _, text in turns(found))
    assert QUESTION in said or ANSWER in said or "look" in said or said.endswith("?")


@pytest.mark.parametrize("each", EXAMPLES, ids=str)
def test_an_example_in_a_line_of_jsonl_is_read_as_in_a_file_of_its_own(each: Example) -> None:
    alone = read(each.value)
    if each.name == "logs":  # records of one span, wherever they stand
        return
    found = read_file(lines([each.value, each.value]))
    if each.shape in ("langsmith", "opentelemetry"):  # the second one repeats the first
        assert [bodies(one) for one in found] == [bodies(alone)]
        return
    if each.name == "answer":  # a message by itself: both are those of one conversation
        assert [len(one.drafts) for one in found] == [2]
    else:
        assert [bodies(one) for one in found] == [bodies(alone)] * 2
        assert [one.line for one in found] == [1, 2]


@pytest.mark.parametrize("each", EXAMPLES, ids=str)
def test_a_shape_that_is_asked_for_is_the_one_that_reads(each: Example) -> None:
    assert bodies(read(each.value, each.shape)) == bodies(read(each.value))


@pytest.mark.parametrize(
    "each", [each for each in EXAMPLES if isinstance(each.value, list)], ids=str
)
def test_messages_in_lines_are_one_conversation(each: Example) -> None:
    assert isinstance(each.value, list)
    (found,) = read_file(lines(each.value))
    assert bodies(found) == bodies(read(each.value))


def test_several_conversations_of_several_shapes_stand_in_one_list() -> None:
    some = [("openai", "request"), ("anthropic", "request"), ("sharegpt", "plain")]
    values: list[JsonValue] = [example(*each) for each in some]
    assert [one.report.shape for one in read_any(values)] == [shape for shape, _ in some]
    with pytest.raises(ValidationFailed, match=r"3 conversations; .*import_conversations"):
        read_only(values)
    runs = [{**example_of_a_run(), "trace_id": str(number)} for number in range(2)]
    with pytest.raises(ValidationFailed, match=r"2 conversations \(LangSmith runs\)"):
        read_only([*runs])


def test_all_ten_shapes_have_examples_and_titles() -> None:
    assert {each.shape for each in EXAMPLES} == set(NAMES)
    assert len(NAMES) == 10
    assert {*NAMES, "ctxadmin"} == set(TITLES)


def test_a_value_of_no_shape_names_the_known_ones_and_the_nearest() -> None:
    error = refused({"contents": [{"role": "robot", "parts": []}]})
    assert all(TITLES[name] in error.detail for name in NAMES)
    assert error.detail.endswith("this is most like Gemini contents")
    assert "most like" not in refused({"thing": 1}).detail
    assert "most like LangChain" in refused({"lc": 1, "kwargs": {}}).detail


def test_a_shape_that_is_not_known_is_refused_with_the_known_ones() -> None:
    error = refused([HELLO], "word")
    assert error.problems[0].pointer == "?shape"
    assert "sharegpt" in error.detail


def test_a_shape_that_is_asked_for_names_what_does_not_fit() -> None:
    assert refused([HELLO], "gemini").problems[0].pointer == "/0/parts"
    error = refused([{"role": "robot", "parts": []}], "gemini")
    assert error.problems[0].pointer == "/0/role"
    assert refused({"messages": [HELLO]}, "langsmith").detail == "a run has a run_type"


def test_more_messages_than_a_conversation_may_have_are_refused() -> None:
    error = refused([HELLO] * (MOST_MESSAGES + 1))
    assert isinstance(error, TooLarge)
    assert error.limit == MOST_MESSAGES
    line = lines([HELLO])
    with pytest.raises(TooLarge, match=f"Line {MOST_MESSAGES + 1}"):
        read_file((line + b"\n") * (MOST_MESSAGES + 1))


def test_more_parts_than_any_message_has_are_refused_before_they_are_read() -> None:
    parts: list[JsonValue] = [{"text": ""}] * (MOST_MESSAGES + 1)
    error = refused({"contents": [{"role": "user", "parts": parts}]})
    assert isinstance(error, TooLarge)
    assert error.problems[0].pointer == "/contents/0/parts"


def test_a_trace_repeats_only_so_many_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traces, "MOST_MESSAGES", 3)
    run = example_of_a_run()  # of two messages
    assert len(read_any([run])) == 1
    assert isinstance(refused([run, run]), TooLarge)
    (found,) = read_file(lines([run, run]))  # each line by itself
    assert found.report.left_out_count == 1


def test_the_first_line_of_the_first_user_message_is_a_title() -> None:
    assert read(example("openai", "request")).suggested_title == "What is the weather in Oslo?"
    long = read([{"role": "user", "content": "word " * 40}])
    assert len(long.suggested_title) <= 80
    assert long.suggested_title.endswith("word…")
    assert read([{"role": "assistant", "content": "Hi"}]).suggested_title == ""


def test_orphans_and_calls_without_results_are_warned_of() -> None:
    function: JsonValue = {"name": "f", "arguments": "{}"}
    call: JsonValue = {"id": "a", "type": "function", "function": function}
    asked: JsonValue = {"role": "assistant", "content": None, "tool_calls": [call]}
    done: JsonValue = {"role": "tool", "tool_call_id": "b", "content": "x"}
    found = read([HELLO, asked, done, HELLO, asked])
    assert [(each.what, each.pointer) for each in found.report.warnings] == [
        ("tool_call_id", "/2"),
        ("tool_calls", "/1"),
    ]
    assert read([HELLO, asked]).report.warning_count == 0  # it may still get its result


def test_a_report_shows_some_kinds_and_counts_all() -> None:
    fields: dict[str, JsonValue] = {f"field-{n}": n for n in range(MOST_SHOWN * 3)}
    found = read({**fields, "messages": [HELLO]})
    assert found.metadata == fields
    assert len(found.report.taken) == MOST_SHOWN + 1
    assert sum(each.count for each in found.report.taken) == MOST_SHOWN * 3


def test_reports_of_one_shape_are_added_up() -> None:
    one = read(example("vercel_ui", "messages")).report
    both, other = merge_reports([one, read([HELLO]).report, one])
    assert (both.conversations, both.messages) == (2, one.messages * 2)
    assert both.left_out[0].count == one.left_out[0].count * 2
    assert (other.shape, other.is_plain) == ("openai", True)


# OpenAI


# Anthropic


# OpenAI Responses


# Vercel


# Gemini


# LangChain


# LangSmith and OpenTelemetry


# ShareGPT


# A half valid file


@pytest.mark.parametrize(
    "path",
    [
        ("openai", "request", "messages", 2, "tool_calls", 0, "id"),
        ("anthropic", "request", "messages", 2, "content", 0, "tool_use_id"),
        ("gemini", "request", "contents", 1, "parts", 1, "functionCall", "name"),
        ("langchain", "state", "messages", 1, "content"),
        ("langsmith", "run", "inputs", "messages", 0, 1, "kwargs", "content"),
        ("vercel_ui", "chat", "messages", 2, "parts", 5, "text"),
        ("vercel", "call", "messages", 1, "content", 1, "toolName"),
        ("responses", "request", "input", 2, "name"),
        ("sharegpt", "tools", "conversations", 0, "value"),
    ],
    ids=lambda path: path[0],
)
def test_what_is_wrong_in_the_middle_is_named_by_its_place(path: tuple[Any, ...]) -> None:
    shape, name, *way, last = path
    document = json.loads(json.dumps(example(shape, name)))
    here = document
    for step in way:
        here = here[step]
    here[last] = 5
    pointer = refused(document, shape).problems[0].pointer
    assert pointer == "".join(f"/{step}" for step in path[2:])
    with pytest.raises(ContextError, match=f"Line 2, {pointer}: "):
        read_file(lines([example(shape, name), document]), shape)


def test_where_an_object_is_missing_the_error_says_so() -> None:
    """Not that its place should be of the type of the field that was looked for in it."""
    part: JsonValue = {"functionCall": "look"}
    error = refused({"contents": [{"role": "model", "parts": [part]}]}, "gemini")
    (problem,) = error.problems
    assert problem.pointer == "/contents/0/parts/0/functionCall"
    assert problem.message == "this must be an object"


def test_an_unknown_part_of_gemini_is_left_out_and_reported() -> None:
    unknown: JsonValue = {"hologram": {"x": 1}, "thoughtSignature": "s"}
    found = read(
        {"contents": [{"parts": [{"text": "q"}, unknown]}, {"role": "model", "parts": [unknown]}]}
    )
    assert [each["content"] for each in bodies(found)] == ["q"]
    assert [(each.what, each.why, each.count) for each in found.report.left_out] == [
        ("hologram", "parts of this type are unknown", 2)
    ]
    assert found.report.left_out[0].pointer == "/contents/0/parts/1"
