"""The anchors of ``bench.fanout``: changes sent by bare Redis, and by Channels unchanged."""

import asyncio
import os
from typing import Any, Final

import django
from django.conf import settings

PATHS: Final = ("/bare", "/channels")
GROUP: Final = "fanout"

if not settings.configured:
    settings.configure(
        CHANNEL_LAYERS={
            "default": {
                "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
                "CONFIG": {"hosts": [os.environ.get("FANOUT_REDIS", "")]},
            }
        }
    )
    django.setup()

from channels.generic.websocket import AsyncWebsocketConsumer  # noqa: E402 - after the settings
from redis.asyncio import Redis  # noqa: E402

_pages: Final[set[Any]] = set()
_hearing: Final[list[asyncio.Task[None]]] = []


class _Page(AsyncWebsocketConsumer):  # type: ignore[misc]  # Channels has no types
    groups = [GROUP]

    async def told(self, message: dict[str, str]) -> None:
        await self.send(message["text"])


async def _hear() -> None:
    async with Redis.from_url(os.environ["FANOUT_REDIS"]).pubsub() as heard:
        await heard.subscribe(GROUP)
        async for message in heard.listen():
            if message["type"] == "message":
                frame = {"type": "websocket.send", "text": message["data"].decode()}
                await asyncio.gather(*(send(frame) for send in _pages))


async def _bare(receive: Any, send: Any) -> None:
    if not _hearing:
        _hearing.append(asyncio.create_task(_hear()))
    await receive()
    await send({"type": "websocket.accept"})
    _pages.add(send)
    while (await receive())["type"] != "websocket.disconnect":
        pass
    _pages.discard(send)


_channels = _Page.as_asgi()


async def application(scope: Any, receive: Any, send: Any) -> None:
    """Serves sockets on both paths; answers anything else with a few bytes."""
    if scope["type"] == "websocket":
        await (
            _bare(receive, send) if scope["path"] == PATHS[0] else _channels(scope, receive, send)
        )
    elif scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"ok"})
