"""What nobody waits for any more is not begun, and what only reads ends; writes are finished."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from django.db import connections

from checkpoints.contexts import node_context
from conversations.models import Conversation
from ctxadmin.http.requests import disconnects
from ctxadmin.http.requests.fair_queue import LONG
from ctxadmin.http.requests.handler import ThreadedHandler
from ctxadmin.lib import caller_presence, work_budget
from ctxadmin.lib.caller_presence import CallerGone, Presence, current_presence
from ctxadmin.lib.json_bytes import dumps
from ctxadmin.telemetry.application import Observed
from tests.factories import Api
from workflows.previews import dry_run

pytestmark = pytest.mark.django_db(transaction=True)

PATIENCE = 30


@pytest.fixture(autouse=True)
def _watched_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disconnects, "WATCHED_AFTER", 0)


@pytest.fixture
def presences(monkeypatch: pytest.MonkeyPatch) -> list[Presence]:
    """Of all requests, in their order."""
    made: list[Presence] = []

    class Noted(Presence):
        def __init__(self) -> None:
            super().__init__()
            made.append(self)

    monkeypatch.setattr("ctxadmin.http.requests.handler.Presence", Noted)
    return made


@pytest.fixture
def secret() -> str:
    return Api().secret


@pytest.fixture(params=[False, True], ids=["threads", "queue"])
def handler(request: pytest.FixtureRequest) -> Iterator[ThreadedHandler]:
    """With one thread, as many run at once as can."""
    made = ThreadedHandler(1, turn_seconds=LONG if request.param else None)
    yield made
    made._pool.submit(connections.close_all).result()
    made._pool.shutdown()


async def begin(
    handler: ThreadedHandler | Observed, secret: str, path: str, body: bytes = b""
) -> Any:
    """A request that is sent whole."""
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "POST" if body else "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [
            (b"host", b"testserver"),
            (b"authorization", f"Bearer {secret}".encode()),
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
        ],
        "client": ("127.0.0.1", 1),
        "server": ("testserver", 80),
    }
    asked: Any = ApplicationCommunicator(handler, scope)  # type: ignore[no-untyped-call]
    await asked.send_input({"type": "http.request", "body": body})
    return asked


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0)


STEPS = dumps({"context": {}, "steps": [{"context_type": "llm_context"}]})


def test_abandoned_requests_that_wait_are_not_begun_and_others_are_answered(
    handler: ThreadedHandler,
    secret: str,
    presences: list[Presence],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: list[str] = []
    respond = handler.respond

    def noting(scope: Any, body: bytes) -> Any:
        begun.append(scope["path"])
        return respond(scope, body)

    monkeypatch.setattr(handler, "respond", noting)
    free = threading.Event()
    handler._pool.submit(free.wait, PATIENCE)

    async def act() -> list[int]:
        dear = [await begin(handler, secret, "/api/v1/filters/apply", STEPS) for _ in range(8)]
        await until(lambda: len(presences) == 8)
        for each in dear:
            await each.send_input({"type": "http.disconnect"})
        await until(lambda: all(each.is_gone for each in presences))
        plain = [await begin(handler, secret, path) for path in ("/healthz", "/api/v1/processors")]
        first = await plain[0].receive_output(timeout=PATIENCE)  # while the thread is busy
        free.set()
        second = await plain[1].receive_output(timeout=PATIENCE)
        for each in (*dear, *plain):
            await each.wait(timeout=PATIENCE)
        assert all(each.output_queue.empty() for each in dear)
        return [first["status"], second["status"]]

    try:
        assert asyncio.run(act()) == [200, 200]
    finally:
        free.set()
    assert begun == ["/healthz", "/api/v1/processors"]


def test_work_under_way_ends_when_its_caller_goes(
    handler: ThreadedHandler,
    secret: str,
    presences: list[Presence],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended: list[type[BaseException]] = []
    started = threading.Event()

    def without_end(*given: object, **more: object) -> object:
        started.set()
        try:
            while True:
                work_budget.spend(0, "this")
        except BaseException as error:
            ended.append(type(error))
            raise

    monkeypatch.setattr(dry_run, "run_steps", without_end)

    async def act() -> int:
        dear = await begin(handler, secret, "/api/v1/filters/apply", STEPS)
        assert await asyncio.to_thread(started.wait, PATIENCE)
        await dear.send_input({"type": "http.disconnect"})
        await dear.wait(timeout=PATIENCE)
        assert dear.output_queue.empty()
        plain = await begin(handler, secret, "/api/v1/processors")
        return int((await plain.receive_output(timeout=PATIENCE))["status"])

    assert asyncio.run(act()) == 200
    assert ended == [CallerGone]


def test_a_completion_that_has_begun_is_finished_with_what_the_next_node_sees(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    api = Api()
    assert api.post("/conversations", {"id": "one"}).status_code == 201
    assert api.post("/conversations/one/executions", {}).status_code == 201
    seen: list[Presence | None] = []

    def entered_next(*given: object) -> bytes:
        seen.append(current_presence())
        return b"null"

    monkeypatch.setattr(node_context, "enter_next", entered_next)
    token = caller_presence._current.set(Presence())
    try:
        body = {"checkpoint_id": "c", "result": {"response": "done"}, "enter_next": True}
        answer = api.post("/conversations/one/nodes/n/complete", body)
    finally:
        caller_presence._current.reset(token)
    assert answer.status_code == 201
    assert seen == [None]
    assert Conversation.objects.filter(public_id="one").exists()
