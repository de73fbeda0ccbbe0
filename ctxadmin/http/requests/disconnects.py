"""Detects a client that disconnects while its request is answered."""

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Final, Self

from ctxadmin.lib.caller_presence import Presence

WATCHED_AFTER: Final = 0.05  # seconds; most requests are answered long before

Receive = Callable[[], Awaitable[dict[str, Any]]]


async def wait_for_disconnect(receive: Receive) -> None:
    """Waits until the connection ends; the body has been read."""
    while (await receive())["type"] != "http.disconnect":
        pass


class Watched:
    """Keeps a presence true within the block; short work is not watched, which costs a task."""

    def __init__(self, presence: Presence, receive: Receive) -> None:
        self._presence = presence
        self._receive = receive
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(WATCHED_AFTER, self._begin)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _begin(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._watch())

    async def _watch(self) -> None:
        await wait_for_disconnect(self._receive)
        self._presence.is_gone = True
