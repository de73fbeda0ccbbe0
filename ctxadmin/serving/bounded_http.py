"""HTTP/1.1 with heads bounded in bytes and in time.

The parser buffers a header until its end, however long it is: a header of 100 MB was held in
memory, and a head that never ended held its connection indefinitely.
"""

import asyncio
from typing import Final

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from ctxadmin.lib.json_bytes import dumps
from ctxadmin.telemetry import metrics

MOST_HEAD_BYTES: Final = 64 * 1024  # browsers send 2 KB, proxies pass on 32 KB at most
HEAD_SECONDS: Final = 20.0  # from the first byte of a head to its last
_MOST_DROPPED_BYTES: Final = 4 * 1024**2
_DROP_SECONDS: Final = 2.0


class HeadTooLarge(Exception):
    """Stops the parser."""


class BoundedHttp(HttpToolsProtocol):
    """Uvicorn's protocol, which refuses a head that is too large (431) or too slow (408).

    A connection without any byte is closed like an idle one.
    """

    # Bytes since the last ones that were a whole head or part of a body.
    _unread = 0
    _in_head = False
    _in_body = False
    _is_too_large = False
    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._close_if_idle()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        self._unset_keepalive_if_required()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._unread += len(data)
        super().data_received(data)
        if not self._unread or self.transport.is_closing():
            return
        if self._unread > MOST_HEAD_BYTES:
            self._refuse_size()
        elif self._in_head:
            if self._head_timer is None:
                self._head_timer = self.loop.call_later(HEAD_SECONDS, self.refuse_late_head)
        elif not self._in_body and not self._is_answering():  # an empty line: still idle
            self._close_if_idle()

    def on_message_begin(self) -> None:
        self._in_head = True
        self._unread = self._unread or 1  # it came with the end of the request before
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        if self._unread > MOST_HEAD_BYTES and self._head_bytes() > MOST_HEAD_BYTES:
            self._is_too_large = True
            raise HeadTooLarge
        self._unread = 0
        self._in_head, self._in_body = False, True
        self._stop_timer()
        super().on_headers_complete()
        if self.cycle is not None and getattr(self.loop, "is_draining", False):
            self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        self._unread = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._unread = 0
        self._in_body = False
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        if self._is_too_large:
            self._refuse_size()
        else:
            super().send_400_response(msg)

    def _head_bytes(self) -> int:
        return len(self.url) + sum([len(name) + len(value) + 4 for name, value in self.headers])

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _close_if_idle(self) -> None:
        self.timeout_keep_alive_task = self.loop.call_later(
            self.timeout_keep_alive, self.timeout_keep_alive_handler
        )

    def _stop_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _refuse_size(self) -> None:
        limit = MOST_HEAD_BYTES
        text = f"The address and the headers are larger than {limit} bytes."
        self._refuse(431, "too_large", "Too large", text, limit=limit)

    def refuse_late_head(self) -> None:
        if self._is_answering():  # the request before, which is not ended for the sake of this one
            self._head_timer = self.loop.call_later(HEAD_SECONDS, self.refuse_late_head)
            return
        text = f"The headers did not arrive within {HEAD_SECONDS:.0f} seconds."
        self._refuse(408, "request_timeout", "Request timeout", text)

    def _refuse(self, status: int, code: str, title: str, detail: str, **more: int) -> None:
        """Answers instead of the application, and continues reading for a moment.

        A connection that is closed while its client sends is reset, and the answer is lost with it.
        """
        metrics.count_refusal(code)
        transport = self.transport
        is_answering = self._is_answering()
        self.connection_lost(ConnectionAbortedError())
        if is_answering:  # to the request before, or to this one, whose end is what is too large
            transport.close()
            return
        body = dumps(
            {"type": f"/api/docs/errors#{code}", "title": title, "status": status}
            | {"code": code, "detail": detail, **more}
        )
        head = (
            b"content-type: application/problem+json\r\ncache-control: no-store\r\n"
            b"connection: close\r\ncontent-length: %d\r\n\r\n" % len(body)
        )
        transport.write(STATUS_LINE[status] + head + body)
        transport.set_protocol(_Dropped(transport, self.loop))


class _Dropped(asyncio.Protocol):
    """Reads on after the answer and discards everything, up to a limit or until the client
    leaves.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._left = _MOST_DROPPED_BYTES
        self._timer = loop.call_later(_DROP_SECONDS, transport.close)
        if transport.can_write_eof():
            transport.write_eof()

    def data_received(self, data: bytes) -> None:
        self._left -= len(data)
        if self._left < 0:
            self._transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._timer.cancel()
