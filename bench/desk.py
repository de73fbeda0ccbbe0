"""Measures the reviewer's desk in Chromium: how evenly messages scroll, how soon a state opens."""

import statistics
from typing import Final

import httpx
from playwright.sync_api import Page
from pydantic import JsonValue

from bench.browser import browsing, frames_of
from bench.table import Row
from tests.live_server import LiveServer

MESSAGES: Final = 50_000
STATE_MB: Final = 10
_ROUNDS: Final = 3
_CHUNK: Final = 1_000
# Like a hand turning a wheel: three seconds at sixty events a second.
_TURNS: Final = 180
_READING: Final = 120  # pixels for each event: a section of 50 messages passes in a second
_FLYING: Final = 400
_WORDS: Final = "the parcel of the customer waits in Ghent and nobody asked for it since Monday "

# Resolves when the text or the tree of the whole state is painted; milliseconds since the start.
_OPENED: Final = """() => new Promise((resolve) => {
  const look = () => document.querySelector("textarea[data-json-editor]")?.hidden
    ? requestAnimationFrame(() => setTimeout(() => resolve(performance.now()), 0))
    : requestAnimationFrame(look);
  look();
})"""
_PLAIN: Final = f"<title>plain</title><div style='height:{_TURNS * _FLYING * 2}px'>nothing</div>"


def rows() -> list[Row]:
    """Times frames while scrolling, those of an empty page, and the time to a state's text."""
    with browsing("reviewer") as (server, page):
        fill(server)
        anchor = statistics.fmean(_scrolled(page, None))
        found: list[Row] = []
        middle = f"/conversations/long/?at={MESSAGES // 2}"
        for name, path, step in (
            ("scrolling 200 messages", "/conversations/short/", _READING),
            (f"scrolling {MESSAGES:,} messages", "/conversations/long/", _READING),
            ("the same from the middle", middle, _READING),
            (f"flying over {MESSAGES:,} messages", "/conversations/long/", _FLYING),
        ):
            frames = _scrolled(page, path, step)
            found += [
                Row(f"{name}: a frame, mean", statistics.fmean(frames), "ms", anchor, goal=1.1),
                Row(f"{name}: a frame, 99th percentile", _late(frames), "ms"),
            ]
        opened = [_opened(page) for _round in range(_ROUNDS)]
        small = [_opened(page, "small") for _round in range(_ROUNDS)]
        name = f"a state of {STATE_MB} MB as JSON"
        return [
            *found,
            Row("a small state as JSON: opened", statistics.median(small), "s"),
            Row(f"{name}: opened", statistics.median(opened), "s", goal=2.0),
        ]


def fill(server: LiveServer) -> None:
    """Creates two conversations like those of agents, and two paused executions."""
    headers = {"Authorization": f"Bearer {server.make_token('engine', 'review')}"}
    with httpx.Client(base_url=f"{server.url}/api/v1/", headers=headers, timeout=120) as api:
        for name, count in (("short", 200), ("long", MESSAGES)):
            api.post("conversations", json={"id": name, "title": name}).raise_for_status()
            for start in range(0, count, _CHUNK):
                several = [message(at) for at in range(start, min(start + _CHUNK, count))]
                body = {"messages": several}
                api.post(f"conversations/{name}/messages", json=body).raise_for_status()
        for name, items in (("small", 10), ("large", STATE_MB * 100)):
            api.post("conversations", json={"id": name, "title": name}).raise_for_status()
            save = {"node_id": "a", "status": "PAUSED", "state_data": _state(items)}
            path = f"conversations/{name}/checkpoints/{name}"
            api.put(path, json=save).raise_for_status()


def message(at: int) -> dict[str, JsonValue]:
    """Returns in turn a question, a call, its result as JSON, and an answer of varying length."""
    call = f"call-{at // 4}"
    if at % 4 == 0:
        return {"role": "user", "content": f"Question {at}: {_WORDS * (1 + at % 5)}"}
    if at % 4 == 1:
        function: JsonValue = {"name": "look_up", "arguments": f'{{"parcel": {at}}}'}
        calls: JsonValue = [{"id": call, "type": "function", "function": function}]
        return {"role": "assistant", "content": None, "tool_calls": calls}
    if at % 4 == 2:
        found = f'{{"parcel": {at}, "place": "Ghent", "days": [1, 2, 3]}}'
        return {"role": "tool", "tool_call_id": f"call-{at // 4}", "content": found}
    code = "```python\nprint('found')\n```\n" if at % 3 == 0 else ""
    return {"role": "assistant", "content": f"Answer {at}: {code}{_WORDS * (1 + at % 9)}"}


def _state(items: int) -> dict[str, JsonValue]:
    """Returns keys of about 100 kB, each a list of objects."""
    return {
        f"documents_{key}": [
            {"id": f"{key}-{n}", "title": f"Letter {n}", "tags": ["a", "b"], "body": _WORDS * 11}
            for n in range(100)
        ]
        for key in range(max(items // 10, 1))
    }


def _scrolled(page: Page, path: str | None, step: int = _READING) -> list[float]:
    """Returns the milliseconds of each frame while scrolling; of an empty page without a path."""
    if path is None:
        page.set_content(_PLAIN)
    else:
        page.goto(path)
        page.wait_for_selector(".message")
    page.wait_for_timeout(1_000)
    page.mouse.move(700, 500)

    def turn() -> None:
        for _turn in range(_TURNS):
            page.mouse.wheel(0, step)

    return frames_of(page, turn)


def _opened(page: Page, name: str = "large") -> float:
    """Returns the seconds from the request to the painted editor."""
    page.goto(f"/executions/{name}/state/?raw=1", wait_until="commit")
    milliseconds: float = page.evaluate(_OPENED)
    return milliseconds / 1e3


def _late(frames: list[float]) -> float:
    return statistics.quantiles(frames, n=100)[-1]
