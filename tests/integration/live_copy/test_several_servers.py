"""The live copy on a Redis Cluster, on a primary that Sentinels know, and by TLS."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from redis.crc import key_slot

from checkpoints.live_copy import current
from checkpoints.live_copy.inspection import status_of, stored_conversations
from checkpoints.live_copy.port import ALL_PARTS
from checkpoints.live_copy.redis_copy import RedisLiveCopy
from conversations.lifecycle import erasure
from conversations.writing.announcements import announce_group
from ctxadmin.identity.roles import Role
from ctxadmin.storage.redis.address import read_address
from ctxadmin.storage.redis.link import Link
from tests.factories import conversation, person, user
from tests.integration.live_copy import steps
from tests.integration.live_copy.steps import counted, snapshot, snapshot_in_sql
from tests.redis_servers import (
    ClusterNode,
    SecureNode,
    SentinelNode,
    cluster_in,
    guarded_in,
    make_certificate,
    replication_of,
)
from tests.servers import wait_until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("following")]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[list[ClusterNode]]:
    with cluster_in(tmp_path) as nodes:
        yield nodes


def use(url: str) -> Link:
    link = Link(read_address(url), timeout=2, pause=0.05)
    current.set_current(RedisLiveCopy(link))
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
        assert len(status_of(link, head.key)) == 4
    assert stored_conversations(link) == sorted(head.key for head in heads)
    assert len([node for node in cluster if node.call("DBSIZE")]) > 1
    erasure.erase(person(Role.ADMIN), "c0")
    assert heads[0].key not in stored_conversations(link)
    link.close()


def test_all_nodes_of_a_cluster_are_notified_of_what_is_committed_together(
    cluster: list[ClusterNode],
) -> None:
    link = use(f"redis+cluster://127.0.0.1:{cluster[0].port}")
    names = [f"c{number}" for number in range(12)]
    for name in names:
        conversation(user("hello"), public_id=name)
        steps.save(name, "more", x=1)
        snapshot(name)
    with counted({"moves": 4 * len(names), "failures": 0}), announce_group():
        for name in names:
            steps.save(name, "and more", x=2, large="L" * 200_000)
    with counted({"hits": len(names), "doubts": 0}):
        for name in names:
            assert snapshot(name) == snapshot_in_sql(name)
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
    with guarded_in(tmp_path) as (first, second, guard):
        link = use(f"redis+sentinel://127.0.0.1:{guard.port}/copies")
        conversation(user("hello"), public_id="c")
        snapshot("c")
        with counted({"hits": 1}):
            snapshot("c")
        first.kill()
        steps.save("c", "while there is no primary", x=1)
        assert snapshot("c") == snapshot_in_sql("c")
        wait_until(lambda: replication_of(second)["role"] == "master")
        wait_until(link.is_reachable)
        snapshot("c")
        steps.save("c", "and on", x=2)
        with counted({"hits": 1}):
            assert snapshot("c") == snapshot_in_sql("c")
        link.close()


@pytest.mark.parametrize("by", ["itself", "a Sentinel"])
def test_a_copy_is_kept_by_tls_and_only_with_a_server_that_shows_its_certificate(
    tmp_path: Path, by: str
) -> None:
    certificate = make_certificate(tmp_path)
    (tmp_path / "other").mkdir()
    with (
        SecureNode(tmp_path / "redis", certificate) as server,
        SentinelNode(tmp_path / "guard", server.tls_port, certificate) as guard,
    ):
        url = f"rediss://127.0.0.1:{server.tls_port}/0"
        if by == "a Sentinel":
            url = f"rediss+sentinel://127.0.0.1:{guard.tls_port}/copies"
        conversation(user("hello"), public_id="c")
        stranger = use(f"{url}?ssl_ca_certs={make_certificate(tmp_path / 'other')}")
        with counted({"hits": 0, "failures": 1}):
            assert snapshot("c") == snapshot_in_sql("c")
        stranger.close()
        link = use(f"{url}?ssl_ca_certs={certificate}")
        steps.save("c", "more", x=1)
        snapshot("c")
        steps.save("c", "and more", x=2)
        with counted({"hits": 1, "failures": 0}):
            assert snapshot("c") == snapshot_in_sql("c")
        link.close()
