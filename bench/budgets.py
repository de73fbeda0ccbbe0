"""Measures ``enter`` of a node that keeps a budget, in short and in long conversations."""

import tempfile
import time
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from typing import Final

import httpx
from pydantic import JsonValue

from bench.serving import Embedded
from bench.table import Row, times_of

# A message has 100 tokens. Over 1,500 the node keeps 8 messages, so that 10 are seen at both
# lengths in the beginning, and as many at both after each step: from 10 to 15, then 8 again.
_SHORT, _LONG = 10, 50_002
_TOKENS: Final = 100
_BUDGET: Final[JsonValue] = {"max_tokens": 1_500, "target_tokens": 800}
# Of one call, half of all rounds are within 30 percent; the median of 400 is good to 2 or 3.
_ROUNDS: Final = 400
_STEPS: Final = 150
_PART: Final = 1_000
_TEXT: Final = "Some words of a message that is neither short nor long. " * 8


def rows() -> list[Row]:
    """The answer behind a step of two messages and without one; the anchor is the short one."""
    with tempfile.TemporaryDirectory() as folder, Embedded(Path(folder), {}) as server:
        token = server.make_token("engine", "design")
        headers = {"Authorization": f"Bearer {token}"}
        url = f"{server.url}/api/v1/"
        with httpx.Client(base_url=url, headers=headers, timeout=60) as api:
            _publish(api)
            for length in (_SHORT, _LONG):
                _fill(api, length)
            return _rows(api)


def _rows(api: httpx.Client) -> list[Row]:
    start = time.perf_counter()
    seen = _enter(api, _LONG)
    first = time.perf_counter() - start
    if seen != _enter(api, _SHORT):
        raise AssertionError("both are to see as many messages")
    again: dict[str, Callable[[], object]] = {
        str(length): partial(_enter, api, length) for length in (_SHORT, _LONG)
    }
    unchanged = times_of(again, _ROUNDS)
    lined: dict[str, Callable[[], object]] = {
        str(length): partial(_enter, api, length, "line") for length in (_SHORT, _LONG)
    }
    with_line = times_of(lined, _ROUNDS)
    stepped: dict[int, list[float]] = {_SHORT: [], _LONG: []}
    for number in range(_STEPS):
        for length in sorted(stepped, reverse=bool(number % 2)):
            _append(api, length, number, 2)
            start = time.perf_counter()
            _enter(api, length)
            stepped[length].append(time.perf_counter() - start)
    return [
        Row("enter with a budget at 50,000 messages, first of a process", first * 1e3, "ms"),
        _row(
            "enter with a budget at 50,000 messages", unchanged[str(_LONG)], unchanged[str(_SHORT)]
        ),
        _row("the same behind 2 new messages", stepped[_LONG], stepped[_SHORT]),
        _row("with a line that names the hidden", with_line[str(_LONG)], with_line[str(_SHORT)]),
    ]


def _row(name: str, long: list[float], short: list[float]) -> Row:
    return Row(name, median(long) * 1e3, "ms", anchor=median(short) * 1e3, goal=1.1)


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
