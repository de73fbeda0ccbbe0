"""Makes the examples of shapes with the libraries that write them, for the tests to read.

Run it in an environment of its own, which has the libraries and not this project's packages::

    python -m venv /tmp/shapes
    /tmp/shapes/bin/pip install openai anthropic google-genai langchain-core langsmith \
        opentelemetry-sdk opentelemetry-exporter-otlp-proto-common
    /tmp/shapes/bin/python tests/examples_of_shapes/make.py

``make_vercel.mjs`` makes those of the Vercel AI SDK. ShareGPT has no library: its examples stand
here as data sets have them. Each file names the versions; the texts are ours.
"""

# mypy: ignore-errors

import base64
import json
import uuid
from importlib.metadata import version
from pathlib import Path

from anthropic import types as claude
from google.genai import types as gemini
from google.protobuf.json_format import MessageToDict
from langchain_core.load import dumpd
from langchain_core.messages import (
    AIMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
    messages_to_dict,
)
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_core.prompt_values import ChatPromptValue
from langsmith.schemas import Run
from openai.types.chat import ChatCompletion, ChatCompletionMessage
from openai.types.responses import Response
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

HERE = Path(__file__).parent
SYSTEM = "You answer questions about the weather."
QUESTION = "What is the weather in Oslo?\nAnd tomorrow?"
ANSWER = "It is 15 degrees in Oslo."
RESULT = '{"degrees": 15}'
CITY = {"city": "Oslo"}
PIXEL = base64.b64encode(b"\x89PNG not a picture").decode()


def write(shape: str, libraries: tuple[str, ...], examples: dict[str, object]) -> None:
    made_by = {name: version(name) for name in libraries}
    document = {"made_by": made_by, "examples": examples}
    text = json.dumps(document, indent=1, ensure_ascii=False)
    (HERE / f"{shape}.json").write_text(text + "\n", encoding="utf-8")


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


def lang_messages() -> list[object]:
    return [
        SystemMessage(SYSTEM, id="s-1"),
        HumanMessage(QUESTION, name="ada"),
        AIMessage(
            [
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "call_1", "name": "weather", "input": CITY},
            ],
            tool_calls=[{"name": "weather", "args": CITY, "id": "call_1", "type": "tool_call"}],
            usage_metadata={"input_tokens": 9, "output_tokens": 8, "total_tokens": 17},
            response_metadata={"model_name": "m"},
            id="lc_run--1",
        ),
        ToolMessage(RESULT, tool_call_id="call_1", name="weather"),
        AIMessage(ANSWER),
    ]


def langchain() -> None:
    messages = lang_messages()
    broken = AIMessage(
        "",
        invalid_tool_calls=[
            {
                "name": "weather",
                "args": "{",
                "id": "call_2",
                "error": "no JSON",
                "type": "invalid_tool_call",
            }
        ],
    )
    write(
        "langchain",
        ("langchain-core",),
        {
            "dumpd": dumpd(messages),
            "to_dict": messages_to_dict(messages),
            "model_dump": [each.model_dump(mode="json") for each in messages],
            "state": {
                "messages": [
                    each.model_dump(mode="json") for each in [*messages, RemoveMessage(id="s-1")]
                ]
            },
            "prompt": dumpd(ChatPromptValue(messages=messages[:2])),
            "invalid_call": messages_to_dict([HumanMessage("?"), broken]),
        },
    )


def langsmith() -> None:
    messages = lang_messages()
    trace = uuid.UUID(int=1)

    def run(number: int, run_type: str, inputs: object, outputs: object) -> dict[str, object]:
        made = Run(
            id=uuid.UUID(int=number),
            name="ChatOpenAI",
            run_type=run_type,
            start_time="2026-01-01T00:00:00+00:00",
            inputs=inputs,
            outputs=outputs,
            trace_id=trace,
            dotted_order=f"20260101T000000000000Z{uuid.UUID(int=number)}",
            extra={"metadata": {"ls_provider": "openai"}, "invocation_params": {"tools": [1]}},
        )
        return json.loads(made.model_dump_json(exclude_none=True))

    def generated(message: AIMessage) -> object:
        result = LLMResult(generations=[[ChatGeneration(message=message)]])
        return {"generations": [[dumpd(each) for each in result.generations[0]]]}

    first = run(2, "llm", {"messages": [dumpd(messages[:2])]}, {})
    first["outputs"] = {
        "generations": [[{"text": "", "message": dumpd(messages[2])}]],
        "type": "LLMResult",
    }
    second = run(3, "llm", {"messages": [dumpd(messages[:4])]}, generated(messages[4]))
    second["outputs"] = {"generations": [[{"text": ANSWER, "message": dumpd(messages[4])}]]}
    chain = run(
        4,
        "chain",
        {"messages": [messages[1].model_dump(mode="json")]},
        {"messages": [each.model_dump(mode="json") for each in messages[1:]]},
    )
    traced = run(
        5,
        "llm",
        {"messages": [{"role": "user", "content": QUESTION}], "model": "gpt-5"},
        {"choices": [{"index": 0, "message": {"role": "assistant", "content": ANSWER}}]},
    )
    tool = run(6, "tool", {"input": "Oslo"}, {"output": RESULT})
    write(
        "langsmith",
        ("langsmith", "langchain-core"),
        {
            "run": second,
            "trace": [first, tool, second],
            "chain": {**chain, "child_runs": [tool]},
            "wrapped": traced,
        },
    )


def opentelemetry() -> None:
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("example")
    text = {"type": "text", "content": QUESTION}
    call = {"type": "tool_call", "id": "call_1", "name": "weather", "arguments": CITY}
    given = [
        {"role": "user", "parts": [text]},
        {"role": "assistant", "parts": [call]},
        {
            "role": "tool",
            "parts": [{"type": "tool_call_response", "id": "call_1", "response": RESULT}],
        },
    ]
    said = [
        {
            "role": "assistant",
            "parts": [{"type": "text", "content": ANSWER}],
            "finish_reason": "stop",
        }
    ]
    instructions = [{"type": "text", "content": SYSTEM}]

    def exported() -> dict[str, object]:
        document = MessageToDict(encode_spans(exporter.get_finished_spans()))
        exporter.clear()
        for resource in document["resourceSpans"]:
            resource["resource"] = {"attributes": resource["resource"]["attributes"][-1:]}
            for number, span in enumerate(resource["scopeSpans"][0]["spans"]):
                # OTLP writes ids in hexadecimal; these are the same each time.
                span["traceId"], span["spanId"] = f"{1:032x}", f"{number + 1:016x}"
                span["startTimeUnixNano"] = span["endTimeUnixNano"] = str(number + 1)
                span.pop("parentSpanId", None)
                for event in span.get("events", []):
                    event["timeUnixNano"] = "1"
        return document

    common = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5"}
    for count in (1, 3):
        with tracer.start_as_current_span("chat gpt-5") as span:
            span.set_attributes(common)
            span.set_attribute("gen_ai.request.max_tokens", 100)
            span.set_attribute("gen_ai.system_instructions", json.dumps(instructions))
            span.set_attribute("gen_ai.input.messages", json.dumps(given[:count]))
            answered = said if count == 3 else given[1:2]
            span.set_attribute("gen_ai.output.messages", json.dumps(answered))
    with tracer.start_as_current_span("execute_tool weather"):
        pass
    attributes = exported()

    tool_calls = [
        {
            "id": "call_1",
            "type": "function",
            "function": {"name": "weather", "arguments": json.dumps(CITY)},
        }
    ]
    with tracer.start_as_current_span("chat gpt-5", attributes=common) as span:
        span.add_event("gen_ai.system.message", {"content": SYSTEM})
        span.add_event("gen_ai.user.message", {"content": QUESTION})
        span.add_event("gen_ai.assistant.message", {"tool_calls": json.dumps(tool_calls)})
        span.add_event("gen_ai.tool.message", {"id": "call_1", "content": RESULT})
        span.add_event(
            "gen_ai.choice",
            {
                "index": 0,
                "finish_reason": "stop",
                "message": json.dumps({"role": "assistant", "content": ANSWER}),
            },
        )
    events = exported()

    with tracer.start_as_current_span("openai.chat", attributes=common) as span:
        for name, value in {
            "gen_ai.prompt.0.role": "user",
            "gen_ai.prompt.0.content": QUESTION,
            "gen_ai.prompt.1.role": "assistant",
            "gen_ai.prompt.1.tool_calls.0.id": "call_1",
            "gen_ai.prompt.1.tool_calls.0.name": "weather",
            "gen_ai.prompt.1.tool_calls.0.arguments": json.dumps(CITY),
            "gen_ai.prompt.2.role": "tool",
            "gen_ai.prompt.2.tool_call_id": "call_1",
            "gen_ai.prompt.2.content": RESULT,
            "gen_ai.completion.0.role": "assistant",
            "gen_ai.completion.0.content": ANSWER,
            "gen_ai.completion.0.finish_reason": "stop",
        }.items():
            span.set_attribute(name, value)
    indexed = exported()

    def logged(name: str, **body: str) -> dict[str, object]:
        values = [{"key": key, "value": {"stringValue": value}} for key, value in body.items()]
        return {
            "timeUnixNano": "1",
            "eventName": name,
            "traceId": f"{1:032x}",
            "spanId": f"{1:016x}",
            "attributes": [{"key": "gen_ai.system", "value": {"stringValue": "openai"}}],
            "body": {"kvlistValue": {"values": values}},
        }

    answer = logged("gen_ai.choice", finish_reason="stop")
    message = {"kvlistValue": {"values": [{"key": "content", "value": {"stringValue": ANSWER}}]}}
    answer["body"]["kvlistValue"]["values"].append({"key": "message", "value": message})
    records = [logged("gen_ai.user.message", content=QUESTION), answer]
    write(
        "opentelemetry",
        ("opentelemetry-sdk", "opentelemetry-proto", "opentelemetry-semantic-conventions"),
        {
            "attributes": attributes,
            "events": events,
            "indexed": indexed,
            "logs": {"resourceLogs": [{"scopeLogs": [{"scope": {}, "logRecords": records}]}]},
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
    openai()
    responses()
    anthropic()
    google()
    langchain()
    langsmith()
    opentelemetry()
    sharegpt()
