"""The threads of a server are shared by its callers: none is held up by what another sends."""

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connections

from ctxadmin.http.requests.handler import ThreadedHandler
from ctxadmin.telemetry.application import Observed
from tests.factories import Api
from tests.integration.test_abandoned_requests import PATIENCE, STEPS, begin, until
from workflows.previews import dry_run

pytestmark = pytest.mark.django_db(transaction=True)

LARGE = b'{"context":{},"messages":[' + b'{"role":"user","content":"x"},' * 3_000


@pytest.fixture(params=[None, 0.01], ids=["threads", "turns"])
def handler(request: pytest.FixtureRequest) -> Iterator[ThreadedHandler]:
    made = ThreadedHandler(4, turn_seconds=request.param)
    yield made
    for _ in range(4):
        made._pool.submit(connections.close_all)
    made._pool.shutdown()


@pytest.mark.parametrize("size", ["small", "large"])
def test_a_read_is_answered_beside_the_expensive_requests_of_another_token(
    handler: ThreadedHandler, monkeypatch: pytest.MonkeyPatch, size: str
) -> None:
    greedy, other = Api(()).secret, Api().secret
    rest = b'{"role":"user","content":"x"}],"steps":[]}'
    body = LARGE + rest if size == "large" else STEPS
    free, lock = threading.Event(), threading.Lock()
    begun: list[int] = []

    def waiting(*given: object, **more: object) -> object:
        with lock:
            begun.append(1)
        free.wait(PATIENCE)
        return run_steps(*given, **more)

    run_steps: Any = vars(dry_run)["run_steps"]
    monkeypatch.setattr(dry_run, "run_steps", waiting)

    application = Observed(handler)

    async def act() -> list[int]:
        for secret in (greedy, other):  # both are known
            asked = await begin(application, secret, "/api/v1/processors")
            await asked.receive_output(timeout=PATIENCE)
            await asked.wait(timeout=PATIENCE)
        dear = [await begin(application, greedy, "/api/v1/filters/apply", body) for _ in range(8)]
        await until(lambda: len(begun) == (1 if size == "large" else 2))
        await asyncio.sleep(0.05)  # in which more would have begun
        assert len(begun) == (1 if size == "large" else 2)
        read = await begin(application, other, "/api/v1/processors")
        statuses = [await _status(read)]
        assert len(begun) == (1 if size == "large" else 2)
        free.set()
        return statuses + [await _status(each) for each in dear]

    try:
        assert asyncio.run(act()) == [200] * 9
    finally:
        free.set()


async def _status(asked: Any) -> int:
    status = int((await asked.receive_output(timeout=PATIENCE))["status"])
    await asked.wait(timeout=PATIENCE)
    return status
