"""Open pages as tests see them: sockets on the application, in a loop that the test runs."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from asgiref.testing import ApplicationCommunicator
from django.conf import settings
from django.db import connection
from django.test import Client

from ctxadmin.realtime.hubs import current_hub, remove_hub
from ctxadmin.realtime.routing import with_sockets
from tests.factories import Api

ResultT = TypeVar("ResultT")
PATIENCE = 20.0  # seconds; a busy machine is slow, not broken


async def _no_http(scope: Any, receive: Any, send: Any) -> None:
    raise AssertionError("these tests open sockets only")


APPLICATION = with_sockets(_no_http)


class Closed(Exception):
    """The server closed the socket; ``code`` says why."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Page:
    """One socket; ``next`` gives the frames in their order, those of presence apart."""

    def __init__(self, path: str, headers: list[tuple[bytes, bytes]]) -> None:
        # The communicator that Channels' own is made of; Channels' asks for a second server.
        scope = {"type": "websocket", "path": path, "headers": headers, "client": ("127.0.0.1", 1)}
        self.socket: Any = ApplicationCommunicator(APPLICATION, scope)  # type: ignore[no-untyped-call]

    async def open(self) -> dict[str, Any]:
        """The welcome; Closed if there is none."""
        await self.socket.send_input({"type": "websocket.connect"})
        answer = await self.socket.receive_output(timeout=PATIENCE)
        if answer["type"] != "websocket.accept":
            raise Closed(403)
        return await self.next()

    async def next(self, *types: str) -> dict[str, Any]:
        """The next frame of these types, of any but presence by default."""
        while True:
            said = await self.socket.receive_output(timeout=PATIENCE)
            if said["type"] == "websocket.close":
                await self.leave()
                raise Closed(said.get("code", 1000))
            frame: dict[str, Any] = json.loads(said["text"])
            if frame["type"] in types or (not types and frame["type"] != "presence"):
                return frame

    async def people(self, wanted: Callable[[list[dict[str, Any]]], bool]) -> list[dict[str, Any]]:
        """The people of the first presence that is wanted."""
        while True:
            frame = await self.next("presence")
            if wanted(frame["people"]):
                people: list[dict[str, Any]] = frame["people"]
                return people

    async def say(self, **message: object) -> None:
        await self.send(text=json.dumps(message))

    async def send(self, *, text: str | None = None, data: bytes | None = None) -> None:
        await self.socket.send_input({"type": "websocket.receive", "text": text, "bytes": data})

    async def closed(self) -> int:
        """The code that the server closes with; what it says before is passed over."""
        try:
            while True:
                await self.next()
        except Closed as closed:
            return closed.code

    async def leave(self) -> None:
        await self.socket.send_input({"type": "websocket.disconnect", "code": 1000})
        await self.socket.wait(timeout=PATIENCE)


def of_person(client: Client, path: str, origin: str = "http://testserver") -> Page:
    """A page of someone who is signed in with this browser."""
    key = client.cookies[settings.SESSION_COOKIE_NAME].value
    cookie = f"{settings.SESSION_COOKIE_NAME}={key}".encode()
    given = [(b"host", b"testserver"), (b"cookie", cookie)]
    return Page(path, [*given, (b"origin", origin.encode())] if origin else given)


def of_engine(api: Api, path: str) -> Page:
    """The socket of an engine with a token."""
    return Page(path, [(b"authorization", f"Bearer {api.secret}".encode())])


async def do(call: Callable[..., ResultT], *args: Any, **kwargs: Any) -> ResultT:
    """Run what uses the database in a thread, as requests do."""

    def run() -> ResultT:
        try:
            return call(*args, **kwargs)
        finally:
            connection.close()

    return await asyncio.to_thread(run)


def play(scene: Callable[[], Awaitable[ResultT]]) -> ResultT:
    """Run a scene on a loop of its own, whose hub is closed at the end."""

    async def run() -> ResultT:
        hub = current_hub()
        try:
            return await scene()
        finally:
            remove_hub(hub)
            await hub.close()

    return asyncio.run(run())
