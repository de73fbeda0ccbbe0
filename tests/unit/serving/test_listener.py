"""A port that is taken is reported by its number."""

import socket
from pathlib import Path

import pytest

from ctxadmin.serving.listener import PortTaken, bind
from tests.live_server import LiveServer


def test_a_free_port_is_bound() -> None:
    with bind("127.0.0.1", 0) as bound:
        assert bound.getsockname()[1] > 0


def test_a_taken_port_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(PortTaken, match=f"Port {port} of 127.0.0.1 is in use."):
            bind("127.0.0.1", port)


def test_serving_on_a_taken_port_says_so_before_anything_else(tmp_path: Path) -> None:
    server = LiveServer(tmp_path, {}, "--no-demo")
    with socket.create_server(("127.0.0.1", server.port)), pytest.raises(RuntimeError) as told:
        server.manage("serve", "--port", str(server.port))
    assert f"Port {server.port} of 127.0.0.1 is in use." in str(told.value)
