"""Measures the real server over HTTP: the calls of an engine, large states, memory under load."""

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

import orjson

from bench.bare_stores import rows_of, value_of
from bench.calls import MANY, MOST, SIZES, Calls
from bench.documents import state_of
from bench.load import Caller, Load, load
from bench.memory import memory_rows
from bench.serving import Bare, Served, served
from bench.table import Row, medians
from tests.live_server import Production

SECONDS: Final = 1.5
LARGE_TIMES: Final = 8
CROWDED: Final = ("append", "read of a conversation")
EVEN_ENOUGH: Final = 1.1
# 4,000 a second of what is durable, 400 of any other call; as microseconds, where less is better.
EACH_US: Final = {"append": 250.0, "complete": 250.0, "save of a checkpoint": 250.0}
EACH_OTHER_US: Final = 2_500.0


def rows(minutes: float) -> list[Row]:
    """Returns all rows; memory under load is measured for so many minutes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = _bare_server(folder / "bare")
        with served(folder) as ways:
            for way in ways:
                found += _of(way, folder, minutes)
    return found


def _bare_server(folder: Path) -> list[Row]:
    """Measures client and uvicorn alone: the least that is possible on this machine."""
    with Bare(folder) as bare:
        request = Caller(bare.port).request("POST", "/", b"x" * 900)
        one, many = _one_and_many(bare.port, lambda: _endless(request))
    return [
        Row("bare uvicorn, 1 client", one.p50, "ms"),
        Row(f"bare uvicorn, each of {MANY} clients' calls", 1e6 / many.rate, "us"),
    ]


def _of(way: Served, folder: Path, minutes: float) -> Iterator[Row]:
    """Returns the rows of one way of running ctxadmin."""
    caller = Caller(way.server.port, way.server.make_token("engine", "admin"))
    calls = Calls(caller)
    for row in (
        *_small(caller, calls),
        *_crowded(way, caller, calls),
        *_large(way, folder, caller, calls),
        *memory_rows(way.server.pids(), caller, calls, minutes),
    ):
        yield Row(f"{way.name} {row.name}", row.value, row.unit, row.anchor, row.goal)


def _small(caller: Caller, calls: Calls) -> Iterator[Row]:
    """Times each call with one client, and with many at once."""
    for name, requests in calls.each.items():
        one, many = _one_and_many(caller.port, requests)
        yield Row(f"{name}, 1 client", one.p50, "ms", goal=1)
        yield Row(f"{name}, 1 client, p99", one.p99, "ms")
        each = f"{name}, each of {MANY} clients' calls"
        yield Row(each, 1e6 / many.rate, "us", goal=EACH_US.get(name, EACH_OTHER_US))
        yield Row(f"{name}, {MANY} clients, calls refused", many.refused, "", goal=0)
        yield Row(f"{name}, {MANY} clients, p50", many.p50, "ms")
        yield Row(f"{name}, {MANY} clients, p99", many.p99, "ms")


def _crowded(way: Served, caller: Caller, calls: Calls) -> Iterator[Row]:
    """Measures appends and reads of 128 clients, and how connections spread over workers."""
    for name in CROWDED:
        clients = [calls.each[name]() for _ in range(MOST)]
        load(caller.port, clients, SECONDS / 5)
        taken: list[int] = []
        many = load(caller.port, clients, SECONDS, meanwhile=partial(_count, way, taken))
        yield Row(f"{name}, each of {MOST} clients' calls", 1e6 / many.rate, "us")
        yield Row(f"{name}, {MOST} clients, calls refused", many.refused, "", goal=0)
        yield Row(f"{name}, {MOST} clients, p50", many.p50, "ms")
        yield Row(f"{name}, {MOST} clients, p99", many.p99, "ms")
        if taken:
            even = sum(taken) / len(taken)
            what = f"{name}, {MOST} clients, connections of the busiest worker beside an even share"
            yield Row(what, max(taken), "", even, EVEN_ENOUGH)


def _count(way: Served, taken: list[int]) -> None:
    """Adds the number of connections of each worker; an embedded server has no workers."""
    if isinstance(way.server, Production):
        taken += way.server.connections().values()


def _one_and_many(port: int, requests: Callable[[], Iterator[bytes]]) -> tuple[Load, Load]:
    clients = [requests() for _ in range(MANY)]
    load(port, clients, SECONDS / 5)  # warm-up
    return load(port, clients[:1], SECONDS), load(port, clients, SECONDS)


def _endless(request: bytes) -> Iterator[bytes]:
    while True:
        yield request


def _large(way: Served, folder: Path, caller: Caller, calls: Calls) -> Iterator[Row]:
    """Compares snapshots with a bare GET, and saves on a large state with a bare INSERT."""
    for size, count in SIZES.items():
        snapshots = load(caller.port, [islice(calls.snapshots(size), LARGE_TIMES * 4)], 10)
        bare = medians({"get": value_of(way.redis, count)}, 25)["get"] * 1e3 if way.redis else None
        goal = {"10 KB": None, "1 MB": None, "10 MB": 1.5}[size] if way.redis else None
        beside = ", beside a bare Redis GET" if way.redis else ""
        yield Row(f"snapshot of {size}{beside}", snapshots.p50, "ms", bare, goal)
        if size == "10 MB":
            yield Row("snapshot of 10 MB, p99", snapshots.p99, "ms", goal=25)
    yield from _saves(caller, calls)
    yield from _whole_states(way, folder, caller, calls)


def _saves(caller: Caller, calls: Calls) -> Iterator[Row]:
    """Times a save that changes 1 KB, on a large and a small state in turn."""

    def small_change(number: int) -> bytes:
        return orjson.dumps({"note": f"{number:<1000}"})

    names = {size: calls.with_state(size) for size in ("10 KB", "10 MB")}
    clients = {size: calls.saves_of(name, small_change) for size, name in names.items()}
    took: dict[str, list[float]] = {size: [] for size in names}
    for _ in range(LARGE_TIMES):
        for size, requests in clients.items():
            took[size].append(load(caller.port, [islice(requests, 5)], 10).p50)
    small, large = (sorted(took[size])[LARGE_TIMES // 2] for size in names)
    yield Row("save of 1 KB on a state of 10 MB, beside one on 10 KB", large, "ms", small, 1.1)


def _whole_states(way: Served, folder: Path, caller: Caller, calls: Calls) -> Iterator[Row]:
    """Times saves of a whole state of 10 MB, with 1 % of it changed and all of it."""
    groups = {name: orjson.dumps(value) for name, value in state_of(SIZES["10 MB"]).items()}
    one = next(name for name in groups if name != "step")

    def with_changes(number: int, *, all_of_them: bool) -> bytes:
        marked = b'[{"n":%d},' % number
        parts = (
            b'"%b":%b' % (name.encode(), marked + value[1:])
            if name != "step" and (all_of_them or name == one)
            else b'"%b":%b' % (name.encode(), value)
            for name, value in groups.items()
        )
        return b"{" + b",".join(parts) + b"}"

    name = calls.with_state("10 MB")
    partly = calls.saves_of(name, lambda number: with_changes(number, all_of_them=False))
    wholly = calls.saves_of(name, lambda number: with_changes(number, all_of_them=True))
    changed = load(caller.port, [islice(partly, LARGE_TIMES)], 20)
    yield Row("whole state of 10 MB sent again, one key of ten changed", changed.p50, "ms", goal=40)
    with rows_of(way.database, folder) as insert:
        text = with_changes(0, all_of_them=True).decode()
        bare = medians({"insert": lambda: insert(text)}, LARGE_TIMES)["insert"] * 1e3
        small = medians({"insert": insert}, 200)["insert"] * 1e3
    changed = load(caller.port, [islice(wholly, LARGE_TIMES)], 20)
    beside = "whole state of 10 MB, all of it changed, beside a bare INSERT"
    yield Row(beside, changed.p50, "ms", bare, 1.3)
    yield Row("two rows and a COMMIT by the bare driver", small, "ms")
