"""``serve --workers``: several processes on one MariaDB, their end, and the death of one."""

import os
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from time import monotonic, sleep
from types import ModuleType

import httpx
import pytest

from tests.live_server import Production, is_there
from tests.servers import MariaDB, wait_until

PATIENCE = 30  # seconds


@pytest.fixture(scope="module")
def database(
    tmp_path_factory: pytest.TempPathFactory, mysql_client: ModuleType
) -> Iterator[MariaDB]:
    with MariaDB(tmp_path_factory.mktemp("workers")) as started:
        session = mysql_client.connect(host="127.0.0.1", port=started.port, user="root")
        session.query("CREATE DATABASE ctxadmin CHARACTER SET utf8mb4")
        session.close()
        yield started


@pytest.fixture
def server(tmp_path: Path, database: MariaDB) -> Iterator[Production]:
    settings = {"DATABASE_URL": f"{database.url}ctxadmin"}
    started = Production(tmp_path, settings).start()
    try:
        wait_until(lambda: len(started.pids()) == 2)  # the first may answer before there is another
        yield started
    finally:
        started.stop()


def client(server: Production) -> httpx.Client:
    token = server.token("engine")
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.Client(base_url=f"{server.url}/api/v1", headers=headers, timeout=PATIENCE)


def test_a_request_in_flight_is_finished_when_the_server_is_told_to_end(
    server: Production, database: MariaDB, mysql_client: ModuleType
) -> None:
    api = client(server)
    assert api.post("/conversations", json={"id": "talk"}).status_code == 201
    holder = mysql_client.connect(
        host="127.0.0.1", port=database.port, user="root", database="ctxadmin"
    )
    holder.query("BEGIN")
    holder.query("UPDATE conversations_conversation SET title='held'")
    body = {"messages": [{"role": "user", "content": "in flight"}]}
    with ThreadPoolExecutor(1) as other:
        answer = other.submit(api.post, "/conversations/talk/messages", json=body)
        wait_until_somebody_waits(mysql_client, database)
        os.kill(server.pid, signal.SIGTERM)
        holder.query("ROLLBACK")
        assert answer.result(PATIENCE).status_code == 201
    holder.close()
    server.stop()  # until it has ended
    server.start()
    assert len(client(server).get("/conversations/talk/messages").json()["results"]) == 1


def test_a_worker_that_dies_is_replaced(server: Production) -> None:
    before = set(server.pids())
    assert len(before) == 2
    os.kill(min(before), signal.SIGKILL)
    deadline = monotonic() + PATIENCE
    while len(set(server.pids()) - {min(before)}) < 2 and monotonic() < deadline:
        sleep(0.1)
    assert len(set(server.pids()) - {min(before)}) == 2
    assert httpx.get(f"{server.url}/readyz", timeout=PATIENCE).status_code == 200


def test_connections_that_are_kept_are_spread_evenly(server: Production) -> None:
    address = ("127.0.0.1", server.port)
    deadline = monotonic() + PATIENCE
    with ExitStack() as opened:
        while len(set(server.pids())) < 2 or not all(
            connections(pid, server.port) for pid in set(server.pids())
        ):  # until both serve
            assert monotonic() < deadline
            opened.enter_context(socket.create_connection(address, timeout=PATIENCE))
            sleep(0.1)
    with ExitStack() as opened:
        for _ in range(32):  # all wait when the first is taken
            opened.enter_context(socket.create_connection(address, timeout=PATIENCE))
        found: dict[int, int] = {}
        deadline = monotonic() + PATIENCE
        while sum(found.values()) < 32 and monotonic() < deadline:
            found = {pid: connections(pid, server.port) for pid in set(server.pids())}
            sleep(0.1)
    assert sum(found.values()) == 32
    assert min(found.values()) >= 14


def test_workers_of_a_killed_supervisor_end_and_leave_the_port(server: Production) -> None:
    left, supervisor = set(server.pids()), server.pid
    assert len(left) == 2
    os.kill(supervisor, signal.SIGKILL)
    try:
        wait_until(lambda: not any(map(is_there, left)), PATIENCE)
    finally:
        for pid in filter(is_there, left):
            os.kill(pid, signal.SIGKILL)
    assert not is_there(supervisor)
    server.kill()  # which ended already
    server.start()
    assert httpx.get(f"{server.url}/healthz", timeout=PATIENCE).status_code == 200


def connections(pid: int, port: int) -> int:
    """How many open connections of clients a process has."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    taken = {
        f"socket:[{row[9]}]" for row in rows if row[1].endswith(f":{port:04X}") and row[3] == "01"
    }
    return len(taken & {link.readlink().name for link in Path(f"/proc/{pid}/fd").iterdir()})


def wait_until_somebody_waits(client: ModuleType, database: MariaDB) -> None:
    """Until a transaction waits for a row that another holds."""
    session = client.connect(host="127.0.0.1", port=database.port, user="root", autocommit=True)
    cursor = session.cursor()
    deadline = monotonic() + PATIENCE
    while monotonic() < deadline:
        cursor.execute("SELECT 1 FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'")
        if cursor.fetchall():
            session.close()
            return
        sleep(0.2)  # asked again within 0.1 s it tells what it told before
    raise AssertionError("nobody waits")
