"""The middleware of LangChain: what the model gets, and what the agent keeps.

python langchain_filters.py URL ENGINE_TOKEN REVIEW_TOKEN DESIGN_TOKEN
"""

import asyncio
import sys
from typing import Any
from uuid import uuid4

from ctxadmin_client import Client, Forbidden, Invalid, Unauthenticated
from ctxadmin_client.calls import Call, Retries
from ctxadmin_client.langchain.filters import CtxAdminFilters
from langchain.agents import AgentState, create_agent
from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatResult
from langchain_core.tools import tool

URL, ENGINE, REVIEW, DESIGN = sys.argv[1:5]
CLIENT = Client(URL, ENGINE)
KEEP = {"default_behavior": "pass", "rules": []}
PAST: list[BaseMessage] = [
    HumanMessage("one", id="h1"),
    AIMessage("two", id="a1", response_metadata={"model": "m"}),
    HumanMessage("my card is 4111", id="h2"),
]


class Model(FakeMessagesListChatModel):
    """Calls the tool, then answers; keeps what it got."""

    got: list[list[BaseMessage]] = []

    def bind_tools(self, tools: Any, **named: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *rest: Any, **named: Any) -> ChatResult:
        self.got.append(messages)
        return super()._generate(messages, *rest, **named)


@tool
def find() -> str:
    """Find the parcel."""
    return "in Lyon"


def model() -> Model:
    call = {"name": "find", "args": {}, "id": "c1"}
    return Model(responses=[AIMessage("", tool_calls=[call]), AIMessage("It is in Lyon.")], got=[])


def last(count: int) -> dict[str, Any]:
    keep = {"operation": "truncate", "truncate": {"keep_last": count}, "pairing": "keep"}
    return {"context_filter": {**KEEP, "messages": [keep]}}


def filters_what_the_model_gets() -> None:
    asked = model()
    agent: Any = create_agent(
        asked,
        [find],
        system_prompt="Be kind",
        middleware=[CtxAdminFilters(CLIENT, steps=[last(1)])],
    )
    ended = agent.invoke({"messages": PAST})
    first = asked.got[0]
    assert [each.type for each in first] == ["system", "human"]
    assert first[1] == PAST[2], "a message that passes is the one that was given"
    assert [each.type for each in asked.got[1]] == ["system", "ai", "tool"], "no pair is split"
    assert ended["messages"][:3] == PAST, "the state keeps all"
    assert ended["messages"][-1].content == "It is in Lyon."
    kept = asyncio.run(agent.ainvoke({"messages": PAST}))
    assert kept["messages"][:3] == PAST
    assert asked.got[2] == first


def knows_the_state_of_the_agent() -> None:
    class Stateful(AgentState[Any]):
        tier: str

    plain = {"type": "exclude", "pattern": "assistant", "target": "messages"}
    rule = {**plain, "condition": "context.tier === 'free'"}
    steps = [{"context_filter": {**KEEP, "rules": [rule]}}]
    middleware = CtxAdminFilters(CLIENT, steps=steps)
    for tier, count in (("free", 2), ("paid", 3)):
        asked = model()
        agent: Any = create_agent(asked, [find], middleware=[middleware], state_schema=Stateful)
        agent.invoke({"messages": PAST, "tier": tier})
        assert len(asked.got[0]) == count, (tier, asked.got[0])


def gives_what_filters_changed() -> None:
    cover = {
        "operation": "replace",
        "replace": {"index": 2, "message": {"role": "user", "content": "(hidden)"}},
    }
    asked = model()
    steps = [{"context_filter": {**KEEP, "messages": [cover]}}]
    agent: Any = create_agent(asked, [find], middleware=[CtxAdminFilters(CLIENT, steps=steps)])
    agent.invoke({"messages": PAST})
    assert asked.got[0][:2] == PAST[:2]
    assert [each.content for each in asked.got[0]] == ["one", "two", "(hidden)"]
    assert [type(each) for each in asked.got[1][3:]] == [AIMessage, ToolMessage]


def follows_what_people_publish() -> None:
    slug = f"w-{uuid4().hex[:8]}"

    def publish(count: int, draft_version: int) -> None:
        node = {"id": "ask", "type": "llm", **last(count)}
        document = {"name": "Support", "nodes": [node], "edges": []}
        with Client(URL, DESIGN) as designer:
            send = designer.transport.send
            body = {"document": document, "expected_version": draft_version}
            saved = send(Call("PUT", f"/workflows/{slug}/draft", body=body))
            note = {"expected_version": saved["draft_version"]}
            send(Call("POST", f"/workflows/{slug}/publish", body=note))

    with Client(URL, DESIGN) as designer:
        made = {"slug": slug, "name": "Support"}
        designer.transport.send(Call("POST", "/workflows", body=made))
    asked = model()
    filters = CtxAdminFilters(CLIENT, workflow=slug, node="ask")
    told = ""
    try:
        create_agent(asked, [find], middleware=[filters]).invoke({"messages": PAST})
    except ValueError as error:
        told = str(error)
    assert told == f"the workflow '{slug}' has no published version"
    assert asked.got == []
    publish(2, 0)
    middleware = CtxAdminFilters(CLIENT, workflow=slug, node="ask")
    for count in (2, 1):
        asked = model()
        agent: Any = create_agent(asked, [find], middleware=[middleware])
        agent.invoke({"messages": PAST})
        assert asked.got[0] == PAST[-count:]
        publish(1, 1 if count == 2 else 2)


def lets_nothing_pass_unfiltered() -> None:
    refused = (
        (CLIENT, [{"context_filter": {"rules": "none"}}], Invalid),
        (Client(URL, "ctx_no", retries=Retries(0)), [last(1)], (Unauthenticated, Forbidden)),
    )
    for client, steps, error in refused:
        asked = model()
        agent: Any = create_agent(asked, [find], middleware=[CtxAdminFilters(client, steps=steps)])
        try:
            agent.invoke({"messages": PAST})
        except error:
            assert asked.got == []
        else:
            raise AssertionError("the model was called")


filters_what_the_model_gets()
knows_the_state_of_the_agent()
gives_what_filters_changed()
follows_what_people_publish()
lets_nothing_pass_unfiltered()
