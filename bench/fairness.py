"""Measures how long small calls wait while another caller sends expensive ones."""

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Final

import orjson

from bench.serving import Served, served
from bench.table import Row

_GREEDY: Final = 16  # concurrent requests
_PATIENCE: Final = 300  # seconds
_PAUSE: Final = 0.02  # between two reads
# 50,000 messages of one letter, 1.5 MB: about a second of processor time
_BODY: Final = orjson.dumps(
    {"context": {}, "messages": [{"role": "user", "content": "x"}] * 50_000, "steps": []}
)
# 7,500 of them, 225 KB: as much as is appended together with other calls.
_APPENDED: Final = orjson.dumps({"messages": [{"role": "user", "content": "x"}] * 7_500})
_FLOOD: Final = 24


def rows() -> list[Row]:
    """Returns the waits of small reads and appends, on SQLite and on two workers with MariaDB."""
    with tempfile.TemporaryDirectory() as name, served(Path(name)) as ways:
        return [row for way in ways for row in (*_of(way), *_appended(way))]


def _appended(way: Served) -> Iterator[Row]:
    """Times small appends during a flood of large ones."""
    port = way.server.port
    greedy, other = way.server.token("engine"), way.server.token("engine", "review")
    names = [f"greedy-{number}" for number in range(_FLOOD)]
    for conversation in (*names, "mine"):
        body = orjson.dumps({"id": conversation})
        assert _call(port, "POST", "/conversations", greedy, body) == 201
    small = orjson.dumps({"messages": [{"role": "user", "content": "x"}]})

    def append() -> float:
        began = time.perf_counter()
        assert _call(port, "POST", "/conversations/mine/messages", other, small) == 201
        return time.perf_counter() - began

    append()
    alone = statistics.median(append() for _ in range(20))
    with ThreadPoolExecutor(_FLOOD) as pool:
        paths = [f"/conversations/{each}/messages" for each in names]
        began = time.perf_counter()
        flood = [pool.submit(_call, port, "POST", path, greedy, _APPENDED) for path in paths]
        time.sleep(0.2)
        waits: list[float] = []
        while not all(each.done() for each in flood):
            waits.append(append())
            time.sleep(_PAUSE)
        took = time.perf_counter() - began
        assert {each.result() for each in flood} == {201}
    what = f"small append beside {_FLOOD} large ones of another token, {way.name}"
    yield Row(f"a small append alone, {way.name}", alone, "s")
    yield Row(f"{what}, median", statistics.median(waits), "s")
    yield Row(f"{what}, longest", max(waits), "s", took, 0.2)


def _of(way: Served) -> Iterator[Row]:
    port = way.server.port
    greedy, other = way.server.token(), way.server.token("engine")
    assert _call(port, "POST", "/conversations", other, b'{"id":"c"}') == 201
    alone = _seconds(lambda: _call(port, "POST", "/filters/apply", greedy, _BODY))
    quiet = [_read(port, other) for _ in range(20)]
    with _under_way(port, greedy) as requests:
        time.sleep(0.5)  # until the first ones are running
        waits: list[float] = []
        while not all(each.done() for each in requests):
            waits.append(_read(port, other))
            time.sleep(_PAUSE)
        assert {each.result() for each in requests} == {200}
    what = f"small read beside {_GREEDY} expensive requests of another token, {way.name}"
    yield Row("one of the expensive requests alone", alone, "s")
    yield Row("a small read alone", statistics.median(quiet), "s")
    yield Row(f"{what}, median", statistics.median(waits), "s")
    # The longest wait, compared with the time of one expensive request.
    yield Row(f"{what}, longest", max(waits), "s", alone, 1.0)


@contextmanager
def _under_way(port: int, token: str) -> Iterator[list[Future[int]]]:
    with ThreadPoolExecutor(_GREEDY) as pool:
        arguments = (port, "POST", "/filters/apply", token, _BODY)
        yield [pool.submit(_call, *arguments) for _ in range(_GREEDY)]


def _read(port: int, token: str) -> float:
    began = time.perf_counter()
    assert _call(port, "GET", "/conversations/c", token) == 200
    return time.perf_counter() - began


def _seconds(call: Callable[[], int]) -> float:
    began = time.perf_counter()
    assert call() == 200
    return time.perf_counter() - began


def _call(port: int, method: str, path: str, token: str, body: bytes = b"") -> int:
    """Makes a call on a new connection and returns its status."""
    connection = HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    connection.request(method, f"/api/v1{path}", body or None, headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status
