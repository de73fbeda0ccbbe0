"""Responses that are made later on the event loop, so that waiting holds no thread."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Any, TypeAlias

from django.http import HttpResponse

from ctxadmin.http.problems import of_exception
from ctxadmin.http.requests.disconnects import Receive, wait_for_disconnect

Stream: TypeAlias = AsyncGenerator[bytes]
Work: TypeAlias = Callable[[], Awaitable[HttpResponse] | Stream]
Send = Callable[[dict[str, Any]], Awaitable[None]]


class DeferredResponse(HttpResponse):
    """The response of a view that has checked everything and leaves the rest to wait.

    ``work`` returns the answer, whose headers follow those of this one, or the parts of a stream,
    for which this one is the head. It is cancelled when the client disconnects.
    """

    def __init__(self, work: Work, content_type: str = "application/json") -> None:
        super().__init__(content_type=content_type)
        self.work = work


async def answer_deferred(deferred: DeferredResponse, receive: Receive, send: Send) -> None:
    """Waits for the answer and sends it, unless the client disconnects before."""
    gone = asyncio.ensure_future(wait_for_disconnect(receive))
    work = asyncio.ensure_future(_answer(deferred, send))
    try:
        await asyncio.wait({gone, work}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (gone, work):
            if not task.done():
                task.cancel()
        await asyncio.gather(gone, work, return_exceptions=True)
    if not work.cancelled():
        work.result()


async def _answer(deferred: DeferredResponse, send: Send) -> None:
    made, refused = deferred.work(), False
    try:
        if isinstance(made, AsyncGenerator):
            first = await anext(made, b"")  # what is refused is refused before the head is sent
        else:
            found = await made
    except Exception as error:  # noqa: BLE001 - as the views' own: any error is an answer
        refused, found = True, of_exception(error)
    if isinstance(made, AsyncGenerator) and not refused:
        await _stream(deferred, first, made, send)
        return
    for name, value in deferred.items():
        if name.lower() != "content-type":
            found.headers.setdefault(name, value)
    found["Content-Length"] = str(len(found.content))
    await start(send, found)
    await send({"type": "http.response.body", "body": found.content})


async def _stream(deferred: DeferredResponse, first: bytes, parts: Stream, send: Send) -> None:
    async with aclosing(parts):
        await start(send, deferred)
        await send({"type": "http.response.body", "body": first, "more_body": True})
        async for part in parts:
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


async def start(send: Send, response: Any) -> None:
    """Sends the head of a response of any of Django's kinds."""
    headers = [(name.encode("ascii"), value.encode("latin-1")) for name, value in response.items()]
    headers += [
        (b"Set-Cookie", morsel.OutputString().encode("ascii"))
        for morsel in response.cookies.values()
    ]
    await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
