"""Renews claims for as long as their graph runs."""

import asyncio
import logging
import threading
from contextlib import suppress
from typing import Any, Final, Self

from ctxadmin_client._async.conversation import AsyncConversation
from ctxadmin_client._sync.conversation import Conversation
from ctxadmin_client.errors import (
    CtxAdminError,
    Forbidden,
    InvalidState,
    NotFound,
    Unauthenticated,
)

_LOG: Final = logging.getLogger("ctxadmin_client.langgraph")
_LAST: Final = 5.0  # seconds to wait for a running renewal
_LOST: Final = "The claim of %s could not be renewed: %s"
_FINAL: Final = (Forbidden, InvalidState, NotFound, Unauthenticated)  # no repeat changes them


class AsyncRenewal:
    """Renews a claim three times in each of its periods while a block runs.

    A node may take longer than the period: an answer of a model, a search. A refused renewal means
    that another worker has the node, or that nobody needs it any more; it is not repeated. If the
    server is busy or does not answer, the renewal is repeated after the same pause.
    """

    def __init__(self, conversation: AsyncConversation, node: str, ttl: int, lease: str) -> None:
        self._conversation = conversation
        self._claim = (node, ttl, lease)
        self._pause = ttl / 3
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._renew())
        return self

    async def __aexit__(self, *_: Any) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(self._pause)
            try:
                await self._conversation.claim_node(*self._claim)
            except CtxAdminError as error:
                _LOG.info(_LOST, self._conversation.id, error)
                if isinstance(error, _FINAL):
                    return


class Renewal:
    """The same for threads."""

    def __init__(self, conversation: Conversation, node: str, ttl: int, lease: str) -> None:
        self._conversation = conversation
        self._claim = (node, ttl, lease)
        self._pause = ttl / 3
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._renew, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._ended.set()
        self._thread.join(_LAST)

    def _renew(self) -> None:
        while not self._ended.wait(self._pause):
            try:
                self._conversation.claim_node(*self._claim)
            except CtxAdminError as error:
                _LOG.info(_LOST, self._conversation.id, error)
                if isinstance(error, _FINAL):
                    return
