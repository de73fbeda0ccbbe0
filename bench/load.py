"""Loads an HTTP server: each client sends its next request when the last is answered.

It shares the machine with the server: on two cores, the 20 to 30 us that a request costs it are
missing for the server. Its own limit is measured on a bare server in the same run.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, cast

import uvloop

_CONTENT_LENGTH: Final = b"content-length:"
_SHOWN: Final = 300


@dataclass(frozen=True, slots=True)
class Load:
    """The result: calls, calls a second, median and p99 of their times in ms.

    ``refused`` is the number of calls that an overloaded server answered with 503; they count as
    calls.
    """

    calls: int
    rate: float
    p50: float
    p99: float
    refused: int


@dataclass(frozen=True, slots=True)
class Caller:
    """Builds the bytes of requests to one server with one token."""

    port: int
    token: str = ""

    def request(self, method: str, path: str, body: bytes = b"") -> bytes:
        lines = [
            f"{method} {path} HTTP/1.1",
            f"Host: 127.0.0.1:{self.port}",
            f"Content-Length: {len(body)}",
        ]
        if body:
            lines.append("Content-Type: application/json")
        if self.token:
            lines.append(f"Authorization: Bearer {self.token}")
        return "\r\n".join([*lines, "", ""]).encode() + body


class _Client(asyncio.Protocol):
    """A client with one connection for all its requests."""

    def __init__(self, requests: Iterator[bytes], until: float, end: asyncio.Future[None]) -> None:
        self.times: list[float] = []
        self.refused = 0
        self._requests = requests
        self._until = until
        self._end = end
        self._head = b""
        self._left = 0  # bytes of the body not yet received
        self._began = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's has another base
        self._next()

    def data_received(self, data: bytes) -> None:
        if self._left == 0:
            self._head += data
            end = self._head.find(b"\r\n\r\n")
            if end < 0:
                return
            head = self._head[:end].lower()
            if head[9:12] == b"503":
                self.refused += 1
            elif head[9:10] != b"2":
                self._fail(RuntimeError(f"refused: {self._head[:_SHOWN]!r}"))
                return
            place = head.find(_CONTENT_LENGTH) + len(_CONTENT_LENGTH)
            length = int(head[place:].split(b"\r\n", 1)[0])
            self._left = length + end + 4 - len(self._head)
            self._head = b""
        else:
            self._left -= len(data)
        if self._left == 0:
            now = time.perf_counter()
            self.times.append(now - self._began)
            self._next(now)

    def connection_lost(self, exc: Exception | None) -> None:
        self._fail(exc or ConnectionError("the server closed the connection"))

    def _next(self, now: float = 0.0) -> None:
        request = next(self._requests, None) if now < self._until else None
        if request is None:
            self._transport.close()
            if not self._end.done():
                self._end.set_result(None)
            return
        self._began = time.perf_counter()
        self._transport.write(request)

    def _fail(self, error: Exception) -> None:
        if not self._end.done():
            self._end.set_exception(error)
            self._transport.close()


def _same(client: _Client) -> _Client:
    return client


async def _drive(
    port: int,
    clients: Sequence[Iterable[bytes]],
    seconds: float,
    meanwhile: Callable[[], object] | None,
) -> list[_Client]:
    loop = asyncio.get_running_loop()
    until = time.perf_counter() + seconds
    ends = [loop.create_future() for _ in clients]
    protocols = [
        _Client(iter(requests), until, end) for requests, end in zip(clients, ends, strict=True)
    ]
    for protocol in protocols:
        await loop.create_connection(partial(_same, protocol), "127.0.0.1", port)
    if meanwhile is not None:
        loop.call_later(seconds / 2, meanwhile)
    await asyncio.gather(*ends)
    return protocols


def load(
    port: int,
    clients: Sequence[Iterable[bytes]],
    seconds: float,
    meanwhile: Callable[[], object] | None = None,
) -> Load:
    """Runs these clients for so many seconds, or until they have no more requests.

    ``meanwhile`` is called after half of the seconds.
    """
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        began = time.perf_counter()
        done = runner.run(_drive(port, clients, seconds, meanwhile))
        took = time.perf_counter() - began
    times = sorted(each for client in done for each in client.times)
    refused = sum(client.refused for client in done)
    middle, slow = times[len(times) // 2], times[int(len(times) * 0.99)]
    return Load(len(times), len(times) / took, middle * 1e3, slow * 1e3, refused)
