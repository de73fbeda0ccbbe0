"""The demo engine by a server of few lines: it waits without counting, and says what for."""

import json
from collections.abc import Callable
from io import StringIO
from typing import Any

import httpx
import pytest

from demo.engine import Engine
from demo.management.commands import demo_engine

PAUSE = {
    "node_id": "review",
    "when": "before",
    "reason": "look at this",
    "deadline": None,
    "outcome": None,
}


class Server:
    """One execution of a workflow with the nodes ``draft``, ``review`` and ``send``.

    It pauses before ``review``; someone answers ``reply`` after so many calls that waited.
    """

    def __init__(self, reply: str = "approve", after: int = 500) -> None:
        self.reply, self.after = reply, after
        self.status, self.done, self.version = "RUNNING", list[str](), 0
        self.asked: list[str] = []
        self.ids: list[str] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path.removeprefix("/api/v1/conversations")
        if path.endswith("/complete"):
            self.ids.append(json.loads(request.content)["checkpoint_id"])
        self.asked.append(path)
        answer = self.answer(path.split("/"))
        return answer if isinstance(answer, httpx.Response) else httpx.Response(200, json=answer)

    def answer(self, path: list[str]) -> Any:
        match path[2:]:
            case ["snapshot"]:
                return self.snapshot()
            case ["wait"]:
                return self.wait()
            case ["nodes", _, "enter"]:
                entered = {"context": {}, "messages": [], "version": self.version}
                return entered | {"execution": "exec_0123456789abcdef"}
            case ["nodes", node, "complete"]:
                return self.complete(node)
            case ["checkpoints"]:
                move = {"move": self.reply, "author": "person:rita", "reason": "too long"}
                ended = {"move": None, "node_id": "send", "reason": None}
                return {"results": [ended if self.status == "COMPLETED" else move]}
        return {}

    def snapshot(self) -> dict[str, Any]:
        paused = self.status == "PAUSED"
        left = [node for node in ("draft", "review", "send") if node not in self.done]
        return {
            "workflow": "support",
            "status": self.status,
            "version": self.version,
            "ready_nodes": left[:1],
            "executed_node_ids": self.done,
            "current_node_name": "A person reads it" if paused else None,
            "pause": PAUSE if paused else None,
        }

    def wait(self) -> Any:
        self.after -= 1
        if self.after > 0:
            return {"changed": False}
        self.version += 1
        self.status = "RUNNING" if self.reply == "approve" else "FAILED"
        return {"changed": True}

    def complete(self, node: str) -> Any:
        self.done.append(node)
        self.version += 1
        ends = {"draft": "PAUSED", "send": "COMPLETED"}
        self.status = ends.get(node, "RUNNING")
        return {"version": self.version, "status": self.status}


def engine_of(server: Callable[[httpx.Request], httpx.Response], told: list[str]) -> Engine:
    client = httpx.Client(transport=httpx.MockTransport(server), base_url="http://server")
    return Engine(client, "support", "one", told.append, scripted=True)


@pytest.fixture(autouse=True)
def no_time_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("demo.engine.time.sleep", lambda seconds: None)


def test_it_waits_for_a_person_as_long_as_it_takes_and_continues_after_the_approval() -> None:
    server, told = Server(after=500), list[str]()
    assert engine_of(server, told).run(most_steps=5) == "COMPLETED"
    assert server.done == ["draft", "review", "send"]
    assert sum(path.endswith("/wait") for path in server.asked) == 500
    waiting = [line for line in told if line.startswith("waiting")]
    assert waiting == [
        "waiting for a person to approve or reject at 'A person reads it' (look at this)"
    ]
    assert told[-1] == "the execution is COMPLETED: all nodes are completed"


def test_a_completion_that_is_repeated_has_the_same_id() -> None:
    server = Server(after=1)
    engine_of(server, []).run()
    assert server.ids == ["draft-v0-89abcdef", "review-v2-89abcdef", "send-v3-89abcdef"]


def test_it_says_who_ended_the_execution_and_why() -> None:
    told: list[str] = []
    assert engine_of(Server(reply="reject", after=3), told).run() == "FAILED"
    assert told[-1] == "the execution is FAILED (reject by person:rita: too long)"


def test_it_says_that_it_stopped_after_its_steps() -> None:
    told: list[str] = []
    assert engine_of(Server(after=1), told).run(most_steps=2) == "RUNNING"
    assert told[-1] == "stopped after 2 steps; the execution is RUNNING"


def test_a_server_that_restarts_while_it_waits_is_asked_again() -> None:
    class Restarts(Server):
        def wait(self) -> Any:
            if self.after == 3:
                self.after -= 1
                raise httpx.ConnectError("refused")
            if self.after == 2:
                self.after -= 1
                return httpx.Response(503, json={"code": "unavailable", "detail": "starting"})
            return super().wait()

    told: list[str] = []
    assert engine_of(Restarts(after=3), told).run() == "COMPLETED"
    assert sum("trying again" in line for line in told) == 1


def test_a_node_that_someone_else_completed_is_looked_at_again() -> None:
    class Beaten(Server):
        def complete(self, node: str) -> Any:
            answer = super().complete(node)
            if node == "send":
                return httpx.Response(409, json={"code": "invalid_state", "detail": "not ready"})
            return answer

    told: list[str] = []
    assert engine_of(Beaten(after=1), told).run() == "COMPLETED"
    assert "send: invalid_state: not ready; checking again" in told


class TestCommand:
    @pytest.fixture
    def server(self, monkeypatch: pytest.MonkeyPatch) -> Server:
        server = Server(after=2)

        def client(url: str, token: str) -> httpx.Client:
            return httpx.Client(transport=httpx.MockTransport(server), base_url=url)

        monkeypatch.setattr(demo_engine, "make_client", client)
        return server

    def run(self, *arguments: str) -> str:
        out = StringIO()
        command = demo_engine.Command(stdout=out)
        parser = command.create_parser("manage.py", "demo_engine")
        command.handle(**vars(parser.parse_args(["--token", "t", *arguments])))
        return out.getvalue()

    def test_ctrl_c_says_how_to_continue_and_that_continues(
        self, server: Server, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def interrupted() -> Any:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(server, "wait", interrupted)
            out = self.run("--conversation", "one", "--url", "http://here:1")
        assert "stopped; the execution is unchanged" in out
        assert "manage.py demo_engine --url http://here:1 --continue one" in out
        out = self.run("--continue", "one")
        assert server.done == ["draft", "review", "send"]
        assert "the execution is COMPLETED" in out

    def test_without_waiting_it_says_where_it_stands_and_how_to_continue(
        self, server: Server
    ) -> None:
        out = self.run("--no-wait", "--conversation", "one")
        assert "the execution is PAUSED: a person to approve or reject" in out
        assert "--continue one" in out
