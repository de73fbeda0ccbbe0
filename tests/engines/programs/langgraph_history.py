"""Turns, time travel and rollbacks of graphs, from the graph and from the page."""

from uuid import uuid4

from ctxadmin_client.calls import Call
from ctxadmin_client.langgraph import (
    resume_decided,
)
from langgraph.types import Command
from langgraph_lab import CLIENT, REVIEWER, app, ask, contents, decide, new_thread, state_of
from support import DRAFT, QUESTION


def test_a_view_that_was_rolled_back_is_what_the_graph_sees() -> None:
    name, config = new_thread()
    ask(config)
    paused = REVIEWER.conversation(name)
    paused.operate("truncate", truncate={"keep_first": 1})
    assert len(app.graph.get_state(config).values["messages"]) == 1
    paused.roll_back(0)
    assert len(app.graph.get_state(config).values["messages"]) == 3


def test_the_latest_checkpoint_is_as_of_now_and_one_by_its_id_as_it_was_saved() -> None:
    name, config = new_thread()
    ask(config)
    saved = app.graph.get_state(config)
    REVIEWER.conversation(name).change_state("review", {"draft": "other"})
    now = app.graph.get_state(config)
    then = app.graph.get_state(saved.config)
    assert now.config == saved.config
    assert (now.values["draft"], then.values["draft"]) == ("other", DRAFT)


def test_each_turn_is_an_execution_and_the_history_has_all_of_them() -> None:
    name, config = new_thread()
    ask(config)
    app.graph.invoke(Command(resume="yes"), config)
    first = REVIEWER.conversation(name).snapshot().execution
    out = ask(config, "And now?")
    assert len(out["messages"]) == 7
    second = REVIEWER.conversation(name).snapshot()
    assert (second.status, second.execution != first) == ("PAUSED", True)
    history = [*app.graph.get_state_history(config)]
    assert [each.metadata["step"] for each in history] == [5, 4, 3, 2, 1, 0, -1]
    assert [each.metadata["step"] for each in app.graph.get_state_history(config, limit=6)][-1] == 0
    before = [*app.graph.get_state_history(config, before=history[4].config)]
    assert [each.metadata["step"] for each in before] == [0, -1]
    found = [*app.graph.get_state_history(config, filter={"source": "input"})]
    assert [each.metadata["step"] for each in found] == [3, -1]
    assert app.graph.get_state(history[4].config).values["draft"] == DRAFT


def test_time_travel_from_the_graph_shows_the_messages_of_then() -> None:
    name, config = new_thread()
    ask(config)
    app.graph.invoke(Command(resume="yes"), config)
    ask(config, "And now?")
    waits = [each for each in app.graph.get_state_history(config) if each.next == ("review",)]
    out = app.graph.invoke(None, waits[-1].config)
    assert out["__interrupt__"]
    assert contents(name) == [QUESTION, "I look it up.", "in Lyon"]
    assert app.graph.invoke(Command(resume="again"), config)["sent"] == DRAFT
    assert contents(name) == [QUESTION, "I look it up.", "in Lyon", DRAFT]


def test_time_travel_from_the_page_is_where_the_graph_continues() -> None:
    name, config = new_thread()
    ask(config)
    versions = [*REVIEWER.conversation(name).checkpoints()]
    drafted = next(each for each in versions if each["node_id"] == "input")
    where = f"/conversations/{name}/checkpoints/{drafted['version']}/restore"
    REVIEWER.transport.send(Call("POST", where, body={"reason": "again"}, key=uuid4().hex))
    assert app.graph.get_state(config).next == ("draft",)
    assert contents(name) == [QUESTION]
    decide(name, "approve")
    assert resume_decided(app.graph, CLIENT) == 1
    snapshot = REVIEWER.conversation(name).snapshot()
    assert (snapshot.status, state_of(name)["drafted"]) == ("PAUSED", 1)
    assert contents(name) == [QUESTION, "I look it up.", "in Lyon"]


def test_a_restore_to_the_question_asks_it_again() -> None:
    name, config = new_thread()
    ask(config)
    paused = REVIEWER.conversation(name).snapshot().version
    app.graph.invoke(Command(resume="yes"), config)
    body = {"id": f"{name}-b"}
    where = f"/conversations/{name}/checkpoints/{paused}/fork"
    REVIEWER.transport.send(Call("POST", where, body=body, key=uuid4().hex))
    forked = {"configurable": {"thread_id": f"{name}-b"}}
    assert app.graph.get_state(forked).next == ("review",)
    assert app.graph.invoke(Command(resume="yes"), forked)["sent"] == DRAFT
    assert contents(f"{name}-b") == contents(name)
