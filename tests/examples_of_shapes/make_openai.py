"""Makes the examples of OpenAI's two shapes with its library; see make.py."""

# mypy: ignore-errors

import json

from example_texts import ANSWER, CITY, PIXEL, QUESTION, RESULT, SYSTEM, write
from openai.types.chat import ChatCompletion, ChatCompletionMessage
from openai.types.responses import Response


def openai() -> None:
    asked = ChatCompletionMessage.model_validate(
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "call_1",
                    "type": "function",
                    "function": {"name": "weather", "arguments": json.dumps(CITY)},
                }
            ],
        }
    ).model_dump(mode="json", exclude_unset=True)
    called = ChatCompletionMessage.model_validate(
        {
            "role": "assistant",
            "content": None,
            "function_call": {"name": "weather", "arguments": json.dumps(CITY)},
        }
    ).model_dump(mode="json", exclude_unset=True)
    refused = ChatCompletionMessage(role="assistant", content=None, refusal="I can't.")
    spoken = ChatCompletionMessage.model_validate(
        {
            "role": "assistant",
            "content": None,
            "audio": {"id": "audio_1", "data": PIXEL, "expires_at": 1, "transcript": "Hello!"},
        }
    )
    completion = ChatCompletion.model_validate(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "gpt-5",
            "choices": [
                {
                    "index": number,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": ANSWER},
                }
                for number in range(2)
            ],
            "usage": {"prompt_tokens": 9, "completion_tokens": 8, "total_tokens": 17},
        }
    ).model_dump(mode="json", exclude_none=True)
    system = {"role": "system", "content": SYSTEM}
    user = {"role": "user", "content": QUESTION}
    tool = {"role": "tool", "tool_call_id": "call_1", "content": RESULT}
    function = {"name": "weather", "parameters": {"type": "object"}}
    request = {"model": "gpt-5", "messages": [system, user]}
    said = {"role": "assistant", "content": ANSWER}
    write(
        "openai",
        ("openai",),
        {
            "request": {
                **request,
                "messages": [system, user, asked, tool, said],
                "tools": [{"type": "function", "function": function}],
            },
            "messages": [user, asked, tool, said],
            "functions": {
                "messages": [
                    user,
                    called,
                    {"role": "function", "name": "weather", "content": RESULT},
                    said,
                ],
                "functions": [function],
            },
            "refusal": [user, refused.model_dump(mode="json")],
            "audio": [user, spoken.model_dump(mode="json")],
            "completion": completion,
            "fine_tuning": {"messages": [system, user, {**said, "weight": 1}]},
            "preference": {
                "input": {"messages": [user], "tools": [], "parallel_tool_calls": True},
                "preferred_output": [said],
                "non_preferred_output": [{"role": "assistant", "content": "Cold."}],
            },
            "batch_request": {
                "custom_id": "request-1",
                "method": "POST",
                "url": "/v1/chat/completions",
                "body": request,
            },
            "batch_response": {
                "id": "batch_req_1",
                "custom_id": "request-1",
                "response": {"status_code": 200, "request_id": "r1", "body": completion},
                "error": None,
            },
            "logged": {"request": request, "response": completion},
        },
    )


def responses() -> None:
    message = {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": ANSWER, "annotations": []}],
    }
    output = [
        {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [{"type": "summary_text", "text": "They want the weather."}],
            "encrypted_content": "abc=",
        },
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "call_1",
            "name": "weather",
            "arguments": json.dumps(CITY),
            "status": "completed",
        },
    ]
    response = Response.model_validate(
        {
            "id": "resp_1",
            "object": "response",
            "created_at": 1,
            "model": "gpt-5",
            "status": "completed",
            "instructions": SYSTEM,
            "output": [
                {
                    "type": "web_search_call",
                    "id": "ws_1",
                    "status": "completed",
                    "action": {"type": "search", "query": "weather Oslo"},
                },
                message,
                {
                    "type": "mcp_list_tools",
                    "id": "mcpl_1",
                    "server_label": "s",
                    "tools": [],
                },
            ],
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
        }
    ).model_dump(mode="json", exclude_none=True)
    items = [
        {"role": "user", "content": [{"type": "input_text", "text": QUESTION}]},
        *output,
        {"type": "function_call_output", "call_id": "call_1", "output": RESULT},
        message,
    ]
    write(
        "responses",
        ("openai",),
        {
            "request": {
                "model": "gpt-5",
                "instructions": SYSTEM,
                "input": items,
                "tools": [{"type": "function", "name": "weather"}],
            },
            "text": {"model": "gpt-5", "input": QUESTION},
            "response": response,
            "items": items,
            "conversation": {"object": "list", "data": items, "has_more": False},
            "batch_request": {
                "custom_id": "request-1",
                "method": "POST",
                "url": "/v1/responses",
                "body": {"model": "gpt-5", "input": items[:1]},
            },
        },
    )


if __name__ == "__main__":
    openai()
    responses()
