"""What was appended in a provider's format is given back in it, its own fields included."""

from collections.abc import Callable
from typing import Any

import pytest

from conversations.domain.formats.formats import FORMATS
from tests.factories import Api, conversation
from tests.integration.checkpoints.flows import Run, ok, refused
from tests.openapi import CheckedApi
from tests.shape_examples import example

pytestmark = pytest.mark.django_db

CACHED = {"type": "ephemeral"}
KEPT = {"anthropic": {"cacheControl": CACHED}}
MESSAGES: dict[str, list[Any]] = {
    "openai": [
        {"role": "user", "content": [{"type": "text", "text": "q"}]},
        {"role": "assistant", "content": None, "audio": {"id": "audio_1", "transcript": "Hello"}},
        {"role": "user", "content": "Say more."},
        {"role": "assistant", "content": None, "refusal": "No."},
        {"role": "assistant", "content": None, "refusal": None, "audio": {"id": "audio_2"}},
    ],
    "anthropic": [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "q", "cache_control": CACHED},
                {"type": "container_upload", "file_id": "file_1"},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "a", "name": "look", "input": {}},
                {"type": "text", "text": "Wait."},
                {
                    "type": "tool_use",
                    "id": "b",
                    "name": "look",
                    "input": {"n": 1.5},
                    "cache_control": CACHED,
                    "caller": {"type": "direct"},
                },
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "tool_use", "id": "c", "name": "look", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "a",
                    "content": [{"type": "tool_reference", "tool_name": "look"}],
                    "is_error": False,
                    "cache_control": CACHED,
                },
                {"type": "tool_result", "tool_use_id": "b"},
                {
                    "type": "tool_result",
                    "tool_use_id": "c",
                    "content": [{"type": "text", "text": "found", "cache_control": CACHED}],
                },
            ],
        },
    ],
    "responses": [
        {
            "type": "message",
            "id": "msg_0",
            "role": "user",
            "status": "completed",
            "content": [
                {"type": "input_text", "text": "q"},
                {"type": "input_image", "image_url": "https://example.org/a.png"},
                {"type": "input_image", "file_id": "file_1", "detail": "auto"},
            ],
        },
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "phase": "commentary",
            "content": [{"type": "output_text", "text": "Wait.", "annotations": []}],
        },
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "a",
            "name": "look",
            "arguments": '{"n": 1}',
            "status": "completed",
        },
        {
            "type": "custom_tool_call",
            "id": "ctc_1",
            "call_id": "b",
            "name": "run",
            "input": "ls",
            "status": "completed",
        },
        {
            "type": "function_call_output",
            "id": "fco_1",
            "call_id": "a",
            "output": [{"type": "input_text", "text": "found"}],
            "status": "completed",
        },
        {"type": "custom_tool_call_output", "id": "cto_1", "call_id": "b", "output": "files"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "so?"}]},
    ],
    "vercel": [
        {"role": "system", "content": "s", "providerOptions": KEPT},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "q", "providerOptions": KEPT},
                {
                    "type": "file",
                    "mediaType": "image/png",
                    "filename": "a.png",
                    "data": "data:image/png;base64,aGk=",
                },
                {"type": "image", "image": "aGk=", "mediaType": "image/png"},
                {"type": "file", "mediaType": "audio/wav", "data": "aGk=", "providerOptions": KEPT},
                {"type": "file", "mediaType": "application/pdf", "data": "https://example.org/a"},
            ],
            "providerOptions": KEPT,
        },
        {
            "role": "assistant",
            "content": [
                {"type": "reasoning", "text": "hm", "providerOptions": KEPT},
                {
                    "type": "tool-call",
                    "toolCallId": "s",
                    "toolName": "search",
                    "input": {},
                    "providerExecuted": True,
                },
                {
                    "type": "tool-result",
                    "toolCallId": "s",
                    "toolName": "search",
                    "output": {"type": "json", "value": [1]},
                },
                {
                    "type": "tool-call",
                    "toolCallId": "a",
                    "toolName": "look",
                    "input": {"n": 1},
                    "providerOptions": KEPT,
                },
                {"type": "text", "text": "and"},
                {"type": "tool-call", "toolCallId": "b", "toolName": "look", "input": {}},
                {"type": "tool-call", "toolCallId": "c", "toolName": "look", "input": {}},
                {"type": "tool-call", "toolCallId": "d", "toolName": "look", "input": {}},
            ],
        },
        *(
            {
                "role": "tool",
                "content": [
                    {
                        "type": "tool-result",
                        "toolCallId": call,
                        "toolName": "look",
                        "output": output,
                        **more,
                    }
                ],
            }
            for call, output, more in (
                ("a", {"type": "json", "value": {"n": [1.0, None]}}, {"providerOptions": KEPT}),
                ("b", {"type": "error-json", "value": {"why": "no"}}, {}),
                ("c", {"type": "execution-denied", "reason": "not now"}, {}),
                (
                    "d",
                    {
                        "type": "content",
                        "value": [
                            {"type": "text", "text": "see"},
                            {"type": "image-data", "data": "aGk=", "mediaType": "image/png"},
                            {"type": "file-id", "fileId": "f"},
                        ],
                    },
                    {},
                ),
            )
        ),
        {"role": "assistant", "content": [{"type": "text", "text": "done"}]},
    ],
}


def given_back(api: Api, name: str, messages: list[Any], **more: Any) -> Any:
    run = Run(api, conversation())
    ok(run.post(f"messages?format={name}", {"messages": messages, **more}))
    return ok(run.get(f"messages?format={name}"))


@pytest.mark.parametrize("name", FORMATS)
def test_what_only_the_provider_knows_of_messages_calls_and_results_comes_back(name: str) -> None:
    found = given_back(CheckedApi(), name, MESSAGES[name])
    assert found["messages"] == MESSAGES[name]
    assert found["warnings"] == []


@pytest.mark.parametrize("name", FORMATS)
def test_a_whole_export_keeps_what_only_the_provider_knows(name: str) -> None:
    api = CheckedApi()
    run = Run(api, conversation())
    ok(run.post(f"messages?format={name}", {"messages": MESSAGES[name]}))
    made = ok(api.post("/conversations/import", ok(run.get("export"))))
    found = ok(api.get(f"/conversations/{made['id']}/messages?format={name}"))
    assert found["messages"] == MESSAGES[name]


@pytest.mark.parametrize("other", FORMATS)
@pytest.mark.parametrize("name", FORMATS)
def test_another_format_has_the_pairs_and_names_what_it_leaves_out(name: str, other: str) -> None:
    if name == other:
        return
    run = Run(Api(), conversation())
    ok(run.post(f"messages?format={name}", {"messages": MESSAGES[name]}))
    found = ok(run.get(f"messages?format={other}"))
    codes = {each["code"] for each in found["warnings"]}
    assert "field_left_out" in codes or name == "openai"
    assert not codes & {"unanswered_call", "orphan_result"}
    assert "'provider'" not in str(found)


@pytest.mark.parametrize(
    ("name", "shape", "of"),
    [
        ("openai", "openai", "messages"),
        ("anthropic", "anthropic", "messages"),
        ("responses", "responses", "items"),
        ("vercel", "vercel", "messages"),
    ],
)
def test_what_the_libraries_write_comes_back_but_for_what_the_rule_lists(
    name: str, shape: str, of: str
) -> None:
    """The examples are made with the libraries; semantics 1.20 lists what changes."""
    messages: Any = example(shape, of)
    found = given_back(CheckedApi(), name, messages)["messages"]
    assert found == [each for message in messages for each in CHANGES[name](message)]


def _as_blocks(message: Any) -> Any:
    """Texts of Anthropic are lists of blocks."""
    content = message["content"]
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    yield {**message, "content": content}


def _with_type(item: Any) -> Any:
    yield {"type": "message", **item}


def _one_result_each(message: Any) -> Any:
    if message["role"] != "tool":
        yield message
        return
    for part in message["content"]:
        yield {**message, "content": [part]}


def _same(message: Any) -> Any:
    yield message


CHANGES: dict[str, Callable[[Any], Any]] = {
    "openai": _same,
    "anthropic": _as_blocks,
    "responses": _with_type,
    "vercel": _one_result_each,
}


def test_a_result_that_was_emptied_since_is_a_text() -> None:
    run = Run(CheckedApi(), conversation())
    ok(run.post("messages?format=vercel", {"messages": MESSAGES["vercel"]}))
    log = ok(run.get("messages"))["results"]
    place = next(each["index"] for each in log if each["role"] == "tool")
    emptied = {"role": "tool", "tool_call_id": "a", "content": "[left out]"}
    kept = {**emptied, "provider": log[place]["provider"]}
    ok(
        run.post(
            "operations",
            {"operation": "replace", "replace": {"index": place, "message": kept}},
        )
    )
    found = ok(run.get("messages?format=vercel"))["messages"][place]
    assert found["content"][0]["output"] == {"type": "text", "value": "[left out]"}


@pytest.mark.parametrize("name", FORMATS)
def test_kept_fields_of_a_caller_never_change_a_pair(name: str) -> None:
    """An append as it is may have any ``provider``: ids, types and roles stay those of the log."""
    wrong: dict[str, Any] = {
        "provider": {
            "format": name,
            "place": -1,
            "fields": {"type": "x", "role": "x", "id": "x", "call_id": "x", "tool_use_id": "x"}
            | {"toolCallId": "x", "tool_call_id": "x", "output": 7, "result": 7, "content": 7},
        }
    }
    call = {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    run = Run(Api(), conversation())
    messages: list[Any] = [
        {"role": "user", "content": "q", **wrong},
        {"role": "assistant", "content": None, "tool_calls": [{**call, **wrong}], **wrong},
        {"role": "tool", "tool_call_id": "a", "content": "found", **wrong},
    ]
    ok(run.post("messages", {"messages": messages}))
    plain = Run(Api(), conversation())
    without = [{k: v for k, v in each.items() if k != "provider"} for each in messages]
    without[1]["tool_calls"] = [call]
    ok(plain.post("messages", {"messages": without}))
    found, wanted = (ok(each.get(f"messages?format={name}"))["messages"] for each in (run, plain))

    def told(written: Any, like: Any) -> Any:
        """What both have; ``written`` may have more."""
        if isinstance(like, dict):
            return {key: told(written[key], value) for key, value in like.items()}
        if isinstance(like, list):
            return [told(one, other) for one, other in zip(written, like, strict=True)]
        return written

    assert told(found, wanted) == wanted


def test_a_provider_that_is_data_of_the_caller_is_a_field_like_others() -> None:
    run = Run(Api(), conversation())
    ok(run.post("messages", {"messages": [{"role": "user", "content": "q", "provider": "mine"}]}))
    assert ok(run.get("messages"))["results"][0]["provider"] == "mine"
    (warning,) = ok(run.get("messages?format=openai"))["warnings"]
    assert "'provider'" in warning["message"]


def test_an_approval_of_vercel_is_refused_with_its_place() -> None:
    part = {"type": "tool-approval-request", "approvalId": "x", "toolCallId": "a"}
    body = {"messages": [{"role": "assistant", "content": [part]}]}
    answer = Run(Api(), conversation()).post("messages?format=vercel", body)
    refused(answer, 422, "validation", "/messages/0/content/0")
