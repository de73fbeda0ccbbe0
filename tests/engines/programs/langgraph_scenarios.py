"""What graphs and people do to each other: each function is a test, with its name as sentence.

python langgraph_scenarios.py URL ENGINE_TOKEN REVIEW_TOKEN [NAME ...]

Prints JSON: by name the traceback of a failure, or null.
"""

import asyncio
import json
import operator
import sys
import threading
import time
import traceback
from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import uuid4

import httpx
from ctxadmin_client import AsyncClient, Client, NotFound
from ctxadmin_client.calls import Call
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
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command, interrupt
from support import DRAFT, QUESTION, support
from typing_extensions import TypedDict

URL, ENGINE, REVIEW = sys.argv[1:4]
SENT: list[httpx.Request] = []
HTTP = httpx.Client(event_hooks={"request": [SENT.append]})
CLIENT = Client(URL, ENGINE, http=HTTP)
REVIEWER = Client(URL, REVIEW)
SAVER = CtxAdminSaver(CLIENT)
GRAPH = support(SAVER)


def own_application(name: str) -> None:
    """Each test has an application of its own, whose decisions nobody else takes up."""
    global SAVER, GRAPH
    SAVER = CtxAdminSaver(CLIENT, app=name)
    GRAPH = support(SAVER)


def new_thread() -> tuple[str, dict[str, Any]]:
    name = f"t-{uuid4().hex[:12]}"
    return name, {"configurable": {"thread_id": name}}


def ask(config: dict[str, Any], text: str = QUESTION) -> Any:
    return GRAPH.invoke({"messages": [HumanMessage(text)]}, config)


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


def test_the_graph_goes_on_with_what_people_made_of_state_and_messages() -> None:
    name, config = new_thread()
    ask(config)
    paused = REVIEWER.conversation(name)
    paused.change_state("review", {"draft": "It is in Paris."}, reason="wrong")
    paused.operate("replace", replace={"index": 0, "message": {"role": "user", "content": "Eh?"}})
    decide(name, "approve")
    out = GRAPH.invoke(Command(resume="yes"), config)
    assert out["sent"] == "It is in Paris."
    assert [each.content for each in out["messages"]] == contents(name)
    assert contents(name) == ["Eh?", "I look it up.", "in Lyon", "It is in Paris."]
    assert REVIEWER.conversation(name).snapshot().status == "COMPLETED"
    assert "interrupt" not in state_of(name)


def test_a_view_that_was_rolled_back_is_what_the_graph_sees() -> None:
    name, config = new_thread()
    ask(config)
    paused = REVIEWER.conversation(name)
    paused.operate("truncate", truncate={"keep_first": 1})
    assert len(GRAPH.get_state(config).values["messages"]) == 1
    paused.roll_back(0)
    assert len(GRAPH.get_state(config).values["messages"]) == 3


def test_the_latest_checkpoint_is_as_of_now_and_one_by_its_id_as_it_was_saved() -> None:
    name, config = new_thread()
    ask(config)
    saved = GRAPH.get_state(config)
    REVIEWER.conversation(name).change_state("review", {"draft": "other"})
    now = GRAPH.get_state(config)
    then = GRAPH.get_state(saved.config)
    assert now.config == saved.config
    assert (now.values["draft"], then.values["draft"]) == ("other", DRAFT)


def test_a_rejection_goes_on_with_its_reason() -> None:
    name, config = new_thread()
    ask(config)
    decide(name, "reject", "Too short.")
    assert REVIEWER.conversation(name).snapshot().status == "FAILED"
    assert resume_decided(GRAPH, CLIENT) >= 1
    snapshot = REVIEWER.conversation(name).snapshot()
    assert (snapshot.status, state_of(name)["sent"]) == ("COMPLETED", "not sent: Too short.")


def test_an_edit_that_the_graph_could_not_take_pauses_again_with_the_reason() -> None:
    name, config = new_thread()
    ask(config)
    paused = REVIEWER.conversation(name)
    paused.change_state("review", {"draft": 5, "note": {"of": "a person"}})
    decide(name, "approve")
    assert resume_decided(GRAPH, CLIENT) == 0
    snapshot = paused.snapshot()
    assert (snapshot.status, snapshot.pause["node_id"]) == ("PAUSED", "review")
    assert snapshot.pause["reason"] == (
        "The graph cannot take the edited state. Correct it and decide again."
        " draft: Input should be a valid string"
    )
    assert snapshot.state_data["draft"] == 5
    assert "sent" not in snapshot.state_data
    assert resume_decided(GRAPH, CLIENT) == 0
    paused.change_state("review", {"draft": "It is in Paris."})
    decide(name, "approve")
    assert resume_decided(GRAPH, CLIENT) == 1
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
    assert resume_decided(GRAPH, CLIENT) == 1
    assert resume_decided(GRAPH, CLIENT) == 0


def test_each_turn_is_an_execution_and_the_history_has_all_of_them() -> None:
    name, config = new_thread()
    ask(config)
    GRAPH.invoke(Command(resume="yes"), config)
    first = REVIEWER.conversation(name).snapshot().execution
    out = ask(config, "And now?")
    assert len(out["messages"]) == 7
    second = REVIEWER.conversation(name).snapshot()
    assert (second.status, second.execution != first) == ("PAUSED", True)
    history = [*GRAPH.get_state_history(config)]
    assert [each.metadata["step"] for each in history] == [5, 4, 3, 2, 1, 0, -1]
    assert [each.metadata["step"] for each in GRAPH.get_state_history(config, limit=6)][-1] == 0
    before = [*GRAPH.get_state_history(config, before=history[4].config)]
    assert [each.metadata["step"] for each in before] == [0, -1]
    found = [*GRAPH.get_state_history(config, filter={"source": "input"})]
    assert [each.metadata["step"] for each in found] == [3, -1]
    assert GRAPH.get_state(history[4].config).values["draft"] == DRAFT


def test_time_travel_from_the_graph_shows_the_messages_of_then() -> None:
    name, config = new_thread()
    ask(config)
    GRAPH.invoke(Command(resume="yes"), config)
    ask(config, "And now?")
    waits = [each for each in GRAPH.get_state_history(config) if each.next == ("review",)]
    out = GRAPH.invoke(None, waits[-1].config)
    assert out["__interrupt__"]
    assert contents(name) == [QUESTION, "I look it up.", "in Lyon"]
    assert GRAPH.invoke(Command(resume="again"), config)["sent"] == DRAFT
    assert contents(name) == [QUESTION, "I look it up.", "in Lyon", DRAFT]


def test_time_travel_from_the_page_is_where_the_graph_goes_on() -> None:
    name, config = new_thread()
    ask(config)
    versions = [*REVIEWER.conversation(name).checkpoints()]
    drafted = next(each for each in versions if each["node_id"] == "input")
    where = f"/conversations/{name}/checkpoints/{drafted['version']}/restore"
    REVIEWER.transport.send(Call("POST", where, body={"reason": "again"}, key=uuid4().hex))
    assert GRAPH.get_state(config).next == ("draft",)
    assert contents(name) == [QUESTION]
    decide(name, "approve")
    assert resume_decided(GRAPH, CLIENT) == 1
    snapshot = REVIEWER.conversation(name).snapshot()
    assert (snapshot.status, state_of(name)["drafted"]) == ("PAUSED", 1)
    assert contents(name) == [QUESTION, "I look it up.", "in Lyon"]


def test_a_restore_to_the_question_asks_it_again() -> None:
    name, config = new_thread()
    ask(config)
    paused = REVIEWER.conversation(name).snapshot().version
    GRAPH.invoke(Command(resume="yes"), config)
    body = {"id": f"{name}-b"}
    where = f"/conversations/{name}/checkpoints/{paused}/fork"
    REVIEWER.transport.send(Call("POST", where, body=body, key=uuid4().hex))
    forked = {"configurable": {"thread_id": f"{name}-b"}}
    assert GRAPH.get_state(forked).next == ("review",)
    assert GRAPH.invoke(Command(resume="yes"), forked)["sent"] == DRAFT
    assert contents(f"{name}-b") == contents(name)


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
    graph = builder.compile(checkpointer=SAVER)
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
    graph = builder.compile(checkpointer=SAVER)
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
    graph = parent.compile(checkpointer=SAVER)
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


def put(name: str, parent: Any, messages: list[BaseMessage], **values: Any) -> Any:
    """Save a checkpoint with these messages and values, as LangGraph does."""
    checkpoint = empty_checkpoint()
    checkpoint["channel_values"] = {"messages": messages, **values}
    checkpoint["channel_versions"] = dict.fromkeys(checkpoint["channel_values"], uuid4().int % 9)
    config = parent or {"configurable": {"thread_id": name, "checkpoint_ns": ""}}
    metadata: Any = {"source": "loop", "step": 0, "parents": {}}
    return SAVER.put(config, checkpoint, metadata, checkpoint["channel_versions"])


EVERY_KIND: list[BaseMessage] = [
    SystemMessage("Be kind.", id="s"),
    SystemMessage("", id="empty"),
    HumanMessage("", id="h"),
    HumanMessage([{"type": "text", "text": "look"}, "and", {"type": "image_url", "n": 1}], id="p"),
    HumanMessage("named", id="n", name="rita", additional_kwargs={"a": [1]}),
    AIMessage("call", id="a1", tool_calls=[{"name": "f", "args": {"x": 1.5}, "id": "c1"}]),
    ToolMessage("result", id="t1", tool_call_id="c1", artifact={"raw": [1]}, status="error"),
    AIMessage("", id="a2", tool_calls=[{"name": "f", "args": {}, "id": None}]),
    AIMessage(
        [{"type": "text", "text": "x"}, {"type": "tool_use", "id": "u", "name": "f", "input": {}}],
        id="a3",
        usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
        response_metadata={"model": "m"},
    ),
    AIMessageChunk("chunk", id="a4"),
    ChatMessage("critic's", role="critic", id="c"),
    HumanMessage("without an id"),
    HumanMessage("long id", id="x" * 200),
    HumanMessage("odd id", id="lc:run/1 é"),
    HumanMessage("object inside", id="obj", additional_kwargs={"when": datetime(2026, 1, 1)}),
    HumanMessage('{"$delete": true}', id="dir"),
]


def test_every_kind_of_message_comes_back_as_it_was() -> None:
    name, _ = new_thread()
    config = put(name, None, EVERY_KIND)
    fresh = CtxAdminSaver(CLIENT)
    for asked in (config, {"configurable": {"thread_id": name}}):
        found = fresh.get_tuple(asked)
        assert found is not None
        back = found.checkpoint["channel_values"]["messages"]
        for one, other in zip(back, EVERY_KIND, strict=True):
            if other.id is None:
                other = other.model_copy(update={"id": one.id})
            assert (type(one), one) == (type(other), other), (one, other)


def test_a_message_that_a_person_edited_is_what_the_graph_gets() -> None:
    name, _ = new_thread()
    put(name, None, EVERY_KIND)
    shown = [*REVIEWER.conversation(name).messages()]
    place = next(n for n, each in enumerate(shown) if each["id"] == "a3")
    message = {key: shown[place][key] for key in ("role", "metadata")} | {"content": "edited"}
    CLIENT.conversation(name).operate("replace", replace={"index": place, "message": message})
    found = CtxAdminSaver(CLIENT).get_tuple({"configurable": {"thread_id": name}})
    assert found is not None
    assert found.checkpoint["channel_values"]["messages"][place].content == "edited"
    assert found.checkpoint["channel_values"]["messages"][place].id == "a3"


def test_messages_that_a_graph_removes_changes_and_inserts_are_operations() -> None:
    name, _ = new_thread()
    given = [HumanMessage(f"m{n}", id=f"m{n}") for n in range(6)]
    config = put(name, None, given)
    changed = HumanMessage("changed", id="m2")
    new = [given[0], HumanMessage("between", id="b"), changed, given[4], HumanMessage("z", id="z")]
    config = put(name, config, new)
    assert contents(name) == ["m0", "between", "changed", "m4", "z"]
    config = put(name, config, [new[3], new[0]])
    assert contents(name) == ["m4", "m0"]
    config = put(name, config, [])
    assert contents(name) == []
    put(name, config, given)
    assert contents(name) == [f"m{n}" for n in range(6)]
    found = CtxAdminSaver(CLIENT).get_tuple({"configurable": {"thread_id": name}})
    assert found is not None
    assert found.checkpoint["channel_values"]["messages"] == given
    assert len([*REVIEWER.conversation(name).messages("all")]) >= 8


def test_a_graph_that_removes_messages_hides_them() -> None:
    class State(MessagesState):
        pass

    def forget(state: State) -> dict[str, Any]:
        return {"messages": [RemoveMessage(id=each.id) for each in state["messages"][:-1]]}

    builder = StateGraph(State)
    builder.add_node("forget", forget)
    builder.add_edge(START, "forget")
    graph = builder.compile(checkpointer=SAVER)
    name, config = new_thread()
    graph.invoke({"messages": [HumanMessage("a"), HumanMessage("b")]}, config)
    assert contents(name) == ["b"]
    assert len([*REVIEWER.conversation(name).messages("all")]) == 2


def test_values_that_are_json_are_state_keys_and_others_come_back_as_they_were() -> None:
    name, _ = new_thread()
    values: dict[str, Any] = {
        "text": "é",
        "nested": {"a": [1, 2.5, None, True]},
        "none": None,
        "set": {1, 2},
        "when": datetime(2026, 1, 1, tzinfo=UTC),
        "bytes": b"\x00",
        "infinite": float("inf"),
        "directive": {"$delete": True},
        "execution_history": ["mine"],
        "interrupt": "mine too",
        "a/b": 1,
        "k" * 300: 2,
    }
    config = put(name, None, [], **values)
    for asked in (config, {"configurable": {"thread_id": name}}):
        found = CtxAdminSaver(CLIENT).get_tuple(asked)
        assert found is not None
        back = found.checkpoint["channel_values"]
        back.pop("messages")
        assert back == values, {k: (v, back.get(k)) for k, v in values.items() if back.get(k) != v}
    state = state_of(name)
    assert (state["text"], state["nested"], state["none"]) == ("é", values["nested"], None)
    assert not {"bytes", "set", "when"} & {*state}


def test_a_put_costs_the_new_messages_only() -> None:
    def bodies(count: int) -> int:
        name, _ = new_thread()
        messages: list[BaseMessage] = [HumanMessage("x" * 200, id=f"m{n}") for n in range(count)]
        config = put(name, None, messages)
        SENT.clear()
        put(name, config, [*messages, HumanMessage("new", id="new")])
        assert [each.method for each in SENT] == ["PUT"]
        return len(SENT[0].content)

    assert bodies(2_000) < bodies(10) + 200


def test_a_deleted_thread_is_erased() -> None:
    name, config = new_thread()
    ask(config)
    SAVER.delete_thread(name)
    assert GRAPH.get_state(config).values == {}
    try:
        REVIEWER.conversation(name).read()
    except NotFound:
        return
    raise AssertionError("it is still there")


def test_pruning_frees_the_bytes_of_older_checkpoints() -> None:
    name, _ = new_thread()
    config = None
    for step in range(4):
        config = put(name, config, [], blob="x" * 10_000 + str(step))
    SAVER.prune([name])
    rows = [*REVIEWER.conversation(name).checkpoints(include="deleted")]
    assert [bool(each["deleted_at"]) for each in rows] == [False, True, True, True, False]


def executions_of(name: str) -> list[str]:
    return [str(each["execution"]) for each in REVIEWER.conversation(name).executions()]


def left_of(name: str) -> list[list[int]]:
    """The versions that are left of each turn, latest turn first."""
    conversation = REVIEWER.conversation(name)
    return [
        [int(row["version"]) for row in conversation.checkpoints(execution=each)]
        for each in executions_of(name)
    ]


def test_pruning_frees_the_bytes_of_earlier_turns() -> None:
    name, config = new_thread()
    for _ in range(3):
        ask(config)
        decide(name, "approve")
        resume_decided(GRAPH, CLIENT)
    before = [*SAVER.list(config)]
    latest = GRAPH.get_state(config)
    SAVER.prune([name])
    now, *former = left_of(name)
    assert former == [[0], [0]]
    assert len(now) == 2
    assert now[-1] == 0
    assert GRAPH.get_state(config).values == latest.values
    assert [each.config for each in SAVER.list(config)] == [before[0].config]
    SAVER.prune([name])
    ask(config)
    assert len(GRAPH.get_state(config).values["messages"]) > len(latest.values["messages"])


def test_the_checkpoints_of_a_run_in_the_middle_are_deleted_and_earlier_ones_stay() -> None:
    name, config = new_thread()
    for run in ("one", "two", "three"):
        of_run = {**config, "metadata": {"run_id": f"{name}-{run}"}}
        GRAPH.invoke({"messages": [HumanMessage(QUESTION)]}, of_run)
        GRAPH.invoke(Command(resume="yes"), of_run)
    before = [each.config for each in SAVER.list(config)]
    doomed = [each.config for each in SAVER.list(config, filter={"run_id": f"{name}-two"})]
    assert doomed
    assert before[0] not in doomed
    SAVER.delete_for_runs([f"{name}-two"])
    assert left_of(name)[1] == [0]
    kept = [each for each in before if each not in doomed]
    assert [each.config for each in SAVER.list(config)] == kept
    assert SAVER.get_tuple(kept[-1]) is not None


def test_a_conversation_that_began_without_a_graph_keeps_its_messages() -> None:
    name, config = new_thread()
    CLIENT.create(name, messages=[{"role": "user", "content": "earlier"}])
    ask(config)
    assert contents(name) == ["earlier", QUESTION, "I look it up.", "in Lyon"], contents(name)
    assert [each.content for each in GRAPH.get_state(config).values["messages"]] == contents(name)


def test_a_thread_id_of_any_text_is_a_conversation_with_it_as_title() -> None:
    thread = f"user {uuid4().hex[:8]}: é/1"
    config = {"configurable": {"thread_id": thread}}
    ask(config)
    listed = [each for each in REVIEWER.conversations() if each["title"] == thread]
    assert len(listed) == 1
    decide(listed[0]["id"], "approve")
    assert resume_decided(GRAPH, CLIENT) == 1
    assert GRAPH.get_state(config).values["sent"] == DRAFT


def test_an_update_of_the_state_while_it_is_paused_leaves_it_paused() -> None:
    name, config = new_thread()
    ask(config)
    GRAPH.update_state(config, {"draft": "by the application"}, as_node="draft")
    snapshot = REVIEWER.conversation(name).snapshot()
    assert (snapshot.status, snapshot.state_data["draft"]) == ("PAUSED", "by the application")
    assert GRAPH.get_state(config).next == ("review",)


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


def main(names: list[str]) -> None:
    told = {}
    for name, test in [*globals().items()]:
        if name.startswith("test_") and (not names or name in names):
            own_application(name)
            try:
                test()
            except Exception:  # noqa: BLE001 - told, and the others run
                told[name] = traceback.format_exc()
            else:
                told[name] = None
    print(json.dumps(told))


assert END  # part of what graphs import
main(sys.argv[4:])
