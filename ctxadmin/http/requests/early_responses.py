"""Refusals before Django is called, often before the body has arrived."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from io import BytesIO
from typing import Any, Final, TypeAlias

from csp.middleware import CSPMiddleware
from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.middleware.security import SecurityMiddleware
from django.utils.module_loading import import_string

from ctxadmin.http.middleware import NoStoreMiddleware, RequestIdMiddleware
from ctxadmin.http.problems import problem, wants_json
from ctxadmin.http.requests.deferred_response import start
from ctxadmin.http.requests.fair_queue import SMALL
from ctxadmin.telemetry.facts import note_refusal

Scope: TypeAlias = dict[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[dict[str, Any]]]
Send: TypeAlias = Callable[[dict[str, Any]], Awaitable[None]]
# ``REFUSAL_PAGE``: the page of a refusal for its request, by code and detail; no database is asked.
RefusalPage: TypeAlias = Callable[[HttpRequest, str, str], str]

# What a client that sends before it reads may still send, so that it hears the answer.
_MOST_DROPPED_BYTES: Final = 64 * 1024**2
_DROP_SECONDS: Final = 10.0
_SILENT_SECONDS: Final = 1.0
_TOO_MANY: Final = 429
_HEADERS: Final = {401: {"WWW-Authenticate": 'Bearer realm="ctxadmin"'}}


class RefusedEarly(Exception):
    """An error of the contract by ``status`` and ``code``; nothing of the request was done.

    ``retry_after`` is in seconds, ``limit`` in bytes.
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        retry_after: int | None = None,
        limit: int | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.retry_after = retry_after
        self.limit = limit


async def refuse(refusal: RefusedEarly, scope: Scope, receive: Receive, send: Send) -> None:
    """Answers at once, then drops the rest of the body.

    The connection stays open if all that remains is a small body, which arrives with its head.
    """
    response = _as_an_answer(refusal, scope)
    response["Content-Length"] = str(len(response.content))
    length = declared_length(scope)
    if refusal.status == _TOO_MANY and length is not None and length <= SMALL:
        closes = not await _drop_body(receive)
    else:
        closes = True
    if closes:
        response["Connection"] = "close"
    await start(send, response)
    await send({"type": "http.response.body", "body": response.content, "more_body": closes})
    if closes:
        await _drop_body(receive)
        await send({"type": "http.response.body", "body": b""})


def declared_length(scope: Scope) -> int | None:
    """Returns the length in the headers; None for a chunked body, 0 without one."""
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value)
        if name == b"transfer-encoding":
            return None
    return 0


async def _drop_body(receive: Receive) -> bool:
    """Returns True at the end of the body; gives up on a large or slow one."""
    left = _MOST_DROPPED_BYTES
    with suppress(TimeoutError):
        async with asyncio.timeout(_DROP_SECONDS):
            while left > 0:
                message = await asyncio.wait_for(receive(), _SILENT_SECONDS)
                left -= len(message.get("body", b""))
                if not message.get("more_body", False):
                    return True
    return False


def _as_an_answer(refusal: RefusedEarly, scope: Scope) -> HttpResponse:
    """Returns the refusal as problem+json for programs and as a page for people.

    It makes no query, because it runs on the event loop.
    """
    request = ASGIRequest(scope, BytesIO())
    answer: Any = lambda _: _answer(refusal, request)  # noqa: E731 - the end of a chain
    for middleware in (
        *(XFrameOptionsMiddleware, CSPMiddleware, NoStoreMiddleware, SecurityMiddleware),
        RequestIdMiddleware,
    ):
        answer = middleware(answer)
    response: HttpResponse = answer(request)
    return response


def _answer(refusal: RefusedEarly, request: HttpRequest) -> HttpResponse:
    if refusal.status == 401 and not request.path.startswith("/api/"):
        note_refusal(refusal.code)
        return redirect_to_login(request.get_full_path())  # as pages answer, their scripts too
    if wants_json(request):
        extra = {} if refusal.limit is None else {"limit": refusal.limit}
        response = problem(
            refusal.status,
            refusal.code,
            refusal.detail,
            extra=extra,
            headers=_HEADERS.get(refusal.status),
        )
    else:
        note_refusal(refusal.code)
        page: RefusalPage = import_string(settings.REFUSAL_PAGE)
        text = page(request, refusal.code, refusal.detail)
        response = HttpResponse(text, status=refusal.status)
    if refusal.retry_after is not None:
        response["Retry-After"] = str(refusal.retry_after)
    return response
