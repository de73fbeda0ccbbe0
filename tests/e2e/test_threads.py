"""Requests share a fixed number of threads and database connections."""

import asyncio
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx

from tests.live_server import PASSWORD, LiveServer

REQUESTS = 300
THREADS = 3


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
    assert opened <= THREADS + 2  # and those of whatever else the server does meanwhile


def test_static_files_and_cookies_come_through(server: LiveServer) -> None:
    with httpx.Client(base_url=server.url) as client:
        page = client.get("/sign-in/")
        assert page.status_code == 200
        assert "csrftoken" in page.cookies
        style = client.get("/static/css/app.css")
        assert style.status_code == 200
        path = Path(__file__).parents[2] / "static" / "css" / "app.css"
        assert style.content == path.read_bytes()
        assert client.head("/static/css/app.css").content == b""


def test_a_path_that_is_no_text_is_refused(server: LiveServer) -> None:
    with httpx.Client(base_url=server.url) as client:
        assert client.get("/conversations/%ff%fe/").status_code in (400, 404, 302)


def test_a_form_with_a_file_is_read(server: LiveServer) -> None:
    document = b'{"messages": [{"role": "user", "content": "hi"}]}'
    with httpx.Client(base_url=server.url, follow_redirects=True) as client:
        client.get("/sign-in/")
        fields = {
            "username": "admin",
            "password": PASSWORD,
            "csrfmiddlewaretoken": client.cookies["csrftoken"],
        }
        client.post("/sign-in/", data=fields)
        answer = client.post(
            "/conversations/import/",
            data={"csrfmiddlewaretoken": client.cookies["csrftoken"]},
            files={"file": ("one.json", document, "application/json")},
        )
    assert answer.status_code == 200
    assert "hi" in answer.text


def test_calls_with_a_token_get_an_id_and_safe_headers_and_no_cookies(
    server: LiveServer, token: str
) -> None:
    headers = {"Authorization": f"Bearer {token}", "X-Request-ID": "mine"}
    with httpx.Client(base_url=server.url, headers=headers) as client:
        for path, code in (("/conversations", 200), ("/nothing", 404)):
            answer = client.get("/api/v1" + path)
            assert answer.status_code == code
            assert answer.headers["X-Request-ID"] == "mine"
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert not answer.cookies
            assert int(answer.headers["Content-Length"]) == len(answer.content)
