"""The private servers of a test run start by themselves, are shared and do not outlive it."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest
import redis

from tests import servers

# What a run does: take both servers, say where they are, wait for whatever end comes. A shell
# that starts the tests in the background has them ignore SIGINT, and children inherit that.
A_RUN = """
import signal, sys
from tests import servers
signal.signal(signal.SIGINT, signal.default_int_handler)
print(servers.run_folder(), servers.shared("redis"), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def run() -> subprocess.Popen[str]:
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in {servers.FOLDER_VARIABLE, servers.OWNER_VARIABLE}
    }
    return subprocess.Popen(
        [sys.executable, "-c", A_RUN],
        cwd=servers.ROOT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def answers(url: str) -> bool:
    with redis.Redis.from_url(url, retry=None) as client:
        try:
            return bool(client.ping())
        except redis.ConnectionError:
            return False


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_shared_server_and_its_folder_end_with_the_run(
    run: subprocess.Popen[str], redis_url: str, how: signal.Signals
) -> None:
    assert run.stdout is not None
    folder, url = run.stdout.readline().split()
    assert url not in redis_url
    assert answers(url)
    run.send_signal(how)
    run.wait(servers.START_SECONDS)
    deadline = time.monotonic() + servers.START_SECONDS
    while Path(folder).exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not Path(folder).exists()
    assert not answers(url)


def test_all_processes_of_a_run_share_one_server(redis_url: str) -> None:
    script = "from tests import servers; print(servers.shared('redis'))"
    other = subprocess.run(
        [sys.executable, "-c", script], cwd=servers.ROOT, capture_output=True, text=True, check=True
    )
    assert redis_url.startswith(other.stdout.strip())


def test_a_killed_redis_starts_again_at_its_port(tmp_path: Path) -> None:
    with servers.Redis(tmp_path) as server:
        url = server.url
        server.kill()
        assert not answers(url)
        server.start()
        assert server.url == url
        assert answers(url)


def test_a_killed_mariadb_keeps_what_it_committed(tmp_path: Path, mysql_client: ModuleType) -> None:
    with servers.MariaDB(tmp_path) as server:
        session = mysql_client.connect(host="127.0.0.1", port=server.port, user="root")
        session.query("CREATE DATABASE kept")
        server.kill()
        server.start()
        session = mysql_client.connect(host="127.0.0.1", port=server.port, user="root")
        session.query("USE kept")


def test_a_port_for_a_server_is_nobody_elses() -> None:
    port = servers.free_port()
    with socket.socket() as other, pytest.raises(OSError, match="in use"):
        other.bind(("127.0.0.1", port))
    with socket.create_server(("127.0.0.1", port)) as listening:  # it sets SO_REUSEADDR
        socket.create_connection(listening.getsockname()).close()


def test_a_fresh_database_is_empty(mysql_client: ModuleType, mariadb_url: str) -> None:
    address, _, name = mariadb_url.rpartition("/")
    port = int(address.rpartition(":")[2])
    session = mysql_client.connect(host="127.0.0.1", port=port, user="root", database=name)
    session.query("SHOW TABLES")
    assert session.store_result().num_rows() == 0


def test_a_missing_program_is_named_with_its_package() -> None:
    with pytest.raises(servers.Missing, match="apt-get install redis-server"):
        servers.program("redis-server", "no-such-program")
