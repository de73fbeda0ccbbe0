"""Calls that wait, on the application itself."""

import asyncio
import json
from typing import Any

from asgiref.testing import ApplicationCommunicator

from ctxadmin.realtime.hubs import current_hub
from tests.integration.sockets.pages import PATIENCE
from tests.openapi import checked_event


class Call:
    """One GET on the application, whose answer may come later."""

    def __init__(self, app: Any, secret: str, path: str, **headers: str) -> None:
        path, _, query = path.partition("?")
        given = {"host": "testserver", **headers}
        if secret:
            given["authorization"] = f"Bearer {secret}"
        scope: dict[str, Any] = {
            "type": "http",
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": f"/api/v1{path}",
            "raw_path": f"/api/v1{path}".encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in given.items()],
            "client": ("127.0.0.1", 1),
            "server": ("testserver", 80),
        }
        self.asked: Any = ApplicationCommunicator(app, scope)  # type: ignore[no-untyped-call]
        self.path: str = scope["path"]
        self.status = 0
        self._text = ""

    async def begin(self) -> "Call":
        await self.asked.send_input({"type": "http.request", "body": b""})
        return self

    async def waits(self) -> "Call":
        """Begin, and continue when the hub has it as a listener."""
        before = len(current_hub().listeners())
        await self.begin()
        async with asyncio.timeout(PATIENCE):
            while len(current_hub().listeners()) == before:
                await asyncio.sleep(0)
        return self

    async def answer(self) -> Any:
        await self._head()
        body = await self.asked.receive_output(timeout=PATIENCE)
        return json.loads(body["body"])

    async def event(self) -> dict[str, Any]:
        """The next event: its id, kind and data."""
        event = await self.part()
        while event.startswith(":"):
            event = await self.part()
        lines = dict(line.split(": ", 1) for line in event.splitlines())
        data = json.loads(lines["data"])
        checked_event(self.path, data)
        return {"id": int(lines["id"]), "kind": lines["event"], **data}

    async def part(self) -> str:
        """The next event or comment as its text."""
        if not self.status:
            await self._head()
        while "\n\n" not in self._text:
            part = await self.asked.receive_output(timeout=PATIENCE)
            self._text += part["body"].decode()
            if not part.get("more_body"):
                raise EOFError
        text, _, self._text = self._text.partition("\n\n")
        return text

    async def is_admitted(self) -> bool:
        """False if it is refused with a time to try again."""
        head = await self.asked.receive_output(timeout=PATIENCE)
        self.status = head["status"]
        if self.status == 200:
            return True
        assert self.status == 429
        headers = {name.lower(): value for name, value in head["headers"]}
        assert int(headers[b"retry-after"]) >= 1
        return False

    async def leave(self) -> None:
        await self.asked.send_input({"type": "http.disconnect"})
        await self.asked.wait(timeout=PATIENCE)

    async def _head(self) -> None:
        head = await self.asked.receive_output(timeout=PATIENCE)
        self.status = head["status"]
