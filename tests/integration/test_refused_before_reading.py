"""What costs is done for those only who may ask for it, and who asks after the health is heard."""

import asyncio
import threading
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator

from ctxadmin.http.endpoints.json_body import StrictJsonParser
from ctxadmin.http.requests.handler import ThreadedHandler
from tests.factories import Api
from tests.problems import assert_problem

PATIENCE = 30


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/workflows", "/workflows/import", "/conversations"])
def test_the_body_of_a_caller_without_the_right_is_not_read(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def parse(*given: object) -> object:
        raise AssertionError("the body was read")

    monkeypatch.setattr(StrictJsonParser, "parse", parse)
    assert_problem(Api(()).post(path, {"a": [1]}), 403, "forbidden")


def test_the_health_is_reported_while_all_threads_compute() -> None:
    handler = ThreadedHandler(1)
    free = threading.Event()
    busy = handler._pool.submit(free.wait, PATIENCE)

    async def ask() -> Any:
        asked: Any = ApplicationCommunicator(handler, _scope("/healthz"))  # type: ignore[no-untyped-call]
        await asked.send_input({"type": "http.request", "body": b""})
        answer = await asked.receive_output(timeout=PATIENCE)
        await asked.wait(timeout=PATIENCE)
        return answer

    try:
        assert asyncio.run(ask())["status"] == 200
        assert not busy.done()
    finally:
        free.set()


def _scope(path: str) -> dict[str, Any]:
    return {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(b"host", b"testserver")],
        "client": ("127.0.0.1", 1),
        "server": ("testserver", 80),
    }
