"""Chats whose process dies between any two calls: what their application runs again continues.

python kill_histories.py URL ENGINE_TOKEN REVIEW_TOKEN ADAPTER NAME MOMENT ...

ADAPTER is ``langchain``, ``pydantic_ai``, ``openai_agents``, or the file of a plain loop.
"""

import asyncio
import runpy
import sys
from collections.abc import Callable, Coroutine, Sequence
from contextlib import redirect_stdout
from io import StringIO
from typing import Any
from uuid import uuid4

import httpx
from ctxadmin_client import AsyncClient, Client
from kills import AsyncMortal, Death, Mortal, Work, die_at_all

URL, ENGINE, REVIEW = sys.argv[1:4]
QUESTIONS = ("Where is my parcel?", "And now?")
ANSWER = "It is in Lyon."


def langchain() -> Work:
    """Each question has an id; the answer has another one whenever the model is asked."""
    from ctxadmin_client.langchain import CtxAdminChatHistory
    from langchain_core.messages import AIMessage, HumanMessage

    def work(name: str, death: Death) -> None:
        with Client(URL, ENGINE, http=httpx.Client(transport=Mortal(death))) as client:
            history = CtxAdminChatHistory(name, client)
            for number, question in enumerate(QUESTIONS):
                asked = HumanMessage(question, id=f"question-{number}")
                history.add_messages([asked])
                said = history.messages
                if not any(each.type == "ai" for each in said[said.index(asked) :]):
                    history.add_messages([AIMessage(ANSWER, id=f"run-{uuid4().hex}")])

    return work


def pydantic_ai() -> Work:
    from ctxadmin_client.pydantic_ai import CtxAdminMessageHistory
    from pydantic_ai import Agent
    from pydantic_ai.messages import (
        ModelMessage,
        ModelResponse,
        TextPart,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if isinstance(messages[-1].parts[-1], ToolReturnPart):
            return ModelResponse([TextPart(ANSWER)])
        return ModelResponse([ToolCallPart("find", {}, uuid4().hex)])

    agent = Agent(FunctionModel(answer))

    @agent.tool_plain
    def find() -> str:
        return "in Lyon"

    async def chat(name: str, client: AsyncClient) -> None:
        history = CtxAdminMessageHistory(name, client)
        for number, question in enumerate(QUESTIONS):
            known = await history.load()
            parts = [part for each in known for part in each.parts]
            if sum(isinstance(part, UserPromptPart) for part in parts) > number:
                continue
            result = await agent.run(question, message_history=known)
            await history.add(result.new_messages())

    return in_asyncio(chat)


def openai_agents() -> Work:
    from agents import (
        Agent,
        Model,
        ModelResponse,
        Runner,
        Usage,
        function_tool,
        set_tracing_disabled,
    )
    from ctxadmin_client.openai_agents import CtxAdminSession
    from openai.types.responses import (
        ResponseFunctionToolCall,
        ResponseOutputMessage,
        ResponseOutputText,
    )

    class Scripted(Model):
        async def get_response(self, *given: Any, **named: Any) -> Any:
            last, ident = named["input"][-1], uuid4().hex
            if last.get("type") != "function_call_output":
                call = ResponseFunctionToolCall(
                    arguments="{}", call_id=f"call_{ident}", name="find", type="function_call"
                )
                return ModelResponse(output=[call], usage=Usage(), response_id=None)
            text = ResponseOutputText(annotations=[], text=ANSWER, type="output_text")
            message = ResponseOutputMessage(
                id=ident, content=[text], role="assistant", status="completed", type="message"
            )
            return ModelResponse(output=[message], usage=Usage(), response_id=None)

        async def stream_response(self, *rest: Any, **named: Any) -> Any:
            raise NotImplementedError
            yield

    @function_tool
    def find() -> str:
        """Find the parcel."""
        return "in Lyon"

    set_tracing_disabled(True)
    agent = Agent(name="support", model=Scripted(), tools=[find])

    async def chat(name: str, client: AsyncClient) -> None:
        session = CtxAdminSession(name, client)
        for number, question in enumerate(QUESTIONS):
            items: Sequence[Any] = await session.get_items()
            asked = [each for each in items if each.get("role") == "user"]
            if len(asked) <= number:
                await Runner.run(agent, question, session=session)
            elif len(asked) == number + 1 and items[-1].get("role") != "assistant":
                await Runner.run(agent, [], session=session)

    return in_asyncio(chat)


def plain_loop(program: str) -> Work:
    """The program as it is, once for each question; its calls of the model count, too."""

    def work(name: str, death: Death) -> None:
        class Everywhere(Mortal):
            def __init__(self, *given: Any, **named: Any) -> None:
                super().__init__(death)

        httpx._client.HTTPTransport = Everywhere  # type: ignore[attr-defined]
        for number, question in enumerate(QUESTIONS):
            sys.argv = [program, name, f"question-{number}", question]
            with redirect_stdout(StringIO()):
                runpy.run_path(program, run_name="__main__")

    return work


def in_asyncio(chat: Callable[[str, AsyncClient], Coroutine[Any, Any, None]]) -> Work:
    def work(name: str, death: Death) -> None:
        async def run() -> None:
            http = httpx.AsyncClient(transport=AsyncMortal(death))
            async with AsyncClient(URL, ENGINE, http=http) as client:
                await chat(name, client)

        asyncio.run(run())

    return work


ADAPTERS = {"langchain": langchain, "pydantic_ai": pydantic_ai, "openai_agents": openai_agents}


def main(adapter: str, name: str, *moments: str) -> int:
    work = ADAPTERS[adapter]() if adapter in ADAPTERS else plain_loop(adapter)
    return die_at_all(work, name, moments)


sys.exit(main(*sys.argv[4:]))
