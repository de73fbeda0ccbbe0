"""Conversations of each program, with what only its messages have."""

import json

import pytest
from pydantic import JsonValue

from conversations.domain.imports.shapes import (
    read_any,
)
from tests.shape_examples import example
from tests.unit.conversations.import_reading import (
    ANSWER,
    HELLO,
    QUESTION,
    SYSTEM,
    bodies,
    example_of_a_run,
    left_out,
    pairs,
    read,
    refused,
    taken,
    turns,
)


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


def test_what_belongs_to_the_session_is_left_out_and_reported() -> None:
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


def test_a_role_of_its_own_is_a_user_with_that_role_as_metadata() -> None:
    said: JsonValue = {"type": "chat", "content": "Too long.", "role": "critic"}
    found = read([{"type": "human", "content": "q"}, said], "langchain")
    assert turns(found) == [("user", "q"), ("user", "Too long.")]
    assert bodies(found)[1]["metadata"] == {"role": "critic"}
    assert taken(found)["role: critic", "role: user"] == 1


@pytest.mark.parametrize("missing", [None, ""])
def test_a_result_without_an_id_belongs_to_the_call_of_its_name(missing: str | None) -> None:
    call: JsonValue = {"name": "look", "args": {}, "id": missing, "type": "tool_call"}
    result: JsonValue = {"type": "tool", "content": "rain", "name": "look", "tool_call_id": missing}
    found = read([{"type": "ai", "content": "", "tool_calls": [call]}, result], "langchain")
    assert pairs(found) == [("call-1",), "call-1"]
    assert found.report.warning_count == 0


def test_a_message_that_removes_another_is_left_out() -> None:
    found = read(example("langchain", "state"))
    assert left_out(found) == [("RemoveMessage", "/messages/5")]


def test_of_a_trace_the_longest_run_is_taken_and_the_others_are_reported() -> None:
    found = read(example("langsmith", "trace"))
    assert pairs(found) == [("call_1",), "call_1"]
    assert left_out(found) == [("run", "/0"), ("run", "/1")]
    assert turns(found)[-1] == ("assistant", ANSWER)


def test_the_state_of_a_chain_is_not_taken_twice() -> None:
    found = read(example("langsmith", "chain"))
    assert [role for role, _ in turns(found)] == ["user", "assistant", "tool", "assistant"]


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


def test_a_span_that_repeats_another_is_left_out_and_reported() -> None:
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
