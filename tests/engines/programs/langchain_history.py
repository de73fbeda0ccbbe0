"""The chat history of LangChain: what it keeps, and what people make of it.

python langchain_history.py URL ENGINE_TOKEN REVIEW_TOKEN
"""

import asyncio
import sys
from typing import Any
from uuid import uuid4

from ctxadmin_client import Client
from ctxadmin_client.langchain import CtxAdminChatHistory
from langchain_core.messages import AIMessage, BaseMessage, ChatMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.runnables.history import RunnableWithMessageHistory

URL, ENGINE, REVIEW = sys.argv[1:4]
CLIENT = Client(URL, ENGINE)
GIVEN: list[BaseMessage] = [
    HumanMessage("", id="h1"),
    ChatMessage("hm", role="critic", id="c1"),
    AIMessage("", id="a1", tool_calls=[{"name": "f", "args": {}, "id": None}]),
    AIMessage("look", id="a2", tool_calls=[{"name": "f", "args": {"x": 1}, "id": "t"}]),
    ToolMessage("in Lyon", tool_call_id="t", id="t1"),
]


def new() -> CtxAdminChatHistory:
    return CtxAdminChatHistory(f"h-{uuid4().hex[:8]}", CLIENT)


def keeps_every_kind_of_message() -> None:
    history = new()
    assert history.messages == []
    history.clear()
    history.add_messages(GIVEN)
    assert history.messages == GIVEN
    assert asyncio.run(history.aget_messages()) == GIVEN
    history.clear()
    assert history.messages == []
    history.add_messages(GIVEN)
    assert history.messages == GIVEN
    changed = HumanMessage("else", id="h1")
    history.add_messages([*GIVEN[:2], changed, HumanMessage("Hi"), HumanMessage("Hi")])
    assert [each.content for each in history.messages[len(GIVEN) :]] == ["else", "Hi", "Hi"]


def gives_what_people_made() -> None:
    history = new()
    history.add_messages(GIVEN)
    with Client(URL, REVIEW) as reviewer:
        conversation = reviewer.conversation(history.session_id)
        conversation.operate("truncate", truncate={"keep_last": 2})
    assert history.messages == GIVEN[-2:]


def serves_a_chain() -> None:
    def answer(messages: Any) -> AIMessage:
        return AIMessage(f"{len(messages)} messages")

    history = new()
    chat: Any = RunnableWithMessageHistory(RunnableLambda(answer), lambda _: history)
    config: Any = {"configurable": {"session_id": history.session_id}}
    assert chat.invoke([HumanMessage("Hi")], config).content == "1 messages"
    assert chat.invoke([HumanMessage("And?")], config).content == "3 messages"
    said = [each["content"] for each in CLIENT.conversation(history.session_id).messages()]
    assert said == ["Hi", "1 messages", "And?", "3 messages"]


keeps_every_kind_of_message()
gives_what_people_made()
serves_a_chain()
