"""The findings about a Redis that cannot be used as ``REDIS_URL`` says."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
import redis

from ctxadmin.lib.finding import Finding
from ctxadmin.storage.redis import links
from ctxadmin.storage.redis.address import read_address
from ctxadmin.storage.redis.link import Link
from tests.servers import Redis


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Redis]:
    with Redis(tmp_path_factory.mktemp("plain")) as server:
        yield server


def found(url: str) -> Finding:
    link = Link(read_address(url), timeout=0.5)
    links.use(link)
    try:
        (finding,) = links.findings()
        (again,) = links.findings()
    finally:
        links.use(None)
        link.close()
    assert again == finding  # also while it is left alone
    return finding


@pytest.mark.parametrize(
    ("url", "text", "fix"),
    [
        ("redis://:s3cr3t@127.0.0.1:{port}", "refuses the name or the password", "password in"),
        ("redis://127.0.0.1:{port}/99", "no database of this number", "number in REDIS_URL"),
        ("redis+cluster://127.0.0.1:{port}", "is not a cluster", "Write redis://"),
        ("redis+sentinel://127.0.0.1:{port}/main", "is not a Sentinel", "Sentinels"),
        ("rediss://127.0.0.1:{port}", "does not respond over TLS", "write redis://"),
        ("redis://no-such-host.invalid", "host of Redis is not known", "host in REDIS_URL"),
        ("redis://127.0.0.1:1", "Redis does not respond", "Check Redis"),
    ],
)
def test_a_wrong_setting_is_reported_from_an_outage(
    plain: Redis, url: str, text: str, fix: str
) -> None:
    finding = found(url.format(port=plain.port))
    assert finding.level == "warning"
    assert text in finding.text
    assert "SQL serves all reads" in finding.text
    assert fix in finding.fix
    assert "s3cr3t" not in finding.text + finding.fix


def test_a_password_that_is_missing_or_wrong_is_reported(plain: Redis) -> None:
    with redis.Redis.from_url(plain.url) as client:
        client.config_set("requirepass", "right")
    try:
        for login in ("", ":wrong@"):
            finding = found(f"redis://{login}127.0.0.1:{plain.port}")
            assert "refuses the name or the password" in finding.text
        assert found(f"redis://:right@127.0.0.1:{plain.port}").level == "ok"
    finally:
        with redis.Redis(port=plain.port, password="right") as client:
            client.config_set("requirepass", "")


@contextmanager
def listener(greeting: bytes) -> Iterator[int]:
    """The port of a server that greets all who come, and is no Redis."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def greet() -> None:
            with suppress(OSError):  # when it is shut down
                while True:
                    caller, _ = server.accept()
                    with caller:
                        caller.sendall(greeting)
                        caller.recv(100)

        thread = threading.Thread(target=greet)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        thread.join()


@pytest.mark.parametrize("greeting", [b"SSH-2.0-OpenSSH\r\n", b"J\0\0\0\n10.11.6-MariaDB\r\n"])
def test_another_server_is_reported(greeting: bytes) -> None:
    with listener(greeting) as port:
        finding = found(f"redis://127.0.0.1:{port}")
    assert "What answers is not a Redis" in finding.text
    assert "host and port" in finding.fix
