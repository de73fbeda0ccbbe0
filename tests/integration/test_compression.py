"""Answers over HTTP, compressed for callers who ask for it."""

import threading
from collections.abc import Iterable, Iterator

import httpx
import pytest

from ctxadmin.http.requests import compression
from ctxadmin.http.requests.fast_path import _gzipped
from tests.factories import conversation, engine, user
from tests.integration.fast_path import App

pytestmark = pytest.mark.django_db(transaction=True)

LONG = "/conversations/c/messages"


@pytest.fixture
def app() -> Iterator[App]:
    conversation(*[user("pear " * 40) for _ in range(20)], public_id="c", actor=engine())
    with App() as made:
        yield made


def get(app: App, path: str, accept: str, method: str = "GET") -> httpx.Response:
    return app.send(method, path, b"", Accept_Encoding=accept)


def test_a_large_answer_is_compressed_for_who_asks(app: App) -> None:
    plain, small = get(app, LONG, "identity"), get(app, LONG, "br, gzip")
    assert "content-encoding" not in plain.headers
    assert small.headers["content-encoding"] == "gzip"
    assert small.json() == plain.json()
    assert len(plain.content) == int(plain.headers["content-length"])
    assert int(small.headers["content-length"]) < len(plain.content) / 4
    assert "Accept-Encoding" in plain.headers["vary"]
    assert small.headers["vary"] == plain.headers["vary"]


def test_a_small_answer_is_left_as_it_is(app: App) -> None:
    found = get(app, "/conversations/c", "gzip")
    assert "content-encoding" not in found.headers
    assert "Accept-Encoding" not in found.headers.get("vary", "")


def test_a_refusal_is_compressed_like_any_answer(app: App) -> None:
    query = "&".join(f"x{number}=1" for number in range(20))
    found = get(app, f"{LONG}?{query}", "gzip")
    assert found.status_code == 422
    assert found.headers["content-encoding"] == "gzip"
    assert len(found.json()["errors"]) == 20


def test_a_snapshot_keeps_its_etag(app: App) -> None:
    app.send("POST", "/conversations/c/executions", {"state": {"k": "x" * 5000}})
    plain = get(app, "/conversations/c/snapshot", "identity")
    small = get(app, "/conversations/c/snapshot", "gzip")
    assert small.headers["content-encoding"] == "gzip"
    assert small.headers["etag"] == plain.headers["etag"]
    assert small.json() == plain.json()


def test_yaml_and_pages_are_not_compressed(app: App) -> None:
    app.send("POST", "/workflows", {"slug": "w", "start_with": "support"})
    found = get(app, "/workflows/w/yaml?version=draft", "gzip")
    assert found.status_code == 200
    assert len(found.content) > compression.LEAST_BYTES
    assert "content-encoding" not in found.headers

    async def page(http: httpx.AsyncClient) -> httpx.Response:
        return await http.get(
            "/sign-in/", headers={"Accept-Encoding": "gzip"}, follow_redirects=True
        )

    shown = app.run(page)
    assert "csrfmiddlewaretoken" in shown.text
    assert "content-encoding" not in shown.headers


def test_a_repeat_with_its_key_is_compressed_as_its_own_caller_asks(app: App) -> None:
    body = {"config": {"x": "y" * 3000}}
    sent = {"metadata": body, "id": "made"}
    key = {"Idempotency_Key": "k"}
    small = app.send("POST", "/conversations", sent, Accept_Encoding="gzip", **key)
    plain = app.send("POST", "/conversations", sent, Accept_Encoding="identity", **key)
    assert small.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert small.json() == plain.json()


@pytest.mark.parametrize("fast_path", [True, False])
def test_the_fast_path_compresses_what_its_endpoint_does(
    fast_path: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation(user("x"), public_id="c", actor=engine())
    monkeypatch.setattr(compression, "LEAST_BYTES", 20)
    monkeypatch.setattr("ctxadmin.http.requests.fast_path.LEAST_BYTES", 20)
    with App(fast_path=fast_path) as app:
        found = app.send("POST", LONG, {"messages": [user("y")]}, Accept_Encoding="gzip")
        plain = app.send("POST", LONG, {"messages": [user("y")]}, Accept_Encoding="identity")
        assert bool(app.writer.batches) == fast_path
    assert (found.status_code, plain.status_code) == (201, 201)
    assert found.headers["content-encoding"] == "gzip"
    assert found.json()["first_index"] == 1
    assert found.headers["vary"] == plain.headers["vary"]
    assert "content-encoding" not in plain.headers


def test_nothing_large_is_compressed_on_the_event_loop(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[str] = []

    def noting(parts: Iterable[bytes]) -> list[bytes]:
        threads.append(threading.current_thread().name)
        return gzipped(parts)

    gzipped = compression.gzipped
    monkeypatch.setattr(compression, "gzipped", noting)
    assert get(app, LONG, "gzip").headers["content-encoding"] == "gzip"
    assert len(threads) == 1
    assert threads[0].startswith("request")
    monkeypatch.setattr("ctxadmin.http.requests.fast_path.gzipped", noting)
    app.run(lambda http: _gzipped(b"x" * (compression.INLINE_BYTES + 1)))
    assert threads[1] != threading.main_thread().name
    app.run(lambda http: _gzipped(b"x" * compression.INLINE_BYTES))
    assert threads[2] == threading.main_thread().name
