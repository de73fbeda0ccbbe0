"""Makes the examples of shapes with the libraries that write them, for the tests to read.

Run it in an environment of its own, which has the libraries and not this project's packages::

    python -m venv shapes
    shapes/bin/pip install openai anthropic google-genai langchain-core langsmith \
        opentelemetry-sdk opentelemetry-exporter-otlp-proto-common
    shapes/bin/python tests/examples_of_shapes/make.py
    shapes/bin/python tests/examples_of_shapes/make_openai.py
    shapes/bin/python tests/examples_of_shapes/make_traces.py

``make_openai.py`` makes those of OpenAI, ``make_traces.py`` those of LangChain, LangSmith and
OpenTelemetry, ``make_vercel.mjs`` those of the Vercel AI SDK. ShareGPT has no library: its examples
are here as data sets have them. Each file names the versions; the texts are ours.
"""

# mypy: ignore-errors

import json

from anthropic import types as claude
from example_texts import ANSWER, CITY, PIXEL, QUESTION, RESULT, SYSTEM, write
from google.genai import types as gemini


def anthropic() -> None:
    answer = claude.Message.model_validate(
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-5",
            "content": [
                {"type": "thinking", "thinking": "They want the weather.", "signature": "abc="},
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": CITY},
            ],
            "stop_reason": "tool_use",
            "stop_sequence": None,
            "usage": {"input_tokens": 9, "output_tokens": 8},
        }
    ).model_dump(mode="json", exclude_none=True)
    answer.setdefault("stop_reason", None)
    searched = claude.Message.model_validate(
        {
            "id": "msg_2",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-5",
            "content": [
                {
                    "type": "server_tool_use",
                    "id": "srvtoolu_1",
                    "name": "web_search",
                    "input": {"query": "weather Oslo"},
                },
                {
                    "type": "web_search_tool_result",
                    "tool_use_id": "srvtoolu_1",
                    "content": [
                        {
                            "type": "web_search_result",
                            "url": "https://example.org",
                            "title": "Weather",
                            "encrypted_content": "abc=",
                        }
                    ],
                },
                {"type": "text", "text": ANSWER},
            ],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 9, "output_tokens": 8},
        }
    ).model_dump(mode="json", exclude_none=True)
    user = {"role": "user", "content": QUESTION}
    used = {"role": "assistant", "content": answer["content"]}
    found = {
        "role": "user",
        "content": [
            {
                "type": "tool_result",
                "tool_use_id": "toolu_1",
                "content": [{"type": "text", "text": RESULT}],
                "is_error": False,
            },
            {"type": "text", "text": "And?"},
        ],
    }
    picture = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": PIXEL},
    }
    request = {
        "model": "claude-sonnet-4-5",
        "max_tokens": 1024,
        "system": SYSTEM,
        "tools": [{"name": "weather", "input_schema": {"type": "object"}}],
        "messages": [user, used, found, {"role": "assistant", "content": ANSWER}],
    }
    write(
        "anthropic",
        ("anthropic",),
        {
            "request": request,
            "blocks": {
                "system": [
                    {"type": "text", "text": SYSTEM, "cache_control": {"type": "ephemeral"}}
                ],
                "messages": [{"role": "user", "content": [picture, {"type": "text", "text": "?"}]}],
            },
            "messages": [user, used, found],
            "answer": answer,
            "server_tool": [user, {"role": "assistant", "content": searched["content"]}],
            "batch_request": {"custom_id": "one", "params": request},
            "batch_result": {
                "custom_id": "one",
                "result": {"type": "succeeded", "message": answer},
            },
        },
    )


def google() -> None:
    contents = [
        gemini.Content(
            role="user",
            parts=[
                gemini.Part(text=QUESTION),
                gemini.Part(inline_data=gemini.Blob(data=b"not a picture", mime_type="image/png")),
            ],
        ),
        gemini.Content(
            role="model",
            parts=[
                gemini.Part(text="They want the weather.", thought=True),
                gemini.Part(
                    function_call=gemini.FunctionCall(name="weather", args=CITY),
                    thought_signature=b"abc",
                ),
            ],
        ),
        gemini.Content(
            role="user",
            parts=[
                gemini.Part(
                    function_response=gemini.FunctionResponse(
                        name="weather", response={"result": RESULT}
                    )
                )
            ],
        ),
        gemini.Content(role="model", parts=[gemini.Part(text=ANSWER)]),
    ]
    ran = gemini.Content(
        role="model",
        parts=[
            gemini.Part(executable_code=gemini.ExecutableCode(code="print(15)", language="PYTHON")),
            gemini.Part(
                code_execution_result=gemini.CodeExecutionResult(
                    outcome="OUTCOME_OK", output="15\n"
                )
            ),
            gemini.Part(text=ANSWER),
        ],
    )
    system = gemini.Content(parts=[gemini.Part(text=SYSTEM)])
    response = gemini.GenerateContentResponse(
        candidates=[
            gemini.Candidate(content=contents[3], finish_reason="STOP", index=0),
            gemini.Candidate(content=contents[3], finish_reason="STOP", index=1),
        ],
        model_version="gemini-3-pro",
    )

    def camel(model: object) -> object:
        return model.model_dump(mode="json", by_alias=True, exclude_none=True)

    def snake(model: object) -> object:
        return model.model_dump(mode="json", exclude_none=True)

    request = {
        "systemInstruction": camel(system),
        "contents": [camel(each) for each in contents],
        "tools": [{"functionDeclarations": [{"name": "weather"}]}],
    }
    write(
        "gemini",
        ("google-genai",),
        {
            "request": request,
            "contents": [snake(each) for each in contents],
            "code": [camel(contents[0]), camel(ran)],
            "response": camel(response),
            "batch": {"key": "one", "request": request, "response": camel(response)},
        },
    )


def sharegpt() -> None:
    human = {"from": "human", "value": QUESTION}
    gpt = {"from": "gpt", "value": ANSWER}
    asked = json.dumps({"name": "weather", "arguments": CITY})
    write(
        "sharegpt",
        (),
        {
            "plain": {"id": "identity_0", "conversations": [human, gpt]},
            "tools": {
                "conversations": [
                    human,
                    {"from": "function_call", "value": asked},
                    {"from": "observation", "value": RESULT},
                    gpt,
                ],
                "system": SYSTEM,
                "tools": json.dumps([{"name": "weather"}]),
            },
            "tagged": {
                "conversations": [
                    {"from": "system", "value": SYSTEM},
                    human,
                    {"from": "gpt", "value": f"I look.\n<tool_call>\n{asked}\n</tool_call>"},
                    {"from": "tool", "value": f"<tool_response>\n{RESULT}\n</tool_response>"},
                    gpt,
                ]
            },
            "preference": {
                "conversations": [human],
                "chosen": gpt,
                "rejected": {"from": "gpt", "value": "Cold."},
            },
            "turns": [human, gpt],
        },
    )


if __name__ == "__main__":
    anthropic()
    google()
    sharegpt()
