"""Django behind ASGI, on a fixed number of threads that keep their database connections.

Django's own ASGI handler starts a thread for every request of a sync view, and with it a database
connection: 4,112 were counted in a run of about as many requests. Here a request takes one of the
threads of a pool, runs there from the first middleware to the last byte, and returns to the event
loop once.
"""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, nullcontext
from contextvars import copy_context
from dataclasses import dataclass
from io import BytesIO
from time import monotonic
from typing import Any, Final

from django.conf import settings
from django.core import signals
from django.core.handlers.asgi import ASGIRequest
from django.core.handlers.base import BaseHandler
from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpResponse, HttpResponseBadRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.middleware.security import SecurityMiddleware
from django.urls import set_script_prefix

from ctxadmin.http.middleware import NoStoreMiddleware, RequestIdMiddleware
from ctxadmin.http.problems import BASE_PATH
from ctxadmin.http.requests.bodies import Bodies, ClientGone
from ctxadmin.http.requests.callers import KnownCallers, credential_of, identify
from ctxadmin.http.requests.compression import encoded
from ctxadmin.http.requests.deferred_response import DeferredResponse, answer_deferred, start
from ctxadmin.http.requests.disconnects import Watched
from ctxadmin.http.requests.early_responses import Receive, RefusedEarly, Scope, Send, refuse
from ctxadmin.http.requests.early_rights import is_allowed, require_right
from ctxadmin.http.requests.fair_queue import FairQueue
from ctxadmin.http.requests.fast_path import FastPath
from ctxadmin.http.requests.memory_release import FreedMemory
from ctxadmin.http.requests.request_limits import RequestLimits, limits_of_settings
from ctxadmin.lib.caller_presence import CallerGone, Presence, announce

_END: Final = object()
_ENOUGH: Final = 64 * 1024  # bytes that are worth a write of their own


class _TokenHandler(BaseHandler):
    """Answers requests with a token through three middlewares; the others are for browsers.

    They took a third of a millisecond of a request that took one.
    """

    def __init__(self) -> None:
        super().__init__()
        self._view_middleware: list[Any] = []
        self._template_response_middleware: list[Any] = []
        self._exception_middleware: list[Any] = []
        answer = convert_exception_to_response(self._get_response)  # type: ignore[attr-defined]
        answer = convert_exception_to_response(NoStoreMiddleware(answer))  # type: ignore[arg-type]
        answer = convert_exception_to_response(RequestIdMiddleware(answer))  # type: ignore[arg-type]
        self._middleware_chain = convert_exception_to_response(SecurityMiddleware(answer))


@dataclass(frozen=True, slots=True)
class _Answered:
    """A response, its bytes as they are sent, and their number before compression."""

    response: HttpResponseBase
    parts: Iterable[bytes] = ()
    size: int = 0


class ThreadedHandler(BaseHandler):
    """The ASGI application of everything that Django serves by HTTP.

    A request is admitted, its body read, and answered: by the ``fast_path`` if possible, else in a
    thread of the pool, for which it waits in a FairQueue. With ``turn_seconds`` requests begin one
    after the other. If its client disconnects while it waits for a thread it is not begun; a write
    that has begun is finished, and read-only work ends (``work_budget``).
    """

    def __init__(
        self, threads: int, fast_path: FastPath | None = None, turn_seconds: float | None = None
    ) -> None:
        super().__init__()
        self.load_middleware(is_async=False)
        self._fast_path = fast_path
        self._queue = FairQueue(threads, turn_seconds)
        self._for_tokens = _TokenHandler()
        self._callers = KnownCallers()
        self._limits = RequestLimits(self._callers, limits_of_settings())
        self._bodies = Bodies(self._identify, settings.MAX_BODIES_BYTES)
        self._memory = FreedMemory()
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="request")
        # Who asks after the health must learn of it while all others compute. The one that needs
        # the database does not hold up the other.
        self._for_health = {
            path: ThreadPoolExecutor(1, thread_name_prefix="health")
            for path in ("/healthz", "/readyz")
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise ValueError(f"There is nothing here for {scope['type']}.")
        if scope["path"] in self._for_health:
            deferred = await self._answer_admitted(scope, receive, send)
        else:
            try:
                usage = self._limits.admit(scope)
            except RefusedEarly as refusal:
                await refuse(refusal, scope, receive, send)
                return
            try:
                deferred = await self._answer_admitted(scope, receive, send)
            finally:
                self._limits.finish(usage, scope)
        if deferred is not None:
            await answer_deferred(deferred, receive, send)

    async def _answer_admitted(
        self, scope: Scope, receive: Receive, send: Send
    ) -> DeferredResponse | None:
        """Answers an admitted request; leaves a deferred response to the caller."""
        try:
            body = await self._bodies.read(scope, receive)
        except ClientGone:
            return None
        except RefusedEarly as refusal:
            await refuse(refusal, scope, receive, send)
            return None
        try:
            return await self._answer(scope, body, receive, send)
        finally:
            self._bodies.release(scope, body)
            self._memory.count_answer(len(body))

    async def _identify(self, scope: Scope) -> None:
        """Identifies the caller and checks its scope before the body is read.

        Raises RefusedEarly.

        A caller that seems to lack the scope is looked up again before the refusal.
        """
        credential, now = credential_of(scope), monotonic()
        known = self._callers.find(credential, now)
        if known is not None:
            scopes = self._callers.scopes(credential, now)
            if scopes is not None and is_allowed(scope, scopes):
                return
        loop = asyncio.get_running_loop()
        context = copy_context()
        async with self._queue.thread(self._limits.caller_of(scope)):
            identified = loop.run_in_executor(self._pool, context.run, identify, scope)
            found, scopes = await identified
        self._callers.store(credential, found, now, scopes)
        if scopes is not None:
            require_right(scope, scopes)

    async def _answer(
        self, scope: Scope, body: bytes, receive: Receive, send: Send
    ) -> DeferredResponse | None:
        caller = self._limits.caller_of(scope)
        if self._fast_path is not None and await self._fast_path.try_answer(
            scope, body, send, caller
        ):
            return None
        loop = asyncio.get_running_loop()
        context = copy_context()  # what is known of the request goes along to its thread
        own = self._for_health.get(scope["path"])
        presence = Presence()
        thread: AbstractAsyncContextManager[None] = nullcontext()
        if own is None:
            thread = self._queue.thread(caller, size=len(body))
        async with Watched(presence, receive), thread:
            answered = await loop.run_in_executor(
                own or self._pool, context.run, self._respond, scope, body, presence
            )
        if answered is None:
            return None
        response = answered.response
        if isinstance(response, DeferredResponse):
            return response
        if not isinstance(response, StreamingHttpResponse):
            await _send(send, response, answered.parts)
            self._memory.count_answer(answered.size)
            return None
        await start(send, response)
        waiting = iter(answered.parts)
        while True:
            async with self._queue.thread(caller):
                part = await loop.run_in_executor(self._pool, next, waiting, _END)
            if part is _END:
                break
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
        return None

    def _respond(self, scope: Scope, body: bytes, presence: Presence) -> _Answered | None:
        """Returns the response and its bytes, made in a thread of the pool.

        None if the client left.

        Work that still waited for the thread is then not begun, and read-only work ends soon.
        """
        announce(presence)
        try:
            presence.require()
            return self.respond(scope, body)
        except CallerGone:
            signals.request_finished.send(sender=type(self))
            return None

    def respond(self, scope: Scope, body: bytes) -> _Answered:
        set_script_prefix(scope.get("root_path", ""))
        signals.request_started.send(sender=type(self), scope=scope)
        response: HttpResponseBase
        try:
            request = ASGIRequest(scope, BytesIO(body))
        except UnicodeDecodeError:
            response = HttpResponseBadRequest()
        else:
            request._body = body  # so that nobody reads the stream into a copy of it
            handler = self._for_tokens if _has_token(request) else self
            response = handler.get_response(request)
            # A request of a page is part of cycles: what it holds is freed with the answer.
            response._resource_closers.append(request.__dict__.clear)  # type: ignore[attr-defined]
        if isinstance(response, StreamingHttpResponse):
            return _Answered(response, _streamed(response))
        if isinstance(response, DeferredResponse):
            response.close()
            return _Answered(response)
        parts: Sequence[bytes] = []
        size = 0
        if isinstance(response, HttpResponse):
            parts = list(response)
            size = sum(map(len, parts))
            parts = encoded(scope, response, parts)
        response.headers.setdefault("Content-Length", str(sum(map(len, parts))))
        response.close()
        return _Answered(response, parts, size)


def _has_token(request: ASGIRequest) -> bool:
    """Returns True for a request of the contract with a token, and without a cookie."""
    return request.path.startswith(f"{BASE_PATH}/") and "HTTP_AUTHORIZATION" in request.META


def _streamed(response: StreamingHttpResponse) -> Iterator[bytes]:
    """Yields the parts of a response that closes itself after the last."""
    try:
        yield from response
    finally:
        response.close()


async def _send(send: Send, response: HttpResponseBase, parts: Iterable[bytes]) -> None:
    """Sends the whole response; of a large one only small parts are joined."""
    await start(send, response)
    small: list[bytes] = []
    size = 0
    for part in parts:
        small.append(part)
        size += len(part)
        if size > _ENOUGH:
            await send({"type": "http.response.body", "body": b"".join(small), "more_body": True})
            small, size = [], 0
    await send({"type": "http.response.body", "body": b"".join(small)})
