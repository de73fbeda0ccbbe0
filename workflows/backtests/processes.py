"""Processes that replay parts of a backtest and end with the process that started them."""

import os
import signal
from collections.abc import Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from types import TracebackType
from typing import Final, Self

from ctxadmin.lib.errors import TooLarge
from workflows.backtests.parts import ReplayRequest, replay_all
from workflows.domain.backtests.recorded import Recorded
from workflows.domain.backtests.sums import PolicySums

_END_SECONDS: Final = 5.0
_START: Final = -1  # instead of the number of a part, until a process says that it has begun


class ProcessDied(Exception):
    """A process ended before its answer, perhaps for lack of memory."""


class ReplayProcesses:
    """``count`` processes, each with one part at a time; they take a second or more to begin.

    They end when this block is left, whatever they do, and when the process that started them
    dies. ``nice`` is added to their niceness, so that others go first.
    """

    def __init__(self, request: ReplayRequest, count: int, *, nice: int = 0) -> None:
        self._processes: list[SpawnProcess] = []
        self._idle: list[Connection] = []
        self._parts: dict[Connection, int] = {}
        context = get_context("spawn")
        for _ in range(count):
            mine, theirs = context.Pipe()
            process = context.Process(
                target=_replay_parts, args=(theirs, request, nice), daemon=True
            )
            process.start()
            theirs.close()
            self._processes.append(process)
            self._parts[mine] = _START

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.join(_END_SECONDS)
        for connection in (*self._idle, *self._parts):
            connection.close()

    @property
    def is_idle(self) -> bool:
        """True if one of them has nothing to do."""
        return bool(self._idle)

    @property
    def is_busy(self) -> bool:
        """True if one of them has a part."""
        return any(number != _START for number in self._parts.values())

    def send(self, number: int, part: Sequence[Recorded]) -> None:
        """Have an idle one replay a part."""
        connection = self._idle.pop()
        self._parts[connection] = number
        try:
            connection.send(part)
        except OSError:
            raise ProcessDied from None

    def take(self, seconds: float) -> list[tuple[int, list[PolicySums]]]:
        """What came back within some seconds: the numbers of parts and their sums.

        Raises ProcessDied, and TooLarge for a part that takes more work than ``request`` allows.
        """
        answers: list[tuple[int, list[PolicySums]]] = []
        for connection in wait(list(self._parts), seconds):
            if not isinstance(connection, Connection):
                continue
            try:
                sums: list[PolicySums] | TooLarge = connection.recv()
            except (EOFError, OSError):
                raise ProcessDied from None
            if isinstance(sums, TooLarge):
                raise sums
            number = self._parts.pop(connection)
            self._idle.append(connection)
            if number != _START:
                answers.append((number, sums))
        return answers


def _replay_parts(connection: Connection, request: ReplayRequest, nice: int) -> None:
    """In a process: answers each part until the other end is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # sent to the whole group; the parent decides
    os.nice(nice)
    connection.send([])  # has begun
    while True:
        try:
            part: list[Recorded] = connection.recv()
        except (EOFError, OSError):
            return
        try:
            answer: list[PolicySums] | TooLarge = replay_all(request, part)
        except TooLarge as error:
            answer = TooLarge(error.detail)
        try:
            connection.send(answer)
        except OSError:
            return
