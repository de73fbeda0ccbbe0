"""A queue in which requests run one after the other, as long as none of them takes long.

Threads that compute hand the interpreter to each other at every query of an embedded database,
and to hand it over takes longer than the query. A request that takes long does not hold up the
others: its turn ends, and it goes on beside them.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

_LONG: Final = 0.01  # seconds; several times what a call of an engine takes


class FairQueue:
    """The turn that a request waits for before it takes a thread; who waits longest is next.

    A turn ends with its request, or after so many ``seconds``.
    """

    def __init__(self, seconds: float = _LONG) -> None:
        self._seconds = seconds
        self._free = asyncio.Semaphore(1)

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        await self._free.acquire()
        turn = _Turn(self._free)
        timer = asyncio.get_running_loop().call_later(self._seconds, turn.end)
        try:
            yield
        finally:
            timer.cancel()
            turn.end()


class _Turn:
    def __init__(self, free: asyncio.Semaphore) -> None:
        self._free = free
        self._has_ended = False

    def end(self) -> None:
        if not self._has_ended:
            self._has_ended = True
            self._free.release()
