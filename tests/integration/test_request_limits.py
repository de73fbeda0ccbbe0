"""A caller with too many concurrent requests has to wait, in the whole application."""

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from ctxadmin.identity.roles import Role
from ctxadmin.telemetry.metrics import REGISTRY
from tests.factories import conversation, signed_in, user
from tests.integration.fast_path import App

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def app(settings: Any) -> Iterator[App]:
    """A token may have one request under way, whose write is held; so may a person."""
    settings.MAX_TOKEN_REQUESTS = settings.MAX_PERSON_REQUESTS = 1
    with App() as made:
        yield made


def beside_a_held_append(app: App, path: str, **headers: str) -> httpx.Response:
    """The answer to a GET while an append of the same token waits to be written."""
    conversation(user("hello"), public_id="one")
    app.send(*append("one", "first"))  # so that the token is known
    app.writer.hold()

    async def act(http: httpx.AsyncClient) -> httpx.Response:
        held = asyncio.create_task(app.request(http, *append("one")))
        await asyncio.to_thread(app.writer.begun.wait, 60)
        answer = await http.get(path, headers=app.headers(**headers))
        app.writer.go_on()
        assert (await held).status_code == 201
        return answer

    return app.run(act)


def append(name: str, text: str = "more") -> tuple[str, str, object]:
    return "POST", f"/conversations/{name}/messages", {"messages": [user(text)]}


def refusals() -> float:
    return REGISTRY.get_sample_value("ctxadmin_refusals_total", {"code": "rate_limited"}) or 0.0


def test_one_request_over_the_limit_of_a_token_has_to_wait(app: App) -> None:
    before = refusals()
    answer = beside_a_held_append(app, "/api/v1/conversations")
    assert (answer.status_code, answer.json()["code"]) == (429, "rate_limited")
    assert answer.headers["Retry-After"] == "1"
    assert answer.headers["X-Request-ID"]
    assert "Connection" not in answer.headers
    assert refusals() == before + 1
    assert app.send("GET", "/conversations", b"").status_code == 200  # the other one is answered


def test_a_caller_with_too_many_requests_still_gets_the_health(app: App) -> None:
    assert beside_a_held_append(app, "/healthz").status_code == 200


def test_another_caller_is_answered(app: App) -> None:
    answer = beside_a_held_append(app, "/api/v1/conversations", Authorization="Bearer unknown")
    assert answer.status_code == 401


def test_a_person_reads_it_on_a_page(app: App, settings: Any) -> None:
    cookie = signed_in(Role.VIEWER).cookies[settings.SESSION_COOKIE_NAME]
    named = {"Cookie": f"{cookie.key}={cookie.value}", "Accept": "text/html"}

    async def act(http: httpx.AsyncClient) -> httpx.Response:
        assert (await http.get("/", headers=named)).status_code == 200
        both = await asyncio.gather(*[http.get("/", headers=named) for _ in "12"])
        return max(both, key=lambda answer: answer.status_code)

    answer = app.run(act)
    assert answer.status_code == 429
    assert answer.headers["Content-Type"].startswith("text/html")
    assert "try again in 1 s" in answer.text
