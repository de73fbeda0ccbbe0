"""What the scenarios of LangGraph share: clients, a graph with a saver, and what people do."""

import sys
from typing import Any
from uuid import uuid4

import httpx
from ctxadmin_client import Client
from ctxadmin_client.calls import Call
from ctxadmin_client.langgraph import CtxAdminSaver
from langchain_core.messages import HumanMessage
from support import QUESTION, support

URL, ENGINE, REVIEW = sys.argv[1:4]
SENT: list[httpx.Request] = []
CLIENT = Client(URL, ENGINE, http=httpx.Client(event_hooks={"request": [SENT.append]}))
REVIEWER = Client(URL, REVIEW)


class Application:
    """The application of the scenario that runs, whose decisions nobody else takes up."""

    saver: CtxAdminSaver
    graph: Any


app = Application()


def start_application(name: str) -> None:
    """Gives the next scenario a saver and a graph of its own."""
    app.saver = CtxAdminSaver(CLIENT, app=f"{name}-{uuid4().hex[:6]}")
    app.graph = support(app.saver)


def new_thread() -> tuple[str, dict[str, Any]]:
    name = f"t-{uuid4().hex[:12]}"
    return name, {"configurable": {"thread_id": name}}


def ask(config: dict[str, Any], text: str = QUESTION) -> Any:
    return app.graph.invoke({"messages": [HumanMessage(text)]}, config)


def decide(name: str, move: str, reason: str | None = None, **rest: Any) -> Any:
    body = {"reason": reason, **rest}
    call = Call("POST", f"/conversations/{name}/{move}", body=body, key=uuid4().hex)
    return REVIEWER.transport.send(call)


def contents(name: str) -> list[Any]:
    return [each["content"] for each in REVIEWER.conversation(name).messages()]


def state_of(name: str) -> dict[str, Any]:
    state = dict(REVIEWER.conversation(name).snapshot().state_data)
    state.pop("messages")
    return state
