"""Measures the visual editor in headless Chromium: how soon it opens, how evenly a card moves."""

import statistics
from typing import Final

import httpx
from playwright.sync_api import Page
from pydantic import JsonValue

from bench.browser import browsing, frames_of
from bench.table import Row
from tests.live_server import LiveServer

_ROUNDS: Final = 3
_ACROSS: Final = 25
# Like a dragging hand: one and a half seconds at sixty events a second.
_MOVES: Final = 90

# Resolves when the first cards have been painted; milliseconds since the navigation began.
_PAINTED: Final = """() => new Promise((resolve) => {
  const look = () => document.querySelector(".flow-card")
    ? requestAnimationFrame(() => setTimeout(() => resolve(performance.now()), 0))
    : requestAnimationFrame(look);
  look();
})"""
# A point on the card nearest to the middle of the canvas.
_MIDDLE: Final = """() => {
  const frame = document.querySelector(".flow").getBoundingClientRect();
  const [x, y] = [frame.x + frame.width / 2, frame.y + frame.height / 2];
  const points = [...document.querySelectorAll(".flow-card")].map((card) => {
    const box = card.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 3];
  });
  const far = ([a, b]) => Math.hypot(a - x, b - y);
  return points.reduce((best, point) => (far(point) < far(best) ? point : best));
}"""


def rows() -> list[Row]:
    """Times opening and dragging 500 and 2,000 nodes; a frame of 20 ms is 50 frames a second."""
    with browsing("designer") as (server, page):
        make_workflow(server, 500)
        make_workflow(server, 2_000)
        return [
            *_figures(page, 500, opened=2.0, frame=20.0),
            *_figures(page, 2_000, opened=None, frame=None),
        ]


def make_workflow(server: LiveServer, count: int) -> None:
    """Creates a workflow of cards with filters and about two edges to each card."""
    nodes: list[JsonValue] = [
        {
            "id": f"n{n}",
            "type": ("llm", "tool", "decision", "human_relay")[n % 4],
            "name": f"Step number {n}",
            "position": {"x": n % _ACROSS * 310, "y": n // _ACROSS * 170},
            "context_filter": {"rules": [{"type": "include", "pattern": f"fact.{n}.*"}]},
        }
        for n in range(count)
    ]
    ways = [(n, n + 1) for n in range(count - 1)]
    ways += [(n, n + _ACROSS) for n in range(0, count - _ACROSS, 4)]
    edges: list[JsonValue] = [
        {
            "id": f"e{a}-{b}",
            "type": "sequence",
            "from": f"n{a}",
            "to": f"n{b}",
            "condition": f"context.round > {a}" if a % 3 == 0 else None,
        }
        for a, b in ways
    ]
    headers = {"Authorization": f"Bearer {server.make_token('design')}"}
    with httpx.Client(base_url=f"{server.url}/api/v1/", headers=headers, timeout=60) as api:
        slug = f"canvas-{count}"
        api.post("workflows", json={"slug": slug, "name": slug}).raise_for_status()
        document = {"name": slug, "nodes": nodes, "edges": edges}
        put = {"document": document, "expected_version": 0}
        api.put(f"workflows/{slug}/draft", json=put).raise_for_status()


def _figures(page: Page, count: int, *, opened: float | None, frame: float | None) -> list[Row]:
    times = []
    for _ in range(_ROUNDS):
        page.goto(f"/workflows/canvas-{count}/editor/", wait_until="commit")
        times.append(page.evaluate(_PAINTED) / 1000)
    for _ in range(4):  # a large graph opens with names alone
        page.get_by_role("button", name="Zoom in").click()
    page.wait_for_selector(".flow-card-filter, .flow-card-sees")  # cards with their second line
    near = _dragged(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Show all").click()
    page.wait_for_timeout(1_500)  # all cards are added to the page
    far = _dragged(page)
    name = f"canvas of {count:,} nodes"
    return [
        Row(f"{name}: opened", statistics.median(times), "s", goal=opened),
        Row(f"{name}: a frame while dragging, mean", statistics.fmean(near), "ms", goal=frame),
        Row(f"{name}: the same while dragging, 95th percentile", _late(near), "ms"),
        Row(
            f"{name}: a frame with all in sight, mean",
            statistics.fmean(far),
            "ms",
            goal=frame,
        ),
        Row(f"{name}: the same with all in sight, 95th percentile", _late(far), "ms"),
    ]


def _dragged(page: Page) -> list[float]:
    """Returns the milliseconds of each frame while a card in the middle is dragged."""
    x, y = page.evaluate(_MIDDLE)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 5, y + 5)

    def drag() -> None:
        for step in range(_MOVES):
            page.mouse.move(x + 5 + step % 60, y + 5 + step // 2)

    frames = frames_of(page, drag)
    page.mouse.up()
    return frames


def _late(frames: list[float]) -> float:
    return statistics.quantiles(frames, n=20)[-1]
