"""A MariaDB primary dies while clients write; its replica takes over, with all acknowledged."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from types import ModuleType
from typing import Any

import httpx
import pytest

from tests.live_server import LiveServer
from tests.servers import MariaDB, wait_until

PATIENCE = 60  # seconds


class Replicated(MariaDB):
    """One of a pair: whoever is primary acknowledges a commit when the other has it (semi-sync)."""

    def __init__(self, folder: Path, number: int) -> None:
        super().__init__(folder)
        self.number = number

    def command(self) -> Sequence[str]:
        return [
            *super().command(),
            f"--server-id={self.number}",
            "--log-bin=changes",
            "--log-slave-updates",
            "--sync-binlog=1",
            "--gtid-strict-mode=1",
            "--rpl-semi-sync-slave-enabled=1",
            "--rpl-semi-sync-master-wait-point=AFTER_SYNC",
            "--rpl-semi-sync-master-timeout=3600000",
        ]


class Pair:
    """A primary and its replica."""

    def __init__(self, driver: ModuleType, primary: MariaDB, replica: MariaDB) -> None:
        self._driver, self.primary, self.replica = driver, primary, replica
        operate = self.operate
        operate(self.primary, "CREATE USER copy@'127.0.0.1' IDENTIFIED BY 'copy'")
        operate(self.primary, "GRANT REPLICATION SLAVE ON *.* TO copy@'127.0.0.1'")
        operate(
            self.replica,
            "SET GLOBAL read_only=1",
            f"CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT={self.primary.port},"
            " MASTER_USER='copy', MASTER_PASSWORD='copy', MASTER_USE_GTID=slave_pos",
            "START SLAVE",
        )
        # From here on a commit waits for the replica, and without one for ever.
        operate(self.primary, "SET GLOBAL rpl_semi_sync_master_enabled=1")
        operate(self.primary, "CREATE DATABASE ctxadmin CHARACTER SET utf8mb4")

    def operate(self, server: MariaDB, *statements: str) -> Any:
        """What the last of these statements finds, as column to value of its first row."""
        session = self._driver.connect(host="127.0.0.1", port=server.port, user="root")
        try:
            cursor = session.cursor()
            for statement in statements:
                cursor.execute(statement)
            row = cursor.fetchone() if cursor.description else ()
            names = [column[0] for column in cursor.description or ()]
            return dict(zip(names, row or (), strict=False))
        finally:
            session.close()

    def promote(self) -> None:
        """What an operator, or a tool, does when the primary is gone for good."""
        deadline = monotonic() + PATIENCE
        while monotonic() < deadline:
            found = self.operate(self.replica, "SHOW SLAVE STATUS")
            if (
                found["Gtid_IO_Pos"]
                == self.operate(self.replica, "SELECT @@gtid_slave_pos AS applied")["applied"]
            ):
                break
            sleep(0.1)
        self.operate(self.replica, "STOP SLAVE", "RESET SLAVE ALL", "SET GLOBAL read_only=0")


@pytest.fixture
def pair(tmp_path: Path, mysql_client: ModuleType) -> Iterator[Pair]:
    with (
        Replicated(tmp_path / "primary", 1) as primary,
        Replicated(tmp_path / "replica", 2) as replica,
    ):
        yield Pair(mysql_client, primary, replica)


def client(server: LiveServer, token: str) -> httpx.Client:
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.Client(base_url=f"{server.url}/api/v1", headers=headers, timeout=PATIENCE)


def write_until_refused(api: httpx.Client, acknowledged: list[str]) -> None:
    for number in range(100_000):
        text = f"message {number}"
        body = {"messages": [{"role": "user", "content": text}]}
        if api.post("/conversations/talk/messages", json=body).status_code != 201:
            return
        acknowledged.append(text)


def all_texts(api: httpx.Client) -> list[str]:
    found: list[str] = []
    query = {"limit": "200"}
    while True:
        page = api.get("/conversations/talk/messages", params=query).raise_for_status().json()
        found += [message["content"] for message in page["results"]]
        if not page["next"]:
            return found
        query["cursor"] = page["next"]


def test_a_replica_that_takes_over_has_every_acknowledged_write(pair: Pair, tmp_path: Path) -> None:
    acknowledged: list[str] = []
    before = LiveServer(tmp_path / "before", {"DATABASE_URL": f"{pair.primary.url}ctxadmin"})
    with before:
        token = before.make_token("engine")
        api = client(before, token)
        assert api.post("/conversations", json={"id": "talk"}).status_code == 201
        writer = Thread(target=write_until_refused, args=(api, acknowledged))
        writer.start()
        wait_until(lambda: len(acknowledged) >= 20, PATIENCE)
        pair.primary.kill()
        writer.join(PATIENCE)
    pair.promote()

    settings = {"DATABASE_URL": f"{pair.replica.url}ctxadmin"}
    with LiveServer(tmp_path / "after", settings) as after:
        api = client(after, token)
        # The one that was not answered may be there, too.
        assert all_texts(api)[: len(acknowledged)] == acknowledged
        body = {"messages": [{"role": "user", "content": "after"}]}
        assert api.post("/conversations/talk/messages", json=body).status_code == 201
        assert "intact" in after.manage("verify_audit")


def test_a_server_does_not_start_on_a_replica(pair: Pair, tmp_path: Path) -> None:
    settings = {"DATABASE_URL": f"{pair.replica.url}ctxadmin"}
    LiveServer(tmp_path, {"DATABASE_URL": f"{pair.primary.url}ctxadmin"}).prepare()
    with pytest.raises(RuntimeError, match="read-only"):
        LiveServer(tmp_path, settings).manage("serve")
