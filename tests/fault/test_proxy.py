"""The proxy passes, cuts and stalls, and acts when a COMMIT is answered."""

import socket
import threading
from collections.abc import Iterator

import pytest

from tests.fault.proxy import Line, Proxy


@pytest.fixture
def echo() -> Iterator[int]:
    """A server that answers with what it was sent; its port."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    connection = server.accept()[0]
                except OSError:
                    return
                threading.Thread(target=answer, args=(connection,), daemon=True).start()

        def answer(connection: socket.socket) -> None:
            with connection:
                while data := connection.recv(1000):
                    connection.sendall(data)

        thread = threading.Thread(target=serve)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        thread.join(10)


@pytest.fixture
def proxy(echo: int) -> Iterator[Proxy]:
    with Proxy(echo) as proxy:
        yield proxy


def connect(proxy: Proxy) -> socket.socket:
    return socket.create_connection(("127.0.0.1", proxy.port), timeout=20)


def ask(connection: socket.socket, data: bytes) -> bytes:
    connection.sendall(data)
    try:
        return connection.recv(1000)
    except ConnectionError:
        return b""


def test_an_open_line_passes_everything(proxy: Proxy) -> None:
    with connect(proxy) as connection:
        assert ask(connection, b"one") == b"one"
        assert ask(connection, b"two") == b"two"


def test_a_cut_line_ends_connections_and_new_ones_until_it_is_open(proxy: Proxy) -> None:
    with connect(proxy) as connection:
        assert ask(connection, b"one") == b"one"
        proxy.set_line(Line.CUT)
        assert ask(connection, b"two") == b""
    with connect(proxy) as connection:
        assert ask(connection, b"three") == b""
    proxy.set_line(Line.OPEN)
    with connect(proxy) as connection:
        assert ask(connection, b"four") == b"four"


def test_a_stalled_line_holds_back_until_it_is_open(proxy: Proxy) -> None:
    with connect(proxy) as connection:
        assert ask(connection, b"one") == b"one"
        proxy.set_line(Line.STALL)
        connection.sendall(b"two")
        connection.settimeout(0.1)
        with pytest.raises(TimeoutError):
            connection.recv(1000)
        proxy.set_line(Line.OPEN)
        connection.settimeout(20)
        assert connection.recv(1000) == b"two"


def test_a_commit_is_passed_on_and_its_answer_is_not(proxy: Proxy) -> None:
    acted: list[str] = []
    with connect(proxy) as connection:
        proxy.at_next_commit(lambda: acted.append("now"))
        assert ask(connection, b"SELECT") == b"SELECT"
        assert acted == []
        assert ask(connection, b"\x07\0\0\0\x03COMMIT") == b""
    assert acted == ["now"]
    with connect(proxy) as connection:
        assert ask(connection, b"COMMIT") == b"COMMIT"
