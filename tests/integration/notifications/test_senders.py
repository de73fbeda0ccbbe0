"""Real senders on one MariaDB: several at work, killed while they send; nothing is lost."""

import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import httpx
import pytest

from tests.integration.notifications.receiver import Receiver
from tests.live_server import LiveServer
from tests.servers import ROOT

pytestmark = pytest.mark.only("sqlite")  # it has a MariaDB of its own

PATIENCE = 120.0  # seconds
COUNT = 40
EARLIER = """
UPDATE notifications_delivery SET next_at = next_at - INTERVAL 1 HOUR WHERE state = 'waiting'
"""


class Scene:
    """A server, a receiver that the only webhook leads to, and senders."""

    def __init__(self, server: LiveServer, receiver: Receiver) -> None:
        self.server, self.receiver = server, receiver
        headers = {"Authorization": f"Bearer {server.token('engine', 'review', 'design')}"}
        self.api = httpx.Client(base_url=f"{server.url}/api/v1/", headers=headers, timeout=60)
        wanted = {"name": "n", "url": receiver.url, "kinds": ["execution.paused"]}
        answer = self.api.post("webhooks", json=wanted).raise_for_status()
        self.hook = answer.json()["id"]
        self.senders: list[subprocess.Popen[bytes]] = []

    def sender(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "manage.py", "deliver"]
        made = subprocess.Popen(command, cwd=ROOT, env=self.server.environment())
        self.senders.append(made)
        return made

    def pause(self, name: str) -> None:
        self.api.post("conversations", json={"id": name}).raise_for_status()
        body = {"node_id": "a", "state_data": {}, "status": "PAUSED"}
        self.api.put(f"conversations/{name}/checkpoints/c", json=body).raise_for_status()

    def deliveries(self) -> list[Any]:
        path = f"webhooks/{self.hook}/deliveries?limit=1000"
        found: list[Any] = self.api.get(path).raise_for_status().json()["results"]
        return found

    def until(self, holds: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < end, self.deliveries()
            time.sleep(0.1)


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, mariadb_of_module: str
) -> Iterator[LiveServer]:
    settings = {"DATABASE_URL": mariadb_of_module, "CTXADMIN_WEBHOOK_NETWORKS": "127.0.0.0/8"}
    with LiveServer(tmp_path_factory.mktemp("senders"), settings) as started:
        yield started


@pytest.fixture
def scene(server: LiveServer) -> Iterator[Scene]:
    with Receiver() as receiver:
        made = Scene(server, receiver)
        yield made
        for each in made.senders:
            each.kill()
            each.wait()
        made.api.delete(f"webhooks/{made.hook}").raise_for_status()


def state_of(delivery: Any) -> str:
    return str(delivery["state"])


def earlier(mysql_client: ModuleType, url: str) -> None:
    """As if an hour had passed for what waits: leases are over, retries are due."""
    server, _, name = url.partition("://")[2].rpartition("/")
    session = mysql_client.connect(
        host="127.0.0.1", port=int(server.rpartition(":")[2]), user="root", db=name, autocommit=True
    )
    session.query(EARLIER)
    session.close()


def test_what_a_killed_sender_had_on_its_way_is_sent_by_another(
    scene: Scene, mysql_client: ModuleType, mariadb_of_module: str
) -> None:
    scene.receiver.hold()
    first = scene.sender()
    scene.pause("held")
    assert scene.receiver.asked.wait(PATIENCE)
    first.kill()
    first.wait()
    scene.receiver.go_on()
    for _ in range(2):
        scene.sender()
    expected = Counter({"sent": COUNT, "waiting": 1})
    for number in range(COUNT):
        scene.pause(f"c{number}")
    # All but that one, which the two do not touch before its lease is over.
    scene.until(lambda: Counter(map(state_of, scene.deliveries())) == expected)
    earlier(mysql_client, mariadb_of_module)
    scene.until(lambda: all(each["state"] == "sent" for each in scene.deliveries()))
    times = Counter(got.id for got in scene.receiver.got)
    assert set(times) == {each["id"] for each in scene.deliveries()}
    assert len(times) == COUNT + 1
    twice = [name for name, count in times.items() if count > 1]
    assert twice == [scene.receiver.got[0].id]  # what was on its way, and nothing else


def test_a_sender_that_is_stopped_records_its_running_deliveries(scene: Scene) -> None:
    scene.receiver.hold()
    sender = scene.sender()
    scene.pause("ended")
    assert scene.receiver.asked.wait(PATIENCE)
    sender.send_signal(signal.SIGTERM)
    scene.receiver.go_on()
    assert sender.wait(PATIENCE) == 0
    (row,) = scene.deliveries()
    assert (row["state"], row["attempts"]) == ("sent", 1)
