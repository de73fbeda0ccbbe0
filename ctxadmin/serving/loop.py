"""The event loop of a worker, which takes connections one by one and in turn with the others.

A loop that is woken by a connection takes all that wait, so that of 32 connections which come
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


class WorkerLoop(uvloop.Loop):
    """A loop whose servers on a given socket share it with other workers."""

    async def create_server(
        self, protocol_factory: Callable[[], asyncio.BaseProtocol], *args: Any, **options: Any
    ) -> Any:
        listener = options.get("sock")
        if listener is None:
            return await super().create_server(protocol_factory, *args, **options)
        listener.listen(options.get("backlog", socket.SOMAXCONN))
        return Acceptor(self, listener, protocol_factory, Balance(Path(os.environ[BOARD])))


class Acceptor:
    """Takes the connections of a listening socket; a stand-in for ``asyncio.Server``.

    When the process that started this one is gone, this one ends as if it were told to.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
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
        listener.setblocking(False)
        loop.add_reader(listener.fileno(), self._offered)
        self._look()

    def close(self) -> None:
        self._balance.leave()
        self._loop.remove_reader(self._listener.fileno())
        self._looking.cancel()
        if self._waiting is not None:
            self._waiting.cancel()

    async def wait_closed(self) -> None:
        pass

    def _offered(self) -> None:
        """Take the connection, or let another worker that has fewer take it first."""
        self._count()
        if self._balance.has_fewest(len(self._open)):
            self._take()
        else:
            self._pause(_WAIT)

    def _pause(self, seconds: float) -> None:
        self._loop.remove_reader(self._listener.fileno())
        self._waiting = self._loop.call_later(seconds, self._take_what_is_left)

    def _take_what_is_left(self) -> None:
        self._waiting = None
        self._loop.add_reader(self._listener.fileno(), self._offered)
        self._take()

    def _take(self) -> None:
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
        if os.getppid() != self._parent:
            os.kill(os.getpid(), signal.SIGTERM)

    def _count(self) -> None:
        """Forget connections that are closed, and say how many are open."""
        self._open = {each for each in self._open if each.fileno() >= 0}
        self._balance.show(len(self._open))
