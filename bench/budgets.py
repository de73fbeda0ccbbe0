"""Measures ``enter`` of a node that keeps a budget, in short and in long conversations."""

import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from typing import Final

import httpx
from pydantic import JsonValue

from bench.serving import Embedded
from bench.table import Row

# A message has 100 tokens. Over 1,500 the node keeps 8 messages, so that at both lengths 10 are
# seen in the beginning, and equally many after each step: from 10 to 15, then 8 again.
_SHORT, _LONG = 10, 50_002
_TOKENS: Final = 100
_BUDGET: Final[JsonValue] = {"max_tokens": 1_500, "target_tokens": 800}
# Half of the single calls are within 30 percent; the median of 400 is within 2 or 3.
_ROUNDS: Final = 400
_STEPS: Final = 150
_IDLE_TRIES: Final = 60
_IDLE_SECONDS: Final = 0.02  # of processor time in a second
_PART: Final = 1_000
_TEXT: Final = "Some words of a message that is neither short nor long. " * 8


def rows() -> list[Row]:
    """Times ``enter`` after a step of two messages and without one; the anchor is the short log."""
    with tempfile.TemporaryDirectory() as folder, Embedded(Path(folder), {}) as server:
        token = server.make_token("engine", "design")
        headers = {"Authorization": f"Bearer {token}"}
        url = f"{server.url}/api/v1/"
        with httpx.Client(base_url=url, headers=headers, timeout=60) as api:
            _publish(api)
            for length in (_SHORT, _LONG):
                _fill(api, length)
            return _rows(api, server.pid)


def _rows(api: httpx.Client, server: int) -> list[Row]:
    start = time.perf_counter()
    seen = _enter(api, _LONG)
    first = time.perf_counter() - start
    if seen != _enter(api, _SHORT):
        raise AssertionError("both are to see as many messages")
    steps: Counter[int] = Counter()

    def step(length: int) -> None:
        steps[length] += 1
        _append(api, length, steps[length], 2)

    def line(length: int) -> int:
        return _enter(api, length, "line")

    name = "enter with a budget at 50,000 messages"
    enter = partial(_enter, api)
    _wait_until_idle(server)  # waits until the search index is up to date
    return [
        Row(f"{name}, first of a process", first * 1e3, "ms"),
        *_compared(name, enter, server, _ROUNDS),
        *_compared("the same behind 2 new messages", enter, server, _STEPS, before=step),
        *_compared("with a line that names the hidden", line, server, _ROUNDS),
    ]


def _compared(
    name: str,
    call: Callable[[int], int],
    server: int,
    rounds: int,
    before: Callable[[int], None] | None = None,
) -> Iterator[Row]:
    """Returns the medians of both lengths, in wall time and processor time of the server.

    Wall time includes other work of the machine, processor time hardly. ``before`` runs before each
    call and is not measured.
    """
    lengths = (_SHORT, _LONG)
    if len({call(length) for length in lengths}) > 1:  # and folds what no call has folded so far
        raise AssertionError("both are to see as many messages")
    times: dict[int, list[tuple[float, float]]] = {length: [] for length in lengths}
    for number in range(rounds):
        for length in lengths[:: -1 if number % 2 else 1]:
            if before is not None:
                before(length)
            used, start = _processor_seconds(server), time.perf_counter()
            call(length)
            seconds = time.perf_counter() - start
            times[length].append((seconds, _processor_seconds(server) - used))
    for place, what in enumerate((name, f"{name}, processor time")):
        short, long = (median(each[place] for each in times[length]) for length in lengths)
        yield Row(what, long * 1e3, "ms", anchor=short * 1e3, goal=1.1)


def _processor_seconds(process: int) -> float:
    """Returns the processor time of all threads of a process, from Linux, in nanoseconds."""
    used = 0
    for task in Path(f"/proc/{process}/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread that has ended
            used += int((task / "schedstat").read_text().split()[0])
    return used / 1e9


def _wait_until_idle(server: int) -> None:
    for _ in range(_IDLE_TRIES):
        used = _processor_seconds(server)
        time.sleep(1)
        if _processor_seconds(server) - used < _IDLE_SECONDS:
            return
    raise AssertionError("the server is to be idle")


def _publish(api: httpx.Client) -> None:
    budget: dict[str, JsonValue] = {"operation": "budget", "budget": _BUDGET, "pairing": "keep"}
    lined: dict[str, JsonValue] = {**budget, "leave_pointer": True}
    nodes: JsonValue = [
        {"id": "ask", "type": "llm", "context_filter": {"messages": [budget]}},
        {"id": "line", "type": "llm", "context_filter": {"messages": [lined]}},
    ]
    document: JsonValue = {"name": "budget", "nodes": nodes, "edges": []}
    api.post("workflows", json={"slug": "budget", "name": "budget"}).raise_for_status()
    draft = api.put("workflows/budget/draft", json={"document": document, "expected_version": 0})
    draft.raise_for_status()
    api.post("workflows/budget/publish", json={"expected_version": 1}).raise_for_status()


def _fill(api: httpx.Client, length: int) -> None:
    api.post("conversations", json={"id": f"budget-{length}"}).raise_for_status()
    for part in count():
        left = length - part * _PART
        if left <= 0:
            break
        _append(api, length, part, min(left, _PART))
    body = {"workflow": "budget", "state": {"prompt": "x"}}
    api.post(f"conversations/budget-{length}/executions", json=body).raise_for_status()


def _append(api: httpx.Client, length: int, number: int, messages: int) -> None:
    listed = [
        {
            "role": ("user", "assistant")[place % 2],
            "content": f"{number} {_TEXT}",
            "tokens": _TOKENS,
        }
        for place in range(messages)
    ]
    api.post(
        f"conversations/budget-{length}/messages", json={"messages": listed}
    ).raise_for_status()


def _enter(api: httpx.Client, length: int, node: str = "ask") -> int:
    answer = api.post(f"conversations/budget-{length}/nodes/{node}/enter", json={})
    answer.raise_for_status()
    return len(answer.json()["messages"])
