"""Requests share a fixed number of threads and database connections."""

import asyncio
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx

from tests.live_server import LiveServer

REQUESTS = 300
THREADS = 3
OTHERS = 5  # the threads of the hub, of shared writes and of the health checks, on a busy machine


def connections_of(driver: ModuleType, url: str) -> int:
    """How many connections the database server has taken since it started."""
    port = int(url.rpartition("/")[0].rpartition(":")[2])
    session = driver.connect(host="127.0.0.1", port=port, user="root")
    cursor: Any = session.cursor()
    cursor.execute("SHOW GLOBAL STATUS LIKE 'Connections'")
    count = int(cursor.fetchone()[1])
    session.close()
    return count


async def ask_often(server: LiveServer, path: str, headers: dict[str, str]) -> list[int]:
    limits = httpx.Limits(max_connections=16)
    async with httpx.AsyncClient(base_url=server.url, limits=limits, timeout=60) as client:
        answers = await asyncio.gather(
            *(client.get(path, headers=headers) for _ in range(REQUESTS))
        )
    return [answer.status_code for answer in answers]


def test_many_requests_open_few_connections(
    tmp_path: Path, mariadb_url: str, mysql_client: ModuleType
) -> None:
    settings = {"DATABASE_URL": mariadb_url, "CTXADMIN_THREADS": str(THREADS)}
    with LiveServer(tmp_path / "server", settings, "--no-demo") as server:
        secret = server.manage("create_token", "--name", "t", "--scopes", "engine").strip()
        before = connections_of(mysql_client, mariadb_url)
        headers = {"Authorization": f"Bearer {secret}"}
        codes = asyncio.run(ask_often(server, "/api/v1/conversations", headers))
        opened = connections_of(mysql_client, mariadb_url) - before - 1
    assert set(codes) == {200}
    assert opened <= THREADS + OTHERS
