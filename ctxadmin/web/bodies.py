"""The body of a request, taken whole from ASGI and never more of it than is allowed.

Django would spool a body of any size to disk before a view runs, and a chunked body without a
length reaches DRF as an empty one: so it is gathered here and given its length.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Final

from django.conf import settings
from django.http import HttpResponse

from ctxadmin.lib.errors import TooLarge
from ctxadmin.web.problems import of_error

_LARGE_PATHS: Final = (
    "/api/v1/conversations/import",
    "/api/v1/workflows/import",
    "/conversations/",
)
_DRAIN_FACTOR: Final = 4


class ClientGone(Exception):
    """The connection ended within the body: nothing is to be done, and nobody waits."""


async def take_body(
    scope: dict[str, Any], receive: Callable[[], Awaitable[dict[str, Any]]]
) -> bytes:
    """The whole body, whose length then stands in the headers; TooLarge, ClientGone.

    A little beyond the limit is read and dropped, so that the client hears the answer instead of
    a broken connection.
    """
    limit = _limit(scope["path"])
    message = await receive()
    chunks: list[bytes] = []
    size = 0
    while True:
        if message["type"] == "http.disconnect":
            raise ClientGone
        chunk = message.get("body", b"")
        size += len(chunk)
        if size <= limit:
            chunks.append(chunk)
        elif size > limit * _DRAIN_FACTOR:
            break
        else:
            chunks.clear()
        if not message.get("more_body", False):
            break
        message = await receive()
    if size > limit:
        raise TooLarge(f"The body is larger than {limit} bytes.", limit=limit)
    body = chunks[0] if len(chunks) == 1 else b"".join(chunks)
    if size:  # a chunked body has no length of its own
        _say_length(scope, size)
    return body


def refused(error: TooLarge) -> HttpResponse:
    """The answer to a body that was not taken; the connection cannot be used again."""
    response = of_error(error)
    response["Content-Length"] = str(len(response.content))
    response["Connection"] = "close"
    return response


def _limit(path: str) -> int:
    large = path.startswith(_LARGE_PATHS)
    return settings.MAX_IMPORT_BYTES + 64 * 1024 if large else settings.MAX_BODY_BYTES


def _say_length(scope: dict[str, Any], length: int) -> None:
    others = (b"transfer-encoding", b"content-length")
    kept = [(name, value) for name, value in scope["headers"] if name not in others]
    scope["headers"] = [*kept, (b"content-length", str(length).encode())]
