"""Graphs that several processes have, and threads that were not made by a graph."""

import asyncio
import logging
import threading
import time
from contextlib import suppress
from typing import Any
from uuid import uuid4

from ctxadmin_client import AsyncClient, Client
from ctxadmin_client.calls import Call
from ctxadmin_client.errors import NoAnswer, NotFound, refusal
from ctxadmin_client.langgraph import (
    AsyncCtxAdminSaver,
    CtxAdminSaver,
    Stopped,
    resume_decided,
)
from ctxadmin_client.langgraph.decisions import edited_payload
from ctxadmin_client.langgraph.renewal import AsyncRenewal, Renewal
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt
from langgraph_lab import (
    CLIENT,
    ENGINE,
    REVIEWER,
    SENT,
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


class State(TypedDict):
    done: str


def graph_of(act: Any, saver: CtxAdminSaver) -> Any:
    """A graph with one node."""
    builder = StateGraph(State)
    builder.add_node("act", act)
    builder.add_edge(START, "act")
    return builder.compile(checkpointer=saver)


def fork(name: str, other: str) -> None:
    version = REVIEWER.conversation(name).snapshot(state=False).version
    where = f"/conversations/{name}/checkpoints/{version}/fork"
    REVIEWER.transport.send(Call("POST", where, body={"id": other}, key=uuid4().hex))


def test_a_decision_on_a_fork_is_for_the_graph_of_the_fork() -> None:
    name, config = new_thread()
    ask(config)
    fork(name, f"{name}-b")
    paused = REVIEWER.conversation(f"{name}-b")
    paused.change_state("review", {"draft": "It is in Paris."})
    decide(f"{name}-b", "approve")
    assert resume_decided(app.graph, CLIENT) == 1
    assert contents(f"{name}-b")[-1] == "It is in Paris."
    assert paused.snapshot().status == "COMPLETED"
    assert REVIEWER.conversation(name).snapshot().status == "PAUSED"
    assert contents(name)[-1] == "in Lyon"
    listed = {each.config["configurable"]["thread_id"] for each in app.saver.list(None)}
    assert listed == {name, f"{name}-b"}


def test_a_decision_is_taken_up_in_a_conversation_that_was_there_before_its_graph() -> None:
    name, config = new_thread()
    CLIENT.create(name, metadata={"customer": 7}, messages=[{"role": "user", "content": "Hi"}])
    ask(config)
    decide(name, "approve")
    assert resume_decided(app.graph, CLIENT) == 1
    assert REVIEWER.conversation(name).snapshot().status == "COMPLETED"
    assert REVIEWER.conversation(name).read()["metadata"]["customer"] == 7


def test_a_copy_keeps_what_else_is_known_of_a_conversation() -> None:
    name, config = new_thread()
    CLIENT.create(name, metadata={"customer": 7})
    ask(config)
    app.saver.copy_thread(name, f"{name}-c")
    metadata = REVIEWER.conversation(f"{name}-c").read()["metadata"]
    assert metadata["customer"] == 7
    assert metadata["langgraph"]["thread_id"] == f"{name}-c"


def test_a_node_that_takes_longer_than_a_claim_runs_once() -> None:
    ran: list[str] = []
    ttl = 3  # seconds: on a busy machine, a renewal can be late by one

    def act(state: State) -> dict[str, Any]:
        answer = interrupt("Go?")
        ran.append(answer["decision"])
        time.sleep(1.5 * ttl)
        return {"done": "yes"}

    name, config = new_thread()
    graph_of(act, app.saver).invoke({"done": ""}, config)
    decide(name, "approve")
    other = Client(URL, ENGINE)
    works = graph_of(act, CtxAdminSaver(other, app=app.saver.app))
    first = threading.Thread(
        target=resume_decided, args=(graph_of(act, app.saver), CLIENT), kwargs={"ttl": ttl}
    )
    first.start()
    while not ran:
        time.sleep(0.05)
    while first.is_alive():
        resume_decided(works, other, ttl=ttl)
        time.sleep(0.3)
    assert ran == ["approve"]
    assert REVIEWER.conversation(name).snapshot().status == "COMPLETED"
    assert state_of(name)["done"] == "yes"


def test_a_claim_is_renewed_until_the_server_refuses_that_for_good() -> None:
    period: Any = 0.03  # seconds

    class Claimed:
        """A conversation whose renewals are answered in this order, and no other is expected."""

        id = "t-1"

        def __init__(self) -> None:
            passing = [NoAnswer("no answer"), refusal(503, {}), refusal(429, {})]
            self.answers = [*passing, None, refusal(409, {"code": "invalid_state"})]
            self.ended = threading.Event()
            self.needless = 0

        def claim_node(self, *_: Any) -> None:
            if not self.answers:
                self.needless += 1
                return
            error = self.answers.pop(0)
            if not self.answers:
                self.ended.set()
            if error is not None:
                raise error

    class AsyncClaimed:
        id = "t-1"

        def __init__(self) -> None:
            self.claimed = Claimed()

        async def claim_node(self, *_: Any) -> None:
            self.claimed.claim_node()

    async def renewed(conversation: Any) -> None:
        async with AsyncRenewal(conversation, "act", period, "lease"):
            await asyncio.to_thread(conversation.claimed.ended.wait, 10)
            await asyncio.sleep(3 * period)

    later, now = AsyncClaimed(), Claimed()
    asyncio.run(renewed(later))
    held: Any = now
    with Renewal(held, "act", period, "lease"):
        now.ended.wait(10)
        time.sleep(3 * period)
    for each in (later.claimed, now):
        assert (each.answers, each.needless) == ([], 0)


def test_a_graph_that_another_process_has_overtaken_stops_and_stores_nothing() -> None:
    entered, may_go = threading.Event(), threading.Event()

    def slow(state: State) -> dict[str, Any]:
        entered.set()
        may_go.wait(20)
        return {"done": "slow"}

    name, config = new_thread()
    told: list[str] = []

    def run() -> None:
        try:
            graph_of(slow, app.saver).invoke({"done": ""}, config, durability="sync")
        except Stopped as error:
            told.append(str(error))

    first = threading.Thread(target=run)
    first.start()
    entered.wait(20)
    fast = graph_of(lambda _: {"done": "fast"}, CtxAdminSaver(Client(URL, ENGINE)))
    fast.invoke(None, config)
    versions = REVIEWER.conversation(name).snapshot().version
    may_go.set()
    first.join()
    assert len(told) == 1, told
    assert "went on elsewhere" in told[0], told
    snapshot = REVIEWER.conversation(name).snapshot()
    assert (snapshot.status, snapshot.version) == ("COMPLETED", versions)
    assert state_of(name) == {"done": "fast"}
    assert len([*CLIENT.conversation(name).executions()]) == 1


def test_time_travel_shows_the_messages_of_then_whatever_was_done_meanwhile() -> None:
    name, config = new_thread()
    ask(config)
    asked = app.graph.get_state(config).config
    REVIEWER.conversation(name).operate("truncate", truncate={"keep_first": 1})
    app.graph.invoke(None, asked)
    assert contents(name) == [QUESTION, "I look it up.", "in Lyon"]
    assert app.graph.invoke(Command(resume="yes"), config)["sent"] == DRAFT
    assert contents(name) == [QUESTION, "I look it up.", "in Lyon", DRAFT]


def test_a_graph_that_stops_is_reported_in_one_line() -> None:
    lines: list[logging.LogRecord] = []
    handler = logging.Handler()
    handler.emit = lines.append  # type: ignore[method-assign]
    logger = logging.getLogger("ctxadmin_client.langgraph")
    logger.addHandler(handler)
    name, config = new_thread()
    ask(config)
    decide(name, "approve")

    def review(state: Any) -> dict[str, Any]:
        decide(name, "cancel", "No longer needed.")
        return {"sent": "no"}

    graph = support(app.saver, review=review)
    resume_decided(graph, CLIENT)
    logger.removeHandler(handler)
    [line] = [each for each in lines if each.levelno >= logging.WARNING]
    assert "CANCELLED" in line.getMessage()
    assert line.exc_info is None


def test_an_update_of_a_checkpoint_as_it_was_saved_brings_back_what_was_edited_since() -> None:
    name, config = new_thread()
    ask(config)
    asked = app.graph.get_state(config).config
    REVIEWER.conversation(name).change_state("review", {"draft": "It is in Paris."})
    app.graph.update_state(asked, {"sent": "not yet"}, as_node="draft")
    state = state_of(name)
    assert (state["draft"], state["sent"]) == (DRAFT, "not yet")
    assert app.graph.get_state(config).values["draft"] == DRAFT


def test_a_graph_that_continues_from_what_was_saved_leaves_the_state_that_it_saw() -> None:
    name, config = new_thread()
    ask(config)
    asked = app.graph.get_state(config).config
    REVIEWER.conversation(name).change_state("review", {"draft": "It is in Paris."})
    assert app.graph.invoke(Command(resume="yes"), asked)["sent"] == DRAFT
    state = state_of(name)
    assert (state["draft"], state["sent"]) == (DRAFT, DRAFT)


def test_what_a_person_made_of_the_question_comes_back_as_edited() -> None:
    def act(state: State) -> dict[str, Any]:
        answer = interrupt({"question": "Call?", "tool": "refund", "args": {"amount": 70}})
        return {"done": str(answer.get("edited", {}).get("args", "as asked"))}

    graph = graph_of(act, app.saver)
    for amount, expected in ((70, "as asked"), (7, "{'amount': 7}")):
        name, config = new_thread()
        graph.invoke({"done": ""}, config)
        paused = REVIEWER.conversation(name)
        question = dict(paused.snapshot().state_data["interrupt"])
        paused.change_state("act", {"interrupt": {**question, "args": {"amount": amount}}})
        decide(name, "approve")
        assert resume_decided(graph, CLIENT) == 1
        assert state_of(name) == {"done": expected}


def test_a_conversation_that_is_erased_under_its_graph_stays_erased() -> None:
    name, config = new_thread()

    def act(state: State) -> dict[str, Any]:
        CLIENT.conversation(name).delete()
        return {"done": "yes"}

    told = ""
    try:
        graph_of(act, app.saver).invoke({"done": ""}, config, durability="sync")
    except Stopped as error:
        told = str(error)
    assert told == "The conversation was erased while the graph was running."
    assert [each["id"] for each in CLIENT.conversations(q=name)] == []
    graph_of(lambda _: {"done": "again"}, app.saver).invoke({"done": ""}, config)
    assert state_of(name) == {"done": "again"}


def test_a_graph_makes_its_conversation_once() -> None:
    SENT.clear()
    graph_of(lambda _: {"done": "yes"}, app.saver).invoke({"done": ""}, new_thread()[1])
    assert len([each for each in SENT if each.method == "POST"]) == 1


def test_writes_of_a_deleted_checkpoint_are_refused_and_their_thread_goes_on() -> None:
    name, config = new_thread()
    ask(config)
    [*_, second, _] = app.saver.list(config)
    version = next(
        row["version"]
        for row in CLIENT.conversation(name).checkpoints()
        if row["checkpoint_id"] == second.checkpoint["id"]
    )
    CLIENT.conversation(name).delete_checkpoint(version)
    told = ""
    try:
        app.saver.put_writes(second.config, [("sent", "yes")], "task-1")
    except NotFound as error:
        told = error.code
    assert told == "not_found"
    assert app.graph.invoke(Command(resume="yes"), config)["sent"] == DRAFT


def test_a_call_of_the_other_kind_names_the_saver_to_use() -> None:
    graph = graph_of(lambda _: {"done": ""}, app.saver)
    told = ""
    try:
        asyncio.run(graph.ainvoke({"done": ""}, new_thread()[1]))
    except NotImplementedError as error:
        told = str(error)
    assert "AsyncCtxAdminSaver(AsyncClient(...))" in told
    for saver in (CtxAdminSaver, AsyncCtxAdminSaver):
        wrong: Any = AsyncClient(URL, ENGINE) if saver is CtxAdminSaver else CLIENT
        told = ""
        try:
            saver(wrong)
        except TypeError as error:
            told = str(error)
        assert told.startswith("this saver takes a client of the class "), saver


def test_several_questions_are_edited_if_one_of_them_is_another() -> None:
    one, two = {"ask": 1}, {"ask": 2}
    assert edited_payload([two, one], [one, two]) is None
    assert edited_payload([two, {"ask": 3}], [one, two]) == [two, {"ask": 3}]
    assert edited_payload([one], [one, two]) == [one]
    assert edited_payload(None, [one]) is None
    assert edited_payload("anything", []) is None


def test_a_graph_that_fails_is_shown_as_failed_and_tries_again_when_it_is_resumed() -> None:
    broken = [True]

    def act(state: State) -> dict[str, Any]:
        if broken[0]:
            raise RuntimeError("the mail server is down")
        return {"done": "yes"}

    graph = graph_of(act, app.saver)
    name, config = new_thread()
    told = ""
    try:
        graph.invoke({"done": ""}, config)
    except RuntimeError as error:
        told = str(error)
    assert told == "the mail server is down"
    assert REVIEWER.conversation(name).snapshot().status == "FAILED"
    failure = {"graph_error": "RuntimeError: the mail server is down"}
    assert state_of(name) == {"done": "", **failure}
    assert resume_decided(graph, CLIENT) == 0, "a failure is no decision"
    decide(name, "resume", "It works again.")
    assert resume_decided(graph, CLIENT) == 0, "and it fails again, without raising"
    assert REVIEWER.conversation(name).snapshot().status == "FAILED"
    broken[0] = False
    decide(name, "resume", "It works again.")
    assert resume_decided(graph, CLIENT) == 1
    assert REVIEWER.conversation(name).snapshot().status == "COMPLETED"
    assert state_of(name) == {"done": "yes"}


def test_a_graph_that_handles_the_error_of_a_node_has_not_failed() -> None:
    seen: list[str] = []
    name, config = new_thread()

    def act(state: State) -> dict[str, Any]:
        raise RuntimeError("the mail server is down")

    def handle(state: State) -> dict[str, Any]:
        seen.append(REVIEWER.conversation(name).snapshot().status)
        return {"done": "later"}

    builder = StateGraph(State)
    builder.add_node("act", act, error_handler=handle)
    builder.add_edge(START, "act")
    graph = builder.compile(checkpointer=app.saver)
    # Saved before each step, or the handler could run before the thread's first save.
    assert graph.invoke({"done": ""}, config, durability="sync") == {"done": "later"}
    assert seen == ["RUNNING"]
    statuses = [row["status"] for row in REVIEWER.conversation(name).checkpoints()]
    assert (statuses[0], "FAILED" in statuses) == ("COMPLETED", False), statuses
    assert state_of(name) == {"done": "later"}


def test_a_graph_that_failed_continues_when_its_application_invokes_it() -> None:
    broken = [True]

    def act(state: State) -> dict[str, Any]:
        if broken[0]:
            raise RuntimeError
        return {"done": "yes"}

    graph = graph_of(act, app.saver)
    name, config = new_thread()
    with suppress(RuntimeError):
        graph.invoke({"done": ""}, config)
    assert state_of(name)["graph_error"] == "RuntimeError"
    broken[0] = False
    assert graph.invoke(None, config) == {"done": "yes"}
    assert (REVIEWER.conversation(name).snapshot().status, state_of(name)) == (
        "COMPLETED",
        {"done": "yes"},
    )
