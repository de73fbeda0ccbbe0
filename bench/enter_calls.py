"""Measures bytes and time of ``enter`` in a step: whole, compressed, only new messages."""

import random
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Final

import httpx

from bench.serving import Embedded
from bench.table import Row, medians

_LENGTHS: Final = (10, 2_000)
_ROUNDS: Final = 30
_NEW: Final = 2  # messages of a step
_WORDS: Final = 70  # of a message, about 450 bytes of English
_ENGLISH: Final = Path("docs/reference/semantics.md")
_PART: Final = 500


def rows() -> list[Row]:
    """Times ``enter`` over HTTP after a step of two messages; the whole answer is the anchor."""
    with tempfile.TemporaryDirectory() as folder, Embedded(Path(folder), {}) as server:
        headers = {"Authorization": f"Bearer {server.make_token('engine')}"}
        with httpx.Client(base_url=f"{server.url}/api/v1/", headers=headers) as api:
            return [row for length in _LENGTHS for row in _rows_of(api, length)]


def _rows_of(api: httpx.Client, length: int) -> Iterator[Row]:
    name = f"entered-{length}"
    known = _filled(api, name, length)
    path = f"conversations/{name}/nodes/ask/enter"
    ways = {
        "whole": partial(_enter, api, path, {}, "identity"),
        "whole, gzip": partial(_enter, api, path, {}, "gzip"),
        "only new": partial(_enter, api, path, {"known": known}, "gzip"),
    }
    sizes = {way: call() for way, call in ways.items()}
    calls: Mapping[str, Callable[[], object]] = ways
    times = {way: seconds * 1000 for way, seconds in medians(calls, _ROUNDS).items()}
    for way in ways:
        of_others = way != "whole"
        yield Row(
            f"enter at {length:,} messages, {way}: bytes",
            sizes[way],
            "B",
            anchor=sizes["whole"] if of_others else None,
        )
        yield Row(
            f"enter at {length:,} messages, {way}",
            times[way],
            "ms",
            anchor=times["whole"] if of_others else None,
        )


def _filled(api: httpx.Client, name: str, length: int) -> dict[str, int]:
    """Creates a conversation with so many messages; returns the view before the last two."""
    chance, words = random.Random(length), _ENGLISH.read_text().split()
    messages = [
        {"role": ("user", "assistant")[number % 2], "content": " ".join(said)}
        for number in range(length)
        if (said := chance.choices(words, k=_WORDS))
    ]
    api.post("conversations", json={"id": name}).raise_for_status()
    api.post(f"conversations/{name}/executions", json={}).raise_for_status()
    seen: dict[str, int] = {}
    parts = [messages[start : start + _PART] for start in range(0, length - _NEW, _PART)]
    parts[-1] = parts[-1][: (length - _NEW - 1) % _PART + 1]
    for part in (*parts, messages[-_NEW:]):
        seen = api.post(f"conversations/{name}/nodes/ask/enter", json={}).json()
        sent = api.post(f"conversations/{name}/messages", json={"messages": part})
        sent.raise_for_status()
    return {"revision": seen["revision"], "count": seen["count"]}


def _enter(api: httpx.Client, path: str, body: object, coding: str) -> int:
    """Makes one call; returns the bytes of its answer as transferred."""
    answer = api.post(path, json=body, headers={"Accept-Encoding": coding})
    answer.raise_for_status()
    return int(answer.headers["Content-Length"])
