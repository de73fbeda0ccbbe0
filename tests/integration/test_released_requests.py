"""An answered request leaves nothing behind that only the garbage collector would free."""

import gc
from collections.abc import Iterator
from io import BytesIO
from time import monotonic, sleep

import pytest
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tests.integration.fast_path import App

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.only("sqlite")]

PATIENCE = 20.0  # seconds
HELD = (APIView, Request, Response, BytesIO)  # what leads to a body, an answer or its data
MESSAGE = {"messages": [{"role": "user", "content": "hello"}]}


@pytest.fixture
def uncollected() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def alive() -> set[int]:
    # By their own types: others say that they are something else, and do something to say it.
    return {id(each) for each in gc.get_objects() if issubclass(type(each), HELD)}


@pytest.mark.parametrize(
    ("method", "path", "body", "headers"),
    [
        ("POST", "/conversations/talk/messages", MESSAGE, {}),
        ("POST", "/conversations", {"title": "kept"}, {"Idempotency_Key": "once"}),
        ("POST", "/conversations/talk/messages", b"{", {}),
        ("GET", "/conversations/talk/messages", b"", {}),
        ("GET", "/conversations/talk/snapshot", b"", {}),
        ("GET", "/conversations/none", b"", {}),
    ],
    ids=["append", "kept answer", "refused", "list", "snapshot", "not found"],
)
@pytest.mark.usefixtures("uncollected")
def test_the_body_and_the_answer_are_freed_at_once(
    method: str, path: str, body: object, headers: dict[str, str]
) -> None:
    with App(fast_path=False) as app:
        app.send("POST", "/conversations", {"id": "talk"})
        app.send(method, path, body, **headers)  # the first of a kind makes what stays
        gc.collect()
        before = alive()
        for _ in range(3):
            app.send(method, path, body, **headers)
        deadline = monotonic() + PATIENCE  # a thread may hold the last one a moment longer
        while not alive() <= before and monotonic() < deadline:
            sleep(0.05)
        assert alive() <= before
