"""The live copy on a Redis Cluster, and on a primary that Sentinels know."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import ClassVar

import pytest
import redis
from redis.crc import key_slot

from checkpoints.live_copy import current
from checkpoints.live_copy.inspecting import conversations_held, standing_of
from checkpoints.live_copy.port import ALL_PARTS
from checkpoints.live_copy.redis_copy import RedisLiveCopy
from conversations import erasure
from ctxadmin.accounts.roles import Role
from ctxadmin.live.address import read_address
from ctxadmin.live.link import Link
from tests.factories import conversation, person, user
from tests.integration.live_copy import steps
from tests.integration.live_copy.steps import counted, snapshot, snapshot_in_sql
from tests.servers import Redis, free_port

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("following")]
SLOTS = 16384


class Node(Redis):
    """A Redis that may be one of several."""

    def __init__(self, folder: Path, *options: str) -> None:
        super().__init__(folder)
        self.options = options
        self.port = free_port()

    def command(self) -> Sequence[str]:
        return [*super().command(), *self.options]

    def call(self, *words: str | int) -> object:
        with redis.Redis(port=self.port) as client:
            return client.execute_command(*words)


class ClusterNode(Node):
    def command(self) -> Sequence[str]:
        words = [*super().command(), "--cluster-enabled", "yes", "--cluster-port"]
        place = words.index("--databases")  # a cluster has one
        return [*words[:place], *words[place + 2 :], str(self.bus)]

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.bus = free_port()


class SentinelNode(Node):
    kind: ClassVar[str] = "sentinel"

    def __init__(self, folder: Path, primary: int) -> None:
        super().__init__(folder)
        self.primary = primary

    def command(self) -> Sequence[str]:
        settings = self.folder / "sentinel.conf"
        settings.write_text(
            f"port {self.port}\nbind 127.0.0.1\ndir {self.folder}\n"
            f"sentinel monitor copies 127.0.0.1 {self.primary} 1\n"
            "sentinel down-after-milliseconds copies 300\n"
            "sentinel failover-timeout copies 2000\n"
        )
        return [self._program(), str(settings), "--sentinel"]


def wait_until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not true():
        assert time.monotonic() < deadline, "it takes too long"
        time.sleep(0.02)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[list[ClusterNode]]:
    """A Redis Cluster of three primaries."""
    with ExitStack() as running:
        nodes = [running.enter_context(ClusterNode(tmp_path / str(number))) for number in range(3)]
        first, *others = nodes
        for number, node in enumerate(nodes):
            start, stop = SLOTS * number // 3, SLOTS * (number + 1) // 3
            node.call("CLUSTER", "ADDSLOTSRANGE", start, stop - 1)
            node.call("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
        for node in others:
            first.call("CLUSTER", "MEET", "127.0.0.1", node.port, node.bus)
        wait_until(lambda: all(_state(node) == "ok" for node in nodes))
        yield nodes


def _state(node: Node) -> str:
    with redis.Redis(port=node.port) as client:
        return str(dict(client.cluster("INFO"))["cluster_state"])


def use(url: str) -> Link:
    link = Link(read_address(url), timeout=2, pause=0.05)
    current.use(RedisLiveCopy(link))
    return link


def test_a_cluster_keeps_each_conversation_on_one_node(cluster: list[ClusterNode]) -> None:
    link = use(f"redis+cluster://127.0.0.1:{cluster[0].port},127.0.0.1:{cluster[1].port}")
    heads = [conversation(user("hello"), public_id=f"c{number}") for number in range(12)]
    for head in heads:
        steps.save(head.public_id, "more", x=1, large="L" * 200_000)
        snapshot(head.public_id)
        steps.save(head.public_id, "and more", x=2, large="M" * 200_000)
    with counted({"hits": 12, "doubts": 0, "failures": 0}):
        for head in heads:
            assert snapshot(head.public_id) == snapshot_in_sql(head.public_id)
    for head in heads:
        assert len({key_slot(part.key(head.key).encode()) for part in ALL_PARTS}) == 1
        assert len(standing_of(link, head.key)) == 4
    assert conversations_held(link) == sorted(head.key for head in heads)
    assert len([node for node in cluster if node.call("DBSIZE")]) > 1
    erasure.erase(person(Role.ADMIN), "c0")
    assert heads[0].key not in conversations_held(link)
    link.close()


def test_a_cluster_that_loses_a_node_costs_copies_and_nothing_else(
    cluster: list[ClusterNode],
) -> None:
    link = use(f"redis+cluster://127.0.0.1:{cluster[0].port}")
    for number in range(6):
        conversation(user("hello"), public_id=f"c{number}")
        snapshot(f"c{number}")
    cluster[2].kill()
    for number in range(6):
        steps.save(f"c{number}", "more", x=number)
        assert snapshot(f"c{number}") == snapshot_in_sql(f"c{number}")
    link.close()


def test_sentinels_tell_the_primary_and_a_failover_costs_copies_and_nothing_else(
    tmp_path: Path,
) -> None:
    with ExitStack() as running:
        first = running.enter_context(Node(tmp_path / "first"))
        replica = Node(tmp_path / "second", "--replicaof", "127.0.0.1", str(first.port))
        second = running.enter_context(replica)
        guard = running.enter_context(SentinelNode(tmp_path / "guard", first.port))
        link = use(f"redis+sentinel://127.0.0.1:{guard.port}/copies")
        conversation(user("hello"), public_id="c")
        snapshot("c")
        with counted({"hits": 1}):
            snapshot("c")
        wait_until(lambda: b"slave_repl_offset" in _replication(second))
        wait_until(lambda: len(list(guard.call("SENTINEL", "REPLICAS", "copies"))) == 1)  # type: ignore[call-overload]
        first.kill()
        steps.save("c", "while there is no primary", x=1)
        assert snapshot("c") == snapshot_in_sql("c")
        wait_until(lambda: b"role:master" in _replication(second))
        wait_until(link.answers)
        snapshot("c")
        steps.save("c", "and on", x=2)
        with counted({"hits": 1}):
            assert snapshot("c") == snapshot_in_sql("c")
        link.close()


def _replication(node: Node) -> bytes:
    with redis.Redis(port=node.port) as client:
        found = client.info("replication")
    return "\n".join(f"{key}:{value}" for key, value in found.items()).encode()
