"""Keeps the workers of a server alive, and replaces all of them on SIGHUP without a refusal."""

import contextlib
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from socket import socket
from typing import Final, Self

from uvicorn import Config
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors.multiprocess import Multiprocess, Process

from ctxadmin.serving.loop import DRAIN
from ctxadmin.serving.worker import Worker, preload

log: Final = logging.getLogger(__name__)
FORMER: Final = "WORKERS_FORMER"  # the variable by which a supervisor follows another
CHECK_SECONDS: Final = 120.0  # on a busy machine it takes some
_START_SECONDS: Final = 120.0  # so does a worker
_ANSWER_SECONDS: Final = 5  # in which a worker that serves says that it lives
_LOOK: Final = 0.1
_ENDS: Final = (signal.SIGTERM, signal.SIGINT)


@dataclass(frozen=True, slots=True)
class Inherited:
    """What a supervisor inherits from the previous one in the same process.

    ``listener`` is the number of the listening socket, ``workers`` are those that already serve.
    """

    listener: int
    workers: tuple[int, ...]

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self | None:
        """Returns the inheritance; None for the first supervisor."""
        text = environment.get(FORMER)
        if not text:
            return None
        listener, *workers = map(int, text.split())
        return cls(listener, tuple(workers))

    def as_text(self) -> str:
        return " ".join(map(str, (self.listener, *self.workers)))


@dataclass(slots=True)
class _Start:
    """A worker that does not serve yet; ``is_asked`` is True until it has answered."""

    until: float
    is_asked: bool = False


class Supervisor(Multiprocess):
    """Uvicorn's supervisor, whose reload replaces itself and all of its workers.

    ``check`` is a command that exits with 0 if the installed version could serve. Then the program
    is executed again in this very process, so that everything is the installed version and
    observers see the same process. The former workers serve until all new ones do, and finish their
    requests.

    A worker can take its time to start. Uvicorn kills one that does not answer within five seconds,
    which on a busy machine was every one, again and again.
    """

    def __init__(
        self,
        config: Config,
        listener: socket,
        check: Sequence[str],
        former: Sequence[int] = (),
    ) -> None:
        super().__init__(config, [listener])
        self._listener = listener
        self._check = check
        self._former = set(former)
        self._have_to_drain = bool(former)
        self._is_wanted = False
        self._starting: dict[Process, _Start] = {}

    def handle_hup(self) -> None:
        """Records a reload request: simultaneous ones are one reload."""
        self._is_wanted = True

    def init_processes(self) -> None:
        preload(self.config)
        self.processes = [self._begin() for _ in range(self.processes_num)]

    def keep_subprocess_alive(self) -> None:
        """Runs twice a second."""
        for place, each in enumerate(self.processes):
            if not self._lives(each):
                self._replace(place, each)
        self._former = {pid for pid in self._former if _runs(pid)}
        if self._have_to_drain and not self._starting and not self.should_exit.is_set():
            self._have_to_drain = False
            _signal(self._former, DRAIN)
            log.info("Reloaded: new workers serve, the old ones finish running requests.")
        if self._is_wanted and not self._have_to_drain and not self.should_exit.is_set():
            self._is_wanted = False
            self.reload()

    def terminate_all(self) -> None:
        super().terminate_all()
        _signal(self._former, signal.SIGTERM)

    def join_all(self) -> None:
        super().join_all()
        while self._former:
            self._former = {pid for pid in self._former if _runs(pid)}
            time.sleep(_LOOK)

    def reload(self) -> None:
        """Reloads, or logs why not."""
        log.info("Reloading: checking whether new workers can serve.")
        if self._could_serve():
            self._replace_program()
        elif not self._shall_end():
            log.error("New workers cannot serve (see above); the old ones keep serving.")

    def _begin(self) -> Process:
        worker = Worker(self.config, self.sockets)
        worker.start()
        self._starting[worker] = _Start(time.monotonic() + _START_SECONDS)
        return worker

    def _lives(self, worker: Process) -> bool:
        start = self._starting.get(worker)
        if start is None or not worker.process.is_alive():
            return worker.is_alive(_ANSWER_SECONDS)
        if _has_started(worker, start):
            del self._starting[worker]
            return True
        return time.monotonic() < start.until

    def _replace(self, place: int, worker: Process) -> None:
        worker.kill()
        worker.join()
        self._starting.pop(worker, None)
        if worker.exitcode == STARTUP_FAILURE and not self._former:
            log.error("Worker %s could not start, and neither could another one.", worker.pid)
            self.should_exit.set()
        elif not self.should_exit.is_set():
            log.warning("Worker %s ended and is replaced.", worker.pid)
            self.processes[place] = self._begin()

    def _could_serve(self) -> bool:
        """Runs the check, whose output goes to the log unchanged."""
        checked = subprocess.Popen(self._check)  # noqa: S603 - a command of ours
        until = time.monotonic() + CHECK_SECONDS
        while checked.poll() is None and time.monotonic() < until and not self._shall_end():
            time.sleep(_LOOK)
        checked.kill()
        return checked.wait() == 0

    def _replace_program(self) -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # until the next one listens to it
        workers = [each.pid for each in self.processes if each.pid is not None]
        inherited = Inherited(self._listener.fileno(), (*workers, *self._former))
        self._listener.set_inheritable(True)
        os.environ[FORMER] = inherited.as_text()
        script = Path(sys.argv[0])
        if script.is_absolute():  # which may lead to another folder by now
            os.chdir(script.parent)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 - as above

    def _shall_end(self) -> bool:
        return any(number in self.signal_queue for number in _ENDS)


def _has_started(worker: Process, start: _Start) -> bool:
    """Asks once and polls for the answer, which comes when the worker has loaded the program."""
    with contextlib.suppress(OSError, EOFError):  # it ends just now
        if not start.is_asked:
            worker.parent_conn.send(b"ping")
            start.is_asked = True
        if worker.parent_conn.poll():
            start.is_asked = False
            return bool(worker.parent_conn.recv())
    return False


def _runs(pid: int) -> bool:
    """Returns True for a running child; reaps one that has ended."""
    try:
        return os.waitpid(pid, os.WNOHANG) == (0, 0)
    except ChildProcessError:
        return False


def _signal(pids: Collection[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
