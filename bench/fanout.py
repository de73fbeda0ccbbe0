"""Measures how soon a change reaches all open pages, compared with bare Redis and Channels."""

import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx
from channels_redis.pubsub import RedisPubSubChannelLayer
from redis.asyncio import Redis as Client
from websockets.asyncio.client import ClientConnection, connect

from bench.table import Row
from tests.live_server import LiveServer
from tests.servers import Missing, PrivateServer, Redis

PAGES: Final = (1, 50, 200)
ROUNDS: Final = 60
_KEY_OF: Final = (
    "from conversations.models import Conversation as C;"
    "print(*C.objects.values_list('key', 'workspace').get(public_id='fanout'))"
)


class Anchors(PrivateServer):
    """Runs ``bench.fanout_anchors`` under uvicorn."""

    kind = "sockets as anchors"

    def __init__(self, folder: Path, redis: str) -> None:
        super().__init__(folder)
        self.redis = redis

    def environment(self) -> dict[str, str]:
        return super().environment() | {"FANOUT_REDIS": self.redis}

    def command(self) -> Sequence[str]:
        options = f"--lifespan off --no-access-log --log-level warning --port {self.port}"
        return [
            sys.executable,
            "-m",
            "uvicorn",
            "bench.fanout_anchors:application",
            *options.split(),
        ]

    def answers(self, connection: Any) -> bool:
        connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
        return b" 200 " in connection.recv(64)


@dataclass(frozen=True, slots=True)
class Way:
    """A way to announce changes: where pages listen, and how the n-th change is sent."""

    url: str
    headers: dict[str, str]
    tell: Callable[[int], Awaitable[object]]


def rows() -> list[Row]:
    """Returns the rows; says on stderr if Redis is not installed."""
    with ExitStack() as kept:
        folder = Path(kept.enter_context(tempfile.TemporaryDirectory()))
        try:
            redis = kept.enter_context(Redis(folder / "redis"))
        except Missing as missing:
            print(f"Fan-out is left out: {missing}", file=sys.stderr)
            return []
        anchors = kept.enter_context(Anchors(folder / "anchors", f"{redis.url}0"))
        settings = {"CHANNEL_REDIS_URL": f"{redis.url}1"}
        server = kept.enter_context(LiveServer(folder / "server", settings, "--no-demo"))
        token = server.make_token("engine")
        headers = {"Authorization": f"Bearer {token}"}
        new = httpx.post(
            f"{server.url}/api/v1/conversations", json={"id": "fanout"}, headers=headers
        )
        new.raise_for_status()
        key, workspace = server.manage("shell", "-v", "0", "-c", _KEY_OF).split()
        return asyncio.run(_rows(redis.url, anchors.port, server.port, headers, key, workspace))


async def _rows(
    redis: str, anchors: int, server: int, headers: dict[str, str], key: str, workspace: str
) -> list[Row]:
    bare = Client.from_url(f"{redis}0")
    channels = RedisPubSubChannelLayer(hosts=[f"{redis}0"])
    ours = RedisPubSubChannelLayer(hosts=[f"{redis}1"], prefix="ctxadmin.1.")

    async def tell_ours(number: int) -> None:
        place = {"topic": "conversations", "key": int(key), "workspace": int(workspace)}
        activity = {"kind": "conversation", "id": "fanout", "what": "x"}
        told = {"frame": _frame(number), "activity": json.dumps(activity)}
        message = {"type": "told", "from": "bench", "all": [{"is": "announced", **place, **told}]}
        await ours.group_send(f"workspace.{workspace}", message)

    base = f"ws://127.0.0.1:{anchors}"
    ways = {
        "bare": Way(f"{base}/bare", {}, lambda n: bare.publish("fanout", _frame(n))),
        "channels": Way(
            f"{base}/channels",
            {},
            lambda n: channels.group_send("fanout", {"type": "told", "text": _frame(n)}),
        ),
        "ours": Way(f"ws://127.0.0.1:{server}/ws/conversations/fanout/", headers, tell_ours),
    }
    found: list[Row] = []
    number = 2
    for count in PAGES:
        times: dict[str, list[float]] = {name: [] for name in ways}
        async with AsyncExitStack() as kept:
            pages = {name: await _open(kept, way, count) for name, way in ways.items()}
            for done in range(ROUNDS):
                for name, way in ways.items():
                    took = await _reached(pages[name], way, number)
                    if done > 4:  # the first ones have cold caches
                        times[name].append(took * 1e3)
                number += 1
        middle = {name: statistics.median(each) for name, each in times.items()}
        label = f"a change reaches {count} open page{'s' * (count > 1)}"
        found += [
            Row(
                f"{label}, beside Channels' pubsub layer",
                middle["ours"],
                "ms",
                middle["channels"],
                1.0,
            ),
            Row(f"{label}, beside bare Redis", middle["ours"], "ms", middle["bare"], 1.5),
        ]
    await bare.aclose()
    return found


async def _open(kept: AsyncExitStack, way: Way, count: int) -> list[ClientConnection]:
    pages = [
        await kept.enter_async_context(
            connect(way.url, additional_headers=way.headers, compression=None)
        )
        for _ in range(count)
    ]
    if way.headers:
        for page in pages:
            await page.recv()  # the welcome
    await asyncio.sleep(0.3)  # subscriptions are active
    return pages


async def _reached(pages: list[ClientConnection], way: Way, number: int) -> float:
    """Returns the seconds from sending a change until the last page has it."""
    waiting = asyncio.gather(*(page.recv() for page in pages))
    await asyncio.sleep(0)
    began = time.perf_counter()
    await way.tell(number)
    await waiting
    return time.perf_counter() - began


def _frame(number: int) -> str:
    return json.dumps(
        {
            "v": 1,
            "type": "changed",
            "id": "fanout",
            "seq": number,
            "what": "checkpoint.save",
            "who": {"kind": "token", "id": "token_1", "name": "engine"},
            "status": "RUNNING",
            "revision": 0,
            "count": 20,
            "execution": "exec_1",
            "version": number,
            "keys": ["plan", "facts", "messages"],
            "more_keys": False,
        }
    )
