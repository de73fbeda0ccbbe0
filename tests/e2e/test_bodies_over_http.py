"""Bodies as they come over the wire: chunked, too long, cut off."""

import json
import socket
from typing import Any

import pytest

from tests.live_server import LiveServer

MIB = 1024**2


def exchange(server: LiveServer, token: str, body: bytes, *, chunked: bool) -> tuple[int, Any]:
    """Status and JSON of a POST over a bare socket, with or without a length."""
    framing = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {len(body)}"
    head = (
        f"POST /api/v1/conversations HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n"
        f"Connection: close\r\n{framing}\r\n\r\n"
    ).encode()
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as wire:
        wire.sendall(head)
        for start in range(0, len(body), MIB):
            part = body[start : start + MIB]
            wire.sendall(b"%x\r\n%b\r\n" % (len(part), part) if chunked else part)
        if chunked:
            wire.sendall(b"0\r\n\r\n")
        answer = b"".join(iter(lambda: wire.recv(65536), b""))
    start_line, _, rest = answer.partition(b"\r\n")
    return int(start_line.split()[1]), json.loads(rest.partition(b"\r\n\r\n")[2])


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_is_read_whole(server: LiveServer, token: str, chunked: bool) -> None:
    title = "chunked" if chunked else "with a length"
    messages = [{"role": "user", "content": "x" * 900_000}] * 4
    body = json.dumps({"title": title, "messages": messages}).encode()
    status, answer = exchange(server, token, body, chunked=chunked)
    assert (status, answer["title"]) == (201, title)
    assert answer["message_count"] == 4


@pytest.mark.parametrize("chunked", [False, True])
def test_one_byte_over_the_limit_is_too_large(
    server: LiveServer, token: str, chunked: bool
) -> None:
    body = b'{"title": "' + b"x" * (16 * MIB - 12) + b'"}'
    assert len(body) == 16 * MIB + 1
    status, answer = exchange(server, token, body, chunked=chunked)
    assert (status, answer["code"]) == (413, "too_large")


def test_a_body_far_over_the_limit_is_not_taken_in(server: LiveServer, token: str) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as wire:
        wire.sendall(
            b"POST /api/v1/conversations HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            b"Content-Type: application/json\r\nContent-Length: 1099511627776\r\n\r\n"
        )
        try:
            for _ in range(128):
                wire.sendall(b"x" * MIB)
        except OSError:
            return  # the server closed the connection without waiting for a terabyte
        assert b" 413 " in wire.recv(64)
