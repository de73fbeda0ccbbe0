"""The client of the bench: it counts what is answered, and stops for what it does not expect."""

import itertools
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from bench.load import Caller, load

LARGE = 3_000_000


class Answers(BaseHTTPRequestHandler):
    """Answers with the status in the path and a body of its size."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        _, status, size = self.path.split("/")
        self.send_response(int(status))
        self.send_header("Content-Length", size)
        self.end_headers()
        self.wfile.write(b"x" * int(size))

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def caller() -> Iterator[Caller]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield Caller(server.server_port, "a-token")
    server.shutdown()
    server.server_close()


def test_every_request_of_every_client_is_sent_once(caller: Caller) -> None:
    clients = [[caller.request("GET", "/200/5")] * 10 for _ in range(3)]
    done = load(caller.port, clients, 60)
    assert done.calls == 30
    assert done.refused == 0
    assert 0 < done.p50 <= done.p99


def test_large_and_empty_answers_are_read_to_their_end(caller: Caller) -> None:
    requests = [caller.request("GET", f"/200/{size}") for size in (LARGE, 0, LARGE, 1)]
    assert load(caller.port, [requests], 60).calls == 4


def test_a_load_ends_in_time(caller: Caller) -> None:
    endless = itertools.repeat(caller.request("GET", "/200/5"))
    assert load(caller.port, [endless], 0.05).calls > 0


def test_what_a_busy_server_refuses_is_counted(caller: Caller) -> None:
    requests = [caller.request("GET", f"/{status}/0") for status in (200, 503, 200)]
    assert load(caller.port, [requests], 60).refused == 1


def test_any_other_refusal_ends_the_load(caller: Caller) -> None:
    with pytest.raises(RuntimeError, match="404"):
        load(caller.port, [[caller.request("GET", "/404/0")]], 60)


def test_a_request_has_the_token_and_the_length_of_its_body() -> None:
    request = Caller(80, "a-token").request("POST", "/a", b"{}")
    head, _, body = request.partition(b"\r\n\r\n")
    assert head.startswith(b"POST /a HTTP/1.1\r\nHost: 127.0.0.1:80\r\nContent-Length: 2\r\n")
    assert b"Authorization: Bearer a-token" in head
    assert body == b"{}"
