"""Hubs of two processes on each kind of Redis: what happens at one is heard at the other."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from channels_redis.pubsub import RedisPubSubChannelLayer

from ctxadmin.realtime import hub as hub_module
from ctxadmin.realtime import rights
from ctxadmin.realtime.hub import Hub
from ctxadmin.realtime.layers import channel_layers
from ctxadmin.realtime.messages import Announced
from ctxadmin.realtime.protocol import Activity, Gone
from ctxadmin.realtime.topics import WORKSPACE, Topic
from ctxadmin.storage.redis.address import read_address
from tests.redis_servers import (
    ClusterNode,
    Node,
    SecureNode,
    SentinelNode,
    cluster_in,
    guarded_in,
    make_certificate,
    replication_of,
)
from tests.servers import PrivateServer

PATIENCE = 60.0  # seconds
THERE = Topic(WORKSPACE, 1, 1)  # a workspace is never looked at: it is heard, or not
NEWS = Announced(
    Topic("conversation", 2, 1),
    Gone(id="c", who=None),
    Activity(kind="conversation", id="c", what="conversation.erase"),
)
Hears = Callable[[], Awaitable[None]]


class Listening:
    """Someone who listens to a workspace."""

    topic = THERE
    caller: Any = None
    person = None

    def __init__(self) -> None:
        self.heard: asyncio.Queue[str] = asyncio.Queue()

    def on_change(self, frame: object, text: str) -> None:
        self.heard.put_nowait(text)

    def catch_up(self, state: object) -> None: ...
    def on_presence(self, text: str) -> None: ...
    def end(self, code: int) -> None: ...


@pytest.fixture(autouse=True)
def _quick_and_without_a_database(monkeypatch: pytest.MonkeyPatch) -> None:
    async def nobody(hub: Hub) -> None:
        return

    monkeypatch.setattr(rights, "recheck_all", nobody)
    monkeypatch.setattr(hub_module, "HEAR_OWN_EVERY", 1.0)


@asynccontextmanager
async def two_processes() -> AsyncIterator[Hears]:
    """What is yielded returns when something that is reported at one hub was heard at the other.

    It is told until then: a layer delivers at most once, and drops what it cannot deliver.
    """
    loop = asyncio.get_running_loop()
    here, there = Hub(loop), Hub(loop)
    listener = Listening()
    await there.add(listener)

    async def hears() -> None:
        while not listener.heard.empty():
            listener.heard.get_nowait()
        async with asyncio.timeout(PATIENCE):
            while listener.heard.empty():
                here.deliver([NEWS])
                with suppress(TimeoutError):
                    listener.heard.put_nowait(await asyncio.wait_for(listener.heard.get(), 0.3))

    try:
        yield hears
    finally:
        await asyncio.gather(here.close(), there.close())


def run(monkeypatch: pytest.MonkeyPatch, url: str, *between: Callable[[], object]) -> None:
    """Have one process hear the other, also after each of what happens between."""
    config = channel_layers(read_address(url))["default"]["CONFIG"]
    layers: list[RedisPubSubChannelLayer] = []

    def new_layer() -> RedisPubSubChannelLayer:
        layers.append(RedisPubSubChannelLayer(**config))
        return layers[-1]

    monkeypatch.setattr(hub_module, "get_channel_layer", new_layer)

    async def told() -> None:
        async with two_processes() as hears:
            await hears()
            for act in between:
                await asyncio.to_thread(act)
                await hears()
        for layer in layers:
            await layer.flush()

    asyncio.run(told())


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[list[ClusterNode]]:
    with cluster_in(tmp_path) as nodes:
        yield nodes


def first_two(nodes: list[ClusterNode]) -> str:
    return "redis+cluster://" + ",".join(f"127.0.0.1:{node.port}" for node in nodes[:2])


@pytest.mark.parametrize("by", ["itself", "a Sentinel"])
def test_channels_speak_tls(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, by: str) -> None:
    certificate = make_certificate(tmp_path)
    with (
        SecureNode(tmp_path / "redis", certificate) as server,
        SentinelNode(tmp_path / "guard", server.tls_port, certificate) as guard,
    ):
        url = f"rediss://127.0.0.1:{server.tls_port}/0"
        if by == "a Sentinel":
            url = f"rediss+sentinel://127.0.0.1:{guard.tls_port}/copies"
        run(monkeypatch, f"{url}?ssl_ca_certs={certificate}")


@pytest.mark.parametrize("how", [PrivateServer.kill, PrivateServer.pause])
def test_channels_follow_the_sentinels_to_another_primary(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, how: Callable[[Node], None]
) -> None:
    with guarded_in(tmp_path) as (first, second, guard):
        url = f"redis+sentinel://127.0.0.1:{guard.port}/copies"
        run(monkeypatch, url, lambda: how(first))
        assert replication_of(second)["role"] == "master"


@pytest.mark.parametrize("how", [PrivateServer.kill, PrivateServer.pause])
def test_channels_continue_by_another_node_of_a_cluster(
    monkeypatch: pytest.MonkeyPatch, cluster: list[ClusterNode], how: Callable[[Node], None]
) -> None:
    run(monkeypatch, first_two(cluster), lambda: how(cluster[0]))


def test_channels_begin_although_the_first_node_of_a_cluster_is_down(
    monkeypatch: pytest.MonkeyPatch, cluster: list[ClusterNode]
) -> None:
    cluster[0].kill()
    run(monkeypatch, first_two(cluster))
