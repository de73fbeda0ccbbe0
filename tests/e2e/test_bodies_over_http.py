"""Bodies as they come over the wire: chunked, too long, cut off."""

import json
import socket
from pathlib import Path
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


def refused(wire: socket.socket) -> tuple[int, Any]:
    """Status and JSON of an answer that comes before the request is sent whole."""
    answer = b"".join(iter(lambda: wire.recv(65536), b""))
    start_line, _, rest = answer.partition(b"\r\n")
    head, _, body = rest.partition(b"\r\n\r\n")
    assert b"connection: close" in head.lower()
    return int(start_line.split()[1]), json.loads(body)


def opened(server: LiveServer) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=60)


def head(*headers: str) -> bytes:
    lines = ["POST /api/v1/conversations HTTP/1.1", "Host: 127.0.0.1", *headers, "", ""]
    return "\r\n".join(lines).encode()


def flood(wire: socket.socket, part: bytes, times: int) -> None:
    """Send until the server ends it."""
    for _ in range(times):
        wire.sendall(part)


def resident(server: LiveServer) -> int:
    """The memory of the server in bytes."""
    return int(Path(f"/proc/{server.pid}/statm").read_text().split()[1]) * 4096


def test_a_length_over_the_limit_is_refused_before_the_body(server: LiveServer, token: str) -> None:
    with opened(server) as wire:
        wire.sendall(head(f"Authorization: Bearer {token}", "Content-Length: 1099511627776"))
        wire.shutdown(socket.SHUT_WR)
        status, answer = refused(wire)
    assert (status, answer["code"]) == (413, "too_large")


@pytest.mark.parametrize("authorization", [[], ["Authorization: Bearer unknown"]])
def test_a_large_body_of_no_one_is_refused_before_it_comes(
    server: LiveServer, authorization: list[str]
) -> None:
    with opened(server) as wire:
        wire.sendall(head(*authorization, f"Content-Length: {15 * MIB}"))
        status, answer = refused(wire)
    assert (status, answer["code"]) == (401, "unauthenticated")


def test_a_client_that_sends_before_it_reads_hears_the_answer(
    server: LiveServer, token: str
) -> None:
    with opened(server) as wire:
        wire.sendall(head(f"Authorization: Bearer {token}", f"Content-Length: {40 * MIB}"))
        flood(wire, b"x" * MIB, 40)
        assert refused(wire)[0] == 413


def test_a_body_far_over_the_limit_is_not_taken_in(server: LiveServer) -> None:
    with opened(server) as wire:
        wire.sendall(head("Content-Length: 1099511627776"))
        with pytest.raises(OSError):  # the server closes without waiting for a terabyte
            flood(wire, b"x" * MIB, 1024)


@pytest.mark.parametrize(
    "start",
    [b"GET / HTTP/1.1\r\nHost: a\r\nX: ", b"GET /", b"\r\n" * 9, b"\r\n".join([b"X: y"] * 9)],
    ids=["header", "address", "empty lines", "not HTTP"],
)
def test_a_head_without_an_end_is_not_held(server: LiveServer, start: bytes) -> None:
    before = resident(server)
    with opened(server) as wire:
        try:
            wire.sendall(start)
            flood(wire, (b"\r\n" if start.isspace() else b"x") * MIB, 100)
        except OSError:
            return
        answer = b"".join(iter(lambda: wire.recv(65536), b""))
    assert answer[:12] in (b"HTTP/1.1 431", b"HTTP/1.1 400")
    assert resident(server) < before + 30 * MIB


def test_trailers_without_an_end_are_not_held(server: LiveServer, token: str) -> None:
    before = resident(server)
    with opened(server) as wire:
        wire.sendall(head(f"Authorization: Bearer {token}", "Transfer-Encoding: chunked"))
        wire.sendall(b"2\r\n{}\r\n0\r\nX: ")
        with pytest.raises(OSError):
            flood(wire, b"x" * MIB, 100)
    assert resident(server) < before + 30 * MIB


def test_a_head_over_the_limit_is_refused_with_its_limit(server: LiveServer) -> None:
    with opened(server) as wire:
        wire.sendall(head(*[f"X-{number}: {'x' * 1000}" for number in range(66)]))
        status, answer = refused(wire)
    assert (status, answer["code"], answer["limit"]) == (431, "too_large", 64 * 1024)


def test_a_head_just_below_the_limit_is_taken(server: LiveServer) -> None:
    lines = [f"X-{number}: {'x' * 1000}" for number in range(64)]
    with opened(server) as wire:
        wire.sendall(head(*lines, "Connection: close"))
        assert refused(wire)[0] == 401
