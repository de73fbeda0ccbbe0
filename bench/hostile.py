"""Measures the most expensive requests: processor time and memory for each MB sent."""

import os
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import orjson

from bench.memory import forget_peaks, memory_of
from bench.serving import Embedded
from bench.table import Row
from tests.hostile_requests import CORPUS, JSON, Hostile

_TICKS: Final = os.sysconf("SC_CLK_TCK")
_MB: Final = 1e6
_MOST_SECONDS: Final = 1.0  # seconds of processor time for each MB of the request
_MOST_TIMES: Final = 10.0  # times the request's size, in memory
_PATIENCE: Final = 300
_CALLERS: Final = 4
_MEMORY_MAX: Final = 4 * 1024**3  # from deploy/systemd/ctxadmin.service


def crowd_rows() -> list[Row]:
    """Measures the peak of a process while callers send the largest bodies at once.

    A unit has two processes, and the memory of its MemoryMax.
    """
    with tempfile.TemporaryDirectory() as name, Embedded(Path(name), {}) as server:
        tokens = [server.make_token("engine") for _ in range(_CALLERS)]
        runs = [{"run_type": "llm", "inputs": {"messages": [{"role": "user", "content": "x"}]}}]
        body = orjson.dumps(runs * 850_000)  # 61 MB, refused after they are read
        forget_peaks([server.pid])
        with ThreadPoolExecutor(_CALLERS) as pool:
            answers = list(pool.map(lambda token: _import(server, token, body), tokens))
        peak = memory_of(server.pid, "VmHWM") / _MB
        if not {413} <= {*answers} <= {413, 429, 503}:
            raise RuntimeError(f"{answers} instead of 413")
        what = f"hostile: a process with {_CALLERS} imports of {len(body) / _MB:.0f} MB at once"
        return [Row(what, peak, "MB", _MEMORY_MAX / 2 / _MB, 1.0)]


def _import(server: Embedded, token: str, body: bytes) -> int:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": JSON}
    url = f"{server.url}/api/v1/conversations/import"
    try:
        with urlopen(Request(url, body, headers, method="POST"), timeout=_PATIENCE) as answer:
            return int(answer.status)
    except HTTPError as error:
        return error.code


def rows() -> list[Row]:
    """Returns rows of time and memory for each request; one under 1 MB counts as 1 MB."""
    with tempfile.TemporaryDirectory() as name, Embedded(Path(name), {}) as server:
        _send(server, Hostile("", "/conversations", lambda: b'{"id":"c"}', 201, None, ("engine",)))
        _send(
            server,
            Hostile("", "/conversations/c/executions", lambda: b"{}", 201, None, ("engine",)),
        )
        return [row for hostile in CORPUS for row in _weighed(server, hostile)]


def _weighed(server: Embedded, hostile: Hostile) -> Iterator[Row]:
    server.token(*hostile.scopes)
    size = max(len(hostile.make()) / _MB, 1.0)
    before, took = forget_peaks([server.pid])[server.pid], _seconds(server.pid)
    _send(server, hostile)
    took = _seconds(server.pid) - took
    peak = (memory_of(server.pid, "VmHWM") - before) / _MB
    yield Row(f"hostile: {hostile.name}, each MB", took / size, "s", goal=_MOST_SECONDS)
    yield Row(f"hostile: {hostile.name}, memory beside its size", peak, "MB", size, _MOST_TIMES)


def _send(server: Embedded, hostile: Hostile) -> None:
    headers = {
        "Authorization": f"Bearer {server.token(*hostile.scopes)}",
        "Content-Type": hostile.content_type or JSON,
    }
    url = f"{server.url}/api/v1{hostile.path}"
    request = Request(url, hostile.make(), headers, method=hostile.method)
    try:
        with urlopen(request, timeout=_PATIENCE) as answer:
            status = answer.status
    except HTTPError as error:
        status = error.code
    if status != hostile.status:
        raise RuntimeError(f"{hostile.name}: {status} instead of {hostile.status}")


def _seconds(pid: int) -> float:
    """Returns the processor time of a process so far."""
    text = Path(f"/proc/{pid}/stat").read_text()
    user, system = text.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / _TICKS
