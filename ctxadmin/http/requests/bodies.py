"""Reads the body of a request from ASGI, up to the allowed size.

Django would spool a body of any size to disk before a view runs, and a chunked body without a
length reaches DRF as an empty one; so it is read here and given its length. More than 64 KiB is
read only from identified callers, if the process has room for it, of which one caller has half at
most. Room is taken as the body arrives: a caller that declares much and sends little takes little.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Any, Final, TypeAlias

from django.conf import settings

from ctxadmin.http.requests.body_memory import BodyMemory
from ctxadmin.http.requests.callers import credential_of
from ctxadmin.http.requests.early_responses import Receive, RefusedEarly, Scope, declared_length
from ctxadmin.http.requests.fair_queue import SMALL
from ctxadmin.lib.sentence import say

STALL_SECONDS: Final = 20.0  # without a byte
LEAST_RATE: Final = 4 * 1024  # bytes a second, in each span of as long
_STEP: Final = 1024**2  # bytes of room that are taken at once
_RETRY_SECONDS: Final = 2
_LARGE_PATHS: Final = (
    "/api/v1/conversations/import",
    "/api/v1/workflows/import",
    "/conversations/import/",
)

# Finds who calls by the headers alone; raises RefusedEarly if nobody does.
Identify: TypeAlias = Callable[[Scope], Awaitable[None]]


class ClientGone(Exception):
    """The connection ended within the body: nothing is done, and nobody waits."""


class Bodies:
    """Reads the bodies of a process's requests, ``most`` bytes of large ones at once."""

    def __init__(self, identify: Identify, most: int) -> None:
        self._identify = identify
        self._memory = BodyMemory(most)
        self._share = max(most // 2, _STEP)
        self._held: Counter[bytes] = Counter()  # bytes of large bodies, by credential

    async def read(self, scope: Scope, receive: Receive) -> bytes:
        """Returns the whole body, and sets its length in the headers.

        Raises RefusedEarly, ClientGone.

        ``release`` must be called when its request is answered.
        """
        limit = _limit(scope["path"])
        length = declared_length(scope)
        if length is not None and length > limit:
            raise _too_large(limit)
        most = limit if length is None else length
        held = 0
        if length is not None and length > SMALL:
            await self._identify(scope)
            held = await self._hold(scope, 0, min(length, _STEP))
        chunks: list[bytes] = []
        size = 0
        pace = _Pace(receive)
        try:
            message = await (receive() if length == 0 else pace.next())
            while True:
                if message["type"] == "http.disconnect":
                    raise ClientGone
                chunk = message.get("body", b"")
                size += len(chunk)
                if size > limit:
                    raise _too_large(limit)
                if size > max(held, SMALL):
                    if not held:
                        await self._identify(scope)
                    held = await self._hold(scope, held, min(size + _STEP, max(size, most)))
                chunks.append(chunk)
                if not message.get("more_body", False):
                    break
                message = await pace.next()
        except BaseException:
            self._release_memory(scope, held)
            raise
        if held:
            self._release_memory(scope, held - (size if size > SMALL else 0))
        if size and size != length:  # a chunked body has no length of its own
            _set_length(scope, size)
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)

    def release(self, scope: Scope, body: bytes) -> None:
        """Releases the room of a body whose request is answered."""
        if len(body) > SMALL:
            self._release_memory(scope, len(body))

    async def _hold(self, scope: Scope, held: int, wanted: int) -> int:
        """Takes room for ``wanted`` bytes for a body that has ``held``.

        Returns what it has then.
        """
        credential, more = credential_of(scope), wanted - held
        if self._held[credential] + more > self._share and self._held[credential] > held:
            text = say("You are sending too many large bodies at once; try again.")
            raise RefusedEarly(429, "rate_limited", text, retry_after=_RETRY_SECONDS)
        self._held[credential] += more
        try:
            await self._memory.reserve(more)
        except BaseException as error:
            self._forget(credential, more)
            if not isinstance(error, TimeoutError):
                raise
            text = say("Too many large bodies are being sent; try again.")
            raise RefusedEarly(503, "unavailable", text, retry_after=_RETRY_SECONDS) from None
        return wanted

    def _release_memory(self, scope: Scope, size: int) -> None:
        if size:
            self._forget(credential_of(scope), size)
            self._memory.release(size)

    def _forget(self, credential: bytes, size: int) -> None:
        self._held[credential] -= size
        if not self._held[credential]:
            del self._held[credential]


class _Pace:
    """Receives a body with a minimum speed; the server's own delays do not count."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._seconds = 0.0
        self._size = 0
        self._has_stalled = False

    async def next(self) -> dict[str, Any]:
        """Returns the next part.

        Raises RefusedEarly if it is missing, or all of them are too slow.
        """
        began = monotonic()
        task = asyncio.current_task()
        # A bare timer: asyncio.timeout costs 9 us, and most bodies are there already.
        timer = asyncio.get_running_loop().call_later(STALL_SECONDS, self._stall, task)
        try:
            message = await self._receive()
        except asyncio.CancelledError:
            if not self._has_stalled or task is None or task.uncancel():
                raise
            raise _too_slow() from None
        finally:
            timer.cancel()
        self._seconds += monotonic() - began
        self._size += len(message.get("body", b""))
        if self._seconds > STALL_SECONDS:
            if self._size < LEAST_RATE * self._seconds:
                raise _too_slow()
            self._seconds, self._size = 0.0, 0  # what came fast at first pays for nothing later
        return message

    def _stall(self, task: asyncio.Task[Any] | None) -> None:
        if task is not None:
            self._has_stalled = True
            task.cancel()


def _too_large(limit: int) -> RefusedEarly:
    return RefusedEarly(
        413, "too_large", say("The body is larger than {n} bytes.", n=limit), limit=limit
    )


def _too_slow() -> RefusedEarly:
    return RefusedEarly(408, "request_timeout", say("The body did not arrive in time."))


def _limit(path: str) -> int:
    large = path.startswith(_LARGE_PATHS)
    return settings.MAX_IMPORT_BYTES + SMALL if large else settings.MAX_BODY_BYTES


def _set_length(scope: Scope, length: int) -> None:
    others = (b"transfer-encoding", b"content-length")
    kept = [(name, value) for name, value in scope["headers"] if name not in others]
    scope["headers"] = [*kept, (b"content-length", str(length).encode())]
