"""Graphs that ask people: interrupts, decisions, edits, pauses, subgraphs."""

import asyncio
import operator
import threading
import time
from typing import Annotated, Any
from uuid import uuid4

from ctxadmin_client import AsyncClient, Client
from ctxadmin_client.langgraph import (
    AsyncCtxAdminSaver,
    CtxAdminSaver,
    Stopped,
    aresume_decided,
    resume_decided,
    resume_on_decision,
)
from langchain_core.messages import (
    AIMessage,
    HumanMessage,
)
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt
from langgraph_lab import (
    CLIENT,
    ENGINE,
    REVIEWER,
    URL,
    app,
    ask,
    contents,
    decide,
    new_thread,
    state_of,
)
from support import DRAFT, QUESTION, support
from typing_extensions import TypedDict


def test_an_interrupt_pauses_with_what_it_asks_before_the_node_that_asks() -> None:
    name, config = new_thread()
    out = ask(config)
    assert out["__interrupt__"][0].value["question"] == "Send this answer?"
    snapshot = REVIEWER.conversation(name).snapshot()
    assert snapshot.status == "PAUSED"
    assert snapshot.pause is not None
    assert snapshot.pause["node_id"] == "review"
    assert snapshot.pause["when"] == "before"
    assert snapshot.pause["reason"] == "Send this answer?"
    assert state_of(name) == {
        "draft": DRAFT,
        "drafted": 1,
        "interrupt": {"question": "Send this answer?", "draft": DRAFT},
    }
    messages = [*REVIEWER.conversation(name).messages()]
    assert [each["role"] for each in messages] == ["user", "assistant", "tool"]
    assert [each["id"] for each in messages] == [each.id for each in out["messages"]]
    assert messages[1]["tool_calls"][0]["function"]["name"] == "find"
    assert messages[1]["node_id"] == "draft"


def test_the_graph_continues_with_what_people_made_of_state_and_messages() -> None:
    name, config = new_thread()
    ask(config)
    paused = REVIEWER.conversation(name)
    paused.change_state("review", {"draft": "It is in Paris."}, reason="wrong")
    paused.operate("replace", replace={"index": 0, "message": {"role": "user", "content": "Eh?"}})
    decide(name, "approve")
    out = app.graph.invoke(Command(resume="yes"), config)
    assert out["sent"] == "It is in Paris."
    assert [each.content for each in out["messages"]] == contents(name)
    assert contents(name) == ["Eh?", "I look it up.", "in Lyon", "It is in Paris."]
    nodes = [each["node_id"] for each in REVIEWER.conversation(name).messages()]
    assert nodes[1:] == ["draft", "draft", "review"]
    done = REVIEWER.conversation(name).snapshot().executed_node_ids
    assert done[-2:] == ["draft", "review"]
    assert REVIEWER.conversation(name).snapshot().status == "COMPLETED"
    assert "interrupt" not in state_of(name)


def test_a_rejection_continues_with_its_reason() -> None:
    name, config = new_thread()
    ask(config)
    decide(name, "reject", "Too short.")
    assert REVIEWER.conversation(name).snapshot().status == "FAILED"
    assert resume_decided(app.graph, CLIENT) >= 1
    snapshot = REVIEWER.conversation(name).snapshot()
    assert (snapshot.status, state_of(name)["sent"]) == ("COMPLETED", "not sent: Too short.")


def test_an_edit_that_the_graph_could_not_take_pauses_again_with_the_reason() -> None:
    name, config = new_thread()
    ask(config)
    paused = REVIEWER.conversation(name)
    paused.change_state("review", {"draft": 5, "note": {"of": "a person"}})
    decide(name, "approve")
    assert resume_decided(app.graph, CLIENT) == 0
    snapshot = paused.snapshot()
    assert (snapshot.status, snapshot.pause["node_id"]) == ("PAUSED", "review")
    assert snapshot.pause["reason"] == (
        "The graph cannot take the edited state. Correct it and decide again."
        " draft: Input should be a valid string"
    )
    assert snapshot.state_data["draft"] == 5
    assert "sent" not in snapshot.state_data
    assert resume_decided(app.graph, CLIENT) == 0
    paused.change_state("review", {"draft": "It is in Paris."})
    decide(name, "approve")
    assert resume_decided(app.graph, CLIENT) == 1
    assert (paused.snapshot().status, state_of(name)["sent"]) == ("COMPLETED", "It is in Paris.")


def test_several_workers_take_up_a_decision_once() -> None:
    ran: list[str] = []

    class State(TypedDict):
        done: str

    def act(state: State) -> dict[str, Any]:
        answer = interrupt("Go?")
        ran.append(answer["decision"])
        time.sleep(0.3)
        return {"done": answer["by"]}

    builder = StateGraph(State)
    builder.add_node("act", act)
    builder.add_edge(START, "act")
    app = f"app-{uuid4().hex[:6]}"
    clients = [Client(URL, ENGINE) for _ in range(3)]
    graphs = [builder.compile(checkpointer=CtxAdminSaver(each, app=app)) for each in clients]
    name, config = new_thread()
    graphs[0].invoke({"done": ""}, config)
    for graph, client in zip(graphs, clients, strict=True):
        worker = threading.Thread(target=resume_on_decision, args=(graph, client), daemon=True)
        worker.start()
    time.sleep(0.5)
    decide(name, "approve")
    moved = REVIEWER.conversation(name).wait(status=["COMPLETED"], seconds=20)
    assert moved.status == "COMPLETED"
    time.sleep(0.5)
    assert ran == ["approve"]
    assert state_of(name)["done"].startswith("token:")


def test_decisions_for_other_applications_are_left_alone() -> None:
    name, config = new_thread()
    ask(config)
    decide(name, "approve")
    other = support(CtxAdminSaver(CLIENT, app="other"))
    assert resume_decided(other, CLIENT) == 0
    assert REVIEWER.conversation(name).snapshot().status == "RUNNING"
    assert resume_decided(app.graph, CLIENT) == 1
    assert resume_decided(app.graph, CLIENT) == 0


def test_a_pause_that_a_person_asked_for_stops_the_graph() -> None:
    name, config = new_thread()

    class State(TypedDict):
        steps: Annotated[int, operator.add]

    def first(state: State) -> dict[str, Any]:
        decide(name, "pause", "A look.")
        return {"steps": 1}

    def next_one(state: State) -> dict[str, Any]:
        return {"steps": 1}

    builder = StateGraph(State)
    for place, node in enumerate((first, next_one, next_one, next_one)):
        builder.add_node(f"n{place}", node)
        builder.add_edge(f"n{place - 1}" if place else START, f"n{place}")
    graph = builder.compile(checkpointer=app.saver)
    told = ""
    try:
        graph.invoke({"steps": 0}, config, durability="sync")
    except Stopped as error:
        told = str(error)
    assert "PAUSED" in told
    assert REVIEWER.conversation(name).snapshot().status == "PAUSED"
    decide(name, "resume")
    assert resume_decided(graph, CLIENT) == 1
    assert state_of(name)["steps"] == 4, state_of(name)
    assert REVIEWER.conversation(name).snapshot().status == "COMPLETED"


def test_interrupts_of_parallel_nodes_are_asked_together_and_answered_each() -> None:
    class State(TypedDict):
        done: Annotated[list[str], operator.add]

    def one(state: State) -> dict[str, Any]:
        return {"done": [interrupt("One?")]}

    def two(state: State) -> dict[str, Any]:
        return {"done": [interrupt("Two?")]}

    builder = StateGraph(State)
    builder.add_node("one", one)
    builder.add_node("two", two)
    builder.add_edge(START, "one")
    builder.add_edge(START, "two")
    graph = builder.compile(checkpointer=app.saver)
    name, config = new_thread()
    graph.invoke({"done": []}, config)
    assert sorted(state_of(name)["interrupt"]) == ["One?", "Two?"]
    decide(name, "approve", "fine")
    assert resume_decided(graph, CLIENT) == 1
    assert [each["reason"] for each in state_of(name)["done"]] == ["fine", "fine"]


def test_a_subgraph_has_its_namespace_and_its_question_pauses_the_whole() -> None:
    class State(MessagesState):
        answer: str

    def inner(state: State) -> dict[str, Any]:
        return {"messages": [AIMessage("inner", id=uuid4().hex)]}

    def asks(state: State) -> dict[str, Any]:
        return {"answer": interrupt("In here?")}

    child = StateGraph(State)
    child.add_node("inner", inner)
    child.add_node("asks", asks)
    child.add_edge(START, "inner")
    child.add_edge("inner", "asks")
    parent = StateGraph(State)
    parent.add_node("sub", child.compile())
    parent.add_node("after", lambda state: {"messages": [AIMessage("after")]})
    parent.add_edge(START, "sub")
    parent.add_edge("sub", "after")
    graph = parent.compile(checkpointer=app.saver)
    name, config = new_thread()
    graph.invoke({"messages": [HumanMessage("Hi")]}, config)
    snapshot = REVIEWER.conversation(name).snapshot()
    assert snapshot.pause is not None
    assert (snapshot.status, snapshot.pause["node_id"]) == ("PAUSED", "sub")
    namespaces = {each["namespace"] for each in REVIEWER.conversation(name).checkpoints()}
    assert any(each.startswith("sub:") for each in namespaces)
    assert contents(name) == ["Hi"]
    inside = graph.get_state(config, subgraphs=True).tasks[0].state
    assert [each.content for each in inside.values["messages"]] == ["Hi", "inner"]
    out = graph.invoke(Command(resume="yes"), config)
    assert out["answer"] == "yes"
    assert contents(name) == ["Hi", "inner", "after"]
    left = REVIEWER.conversation(name).snapshot()
    keys = {*left.state_data, *left.data["opaque"]}
    assert keys == {"answer", "messages", "langgraph.checkpoint"}, keys
    assert left.status == "COMPLETED"


def test_an_update_of_the_state_while_it_is_paused_leaves_it_paused() -> None:
    name, config = new_thread()
    ask(config)
    app.graph.update_state(config, {"draft": "by the application"}, as_node="draft")
    snapshot = REVIEWER.conversation(name).snapshot()
    assert (snapshot.status, snapshot.state_data["draft"]) == ("PAUSED", "by the application")
    assert app.graph.get_state(config).next == ("review",)


def test_a_graph_for_asyncio_does_the_same() -> None:
    async def run() -> None:
        async with AsyncClient(URL, ENGINE) as client:
            graph = support(AsyncCtxAdminSaver(client, app="asyncio"))  # type: ignore[arg-type]
            name, config = new_thread()
            await graph.ainvoke({"messages": [HumanMessage(QUESTION)]}, config)
            assert REVIEWER.conversation(name).snapshot().status == "PAUSED"
            decide(name, "approve")
            assert await aresume_decided(graph, client) == 1
            assert state_of(name)["sent"] == DRAFT

    asyncio.run(run())
