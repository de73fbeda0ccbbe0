"""Two servers on one MariaDB and Redis: pages of each show the writes of the other."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.live_server import PASSWORD, LiveServer
from tests.servers import MariaDB, Redis

PATIENCE = 60.0  # seconds
REVOKE = """
from ctxadmin.accounts.models import EngineToken
from ctxadmin.accounts.services import default_workspace, revoke_token, system_actor
actor = system_actor(default_workspace(), "tests")
revoke_token(actor, EngineToken.objects.filter(revoked_at=None).latest("created_at").public_id)
"""
DEGRADE = """
from ctxadmin.accounts.models import Membership
row = Membership.objects.get(user__username="reviewer")
row.role = "viewer"
row.save()
"""


class Servers:
    """Two of them beside each other, and the Redis between."""

    def __init__(self, one: LiveServer, other: LiveServer, redis: Redis) -> None:
        self.one, self.other, self.redis = one, other, redis
        headers = {"Authorization": f"Bearer {one.make_token('engine', 'review', 'admin')}"}
        self.api = httpx.Client(base_url=f"{one.url}/api/v1/", headers=headers, timeout=PATIENCE)

    def make(self, name: str) -> None:
        assert self.api.post("conversations", json={"id": name}).status_code == 201

    def append(self, name: str) -> None:
        message = {"role": "user", "content": "news"}
        answer = self.api.post(f"conversations/{name}/messages", json={"messages": [message]})
        assert answer.status_code == 201


@pytest.fixture(scope="module")
def servers(
    tmp_path_factory: pytest.TempPathFactory, mysql_client: ModuleType
) -> Iterator[Servers]:
    folder = tmp_path_factory.mktemp("processes")
    with MariaDB(folder / "sql") as database, Redis(folder / "redis") as redis:
        session = mysql_client.connect(host="127.0.0.1", port=database.port, user="root")
        session.query("CREATE DATABASE ctxadmin CHARACTER SET utf8mb4")
        session.close()
        settings = {
            "DATABASE_URL": f"{database.url}ctxadmin",
            "CHANNEL_REDIS_URL": f"{redis.url}3",
        }
        with (
            LiveServer(folder / "one", settings) as one,
            LiveServer(folder / "other", settings) as other,
        ):
            one.make_people()
            yield Servers(one, other, redis)


def listen(server: LiveServer, path: str, headers: dict[str, str]) -> ClientConnection:
    url = f"ws://127.0.0.1:{server.port}{path}"
    return connect(url, additional_headers=headers, open_timeout=PATIENCE)


def by_token(server: LiveServer, path: str, token: str = "") -> ClientConnection:
    headers = {"Authorization": f"Bearer {token or server.token('engine')}"}
    return listen(server, path, headers)


def by_session(server: LiveServer, path: str, person: str) -> ClientConnection:
    with httpx.Client(base_url=server.url, timeout=PATIENCE) as browser:
        browser.get("/sign-in/")
        form = {"username": person, "password": PASSWORD}
        form["csrfmiddlewaretoken"] = browser.cookies["csrftoken"]
        answer = browser.post("/sign-in/", data=form, headers={"Referer": server.url})
        assert answer.status_code == 302
        cookie = f"ctxadmin={browser.cookies['ctxadmin']}"
    return listen(server, path, {"Cookie": cookie, "Origin": server.url})


def frame(page: ClientConnection, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The next frame that is wanted."""
    while True:
        found: dict[str, Any] = json.loads(page.recv(timeout=PATIENCE))
        if wanted(found):
            return found


def of_type(*types: str) -> Callable[[dict[str, Any]], bool]:
    return lambda frame: frame["type"] in types


def close_code(page: ClientConnection) -> int:
    with pytest.raises(ConnectionClosed):  # noqa: PT012 - what was said before is passed over
        while True:
            page.recv(timeout=PATIENCE)
    assert page.close_code is not None
    return page.close_code


def test_a_change_by_one_server_reaches_a_page_of_the_other(servers: Servers) -> None:
    servers.make("heard")
    with by_token(servers.other, "/ws/conversations/heard/") as page:
        assert frame(page, of_type("welcome"))["state"]["seq"] == 1
        servers.append("heard")
        heard = frame(page, of_type("changed"))
        assert (heard["seq"], heard["count"], heard["what"]) == (2, 1, "messages.append")


def test_people_of_both_servers_see_each_other(servers: Servers) -> None:
    servers.make("met")
    path = "/ws/conversations/met/"
    with by_session(servers.one, path, "designer") as mine:
        with by_session(servers.other, path, "admin") as theirs:
            for page in (mine, theirs):
                frame(page, lambda said: len(said.get("people", ())) == 2)
            theirs.send(json.dumps({"v": 1, "type": "here", "where": "key:plan", "editing": True}))
            seen = frame(mine, lambda said: any(p["editing"] for p in said.get("people", ())))
            assert seen["people"][0]["name"] == "admin"
        frame(mine, lambda said: len(said.get("people", ())) == 1)


def test_a_token_that_a_command_revokes_ends_its_sockets_everywhere(servers: Servers) -> None:
    servers.make("revoked")
    token = servers.other.make_token("engine")
    with by_token(servers.other, "/ws/conversations/revoked/", token) as page:
        frame(page, of_type("welcome"))
        servers.one.manage("shell", "-v", "0", "-c", REVOKE)
        assert close_code(page) == 4401


def test_a_role_that_another_process_changes_ends_the_sockets(servers: Servers) -> None:
    servers.make("degraded")
    path = "/ws/conversations/degraded/"
    with by_session(servers.other, path, "reviewer") as page:
        assert frame(page, of_type("welcome"))["scopes"] == ["review"]
        servers.one.manage("shell", "-v", "0", "-c", DEGRADE)
        assert close_code(page) == 4403


def test_without_redis_writes_continue_and_pages_find_them_until_it_is_back(
    servers: Servers,
) -> None:
    servers.make("alone")
    with by_token(servers.other, "/ws/conversations/alone/") as page:
        frame(page, of_type("welcome"))
        servers.redis.kill()
        servers.append("alone")
        assert frame(page, of_type("changed"))["seq"] == 2
        servers.redis.start()
        heard = "seen"
        while heard == "seen":  # until a change is heard of, not found
            servers.append("alone")
            heard = frame(page, of_type("changed"))["what"]
        assert heard == "messages.append"


def test_a_call_that_waits_at_one_server_is_notified_of_the_other(servers: Servers) -> None:
    servers.make("waited")
    token = servers.other.token("engine")
    url = f"{servers.other.url}/api/v1/conversations/waited"
    with httpx.Client(headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE) as client:
        with client.stream("GET", f"{url}/events") as stream:
            lines = stream.iter_lines()
            assert next(line for line in lines if line.startswith("event")) == "event: state"
            servers.append("waited")
            assert next(line for line in lines if line.startswith("event")) == "event: changed"
        with ThreadPoolExecutor(1) as beside:
            waiting = beside.submit(client.get, f"{url}/wait?status=PAUSED&timeout=60")
            save = {"node_id": "plan", "state_data": {}, "status": "PAUSED"}
            answer = servers.api.put("conversations/waited/checkpoints/one", json=save)
            assert answer.status_code == 201
            assert waiting.result().json()["status"] == "PAUSED"


def test_a_server_that_ends_lets_its_pages_go_at_once(servers: Servers, tmp_path: Path) -> None:
    servers.make("ended")
    server = LiveServer(tmp_path, servers.other.settings).start()
    token = servers.other.token("engine")  # of the same database
    headers = {"Authorization": f"Bearer {token}"}
    with (
        by_token(server, "/ws/conversations/ended/", token) as page,
        ThreadPoolExecutor(1) as beside,
    ):
        frame(page, of_type("welcome"))
        url = f"{server.url}/api/v1/conversations/ended/events"
        with httpx.stream("GET", url, headers=headers, timeout=PATIENCE) as stream:
            lines = stream.iter_lines()
            assert next(lines).startswith("id:")
            ended = beside.submit(server.stop)
            assert close_code(page) == 1012
            assert list(lines)[-1] == ""  # it ends in order, and so does the server
        ended.result()
