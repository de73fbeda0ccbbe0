"""A TCP proxy that cuts and stalls, also at the moment when a COMMIT goes through."""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine
from enum import StrEnum
from types import TracebackType
from typing import Final, Self, TypeVar

_CHUNK: Final = 64 * 1024
_COMMIT: Final = b"COMMIT"
ResultT = TypeVar("ResultT")


class Line(StrEnum):
    """How a proxy treats its connections; a new one is accepted in every case.

    ``CUT`` ends all connections and each new one at once; ``STALL`` keeps them and lets nothing
    through, as a cable that was pulled out does.
    """

    OPEN = "open"
    CUT = "cut"
    STALL = "stall"


class Proxy:
    """Listens on a loopback port of its own and passes everything on to ``target``.

    It runs in a thread of its own and is told what to do from any other.
    """

    def __init__(self, target: int) -> None:
        self.target = target
        self.port = 0
        self._line = Line.OPEN
        self._opened = asyncio.Event()
        self._writers: set[asyncio.StreamWriter] = set()
        self._at_commit: Callable[[], None] | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._opened.set()
        server = self._ask(asyncio.start_server(self._accept, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        self._server = server
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ask(self._stop_listening())
        self.set_line(Line.CUT)
        self._ask(self._settle())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def set_line(self, line: Line) -> None:
        """From now on; what a stall held back goes through when it ends."""
        self._ask(self._set_line(line))

    def at_next_commit(self, act: Callable[[], None] | None) -> None:
        """When the next packet with a COMMIT is answered, call ``act`` and cut the connection.

        So the transaction is committed, or about to be, and nobody heard of it. None calls it off.
        """
        self._at_commit = act

    @property
    def waits_for_commit(self) -> bool:
        return self._at_commit is not None

    async def _set_line(self, line: Line) -> None:
        self._line = line
        if line is Line.STALL:
            self._opened.clear()
        else:
            self._opened.set()
        if line is Line.CUT:
            for writer in list(self._writers):
                writer.transport.abort()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            if self._line is Line.CUT:
                return writer.transport.abort()
            there, back = await asyncio.open_connection("127.0.0.1", self.target)
            ends = {writer, back}
            self._writers |= ends
            try:
                await self._pass(reader, back, there, writer)
            finally:
                self._writers -= ends
                for end in ends:
                    end.transport.abort()
            return None
        writer.transport.abort()
        return None

    async def _pass(
        self,
        reader: asyncio.StreamReader,
        back: asyncio.StreamWriter,
        there: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        """Both ways, until one side ends."""
        commits = asyncio.Event()
        ways = [
            asyncio.ensure_future(self._to_target(reader, back, commits)),
            asyncio.ensure_future(self._from_target(there, writer, commits)),
        ]
        _, others = await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in others:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)

    async def _to_target(
        self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, commits: asyncio.Event
    ) -> None:
        while data := await source.read(_CHUNK):
            await self._opened.wait()
            if self._at_commit is not None and _COMMIT in data.upper():
                commits.set()
            sink.write(data)
            await sink.drain()

    async def _from_target(
        self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, commits: asyncio.Event
    ) -> None:
        while data := await source.read(_CHUNK):
            await self._opened.wait()
            act = self._at_commit
            if commits.is_set() and act is not None:
                self._at_commit = None
                return act()
            commits.clear()
            sink.write(data)
            await sink.drain()
        return None

    async def _stop_listening(self) -> None:
        """In the loop's own thread: connections that end at this moment change the server, too."""
        self._server.close()

    async def _settle(self) -> None:
        """Let the tasks of cut connections end."""
        others = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.wait(others, timeout=2) if others else None

    def _ask(self, task: Coroutine[object, object, ResultT]) -> ResultT:
        return asyncio.run_coroutine_threadsafe(task, self._loop).result(10)
