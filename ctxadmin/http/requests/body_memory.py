"""The memory for large bodies in a process."""

import asyncio
from collections import deque
from typing import Final

WAIT_SECONDS: Final = 20.0  # for a place; proxies wait for more than a minute


class BodyRoom:
    """Room for ``most`` bytes, first come, first served. Used on one event loop only."""

    def __init__(self, most: int) -> None:
        self._free = self._most = most
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()

    async def reserve(self, size: int) -> None:
        """Waits until ``size`` bytes have room, and takes it; raises TimeoutError."""
        if not self._waiting and size <= self._free:
            self._free -= size
            return
        given: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((size, given))
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                await given
        except BaseException:
            if given.done() and not given.cancelled():
                self.release(size)
            self._serve()
            raise

    def release(self, size: int) -> None:
        self._free += size
        self._serve()

    def _serve(self) -> None:
        """Gives room to the longest waiting."""
        while self._waiting:
            size, given = self._waiting[0]
            if given.done():  # it waits no more
                self._waiting.popleft()
            elif size <= self._free:
                self._waiting.popleft()
                self._free -= size
                given.set_result(None)
            else:
                return
