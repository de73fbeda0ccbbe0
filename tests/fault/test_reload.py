"""A reload under load: all workers are replaced, and no request is refused or lost."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Event

import httpx
import pytest

from tests.live_server import Production
from tests.servers import wait_until

PATIENCE = 90.0  # seconds
CLIENTS = 4


@pytest.fixture
def server(tmp_path: Path, mariadb_url: str) -> Iterator[Production]:
    with Production(tmp_path, {"DATABASE_URL": mariadb_url}) as started:
        wait_until(lambda: len(started.pids()) == 2, PATIENCE)
        yield started


def have_others_serve(server: Production) -> None:
    """Reload, until none of the workers of before listens or serves."""
    before = set(server.pids())

    def are_replaced() -> bool:
        now = set(server.pids())
        return len(now) == len(before) and not now & before

    os.kill(server.pid, signal.SIGHUP)
    wait_until(are_replaced, PATIENCE)


def ask_on_and_on(client: httpx.Client, name: str, done: Event) -> int:
    """Append on one connection, as long as it is kept, and read on new ones; how many appends."""
    assert client.post("/conversations", json={"id": name}).status_code == 201
    count = 0
    while not done.is_set():
        message = {"role": "user", "content": str(count)}
        answer = client.post(f"/conversations/{name}/messages", json={"messages": [message]})
        assert answer.status_code == 201, answer.text
        count += 1
        with httpx.Client(
            base_url=client.base_url, headers=client.headers, timeout=PATIENCE
        ) as new:
            assert new.get(f"/conversations/{name}").status_code == 200
    return count


def wait_on_and_on(client: httpx.Client, done: Event) -> int:
    """Wait for what does not happen; how often it was answered."""
    count = 0
    while not done.is_set():
        path = "/conversations/still/wait?status=PAUSED&timeout=10"
        assert client.get(path).status_code == 200
        count += 1
    return count


def test_a_reload_replaces_all_workers_and_no_request_is_refused(server: Production) -> None:
    done = Event()
    connect = partial(
        httpx.Client,
        base_url=f"{server.url}/api/v1",
        headers={"Authorization": f"Bearer {server.token('engine')}"},
        timeout=PATIENCE,
    )
    with ThreadPoolExecutor(CLIENTS + 1) as pool, connect() as waiting:
        assert waiting.post("/conversations", json={"id": "still"}).status_code == 201
        clients = [connect() for _ in range(CLIENTS)]
        asking = [
            pool.submit(ask_on_and_on, client, f"c{number}", done)
            for number, client in enumerate(clients)
        ]
        waits = pool.submit(wait_on_and_on, waiting, done)
        try:
            have_others_serve(server)
        finally:
            done.set()
        counts = [each.result(PATIENCE) for each in asking]
        assert waits.result(PATIENCE) > 0
        for number, (client, count) in enumerate(zip(clients, counts, strict=True)):
            assert client.get(f"/conversations/c{number}").json()["message_count"] == count > 1
            client.close()
