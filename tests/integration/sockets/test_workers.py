"""``serve --workers 2`` on MariaDB and Redis: pages of each worker show writes of both."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import ClientConnection, connect

from tests.live_server import Production

PATIENCE = 60.0  # seconds


@pytest.fixture
def server(tmp_path: Path, mariadb_url: str, redis_url: str) -> Iterator[Production]:
    settings = {"DATABASE_URL": mariadb_url, "REDIS_URL": redis_url}
    with Production(tmp_path, settings) as server:
        yield server


def announced(page: ClientConnection, what: str, count: int) -> set[int]:
    """Returns the numbers of the next changes that their writers announced.

    Workers overtake each other on the way, so that a worker may poll for what it misses in between.
    """
    found: set[int] = set()
    while len(found) < count:
        frame: dict[str, Any] = json.loads(page.recv(timeout=PATIENCE))
        if frame["type"] == "changed" and frame["what"] == what:
            found.add(frame["seq"])
    return found


def test_pages_of_all_workers_hear_every_change(server: Production) -> None:
    headers = {"Authorization": f"Bearer {server.make_token('engine')}"}
    with ExitStack() as opened:
        api = opened.enter_context(
            httpx.Client(base_url=server.url, headers=headers, timeout=PATIENCE)
        )
        assert api.post("/api/v1/conversations", json={"id": "c"}).status_code == 201
        path = f"ws://127.0.0.1:{server.port}/ws/conversations/c/"
        pages: list[ClientConnection] = []
        while min(server.connections().values()) < 2:  # one of them may be that of ``api``
            page = connect(path, additional_headers=headers, open_timeout=PATIENCE)
            pages.append(opened.enter_context(page))
            assert json.loads(pages[-1].recv(timeout=PATIENCE))["type"] == "welcome"
        assert len(server.connections()) == 2
        for number in range(8):
            body = {"messages": [{"role": "user", "content": str(number)}]}
            # Each over a connection of its own, which any worker may take.
            url = f"{server.url}/api/v1/conversations/c/messages"
            answer = httpx.post(url, json=body, headers=headers, timeout=PATIENCE)
            assert answer.status_code == 201
        for page in pages:
            assert announced(page, "messages.append", 8) == set(range(2, 10))
