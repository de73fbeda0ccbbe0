"""What every request gets: an id, and a body that is counted before it is taken."""

from collections.abc import Awaitable, Callable
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from ctxadmin.lib.errors import TooLarge
from ctxadmin.observe.facts import facts_of, note_route
from ctxadmin.web.problems import of_error

_LARGE_PATHS: Final = (
    "/api/v1/conversations/import",
    "/api/v1/workflows/import",
    "/conversations/",
)
_DRAIN_FACTOR: Final = 4

AsgiApp = Callable[[Any, Any, Any], Awaitable[None]]


class RequestIdMiddleware:
    """``X-Request-ID`` of the caller if it is plain, else a new one; answered and audited."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        facts = facts_of(request)
        request.request_id = facts.request_id  # type: ignore[attr-defined]
        response = self.get_response(request)
        note_route(request, facts)
        response["X-Request-ID"] = facts.request_id
        return response


class BodyLimit:
    """ASGI: refuses bodies over the limit before Django sees them.

    Django spools a body of any size to disk before a view runs, and a chunked body without
    a length reaches DRF as an empty one: so it is gathered here and given its length.
    """

    def __init__(self, app: AsgiApp) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        limit = _limit(scope["path"])
        length = headers.get(b"content-length")
        if length is None and b"transfer-encoding" not in headers:
            await self.app(scope, receive, send)
            return
        if length is not None and length.isdigit() and int(length) <= limit:
            await self.app(scope, receive, send)
            return
        body = await _gather(receive, limit)
        if body is None:
            await _refuse(send, limit)
            return
        scope = dict(scope)
        scope["headers"] = [
            (name, value)
            for name, value in scope["headers"]
            if name not in (b"transfer-encoding", b"content-length")
        ] + [(b"content-length", str(len(body)).encode())]
        await self.app(scope, _Replay(body, receive), send)


class _Replay:
    """Gives the gathered body once, then whatever the connection says."""

    def __init__(self, body: bytes, receive: Any) -> None:
        self.body: bytes | None = body
        self.receive = receive

    async def __call__(self) -> Any:
        if self.body is None:
            return await self.receive()
        body, self.body = self.body, None
        return {"type": "http.request", "body": body, "more_body": False}


def _limit(path: str) -> int:
    large = path.startswith(_LARGE_PATHS)
    return settings.MAX_IMPORT_BYTES + 64 * 1024 if large else settings.MAX_BODY_BYTES


async def _gather(receive: Any, limit: int) -> bytes | None:
    """The whole body, or None if it is longer than ``limit``.

    A little beyond the limit is read and dropped, so that the client hears the answer
    instead of a broken connection.
    """
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        chunk = message.get("body", b"")
        size += len(chunk)
        if size <= limit:
            chunks.append(chunk)
        elif size > limit * _DRAIN_FACTOR:
            return None
        else:
            chunks.clear()
        if not message.get("more_body", False):
            return b"".join(chunks) if size <= limit else None


async def _refuse(send: Any, limit: int) -> None:
    response = of_error(TooLarge(f"The body is larger than {limit} bytes.", limit=limit))
    headers = [
        (b"content-type", response["Content-Type"].encode()),
        (b"content-length", str(len(response.content)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": response.content})
