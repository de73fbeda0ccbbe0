"""Graphs whose process dies between any two calls: one that its application continues with, and one
that a worker resumes when people have decided.

python kill_langgraph.py URL ENGINE_TOKEN REVIEW_TOKEN saver|approved|rejected THREAD MOMENT ...
"""

import asyncio
import sys
from uuid import uuid4

import httpx
from ctxadmin_client import AsyncClient, Client
from ctxadmin_client.calls import Call
from ctxadmin_client.langgraph import AsyncCtxAdminSaver, CtxAdminSaver, aresume_decided
from kills import AsyncMortal, Death, Mortal, die_at_all
from langchain_core.messages import HumanMessage
from langgraph.types import Command
from support import QUESTION, support

URL, ENGINE, REVIEW = sys.argv[1:4]
TTL = 1  # seconds, the least that a worker can claim


def decide(thread: str, decision: str) -> None:
    with Client(URL, REVIEW) as reviewer:
        if reviewer.conversation(thread).snapshot(state=False).status == "PAUSED":
            where, body = f"/conversations/{thread}/{decision}", {"reason": "because"}
            reviewer.transport.send(Call("POST", where, body=body, key=uuid4().hex))


def application(thread: str, death: Death) -> None:
    """What an application does when it starts: continue where the thread stands, until its end."""
    config = {"configurable": {"thread_id": thread}}
    with Client(URL, ENGINE, http=httpx.Client(transport=Mortal(death))) as client:
        graph = support(CtxAdminSaver(client))
        while True:
            state = graph.get_state(config)
            if not state.values and not state.tasks:
                graph.invoke({"messages": [HumanMessage(QUESTION)]}, config)
            elif state.interrupts:
                decide(thread, "approve")
                graph.invoke(Command(resume="yes"), config)
            elif state.tasks:
                graph.invoke(None, config)
            else:
                return


def asked(thread: str, decision: str) -> None:
    """A graph that asked, and someone decided while no worker ran."""
    config = {"configurable": {"thread_id": thread}}
    with Client(URL, ENGINE) as client:
        graph = support(CtxAdminSaver(client, app=thread))
        graph.invoke({"messages": [HumanMessage(QUESTION)]}, config)
    decide(thread, decision)


def worker(thread: str, death: Death) -> None:
    """Take up what is decided, and what a dead worker holds when its claim has expired."""

    async def run() -> None:
        http = httpx.AsyncClient(transport=AsyncMortal(death))
        async with AsyncClient(URL, ENGINE, http=http) as client:
            graph = support(AsyncCtxAdminSaver(client, app=thread))
            for _ in range(5):
                await aresume_decided(graph, client, ttl=TTL)
                state = await client.conversation(thread).snapshot(state=False)
                if state.ended and state.status == "COMPLETED":
                    return
                await asyncio.sleep(TTL)
        raise RuntimeError(f"{thread} is {state.status}")

    asyncio.run(run())


def main(adapter: str, thread: str, *moments: str) -> int:
    if adapter == "saver":
        return die_at_all(application, thread, moments)
    decision = {"approved": "approve", "rejected": "reject"}[adapter]
    # One after the other: a worker looks at all executions that run.
    return die_at_all(
        worker, thread, moments, lanes=1, before=lambda name, _: asked(name, decision)
    )


sys.exit(main(*sys.argv[4:]))
