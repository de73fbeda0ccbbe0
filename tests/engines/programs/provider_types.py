"""Messages of the libraries' own types: appended in their format, given back as they were.

python provider_types.py URL ENGINE_TOKEN REVIEW_TOKEN
"""

import json
import sys
from typing import Any
from uuid import uuid4

import httpx
from anthropic.types import Message, MessageParam
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    convert_to_messages,
    convert_to_openai_messages,
)
from openai.types.chat import ChatCompletionMessage, ChatCompletionMessageParam
from openai.types.responses import Response, ResponseInputItemParam
from pydantic import TypeAdapter

URL, ENGINE = sys.argv[1:3]
API = httpx.Client(base_url=f"{URL}/api/v1/", headers={"Authorization": f"Bearer {ENGINE}"})
CALL = {
    "id": "a",
    "type": "function",
    "function": {"name": "look", "arguments": '{"n": 1}'},
}


def given_back(name: str, messages: list[Any]) -> Any:
    """What the view says in the format, after the messages were appended one by one."""
    path = f"conversations/t-{uuid4().hex[:8]}"
    API.post("conversations", json={"id": path.rpartition("/")[2]}).raise_for_status()
    for each in messages:
        sent = API.post(f"{path}/messages?format={name}", json={"messages": [each]})
        assert sent.status_code == 201, sent.text
    found = API.get(f"{path}/messages?format={name}").json()
    assert found["warnings"] == [], found["warnings"]
    return found["messages"]


def openai_chat() -> None:
    answers: list[dict[str, Any]] = [
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "assistant", "content": None, "refusal": "I can't."},
        {"role": "assistant", "content": "It is in Lyon."},
    ]
    asked, refused, said = (
        ChatCompletionMessage.model_validate(each).model_dump(mode="json", exclude_unset=True)
        for each in answers
    )
    messages = [
        {"role": "user", "content": "Where is it?"},
        asked,
        {"role": "tool", "tool_call_id": "a", "content": "in Lyon"},
        refused,
        said,
    ]
    found = given_back("openai", messages)
    assert found == messages, found
    for each in found:
        TypeAdapter[Any](ChatCompletionMessageParam).validate_python(each)


def openai_responses() -> None:
    response = Response.model_validate(
        {
            "id": "resp_1",
            "created_at": 1,
            "model": "gpt-5",
            "object": "response",
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "output": [
                {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"},
                {
                    "type": "message",
                    "id": "msg_1",
                    "role": "assistant",
                    "status": "completed",
                    "content": [{"type": "output_text", "text": "Wait.", "annotations": []}],
                },
                {
                    "type": "function_call",
                    "id": "fc_1",
                    "call_id": "a",
                    "name": "look",
                    "arguments": "{}",
                    "status": "completed",
                },
            ],
        }
    )
    items = [each.model_dump(mode="json", exclude_unset=True) for each in response.output]
    items.append({"type": "function_call_output", "call_id": "a", "output": "in Lyon"})
    found = given_back("responses", items)
    assert found == items, found
    for each in found:
        TypeAdapter[Any](ResponseInputItemParam).validate_python(each)


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def anthropic_messages() -> None:
    """What Anthropic answers is appended as its own message has it, and valid as an input again."""
    answer = Message.model_validate(
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude",
            "stop_reason": "tool_use",
            "stop_sequence": None,
            "usage": {"input_tokens": 9, "output_tokens": 7},
            "content": [
                {"type": "thinking", "thinking": "Where?", "signature": "s"},
                {"type": "redacted_thinking", "data": "x"},
                {"type": "text", "text": "Wait."},
                {"type": "tool_use", "id": "a", "name": "look", "input": {"n": 1}},
                {"type": "tool_use", "id": "b", "name": "look", "input": {}},
            ],
        }
    )
    content = answer.model_dump(mode="json", exclude_unset=True)["content"]
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": [text("Where is it?")]},
        {"role": "assistant", "content": content},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": [text("in Lyon")]},
                {
                    "type": "tool_result",
                    "tool_use_id": "b",
                    "content": [text("no")],
                    "is_error": True,
                },
                text("And now?"),
            ],
        },
        {"role": "assistant", "content": [text("It is in Lyon.")]},
    ]
    found = given_back("anthropic", messages)
    assert found == messages, found
    for each in found:
        TypeAdapter[Any](MessageParam).validate_python(each)


def langchain() -> None:
    messages: list[BaseMessage] = [
        SystemMessage("Be kind."),
        HumanMessage("Where is it?", name="ada"),
        AIMessage("I look.", tool_calls=[{"name": "look", "args": {"n": 1}, "id": "a"}]),
        ToolMessage("in Lyon", tool_call_id="a"),
        AIMessage("It is in Lyon."),
    ]
    chat = json.loads(json.dumps(convert_to_openai_messages(messages)))
    assert given_back("openai", chat) == chat
    assert convert_to_messages(given_back("openai", chat)) == messages


openai_chat()
openai_responses()
anthropic_messages()
langchain()
