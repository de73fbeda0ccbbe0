"""The event loop of a worker, which accepts connections one by one, in turn with the others.

A loop that is woken by a connection accepts all that wait, so that of 32 connections which arrive
at once one worker gets nearly all, and keeps them. ``SO_REUSEPORT`` spreads by a hash of the
addresses, which is uneven for few, and resets what waits at a worker that ends.
"""

import asyncio
import os
import signal
import socket
from collections.abc import Callable
from multiprocessing import parent_process
from pathlib import Path
from typing import Any, Final

import uvloop

from ctxadmin.serving.balance import BOARD, Balance

_WAIT: Final = 0.005  # seconds in which a worker with fewer connections may take the next
_NO_FILES_WAIT: Final = 1.0
_LOOK: Final = 0.1  # seconds between looks for the supervisor and for closed connections
DRAIN: Final = signal.SIGUSR1  # tells a worker that others serve now
# In which a client that keeps its connection asks again and is told to take another one. Who
# asks more seldom finds it closed, as after every idle time.
DRAIN_SECONDS: Final = 5.0


class WorkerLoop(uvloop.Loop):
    """A loop whose servers share a given socket with other workers.

    ``is_draining`` tells its protocols that each answer is the last on its connection.
    """

    is_draining = False

    async def create_server(
        self, protocol_factory: Callable[[], asyncio.BaseProtocol], *args: Any, **options: Any
    ) -> Any:
        listener = options.get("sock")
        if listener is None:
            return await super().create_server(protocol_factory, *args, **options)
        listener.listen(options.get("backlog", socket.SOMAXCONN))
        return Acceptor(self, listener, protocol_factory, Balance(Path(os.environ[BOARD])))


class Acceptor:
    """Accepts the connections of a listening socket; replaces ``asyncio.Server``.

    If the parent process is gone, this one stops as if it were told to. On DRAIN it accepts no more
    connections, and ends when its connections are closed or their time is over.
    """

    def __init__(
        self,
        loop: WorkerLoop,
        listener: socket.socket,
        make_protocol: Callable[[], asyncio.BaseProtocol],
        balance: Balance,
    ) -> None:
        self._loop = loop
        self._listener = listener
        self._make_protocol = make_protocol
        self._balance = balance
        self._open: set[socket.socket] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiting: asyncio.TimerHandle | None = None
        started_by = parent_process()  # which may be gone by now
        self._parent = started_by.pid if started_by else os.getppid()
        self._ends_at: float | None = None
        listener.setblocking(False)
        loop.add_reader(listener.fileno(), self._offered)
        loop.add_signal_handler(DRAIN, self.drain)
        self._look()

    def drain(self) -> None:
        """Accepts no more connections, and ends open ones with their next answer."""
        self._stop_taking()
        if self._ends_at is None:
            self._ends_at = self._loop.time() + DRAIN_SECONDS

    def close(self) -> None:
        self._stop_taking()
        self._looking.cancel()

    def _stop_taking(self) -> None:
        self._loop.is_draining = True
        self._balance.withdraw()
        self._loop.remove_reader(self._listener.fileno())
        if self._waiting is not None:
            self._waiting.cancel()

    async def wait_closed(self) -> None:
        pass

    def _offered(self) -> None:
        """Accepts the connection, or leaves it to another worker that has fewer."""
        self._count()
        if self._balance.has_fewest(len(self._open)):
            self._accept()
        else:
            self._pause(_WAIT)

    def _pause(self, seconds: float) -> None:
        self._loop.remove_reader(self._listener.fileno())
        self._waiting = self._loop.call_later(seconds, self._accept_rest)

    def _accept_rest(self) -> None:
        self._waiting = None
        self._loop.add_reader(self._listener.fileno(), self._offered)
        self._accept()

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except (BlockingIOError, ConnectionAbortedError):  # another worker was first
            return
        except OSError:  # no file is left to open; asyncio's own servers wait as long
            self._pause(_NO_FILES_WAIT)
            return
        connection.setblocking(False)
        self._open.add(connection)
        self._count()
        task = self._loop.create_task(self._serve(connection))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, connection: socket.socket) -> None:
        try:
            await self._loop.connect_accepted_socket(self._make_protocol, connection)
        except OSError:  # the client is gone
            connection.close()

    def _look(self) -> None:
        self._count()
        self._looking = self._loop.call_later(_LOOK, self._look)
        is_drained = self._ends_at is not None and (
            not self._open or self._loop.time() > self._ends_at
        )
        if is_drained or os.getppid() != self._parent:
            os.kill(os.getpid(), signal.SIGTERM)

    def _count(self) -> None:
        """Forgets closed connections, and publishes the number of open ones."""
        self._open = {each for each in self._open if each.fileno() >= 0}
        if not self._loop.is_draining:
            self._balance.publish(len(self._open))
