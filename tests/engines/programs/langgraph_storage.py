"""What a graph stores: messages, values, removals, deletion, pruning."""

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from ctxadmin_client import NotFound
from ctxadmin_client.langgraph import (
    CtxAdminSaver,
    resume_decided,
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
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command
from langgraph_lab import (
    CLIENT,
    REVIEWER,
    SENT,
    app,
    ask,
    contents,
    decide,
    new_thread,
    state_of,
)
from support import DRAFT, QUESTION


def put(name: str, parent: Any, messages: list[BaseMessage], **values: Any) -> Any:
    """Save a checkpoint with these messages and values, as LangGraph does."""
    checkpoint = empty_checkpoint()
    checkpoint["channel_values"] = {"messages": messages, **values}
    checkpoint["channel_versions"] = dict.fromkeys(checkpoint["channel_values"], uuid4().int % 9)
    config = parent or {"configurable": {"thread_id": name, "checkpoint_ns": ""}}
    metadata: Any = {"source": "loop", "step": 0, "parents": {}}
    return app.saver.put(config, checkpoint, metadata, checkpoint["channel_versions"])


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
    graph = builder.compile(checkpointer=app.saver)
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
    app.saver.delete_thread(name)
    assert app.graph.get_state(config).values == {}
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
    app.saver.prune([name])
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
        resume_decided(app.graph, CLIENT)
    before = [*app.saver.list(config)]
    latest = app.graph.get_state(config)
    app.saver.prune([name])
    now, *former = left_of(name)
    assert former == [[0], [0]]
    assert len(now) == 2
    assert now[-1] == 0
    assert app.graph.get_state(config).values == latest.values
    assert [each.config for each in app.saver.list(config)] == [before[0].config]
    app.saver.prune([name])
    ask(config)
    assert len(app.graph.get_state(config).values["messages"]) > len(latest.values["messages"])


def test_the_checkpoints_of_a_run_in_the_middle_are_deleted_and_earlier_ones_stay() -> None:
    name, config = new_thread()
    for run in ("one", "two", "three"):
        of_run = {**config, "metadata": {"run_id": f"{name}-{run}"}}
        app.graph.invoke({"messages": [HumanMessage(QUESTION)]}, of_run)
        app.graph.invoke(Command(resume="yes"), of_run)
    before = [each.config for each in app.saver.list(config)]
    doomed = [each.config for each in app.saver.list(config, filter={"run_id": f"{name}-two"})]
    assert doomed
    assert before[0] not in doomed
    app.saver.delete_for_runs([f"{name}-two"])
    assert left_of(name)[1] == [0]
    kept = [each for each in before if each not in doomed]
    assert [each.config for each in app.saver.list(config)] == kept
    assert app.saver.get_tuple(kept[-1]) is not None


def test_a_conversation_that_began_without_a_graph_keeps_its_messages() -> None:
    name, config = new_thread()
    CLIENT.create(name, messages=[{"role": "user", "content": "earlier"}])
    ask(config)
    assert contents(name) == ["earlier", QUESTION, "I look it up.", "in Lyon"], contents(name)
    assert [each.content for each in app.graph.get_state(config).values["messages"]] == contents(
        name
    )


def test_a_thread_id_of_any_text_is_a_conversation_with_it_as_title() -> None:
    thread = f"user {uuid4().hex[:8]}: é/1" + " of many" * 50
    config = {"configurable": {"thread_id": thread}}
    ask(config)
    listed = [each for each in REVIEWER.conversations() if each["title"] == thread[:300]]
    assert len(listed) == 1
    decide(listed[0]["id"], "approve")
    assert resume_decided(app.graph, CLIENT) == 1
    assert app.graph.get_state(config).values["sent"] == DRAFT
