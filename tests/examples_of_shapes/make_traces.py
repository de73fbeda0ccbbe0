"""Makes the examples of LangChain, LangSmith and OpenTelemetry; see ``make.py``."""

# mypy: ignore-errors

import json
import uuid

from example_texts import ANSWER, CITY, QUESTION, RESULT, SYSTEM, write
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
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter


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


if __name__ == "__main__":
    langchain()
    langsmith()
    opentelemetry()
