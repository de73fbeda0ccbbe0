"""Conversations of other programs, each recognised as what it is and read into the chat form."""

import json
from collections.abc import Sequence
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
from conversations.domain.imports.transcript import ImportedConversation
from conversations.domain.message import MOST_MESSAGES
from ctxadmin.lib.errors import ContextError, TooLarge, ValidationFailed
from tests.shape_examples import EXAMPLES, Example, example

QUESTION = "What is the weather in Oslo?\nAnd tomorrow?"
ANSWER = "It is 15 degrees in Oslo."
SYSTEM = "You answer questions about the weather."
HELLO: JsonValue = {"role": "user", "content": "Hello?"}


def read(value: JsonValue, shape: str | None = None) -> ImportedConversation:
    return read_only(value, shape)


def bodies(found: ImportedConversation) -> list[dict[str, Any]]:
    return [json.loads(draft.body) for draft in found.drafts]


def turns(found: ImportedConversation) -> list[tuple[str, str]]:
    """The roles and texts of the messages."""
    return [(draft.role, draft.text) for draft in found.drafts]


def pairs(found: ImportedConversation) -> list[str | tuple[str, ...]]:
    """The ids of calls and of the results, in their order."""
    ids: list[str | tuple[str, ...]] = []
    for draft in found.drafts:
        ids += [draft.call_ids] if draft.call_ids else []
        ids += [draft.answers] if draft.answers else []
    return ids


def taken(found: ImportedConversation) -> dict[tuple[str, str], int]:
    return {(each.source, each.target): each.count for each in found.report.taken}


def left_out(found: ImportedConversation) -> list[tuple[str, str]]:
    return [(each.what, each.pointer) for each in found.report.left_out]


def refused(value: JsonValue, shape: str | None = None) -> ContextError:
    with pytest.raises(ContextError) as caught:
        read_any(value, shape)
    return caught.value


def lines(values: Sequence[JsonValue]) -> bytes:
    return b"\n".join(json.dumps(value).encode() for value in values)


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


@pytest.mark.parametrize(
    "fields",
    [
        {"from": "x", "value": "y"},
        {"parts": []},
        {"parts": [{"text": "x"}]},
        {"type": "message", "data": {}},
        {"kwargs": {}, "lc": "x"},
    ],
    ids=str,
)
def test_a_chat_message_with_fields_of_other_shapes_stays_as_it_is(
    fields: dict[str, JsonValue],
) -> None:
    asked: dict[str, JsonValue] = {"role": "user", "content": "Hello?", **fields}
    done: JsonValue = {"role": "tool", "content": "x", "tool_call_id": "a", "parts": []}
    assert bodies(read([asked, done])) == [asked, done]
    assert read([asked]).report.shape == "openai"


# OpenAI


def test_function_calls_get_ids_and_their_results_by_name() -> None:
    found = read(example("openai", "functions"))
    assert pairs(found) == [("call-1",), "call-1"]
    assert bodies(found)[2]["name"] == "weather"
    assert json.loads(found.tools or "")[0]["function"]["name"] == "weather"
    assert taken(found)["function_call", "tool_calls"] == 1


def test_results_of_functions_find_the_oldest_call_with_their_name() -> None:
    def call(name: str) -> JsonValue:
        return {"role": "assistant", "function_call": {"name": name, "arguments": "{}"}}

    def done(name: str) -> JsonValue:
        return {"role": "function", "name": name, "content": name}

    found = read([call("f"), call("g"), call("f"), done("f"), done("g"), done("f"), done("h")])
    assert pairs(found) == [
        ("call-1",), ("call-2",), ("call-3",), "call-1", "call-2", "call-3", "call-4",
    ]  # fmt: skip
    assert found.report.warning_count == 1  # h was never called


def test_null_contents_are_what_was_said_instead() -> None:
    assert bodies(read(example("openai", "refusal")))[1]["content"] == [
        {"type": "refusal", "refusal": "I can't."}
    ]
    spoken = bodies(read(example("openai", "audio")))[1]
    assert spoken["content"] == "Hello!"
    assert spoken["audio"]["id"] == "audio_1"
    assert turns(read([HELLO, {"role": "assistant", "content": None}]))[1] == ("assistant", "")
    assert refused([{"role": "user", "content": None}]).problems[0].pointer == "/0/content"


def test_a_request_and_its_answer_are_one_conversation() -> None:
    found = read(example("openai", "logged"))
    assert turns(found) == [("system", SYSTEM), ("user", QUESTION), ("assistant", ANSWER)]
    assert left_out(found) == [("choices", "/response/choices/1")]
    assert found.metadata["finish_reason"] == "stop"


def test_of_two_preferred_answers_the_other_one_is_metadata() -> None:
    found = read(example("openai", "preference"))
    assert turns(found) == [("user", QUESTION), ("assistant", ANSWER)]
    assert found.metadata["non_preferred_output"] == [{"role": "assistant", "content": "Cold."}]


def test_a_line_of_a_batch_that_failed_is_refused_or_left_out() -> None:
    line: dict[str, JsonValue] = {
        "custom_id": "one",
        "response": {"status_code": 400, "body": {"error": {"message": "no"}}},
    }
    assert refused(line).problems[0].pointer == "/response"
    found = read({**line, "body": {"messages": [HELLO]}})
    assert left_out(found) == [("response", "/response")]
    assert found.metadata == {"custom_id": "one"}


# Anthropic


def test_an_anthropic_system_text_is_the_first_message() -> None:
    found = read(example("anthropic", "request"))
    assert turns(found)[0] == ("system", SYSTEM)
    assert "system" not in found.metadata
    assert found.metadata == {"model": "claude-sonnet-4-5", "max_tokens": 1024}
    assert json.loads(found.tools or "")[0]["name"] == "weather"


def test_anthropic_tool_blocks_are_calls_and_results_and_thinking_stays() -> None:
    found = bodies(read(example("anthropic", "request")))
    assert [each["role"] for each in found] == [
        "system", "user", "assistant", "tool", "user", "assistant",
    ]  # fmt: skip
    used = found[2]
    assert [part["type"] for part in used["content"]] == ["thinking", "text"]
    assert used["content"][0]["signature"] == "abc="
    assert json.loads(used["tool_calls"][0]["function"]["arguments"]) == {"city": "Oslo"}
    assert found[3]["tool_call_id"] == used["tool_calls"][0]["id"] == "toolu_1"


def test_a_server_tool_of_anthropic_is_a_pair_within_its_turn() -> None:
    found = read(example("anthropic", "server_tool"))
    assert pairs(found) == [("srvtoolu_1",), "srvtoolu_1"]
    assert turns(found)[-1] == ("assistant", ANSWER)
    assert "example.org" in bodies(found)[2]["content"]


def test_a_tool_block_without_its_fields_is_named() -> None:
    block: JsonValue = {"type": "tool_use", "id": "a", "input": {}}
    error = refused([HELLO, {"role": "assistant", "content": [block]}])
    assert error.problems[0].pointer == "/1/content/0/name"


# OpenAI Responses


def test_items_of_one_turn_are_one_message() -> None:
    found = bodies(read(example("responses", "request")))
    assert [each["role"] for each in found] == ["system", "user", "assistant", "tool", "assistant"]
    assert found[2]["content"][0]["encrypted_content"] == "abc="
    assert [call["id"] for call in found[2]["tool_calls"]] == ["call_1"]


def test_calls_in_a_row_join_the_text_before_them() -> None:
    text: JsonValue = {"type": "message", "role": "assistant", "content": "I look."}
    call: list[JsonValue] = [
        {"type": "function_call", "call_id": name, "name": "f", "arguments": "{}"}
        for name in ("a", "b")
    ]
    done: list[JsonValue] = [
        {"type": "function_call_output", "call_id": name, "output": name} for name in ("a", "b")
    ]
    found = read([HELLO, text, *call, *done, text])
    assert pairs(found) == [("a", "b"), "a", "b"]
    assert [role for role, _ in turns(found)] == ["user", "assistant", "tool", "tool", "assistant"]


def test_what_belongs_to_the_session_is_left_out_and_told() -> None:
    found = read(example("responses", "response"))
    assert left_out(found) == [("mcp_list_tools", "/output/2")]
    assert pairs(found) == [("ws_1",), "ws_1"]
    assert found.conversation_id == "resp_1"


def test_pictures_and_files_of_responses_are_those_of_chats() -> None:
    content: list[JsonValue] = [
        {"type": "input_text", "text": "?"},
        {"type": "input_image", "image_url": "https://example.org/a.png", "detail": "low"},
        {"type": "input_file", "file_id": "file-1"},
    ]
    found = read({"input": [{"role": "user", "content": content}]})
    assert bodies(found)[0]["content"] == [
        {"type": "text", "text": "?"},
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png", "detail": "low"}},
        {"type": "file", "file": {"file_id": "file-1"}},
    ]


# Vercel


def test_steps_of_a_page_are_messages_with_their_results_behind_them() -> None:
    found = read(example("vercel_ui", "messages"))
    assert [role for role, _ in turns(found)] == [
        "system", "user", "assistant", "tool", "tool", "assistant",
    ]  # fmt: skip
    assert pairs(found) == [("call_1", "call_2"), "call_1", "call_2"]
    assert bodies(found)[4]["is_error"] is True
    assert [draft.message_id for draft in found.drafts] == ["u1", "u2", "u3", None, None, None]


def test_calls_beside_the_content_of_a_page_come_before_it() -> None:
    found = read(example("vercel_ui", "former"))
    assert [role for role, _ in turns(found)] == ["user", "assistant", "tool", "assistant"]
    assert turns(found)[-1] == ("assistant", ANSWER)


def test_a_call_of_a_page_that_waits_has_no_result() -> None:
    part: JsonValue = {
        "type": "tool-f",
        "toolCallId": "a",
        "state": "input-available",
        "input": {},
    }
    found = read([{"id": "m", "role": "assistant", "parts": [part]}])
    assert pairs(found) == [("a",)]


def test_model_messages_have_their_results_unwrapped() -> None:
    found = read(example("vercel", "messages"))
    assert pairs(found) == [("call_1", "call_2"), "call_1", "call_2", "call_9"]
    assert turns(found)[3] == ("tool", '{"degrees":15}')
    assert bodies(found)[4]["metadata"] == {"output_type": "error-text"}
    assert found.report.warning_count == 1
    assert turns(read(example("vercel", "call")))[0] == ("system", "You answer questions.")


# Gemini


def test_calls_of_gemini_get_ids_and_results_by_name() -> None:
    found = read(example("gemini", "request"))
    assert pairs(found) == [("call-1",), "call-1"]
    assert turns(found)[0] == ("system", SYSTEM)
    assert bodies(found)[2]["content"] == [{"type": "reasoning", "text": "They want the weather."}]
    assert bodies(found)[2]["tool_calls"][0]["thoughtSignature"] == "YWJj"
    picture = bodies(found)[1]["content"][1]["image_url"]["url"]
    assert picture.startswith("data:image/png;base64,")


def test_code_that_gemini_ran_is_a_pair() -> None:
    found = read(example("gemini", "code"))
    assert pairs(found) == [("call-1",), "call-1"]
    assert turns(found)[2:] == [("tool", "15\n"), ("assistant", ANSWER)]


# LangChain


@pytest.mark.parametrize("name", ["dumpd", "to_dict", "model_dump"])
def test_a_dump_of_langchain_is_the_same_conversation_in_each_form(name: str) -> None:
    found = read(example("langchain", name))
    assert bodies(found) == bodies(read(example("langchain", "dumpd")))
    assert pairs(found) == [("call_1",), "call_1"]  # the block repeats the call
    assert turns(found)[2] == ("assistant", "I look.")
    assert bodies(found)[2]["metadata"]["usage_metadata"]["total_tokens"] == 17
    assert found.drafts[2].message_id == "lc_run--1"


def test_an_invalid_call_of_langchain_keeps_its_text() -> None:
    (call,) = bodies(read(example("langchain", "invalid_call")))[1]["tool_calls"]
    assert call["function"]["arguments"] == "{"
    assert call["error"] == "no JSON"


def test_a_message_that_removes_another_is_left_out() -> None:
    found = read(example("langchain", "state"))
    assert left_out(found) == [("RemoveMessage", "/messages/5")]


# LangSmith and OpenTelemetry


def test_of_a_trace_the_longest_run_is_taken_and_the_others_are_told() -> None:
    found = read(example("langsmith", "trace"))
    assert pairs(found) == [("call_1",), "call_1"]
    assert left_out(found) == [("run", "/0"), ("run", "/1")]
    assert turns(found)[-1] == ("assistant", ANSWER)


def test_the_state_of_a_chain_is_not_taken_twice() -> None:
    found = read(example("langsmith", "chain"))
    assert [role for role, _ in turns(found)] == ["user", "assistant", "tool", "assistant"]


def example_of_a_run() -> dict[str, JsonValue]:
    run = example("langsmith", "wrapped")
    assert isinstance(run, dict)
    return run


def test_runs_of_different_traces_are_conversations_of_their_own() -> None:
    run = example_of_a_run()
    other = {**run, "trace_id": "another", "id": "r-2"}
    assert len(read_any([run, other])) == 2


@pytest.mark.parametrize("name", ["attributes", "events", "indexed", "logs"])
def test_spans_are_read_from_attributes_events_and_logs(name: str) -> None:
    found = read(example("opentelemetry", name))
    assert turns(found)[-1] == ("assistant", ANSWER)
    assert QUESTION in [text for _, text in turns(found)]
    if name != "logs":
        assert pairs(found) == [("call_1",), "call_1"]
        assert found.metadata["gen_ai.request.model"] == "gpt-5"


def test_a_span_that_repeats_another_is_left_out_and_told() -> None:
    found = read(example("opentelemetry", "attributes"))
    spans = "/resourceSpans/0/scopeSpans/0/spans"
    assert left_out(found) == [("span", f"{spans}/0"), ("span", f"{spans}/2")]


def test_spans_without_texts_are_refused_with_the_reason() -> None:
    span: JsonValue = {"name": "chat", "traceId": "1", "spanId": "2", "attributes": []}
    value: JsonValue = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    assert "were not recorded" in refused(value).detail


def test_a_wrong_message_in_a_span_is_named_by_its_attribute() -> None:
    said = json.dumps([{"role": "user", "parts": [{"type": "text", "content": 5}]}])
    attribute: JsonValue = {"key": "gen_ai.input.messages", "value": {"stringValue": said}}
    span: JsonValue = {"traceId": "1", "spanId": "2", "attributes": [attribute]}
    error = refused({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})
    pointer = "/resourceSpans/0/scopeSpans/0/spans/0/attributes/0/value"
    assert error.problems[0].pointer == pointer


# ShareGPT


def test_tools_of_sharegpt_are_pairs() -> None:
    found = read(example("sharegpt", "tools"))
    assert [role for role, _ in turns(found)] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert pairs(found) == [("call-1",), "call-1"]
    assert found.tools == '[{"name": "weather"}]'


def test_calls_in_the_text_of_an_answer_are_pairs_if_they_can_be_read() -> None:
    found = read(example("sharegpt", "tagged"))
    assert pairs(found) == [("call-1",), "call-1"]
    assert turns(found)[2] == ("assistant", "I look.")
    broken = "<tool_call>{</tool_call>"
    kept = read({"conversations": [{"from": "gpt", "value": broken}]})
    assert turns(kept) == [("assistant", broken)]


def test_a_turn_of_an_unknown_speaker_is_named() -> None:
    error = refused({"conversations": [{"from": "narrator", "value": "x"}]})
    assert error.problems[0].pointer == "/conversations/0/from"
    assert "human" in error.detail


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
