"""The server on MariaDB while its database is killed, stalled, restarted, read-only or full."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.live_server import LiveServer
from tests.servers import MariaDB, wait_until

PATIENCE = 30  # seconds; a test that waits so long has found a request that hangs


class World:
    """A server with one conversation, the MariaDB under it, and its operator's session."""

    def __init__(self, database: MariaDB, client: ModuleType, server: LiveServer) -> None:
        self.database, self.server = database, server
        self._driver = client
        token = server.make_token("engine", "review")
        self.http = httpx.Client(
            base_url=f"{server.url}/api/v1",
            headers={"Authorization": f"Bearer {token}"},
            timeout=PATIENCE,
        )
        made = self.http.post("/conversations", json={"id": "talk"})
        assert made.status_code == 201
        self.append("the first")

    def operate(self, *statements: str) -> Any:
        """Run statements as the operator of the database; what the last one finds."""
        session = self._driver.connect(host="127.0.0.1", port=self.database.port, user="root")
        try:
            cursor = session.cursor()
            for statement in statements:
                cursor.execute(statement)
            return cursor.fetchall()
        finally:
            session.close()

    def connections(self) -> set[int]:
        """Those of the server, by their numbers."""
        rows = self.operate("SELECT id FROM information_schema.processlist WHERE user='app'")
        return {number for (number,) in rows}

    def close_connections(self) -> None:
        """Close those of the server, as a proxy or an impatient operator does."""
        closed = self.connections()
        self.operate("KILL USER app")
        wait_until(lambda: not closed & self.connections())  # it only marks them

    def append(self, text: str, key: str = "") -> httpx.Response:
        """With a key, only once however often it is asked for."""
        messages = [{"role": "user", "content": text}]
        headers = {"Idempotency-Key": key} if key else {}
        path = "/conversations/talk/messages"
        return self.http.post(path, json={"messages": messages}, headers=headers)

    def texts(self) -> list[str]:
        answer = self.http.get("/conversations/talk/messages")
        assert answer.status_code == 200, answer.text
        return [message["content"] for message in answer.json()["results"]]


@pytest.fixture(scope="module")
def world(mysql_client: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("away")
    with MariaDB(folder / "database") as database:
        session = mysql_client.connect(host="127.0.0.1", port=database.port, user="root")
        session.query("CREATE DATABASE ctxadmin CHARACTER SET utf8mb4")
        # Root may write on a server that is read-only, and take the last connection.
        session.query("CREATE USER app@'127.0.0.1' IDENTIFIED BY 'p/w'")
        session.query("GRANT ALL ON ctxadmin.* TO app@'127.0.0.1'")
        session.close()
        url = f"mysql://app:p%2Fw@127.0.0.1:{database.port}/ctxadmin"
        with LiveServer(folder, {"DATABASE_URL": url}, "--no-demo") as server:
            yield World(database, mysql_client, server)


def assert_refused(answer: httpx.Response) -> None:
    assert answer.status_code == 503
    assert answer.json()["code"] == "unavailable"
    assert int(answer.headers["Retry-After"]) > 0


def readiness(world: World) -> tuple[int, list[str]]:
    """The status of /readyz and the checks that are not well."""
    answer = httpx.get(f"{world.server.url}/readyz", timeout=PATIENCE)
    return answer.status_code, [
        each["check"] for each in answer.json()["checks"] if each["level"] != "ok"
    ]


def away_and_back(world: World, away: Callable[[], object], back: Callable[[], object]) -> None:
    """Writes and reads are refused in the meantime, change nothing, and work again afterwards."""
    before = world.texts()
    away()
    try:
        assert_refused(world.append("meanwhile"))
        assert_refused(world.http.get("/conversations/talk/messages"))
        assert readiness(world) == (503, ["database"])
    finally:
        back()
    key = uuid4().hex
    wait_until(lambda: world.append("afterwards", key).status_code == 201, PATIENCE)
    assert world.texts() == [*before, "afterwards"]
    assert readiness(world) == (200, [])
    world.server.manage("verify_audit")


def test_a_killed_database_is_reported_and_used_again_when_it_is_back(world: World) -> None:
    away_and_back(world, world.database.kill, world.database.start)


def test_a_stopped_database_is_reported_and_used_again_when_it_is_back(world: World) -> None:
    away_and_back(world, world.database.stop, world.database.start)


def test_a_stalled_database_is_reported_and_used_again_when_it_continues(world: World) -> None:
    away_and_back(world, world.database.pause, world.database.go_on)


def test_connections_that_the_database_closed_are_made_again(world: World) -> None:
    before = world.texts()
    world.close_connections()
    assert world.append("on a new connection").status_code == 201
    assert world.texts() == [*before, "on a new connection"]


def test_pages_tell_of_an_outage_without_asking_the_database(world: World) -> None:
    world.database.kill()
    try:
        page = httpx.get(f"{world.server.url}/sign-in/", timeout=PATIENCE)
        assert page.status_code == 200
        form = {
            "username": "admin",
            "password": "x",
            "csrfmiddlewaretoken": page.cookies["csrftoken"],
        }
        answer = httpx.post(
            f"{world.server.url}/sign-in/", data=form, cookies=page.cookies, timeout=PATIENCE
        )
        assert answer.status_code == 503
        assert "does not respond" in answer.text
        assert int(answer.headers["Retry-After"]) > 0
    finally:
        world.database.start()


def test_a_read_only_database_serves_reads_and_refuses_writes(world: World) -> None:
    before = world.texts()
    world.operate("UPDATE ctxadmin.accounts_enginetoken SET last_used_at=NULL")
    world.operate("SET GLOBAL read_only=1")
    try:
        assert world.texts() == before  # though that a token was used cannot be noted
        answer = world.append("meanwhile")
        assert_refused(answer)
        assert "read-only" in answer.json()["detail"]
        assert readiness(world) == (503, ["database.writable"])
        assert world.texts() == before
    finally:
        world.operate("SET GLOBAL read_only=0")
    assert world.append("writable").status_code == 201


def test_a_row_that_another_holds_is_refused_and_worth_another_try(
    world: World, mysql_client: ModuleType
) -> None:
    before = world.texts()
    holder = mysql_client.connect(
        host="127.0.0.1", port=world.database.port, user="root", database="ctxadmin"
    )
    holder.query("BEGIN")
    holder.query("UPDATE conversations_conversation SET title='held'")
    try:
        answer = world.append("meanwhile")
        assert_refused(answer)
        assert answer.headers["Retry-After"] == "1"
    finally:
        holder.close()
    assert world.append("free").status_code == 201
    assert world.texts() == [*before, "free"]


def test_a_database_without_room_for_connections_is_reported(
    world: World, mysql_client: ModuleType
) -> None:
    world.operate("SET GLOBAL max_connections=10")
    taken = []
    try:
        world.close_connections()
        with suppress(mysql_client.OperationalError):  # the server itself may have one anew
            for _ in range(10):
                taken.append(
                    mysql_client.connect(
                        host="127.0.0.1", port=world.database.port, user="app", password="p/w"
                    )
                )
        answer = world.append("meanwhile")
        assert_refused(answer)
        assert "too many connections" in answer.json()["detail"]
    finally:
        for session in taken:
            session.close()
        world.operate("SET GLOBAL max_connections=300")
    assert world.append("room").status_code == 201


def test_a_database_that_stops_flushing_is_reported_while_it_runs(world: World) -> None:
    world.operate("SET GLOBAL innodb_flush_log_at_trx_commit=2")
    try:
        assert readiness(world) == (503, ["database.commit"])
    finally:
        world.operate("SET GLOBAL innodb_flush_log_at_trx_commit=1")
    assert readiness(world) == (200, [])


def test_a_server_does_not_start_on_a_database_that_does_not_flush(
    world: World, tmp_path: Path
) -> None:
    world.operate("SET GLOBAL innodb_flush_log_at_trx_commit=2")
    try:
        with pytest.raises(RuntimeError, match="innodb_flush_log_at_trx_commit=1"):
            LiveServer(tmp_path, world.server.settings).manage("serve")
    finally:
        world.operate("SET GLOBAL innodb_flush_log_at_trx_commit=1")
