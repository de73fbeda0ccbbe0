"""The message history of Pydantic AI: what it keeps, and what people make of it.

python pydantic_ai_history.py URL ENGINE_TOKEN REVIEW_TOKEN
"""

import asyncio
import sys
from typing import Any
from uuid import uuid4

from ctxadmin_client import AsyncClient, Client
from ctxadmin_client.pydantic_ai import CtxAdminMessageHistory
from pydantic_ai import Agent
from pydantic_ai.messages import (
    BinaryImage,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

URL, ENGINE, REVIEW = sys.argv[1:4]
CALLS = [
    ThinkingPart("hm", signature="s1"),
    TextPart("I look it up."),
    ToolCallPart("find", {"id": 7}, "c1"),
    ToolCallPart("find", '{"id": 8}', "c2"),
]
RESULTS = [ToolReturnPart("find", {"city": "Lyon"}, "c1"), ToolReturnPart("find", "no", "c2")]
GIVEN: list[ModelMessage] = [
    ModelRequest(
        [SystemPromptPart(""), UserPromptPart("Where?")], instructions="Be brief", run_id="r1"
    ),
    ModelResponse(CALLS, model_name="m"),
    ModelRequest(RESULTS),
    ModelResponse([TextPart("It is in Lyon.")]),
    ModelRequest([UserPromptPart(["look", ImageUrl("https://a.test/b.png")])]),
    ModelResponse([ThinkingPart("only this")]),
    ModelRequest([UserPromptPart([BinaryImage(b"\xff\x00", media_type="image/png")])]),
    ModelResponse([]),
    ModelRequest([UserPromptPart("")]),
]


def new(client: AsyncClient) -> CtxAdminMessageHistory:
    return CtxAdminMessageHistory(f"p-{uuid4().hex[:8]}", client)


async def keeps_every_kind_of_message(client: AsyncClient) -> None:
    history = new(client)
    assert await history.load() == []
    await history.clear()
    await history.add([])
    await history.add(GIVEN)
    assert await history.load() == GIVEN
    await history.add(GIVEN)
    assert await history.load() == GIVEN * 2
    await history.clear()
    assert await history.load() == []
    retried = ModelRequest([RetryPromptPart("Once more"), UserPromptPart("And?")])
    await history.add([retried, retried])
    [one, other] = await history.load()
    assert one == other
    assert [part.part_kind for part in one.parts] == ["retry-feedback", "user-prompt"]


async def keeps_long_texts_once(client: AsyncClient) -> None:
    history = new(client)
    long: list[ModelMessage] = [
        ModelRequest([UserPromptPart("x" * 1_000_000), UserPromptPart("y" * 200)]),
        ModelResponse([TextPart("z" * 1_000_000), ToolCallPart("find", {}, "c1")]),
        ModelRequest([ToolReturnPart("find", "w" * 1_000_000, "c1")]),
    ]
    await history.add(long)
    assert await history.load() == long


async def gives_what_people_made(client: AsyncClient) -> None:
    history = new(client)
    await history.add(GIVEN)
    with Client(URL, REVIEW) as reviewer:
        conversation = reviewer.conversation(history.conversation_id)
        shown = [*conversation.messages()]
        roles = [each["role"] for each in shown[:6]]
        assert roles == ["system", "user", "assistant", "tool", "tool", "assistant"]
        assert [call["id"] for call in shown[2]["tool_calls"]] == ["c1", "c2"]

        def replace(index: int, content: Any) -> None:
            kept = ("role", "metadata", "tool_calls", "tool_call_id")
            message = {name: shown[index][name] for name in kept if name in shown[index]}
            message["content"] = content
            conversation.operate("replace", replace={"index": index, "message": message})

        replace(1, "Where is parcel 7?")
        replace(3, "in Paris")
        replace(5, "It is in Paris.")
        replace(6, [{"type": "text", "text": "look here"}, shown[6]["content"][1]])
        conversation.operate("truncate", truncate={"remove_first": 1})
    made = await history.load()
    first, calls, results, answer, pictures = made[:5]
    assert isinstance(first, ModelRequest)
    assert (first.instructions, len(first.parts)) == ("Be brief", 1)
    assert [part.content for part in first.parts] == ["Where is parcel 7?"]
    assert calls == GIVEN[1]
    told = [(part.tool_name, part.tool_call_id, part.content) for part in results.parts]
    assert told == [("find", "c1", "in Paris"), ("find", "c2", "no")]
    assert [part.content for part in answer.parts] == ["It is in Paris."]
    [prompt] = pictures.parts
    assert prompt.content == ["look here", ImageUrl("https://a.test/b.png")]
    assert made[5:] == GIVEN[5:]


async def runs_an_agent(client: AsyncClient) -> None:
    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        last = messages[-1].parts[-1]
        if isinstance(last, ToolReturnPart):
            return ModelResponse([TextPart(f"{len(messages)} messages: {last.content}")])
        return ModelResponse([ToolCallPart("find", {}, "the same each time")])

    agent = Agent(FunctionModel(answer))

    @agent.tool_plain
    def find() -> str:
        return "in Lyon"

    history = new(client)
    for expected in ("3 messages: in Lyon", "7 messages: in Lyon"):
        known = await history.load()
        result = await agent.run("Where is my parcel?", message_history=known)
        assert result.output == expected, result.output
        await history.add(result.new_messages())
        assert await history.load() == result.all_messages()


async def main() -> None:
    async with AsyncClient(URL, ENGINE) as client:
        await keeps_every_kind_of_message(client)
        await keeps_long_texts_once(client)
        await gives_what_people_made(client)
        await runs_an_agent(client)


asyncio.run(main())
