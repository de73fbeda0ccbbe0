"""A reload that cannot be leaves the workers as they are."""

import logging
import os
import signal
import sys
from collections.abc import Iterator
from multiprocessing import Pipe
from socket import socket
from typing import Any

import pytest
from uvicorn import Config
from uvicorn.supervisors.multiprocess import SIGNALS

from ctxadmin.serving import supervisor
from ctxadmin.serving.supervisor import Inherited, Supervisor

FAILS = [sys.executable, "-c", "raise SystemExit(1)"]
OLD: list[Any] = ["the old ones"]
NEVER_ENDS = [sys.executable, "-c", "input()"]


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """A supervisor takes all signals of its process."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def reloading(check: list[str]) -> Supervisor:
    """A supervisor that reloads, with workers that must not be touched."""
    made = Supervisor(Config("ctxadmin.config.asgi:application", workers=1), socket(), check)
    made.processes = OLD
    made.handle_hup()
    return made


def test_workers_stay_when_new_ones_could_not_serve(caplog: pytest.LogCaptureFixture) -> None:
    one = reloading(FAILS)
    with caplog.at_level(logging.INFO):
        one.reload()
    assert one.processes == OLD
    assert "the old ones keep serving" in caplog.text


def test_a_look_that_takes_too_long_is_ended(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(supervisor, "CHECK_SECONDS", 0.0)
    one = reloading(NEVER_ENDS)
    one.reload()
    assert one.processes == OLD
    assert "the old ones keep serving" in caplog.text


def test_a_server_that_shall_end_does_not_wait_for_a_reload(
    caplog: pytest.LogCaptureFixture,
) -> None:
    one = reloading(NEVER_ENDS)
    os.kill(os.getpid(), signal.SIGTERM)
    one.reload()
    assert one.processes == OLD
    assert "go on" not in caplog.text


def test_wishes_that_come_together_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    one = reloading(FAILS)
    one.handle_hup()
    done: list[None] = []
    monkeypatch.setattr(one, "reload", lambda: done.append(None))
    monkeypatch.setattr(one, "processes", [])
    one.keep_subprocess_alive()
    one.keep_subprocess_alive()
    assert len(done) == 1


def test_what_the_next_supervisor_inherits_is_read_as_it_was_written() -> None:
    inherited = Inherited(7, (11, 12))
    assert Inherited.from_environment({supervisor.FORMER: inherited.as_text()}) == inherited
    assert Inherited.from_environment({}) is None


class Worker:
    """A process that lives, and answers when the test has it answer."""

    pid = 1
    exitcode = None

    def __init__(self, *_: object) -> None:
        self.process = self
        self.parent_conn, self.child_conn = Pipe()
        self.was_killed = False

    def start(self) -> None:
        """It has none of its own."""

    def is_alive(self, timeout: float = 0) -> bool:
        return True

    def kill(self) -> None:
        self.was_killed = True

    def join(self) -> None:
        """It has ended."""


@pytest.fixture
def starting(monkeypatch: pytest.MonkeyPatch) -> Supervisor:
    monkeypatch.setattr(supervisor, "Worker", Worker)
    monkeypatch.setattr(supervisor, "preload", lambda config: None)
    one = Supervisor(Config("ctxadmin.config.asgi:application", workers=1), socket(), FAILS)
    one.init_processes()
    return one


def test_a_worker_that_starts_slowly_is_asked_once_and_left_alone(starting: Supervisor) -> None:
    worker: Any = starting.processes[0]
    for _ in range(3):
        starting.keep_subprocess_alive()
    assert starting.processes == [worker]
    assert worker.child_conn.recv() == b"ping"
    assert not worker.child_conn.poll()
    worker.child_conn.send(True)
    starting.keep_subprocess_alive()
    starting.keep_subprocess_alive()
    assert not worker.child_conn.poll()  # it serves: whether it lives is asked otherwise


def test_a_worker_that_never_serves_is_replaced(starting: Supervisor) -> None:
    worker: Any = starting.processes[0]
    starting._starting[worker].until = 0.0
    starting.keep_subprocess_alive()
    assert worker.was_killed
    assert starting.processes != [worker]
