"""The application with a fast path of its own, whose batches a test can hold and look at."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx
from django.db import connection, connections

from checkpoints.api import fast_path_writes as checkpoints
from conversations.api import fast_path_writes as conversations
from ctxadmin.accounts.services import create_token, system_actor
from ctxadmin.http.requests.fast_path import FastPath, QueuedCall
from ctxadmin.http.requests.handler import ThreadedHandler
from ctxadmin.identity.roles import Scope
from ctxadmin.lib.json_bytes import dumps
from ctxadmin.telemetry.application import Observed
from tests.factories import ALL_SCOPES, workspace

HOT = [*conversations.CALLS, *checkpoints.CALLS]
ResultT = TypeVar("ResultT")


class Held:
    """The writer of a fast path: it notes its batches and their round trips, and can be held."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []  # the conversations of each
        self.statements: list[list[str]] = []
        self.begun = Event()
        self._go_on = Event()
        self._go_on.set()

    def __call__(self, calls: Sequence[QueuedCall]) -> Sequence[bytes | None]:
        self.batches.append([call.conversation_id for call in calls])
        self.begun.set()
        if not self._go_on.wait(timeout=60):
            raise RuntimeError("nobody let the writer go on")
        sent: list[str] = []

        def noting(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
            sent.append(sql)
            return execute(sql, params, many, context)

        with connection.execute_wrapper(noting):
            answers = conversations.write_calls(calls)
        self.statements.append(sent)
        return answers

    def hold(self) -> None:
        self._go_on.clear()
        self.begun.clear()

    def go_on(self) -> None:
        self._go_on.set()


class App:
    """Answers requests by the fast path or, without one, by Django alone."""

    def __init__(self, *, fast_path: bool = True, most: int = 32) -> None:
        self.writer = Held()
        self.fast_path = FastPath(HOT, self.writer, most) if fast_path else None
        self.handler = ThreadedHandler(2, self.fast_path)
        self.secret = token()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.writer.go_on()
        pools = [self.handler._pool, *([self.fast_path._thread] if self.fast_path else [])]
        for pool in pools:
            for _ in range(2):
                pool.submit(connections.close_all).result()
            pool.shutdown()

    def run(self, act: Callable[[httpx.AsyncClient], Awaitable[ResultT]]) -> ResultT:
        """What comes of requests that are made in one event loop."""

        async def acted() -> ResultT:
            transport = httpx.ASGITransport(Observed(self.handler), raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as http:
                return await act(http)

        return asyncio.run(acted())

    def headers(self, **more: str) -> dict[str, str]:
        named = {name.replace("_", "-"): value for name, value in more.items()}
        return {
            "Authorization": f"Bearer {self.secret}",
            "Content-Type": "application/json",
            **named,
        }

    def send(self, method: str, path: str, body: object, **headers: str) -> httpx.Response:
        """One request and its answer; ``body`` as JSON, or as it is if it is bytes."""
        return self.run(lambda http: self.request(http, method, path, body, **headers))

    async def request(
        self, http: httpx.AsyncClient, method: str, path: str, body: object, **headers: str
    ) -> httpx.Response:
        data = body if isinstance(body, bytes) else dumps(body)
        named = self.headers(**headers)
        return await http.request(method, f"/api/v1{path}", content=data, headers=named)

    def send_together(self, *calls: tuple[str, str, object]) -> list[httpx.Response]:
        """The answers of calls that all wait when the writer begins with the second batch.

        The first batch is a call of its own, so that the others gather.
        """

        async def act(http: httpx.AsyncClient) -> list[httpx.Response]:
            self.writer.hold()
            first = asyncio.create_task(self.request(http, *FIRST))
            while not self.writer.begun.is_set():
                await asyncio.sleep(0)
            tasks = [asyncio.create_task(self.request(http, *call)) for call in calls]
            await gathered(self, len(calls))
            self.writer.go_on()
            await first
            return list(await asyncio.gather(*tasks))

        return self.run(act)


FIRST = ("POST", "/conversations/nobody/messages", {"messages": [{"role": "user", "content": "x"}]})


async def gathered(app: App, count: int) -> None:
    """Until so many calls wait in the fast path, or have gone by it."""
    assert app.fast_path is not None
    for _ in range(10_000):
        if sum(map(len, app.fast_path._waiting.values())) >= count:
            return
        await asyncio.sleep(0)


def token(*scopes: Scope, slug: str = "default") -> str:
    """The secret of a new token that was used before, as most are."""
    made = create_token(system_actor(workspace(slug), "tests"), "fast-path", scopes or ALL_SCOPES)
    made.token.last_used_at = made.token.created_at
    made.token.addresses = "127.0.0.1"
    made.token.save()
    return made.secret


@contextmanager
def app(*, fast_path: bool = True, most: int = 32) -> Iterator[App]:
    with App(fast_path=fast_path, most=most) as made:
        yield made
