"""The session of the OpenAI Agents SDK: what it keeps, and what people make of it.

python agents_session.py URL ENGINE_TOKEN REVIEW_TOKEN
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

from agents import Agent, Model, ModelResponse, Runner, Usage, function_tool, set_tracing_disabled
from ctxadmin_client import AsyncClient, Client
from ctxadmin_client.openai_agents import CtxAdminSession
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

URL, ENGINE, REVIEW = sys.argv[1:4]
ITEMS: list[Any] = [
    {"role": "system", "content": ""},
    {"role": "user", "content": ""},
    {"role": "user", "content": [{"type": "input_text", "text": "look"}]},
    {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}]},
    {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}", "id": "fc_1"},
    {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text"}]},
    {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": "It is in Lyon.", "annotations": []}],
    },
]


class Scripted(Model):
    """Calls the tool once, then answers with how many items it got."""

    async def get_response(self, *given: Any, **named: Any) -> Any:
        self.seen = named["input"]
        done = any(each.get("type") == "function_call_output" for each in self.seen)
        if not done:
            call = ResponseFunctionToolCall(
                arguments="{}", call_id="call_1", name="find", type="function_call"
            )
            return ModelResponse(output=[call], usage=Usage(), response_id=None)
        text = ResponseOutputText(
            annotations=[], text=f"{len(self.seen)} items", type="output_text"
        )
        message = ResponseOutputMessage(
            id="msg_a", content=[text], role="assistant", status="completed", type="message"
        )
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    async def stream_response(self, *rest: Any, **named: Any) -> AsyncIterator[Any]:
        raise NotImplementedError
        yield


@function_tool
def find() -> str:
    """Find the parcel."""
    return "in Lyon"


async def keeps_items(client: AsyncClient) -> None:
    session = CtxAdminSession(f"s-{uuid4().hex[:8]}", client)
    assert await session.get_items() == []
    assert await session.pop_item() is None
    await session.clear_session()
    await session.add_items(ITEMS)
    assert await session.get_items() == ITEMS
    assert await session.get_items(2) == ITEMS[-2:]
    assert await session.get_items(0) == []
    popped = await asyncio.gather(session.pop_item(), session.pop_item())
    assert sorted(map(str, popped)) == sorted(map(str, ITEMS[-2:]))
    await session.clear_session()
    assert await session.get_items() == []


async def keeps_long_texts_once(client: AsyncClient) -> None:
    session = CtxAdminSession(f"s-{uuid4().hex[:8]}", client)
    items: list[Any] = [
        {"role": "user", "content": "x" * 1_000_000},
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "y" * 1_000_000},
        {"type": "function_call_output", "call_id": "c1", "output": "z" * 1_000_000},
        {"type": "function_call_output", "call_id": "c2", "output": None},
    ]
    for item in items:
        await session.add_items([item])
    assert await session.get_items() == items


async def names_a_text_that_cannot_be_sent(client: AsyncClient) -> None:
    session = CtxAdminSession(f"s-{uuid4().hex[:8]}", client)
    told = ""
    try:
        await session.add_items([{"role": "user", "content": "cut \ud83d"}])
    except ValueError as error:
        told = str(error)
    assert told.startswith("/messages/0/content: half a character"), told
    assert await session.get_items() == []


async def gives_what_people_made(client: AsyncClient) -> None:
    name = f"s-{uuid4().hex[:8]}"
    session = CtxAdminSession(name, client)
    await session.add_items(ITEMS)
    with Client(URL, REVIEW) as reviewer:
        conversation = reviewer.conversation(name)
        shown = [*conversation.messages()]
        message = {key: shown[6][key] for key in ("role", "metadata")} | {"content": "In Paris."}
        conversation.operate("replace", replace={"index": 6, "message": message})
        conversation.operate("truncate", truncate={"remove_first": 4})
    items: list[Any] = await session.get_items()
    assert items == [*ITEMS[4:6], {"role": "assistant", "content": "In Paris."}]


async def runs_an_agent(client: AsyncClient) -> None:
    name = f"s-{uuid4().hex[:8]}"
    agent = Agent(name="support", model=Scripted(), tools=[find])
    session = CtxAdminSession(name, client)
    ran = await Runner.run(agent, "Where is my parcel?", session=session)
    assert ran.final_output == "3 items"
    ran = await Runner.run(agent, "And now?", session=CtxAdminSession(name, client))
    assert ran.final_output == "5 items"
    with Client(URL, REVIEW) as reviewer:
        shown = [*reviewer.conversation(name).messages()]
    roles = [each["role"] for each in shown]
    assert roles == ["user", "assistant", "tool", "assistant", "user", "assistant"]
    assert shown[1]["tool_calls"][0]["function"]["name"] == "find"
    assert shown[2]["content"] == "in Lyon"


async def main() -> None:
    set_tracing_disabled(True)
    async with AsyncClient(URL, ENGINE) as client:
        await keeps_items(client)
        await keeps_long_texts_once(client)
        await names_a_text_that_cannot_be_sent(client)
        await gives_what_people_made(client)
        await runs_an_agent(client)


asyncio.run(main())
