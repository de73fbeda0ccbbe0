"""Rule 1: what a message is."""

import json

import pytest
from pydantic import JsonValue, ValidationError

from conversations.domain.message import (
    MAX_BYTES,
    IncomingMessage,
    read_logged,
    read_message,
    read_messages,
    tools_message,
)
from ctxadmin.lib.errors import ContextError, TooLarge, ValidationFailed

CALL: JsonValue = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def refused(data: JsonValue) -> list[tuple[str, str]]:
    """The pointers and messages of a refusal."""
    with pytest.raises(ContextError) as caught:
        read_message(data, "/messages/0")
    return [
        (problem.pointer.removeprefix("/messages/0"), problem.message)
        for problem in caught.value.problems
    ]


def test_a_message_comes_back_as_it_came() -> None:
    data: dict[str, JsonValue] = {
        "zz": {"toolCalls": [1, None]},
        "role": "user",
        "content": "Grüße 你好\x00",
        "name": "Ada",
        "refusal": None,
        "metadata": {"nodeId": 1},
    }
    draft = read_message(data)
    assert json.loads(draft.body) == data
    assert list(json.loads(draft.body)) == list(data)


def test_fields_of_ours_are_not_part_of_the_body() -> None:
    data: JsonValue = {
        "id": "m-1",
        "role": "user",
        "tokens": 7,
        "nodeId": "n.1",
        "index": 3,
        "visible": True,
        "author": "x",
        "created_at": "y",
        "content": "a",
    }
    draft = read_message(data)
    assert draft.body == b'{"role":"user","content":"a"}'
    assert (draft.message_id, draft.reported_tokens, draft.node_id) == ("m-1", 7, "n.1")


def test_camel_case_names_of_the_contract_are_accepted_and_data_is_not_renamed() -> None:
    calls: JsonValue = [{"id": "a", "toolCallId": 1}]
    draft = read_message({"role": "assistant", "content": None, "toolCalls": calls})
    assert json.loads(draft.body) == {"role": "assistant", "content": None, "tool_calls": calls}
    assert draft.call_ids == ("a",)
    answer = read_message({"role": "tool", "toolCallId": "a", "content": "x"})
    assert answer.answers == "a"
    described = read_message({"role": "system", "content": "x", "toolDescription": True})
    assert described.tool_description


def test_two_spellings_of_one_field_are_refused() -> None:
    found = refused({"role": "tool", "content": "x", "toolCallId": "a", "tool_call_id": "a"})
    assert found == [("", "toolCallId and tool_call_id are two spellings of one field")]


def test_a_developer_message_keeps_its_role_and_counts_as_system() -> None:
    draft = read_message({"role": "developer", "content": "x"})
    assert (draft.role, draft.counts_as) == ("developer", "system")
    assert b'"developer"' in draft.body


def test_the_text_of_parts_is_their_concatenation() -> None:
    parts: JsonValue = [
        {"type": "text", "text": "ab"},
        {"type": "image_url", "image_url": {"url": "data:x"}, "text": "not this"},
        {"type": "text", "text": "cd"},
    ]
    draft = read_message({"role": "user", "content": parts})
    assert draft.text == "abcd"
    assert json.loads(draft.body)["content"] == parts


@pytest.mark.parametrize("role", ["user", "assistant", "tool"])
def test_an_empty_text_is_fine_from_all_but_the_system(role: str) -> None:
    extra: dict[str, JsonValue] = {"tool_call_id": "a"} if role == "tool" else {}
    contents: list[JsonValue] = ["", [], [{"type": "text", "text": ""}]]
    for content in contents:
        data: dict[str, JsonValue] = {"role": role, "content": content, **extra}
        assert read_message(data).text == ""


@pytest.mark.parametrize("role", ["system", "developer"])
@pytest.mark.parametrize("content", ["", [], [{"type": "text", "text": ""}]])
def test_an_empty_text_is_refused_from_the_system(role: str, content: JsonValue) -> None:
    found = refused({"role": role, "content": content})
    assert found == [("/content", "a system message must not be empty")]


def test_a_user_may_send_only_a_picture() -> None:
    draft = read_message({"role": "user", "content": [{"type": "image_url", "image_url": {}}]})
    assert draft.text == ""


def test_null_content_is_for_messages_with_tool_calls() -> None:
    assert read_message({"role": "assistant", "content": None, "tool_calls": [CALL]}).text == ""
    assert read_message({"role": "assistant", "tool_calls": [CALL]}).text == ""
    for role in ("assistant", "user", "system"):
        assert refused({"role": role, "content": None}) == [("/content", "this field is required")]
    assert refused({"role": "assistant", "tool_calls": []}) == [
        ("/content", "this field is required")
    ]


def test_a_tool_message_names_the_call_that_it_answers() -> None:
    assert refused({"role": "tool", "content": "x"}) == [
        ("/tool_call_id", "this field is required")
    ]
    assert refused({"role": "user", "content": "x", "tool_call_id": "a"}) == [
        ("/tool_call_id", "only a tool message has a tool_call_id")
    ]


def test_a_tool_result_may_be_a_list_of_parts() -> None:
    parts: JsonValue = [{"type": "text", "text": "found"}]
    assert read_message({"role": "tool", "tool_call_id": "a", "content": parts}).text == "found"


def test_every_tool_call_needs_an_id_of_its_own() -> None:
    assert refused({"role": "assistant", "tool_calls": [{"type": "function"}]}) == [
        ("/tool_calls/0/id", "this field is required")
    ]
    assert refused({"role": "assistant", "toolCalls": [CALL, CALL]}) == [
        ("/toolCalls", "two tool calls of one message have the same id")
    ]
    assert refused({"role": "user", "content": "x", "tool_calls": [CALL]})[0] == (
        "/tool_calls",
        "only an assistant message has tool_calls",
    )


def test_null_fields_of_the_contract_are_missing_and_come_back() -> None:
    data: JsonValue = {"role": "user", "content": "x", "tool_calls": None, "tool_call_id": None}
    draft = read_message(data)
    assert draft.call_ids == ()
    assert json.loads(draft.body) == data


def test_half_of_a_pair_is_no_tool_description() -> None:
    found = refused({"role": "assistant", "content": "x", "tool_description": True})
    assert found == [
        ("/tool_description", "an assistant or tool message is not a tool description")
    ]


@pytest.mark.parametrize(
    ("data", "pointer"),
    [
        (None, ""),
        ("text", ""),
        ([], ""),
        ({}, "/role"),
        ({"role": "function", "content": "x"}, "/role"),
        ({"role": "user", "content": 5}, "/content"),
        ({"role": "user", "content": {"type": "text"}}, "/content"),
        ({"role": "user", "content": ["x"]}, "/content/0"),
        ({"role": "user", "content": [{"text": "x"}]}, "/content/0/type"),
        ({"role": "user", "content": [{"type": "text"}]}, "/content/0"),
        ({"role": "user", "content": [{"type": "text", "text": 1}]}, "/content/0"),
        ({"role": "user", "content": "x", "name": 1}, "/name"),
        ({"role": "user", "content": "x", "metadata": []}, "/metadata"),
        ({"role": "user", "content": "x", "id": "a b"}, "/id"),
        ({"role": "user", "content": "x", "id": ""}, "/id"),
        ({"role": "user", "content": "x", "id": "a\n"}, "/id"),
        ({"role": "user", "content": "x", "id": "a" * 65}, "/id"),
        ({"role": "user", "content": "x", "tokens": -1}, "/tokens"),
        ({"role": "user", "content": "x", "tokens": 1.5}, "/tokens"),
        ({"role": "user", "content": "x", "tokens": True}, "/tokens"),
        ({"role": "user", "content": "x", "node_id": ""}, "/node_id"),
        ({"role": "user", "content": "x", "tool_description": "yes"}, "/tool_description"),
        ({"role": "assistant", "content": "x", "tool_calls": {}}, "/tool_calls"),
        ({"role": "assistant", "content": "x", "tool_calls": ["a"]}, "/tool_calls/0"),
        ({"role": "tool", "content": "x", "tool_call_id": ""}, "/tool_call_id"),
    ],
)
def test_a_wrong_field_is_named_by_its_pointer(data: JsonValue, pointer: str) -> None:
    assert [found for found, _ in refused(data)] == [pointer]


def test_a_message_of_one_mebibyte_is_read_and_one_byte_more_is_too_large() -> None:
    frame = len(b'{"role":"user","content":""}')
    assert len(read_message({"role": "user", "content": "x" * (MAX_BYTES - frame)}).body)
    with pytest.raises(TooLarge) as caught:
        read_message({"role": "user", "content": "x" * (MAX_BYTES - frame + 1)}, "/messages/4")
    assert caught.value.limit == MAX_BYTES
    assert [each.pointer for each in caught.value.problems] == ["/messages/4"]


def test_a_lone_surrogate_is_refused() -> None:
    with pytest.raises(ValidationFailed):
        read_message({"role": "user", "content": "\ud800"})


@pytest.mark.parametrize("data", [None, {}, []])
def test_a_list_of_messages_holds_at_least_one(data: JsonValue) -> None:
    with pytest.raises(ValidationFailed) as caught:
        read_messages(data)
    assert caught.value.problems[0].pointer == "/messages"


def test_a_wrong_message_of_a_list_is_named_by_its_pointer() -> None:
    with pytest.raises(ValidationFailed) as caught:
        read_messages([{"role": "user", "content": "x"}, {"role": "user"}])
    assert caught.value.problems[0].pointer == "/messages/1/content"


def test_the_tools_text_is_a_system_message_that_says_what_it_is() -> None:
    draft = tools_message("Tools: look")
    assert draft.tool_description
    assert (draft.role, draft.text) == ("system", "Tools: look")


@pytest.mark.parametrize(
    ("role", "part", "instead"),
    [
        ("assistant", {"type": "tool_use", "id": "a", "name": "f", "input": {}}, "tool_calls"),
        ("user", {"type": "tool_result", "tool_use_id": "a", "content": "15"}, "tool_call_id"),
        ("assistant", {"type": "tool-call", "toolCallId": "a", "toolName": "f"}, "tool_calls"),
        ("user", {"type": "tool-result", "toolCallId": "a"}, "tool_call_id"),
        ("user", {"type": "mcp_tool_result", "tool_use_id": "a"}, "tool_call_id"),
        ("user", {"type": "function_call_output", "call_id": "a"}, "tool_call_id"),
        ("assistant", {"type": "Server_Tool_Use", "id": "a"}, "tool_calls"),
        ("assistant", {"type": "function_call", "call_id": "a"}, "tool_calls"),
        ("assistant", {"type": "functionCall", "id": "a"}, "tool_calls"),
        ("user", {"type": "functionResponse", "id": "a"}, "tool_call_id"),
        ("assistant", {"type": "mcpToolUse", "id": "a"}, "tool_calls"),
        ("user", {"type": "toolResult", "toolUseId": "a"}, "tool_call_id"),
        ("assistant", {"type": "tool-invocation", "toolInvocation": {}}, "tool_calls"),
        ("assistant", {"type": "tool-getWeather", "toolCallId": "a"}, "tool_calls"),
        ("assistant", {"type": "dynamic-tool", "toolCallId": "a"}, "tool_calls"),
    ],
)
def test_calls_and_results_in_a_content_are_refused_as_no_pair_would_be_known(
    role: str, part: dict[str, JsonValue], instead: str
) -> None:
    said: JsonValue = {"role": role, "content": [{"type": "text", "text": "Look."}, part]}
    with pytest.raises(ValidationFailed, match=instead) as refusal:
        read_message(said, "/messages/3")
    assert refusal.value.problems[0].pointer == "/messages/3/content/1/type"
    assert read_logged(said).text == "Look."  # what was logged before can be read


@pytest.mark.parametrize(
    ("field", "value", "place"),
    [
        ("function_call", {"name": "f", "arguments": "{}"}, ""),
        ("toolInvocations", [{"toolCallId": "a", "state": "result"}], ""),
        ("parts", [{"type": "text", "text": "x"}, {"type": "tool-f"}], "/1/type"),
        ("parts", [{"type": "tool-invocation", "toolInvocation": {}}], "/0/type"),
    ],
)
def test_calls_in_other_fields_of_a_message_are_refused(
    field: str, value: JsonValue, place: str
) -> None:
    said: JsonValue = {"role": "assistant", "content": "Look.", field: value}
    with pytest.raises(ValidationFailed, match="put a call into tool_calls") as refusal:
        read_message(said, "/messages/3")
    assert refusal.value.problems[0].pointer == f"/messages/3/{field}{place}"
    assert read_logged(said).text == "Look."


@pytest.mark.parametrize(
    ("field", "value"),
    [("function_call", None), ("toolInvocations", []), ("parts", [{"type": "text"}, 1, "x"])],
)
def test_other_fields_of_a_message_without_calls_are_kept(field: str, value: JsonValue) -> None:
    (draft,) = read_messages([{"role": "assistant", "content": "Look.", field: value}])
    assert json.loads(draft.body)[field] == value


@pytest.mark.parametrize("kind", ["text", "search_result", "image_url", "thinking", "refusal"])
def test_parts_that_are_no_call_and_no_result_are_taken(kind: str) -> None:
    part: JsonValue = {"type": kind, "text": "x"}
    assert read_messages([{"role": "user", "content": [part]}])


@pytest.mark.parametrize("role", ["user", "assistant", "system", "tool", "developer", "king", 7])
@pytest.mark.parametrize(
    "content", ["x", "", "Grüße\x00", None, [], 7, [{"type": "text", "text": "a"}]]
)
def test_a_role_and_a_content_are_read_as_by_the_model(role: JsonValue, content: JsonValue) -> None:
    """What has no more is read without it."""
    data: dict[str, JsonValue] = {"role": role, "content": content}
    try:
        expected = IncomingMessage.model_validate(data).draft(data)
    except ValidationError:
        with pytest.raises(ValidationFailed):
            read_message(data)
    else:
        assert read_message(data) == expected
        assert read_message(dict(reversed(data.items()))).body != expected.body  # as it came
