"""The memory for large bodies in a process."""

import asyncio
from collections import deque
from typing import Final

WAIT_SECONDS: Final = 20.0  # for a place; proxies wait for more than a minute


class BodyMemory:
    """The ``most`` bytes for bodies, first come, first served. Used on one event loop only."""

    def __init__(self, most: int) -> None:
        self._free = self._most = most
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()

    async def reserve(self, size: int) -> None:
        """Waits until ``size`` bytes are free, and reserves them; raises TimeoutError."""
        if not self._waiting and size <= self._free:
            self._free -= size
            return
        reserved: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((size, reserved))
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                await reserved
        except BaseException:
            if reserved.done() and not reserved.cancelled():
                self.release(size)
            self._serve()
            raise

    def release(self, size: int) -> None:
        self._free += size
        self._serve()

    def _serve(self) -> None:
        """Reserves free bytes for the bodies that have waited longest."""
        while self._waiting:
            size, reserved = self._waiting[0]
            if reserved.done():  # it waits no more
                self._waiting.popleft()
            elif size <= self._free:
                self._waiting.popleft()
                self._free -= size
                reserved.set_result(None)
            else:
                return
