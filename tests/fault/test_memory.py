"""The memory of a server stays bounded while large answers and bodies pass through it."""

import json
import re
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.live_server import LiveServer
from tests.servers import wait_until

pytestmark = pytest.mark.only("sqlite")

MB = 1024**2
_PATIENCE_SECONDS = 300  # for a place among others: each call has 60
STATE_BYTES = 9 * MB
MESSAGE_BYTES = 950_000
# Before requests were released with their answers, 200 reads of 9 MB took 1,650 MB; now 500 take 1.
# With a first threshold of 50,000 for the collector, 80 pages of 1.9 MB took 144 MB; now 10 MB.
# Before free memory was given back, 24 new conversations of 3 MB left 228 MB; now 35 MB.
MOST_GROWTH = 150 * MB


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LiveServer]:
    with LiveServer(tmp_path, {}, "--no-demo") as started:
        yield started


def resident(server: LiveServer) -> int:
    lines = Path(f"/proc/{server.pid}/status").read_text().splitlines()
    (line,) = [line for line in lines if line.startswith("VmRSS:")]
    return int(line.split()[1]) * 1024


def test_memory_does_not_grow_with_the_number_of_large_answers_and_bodies(
    server: LiveServer,
) -> None:
    headers = {"Authorization": f"Bearer {server.make_token('engine')}"}
    base = f"{server.url}/api/v1/conversations"
    save = {"node_id": "a", "state_data": {f"k{n}": "x" * (STATE_BYTES // 9) for n in range(9)}}
    with httpx.Client(headers=headers, timeout=60) as kept:
        kept.post(base, json={"id": "large"}).raise_for_status()
        kept.put(f"{base}/large/checkpoints/first", json=save).raise_for_status()
    _read_snapshots(server, headers["Authorization"], 5)
    before = resident(server)
    _read_snapshots(server, headers["Authorization"], 500)
    assert resident(server) - before < MOST_GROWTH
    _post_and_close(server, headers["Authorization"], 200)
    wait_until(lambda: resident(server) - before < MOST_GROWTH)
    _post_conversations(base, headers, 24)
    wait_until(lambda: resident(server) - before < MOST_GROWTH)


def test_memory_does_not_grow_with_the_number_of_large_pages(server: LiveServer) -> None:
    """Pages are part of cycles, which only the collector frees."""
    server.make_people("engine")
    headers = {"Authorization": f"Bearer {server.token('engine')}"}
    message = {"role": "user", "content": "word " * (MESSAGE_BYTES // 5)}
    body = {"id": "large", "messages": [message]}
    url = f"{server.url}/api/v1/conversations"
    httpx.post(url, json=body, headers=headers, timeout=60).raise_for_status()
    cookies = {"ctxadmin": server.sessions["admin"]}
    with httpx.Client(base_url=server.url, cookies=cookies, timeout=60) as browser:

        def read(times: int) -> None:
            for _ in range(times):
                page = browser.get("/conversations/large/messages/0/")
                assert page.status_code == 200
                assert len(page.content) > MESSAGE_BYTES

        read(5)
        before = resident(server)
        read(200)
    assert resident(server) - before < MOST_GROWTH


def _post_conversations(base: str, headers: dict[str, str], times: int) -> None:
    """New conversations of 3 MB in 1,500 messages, by eight clients at once."""
    messages = [{"role": "user", "content": f"{n} " + "word " * 400} for n in range(1_500)]
    body = json.dumps({"messages": messages})

    def post() -> None:
        end = time.monotonic() + _PATIENCE_SECONDS
        while time.monotonic() < end:
            answer = httpx.post(base, content=body, headers=headers, timeout=60)
            if answer.status_code not in {429, 503}:  # busy, and says when to come again
                break
            time.sleep(float(answer.headers["Retry-After"]))
        assert answer.status_code == 201, answer.text

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: post(), range(times)))


def _read_snapshots(server: LiveServer, authorization: str, times: int) -> None:
    """All on one connection; by a bare socket, as a client would take longer than the server."""
    request = (
        "GET /api/v1/conversations/large/snapshot HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"Authorization: {authorization}\r\n\r\n"
    ).encode()
    buffer = bytearray(MB)
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        for _ in range(times):
            connection.sendall(request)
            head = b""
            while b"\r\n\r\n" not in head:
                part = connection.recv(4096)
                assert part, "the server closed the connection"
                head += part
            head, _, rest = head.partition(b"\r\n\r\n")
            (length,) = re.findall(rb"content-length: (\d+)", head.lower())
            left = int(length) - len(rest)
            assert left > STATE_BYTES // 2
            while left:
                came = connection.recv_into(buffer, min(left, MB))
                assert came, "the server closed the connection"
                left -= came


def _post_and_close(server: LiveServer, authorization: str, times: int) -> None:
    """Bodies of 10 MB that are refused as no JSON when they have been read, four at a time."""
    body = json.dumps(["x" * 10 * MB]).encode()[:-1]
    head = (
        "POST /api/v1/conversations/large/messages HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"Authorization: {authorization}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    ).encode()

    def post() -> bytes:
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
            connection.sendall(head)
            connection.sendall(body)
            return connection.makefile("rb").readline()

    with ThreadPoolExecutor(4) as pool:
        answers = set(pool.map(lambda _: post(), range(times)))
    assert answers == {b"HTTP/1.1 400 Bad Request\r\n"}
