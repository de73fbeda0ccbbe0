"""Heads that do not end, and connections that say nothing, are not kept."""

import asyncio
from contextlib import suppress
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from ctxadmin.serving import bounded_http
from ctxadmin.serving.bounded_http import BoundedHttp

PATIENCE = 30


async def hello(scope: Any, receive: Any, send: Any) -> None:
    await receive()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"hello"})


def heard(sent: bytes, *, app: Any = hello, keep_alive: float = PATIENCE) -> bytes:
    """What the server says until it closes the connection."""

    async def talk() -> bytes:
        config = uvicorn.Config(app, timeout_keep_alive=keep_alive, log_config=None)  # type: ignore[arg-type]
        config.load()
        loop = asyncio.get_running_loop()
        server = await loop.create_server(
            lambda: BoundedHttp(config, ServerState(), {}), "127.0.0.1", 0
        )
        async with server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            writer.write(sent)
            said = b""
            with suppress(ConnectionResetError):  # it was closed before all was read
                said = await asyncio.wait_for(reader.read(), PATIENCE)
            writer.close()
        return said

    return asyncio.run(talk())


@pytest.mark.parametrize("start", [b"GET / HT", b"GET / HTTP/1.1\r\nHost: a\r\n"])
def test_a_head_that_does_not_end_is_refused(start: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_http, "HEAD_SECONDS", 0.01)
    assert heard(start).startswith(b"HTTP/1.1 408 ")


def test_a_second_head_that_does_not_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_http, "HEAD_SECONDS", 0.01)
    said = heard(b"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HT")
    assert said.startswith(b"HTTP/1.1 200 ")
    assert b"HTTP/1.1 408 " in said


@pytest.mark.parametrize("sent", [b"", b"\r\n"])
def test_a_connection_that_says_nothing_is_closed_as_an_idle_one(sent: bytes) -> None:
    assert heard(sent, keep_alive=0.01) == b""


def test_a_head_that_does_not_end_leaves_the_answer_before_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bounded_http, "HEAD_SECONDS", 0.01)
    is_late = asyncio.Event()
    refuse = BoundedHttp.refuse_late_head

    def noting(protocol: BoundedHttp) -> None:
        refuse(protocol)
        is_late.set()

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        await is_late.wait()
        await hello(scope, receive, send)

    monkeypatch.setattr(BoundedHttp, "refuse_late_head", noting)
    said = heard(b"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HT", app=slow)
    assert said.startswith(b"HTTP/1.1 200 ")
    assert b"HTTP/1.1 408 " in said
