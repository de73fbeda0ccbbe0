"""Sends messages over the channel layer, in order and in batches, and gives up quickly."""

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Sequence
from typing import Final

from channels.layers import BaseChannelLayer

from ctxadmin.realtime.messages import Message, group_of, pack_all

logger = logging.getLogger(__name__)

_MOST_WAITING: Final = 10_000
_MOST_AT_ONCE: Final = 200
PATIENCE: Final = 1.5  # seconds for one sending
_PAUSE: Final = 2.0  # after a failure


class MessageSender:
    """The messages of one process on their way to the others.

    What cannot be sent is dropped: the others find it when they poll.
    """

    def __init__(self, process: str, layer: BaseChannelLayer | None) -> None:
        self.is_down = False
        self._process = process
        self._layer = layer
        self._waiting: deque[Message] = deque(maxlen=_MOST_WAITING)
        self._wakes = asyncio.Event()
        self._returned = False
        self._turned = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()

    def put(self, message: Message) -> None:
        if self._layer is not None and not self.is_down:
            self._waiting.append(message)
            self._idle.clear()
            self._wakes.set()

    def record_failure(self, error: Exception) -> None:
        """Handles a failure of the layer: it is left alone for a while."""
        if not self.is_down:
            self.is_down = True
            self._turned.set()
            logger.warning("The channel layer is down (%s); polling for changes.", _kind(error))
        self._wakes.set()

    def has_recovered(self) -> bool:
        """Returns True once after the layer was down."""
        returned, self._returned = self._returned, False
        return returned

    async def wait_for_turn(self, seconds: float) -> None:
        """Waits until the layer fails or recovers, or for so many seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._turned.wait()
        self._turned.clear()

    async def run(self) -> None:
        """Sends for the life of the process."""
        if self._layer is None:
            return
        while True:
            await self._wakes.wait()
            self._wakes.clear()
            if self.is_down:
                self._idle.set()
                await self._wait_for_return(self._layer)
            while self._waiting and not self.is_down:
                many = min(len(self._waiting), _MOST_AT_ONCE)
                await self._send(self._layer, [self._waiting.popleft() for _ in range(many)])
            self._idle.set()

    async def flush(self) -> None:
        """Waits until the queue is empty."""
        await self._idle.wait()

    async def close(self) -> None:
        self._waiting.clear()
        self._idle.set()

    async def _send(self, layer: BaseChannelLayer, messages: Sequence[Message]) -> None:
        groups: dict[str, list[Message]] = {}
        for message in messages:
            groups.setdefault(group_of(message), []).append(message)
        try:
            async with asyncio.timeout(PATIENCE):
                for group, found in groups.items():
                    await layer.group_send(group, pack_all(self._process, found))
        except Exception as error:  # noqa: BLE001 - whatever a layer raises, it is down
            self.record_failure(error)

    async def _wait_for_return(self, layer: BaseChannelLayer) -> None:
        self._waiting.clear()
        while True:
            await asyncio.sleep(_PAUSE)
            try:
                async with asyncio.timeout(PATIENCE):
                    await layer.group_send("nobody", pack_all(self._process, []))
            except Exception:  # noqa: BLE001, S112 - it is still away
                continue
            self.is_down, self._returned = False, True
            self._turned.set()
            logger.warning("The channel layer is back.")
            return


def _kind(error: Exception) -> str:
    """Returns what may be logged of an error: its text may contain an address with a password."""
    return type(error).__name__
