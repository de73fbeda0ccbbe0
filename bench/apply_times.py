"""Measures how soon a change that one person applies is on the open pages of another."""

import statistics
from typing import Final

import httpx
from playwright.sync_api import Page, expect

from bench.browser import browsing
from bench.table import Row
from tests.browser import sign_in
from tests.live_server import LiveServer

_ROUNDS: Final = 15
_GOAL_MS: Final = 1_000.0
_NAME: Final = "waits"

# Starts watching; gives the clock's time in milliseconds when a text is painted.
_LOOK: Final = """(text) => {
  const has = () => document.body.textContent.includes(text)
    || [...document.querySelectorAll("textarea")].some((field) => field.value.includes(text));
  window.seen = new Promise((resolve) => {
    const look = () => has()
      ? requestAnimationFrame(() => resolve(performance.timeOrigin + performance.now()))
      : requestAnimationFrame(look);
    look();
  });
}"""
_PRESS: Final = """() => {
  const now = performance.timeOrigin + performance.now();
  document.querySelector("button[name=step][value=apply]").click();
  return now;
}"""


def rows() -> list[Row]:
    """Times from pressing *Apply* to the painted value, on the execution's page and in a form."""
    with browsing("reviewer") as (server, page):
        _fill(server)
        watching = [_opened(page, server, path) for path in ("", "state/")]
        took: tuple[list[float], list[float]] = ([], [])
        for number in range(_ROUNDS):
            for times, milliseconds in zip(took, _applied(page, watching, number), strict=True):
                times.append(milliseconds)
        names = ("the page of an execution", "the form of another editor")
        return [
            row
            for name, times in zip(names, took, strict=True)
            for row in (
                Row(f"from Apply to {name}", statistics.median(times), "ms", goal=_GOAL_MS),
                Row(f"from Apply to {name}, the slowest of {_ROUNDS}", max(times), "ms"),
            )
        ]


def _fill(server: LiveServer) -> None:
    """Creates a paused execution with a state of a few keys."""
    headers = {"Authorization": f"Bearer {server.make_token('engine', 'review')}"}
    with httpx.Client(base_url=f"{server.url}/api/v1/", headers=headers, timeout=60) as api:
        api.post("conversations", json={"id": _NAME, "title": _NAME}).raise_for_status()
        state = {"note": "nothing yet", "plan": "ask", "items": [{"id": "a"}, {"id": "b"}]}
        save = {"node_id": "a", "status": "PAUSED", "state_data": state}
        api.put(f"conversations/{_NAME}/checkpoints/first", json=save).raise_for_status()


def _opened(page: Page, server: LiveServer, path: str) -> Page:
    """Opens a page of another person and waits until it receives changes."""
    browser = page.context.browser
    if browser is None:
        raise AssertionError("the page is of a browser that was launched")
    other = browser.new_page(base_url=server.url, viewport={"width": 1440, "height": 900})
    sign_in(other, "designer")
    other.goto(f"/executions/{_NAME}/{path}")
    expect(other.locator("#live-link")).to_have_attribute("data-live", "open")
    return other


def _applied(page: Page, watching: list[Page], number: int) -> list[float]:
    """Returns the milliseconds from one press to the new text on each open page."""
    text = f"what round {number} says"
    page.goto(f"/executions/{_NAME}/state/")
    page.get_by_label("note", exact=True).fill(text)
    page.get_by_role("button", name="Look at the changes").click()
    expect(page.get_by_role("button", name="Apply", exact=True)).to_be_visible()
    for other in watching:
        other.evaluate(_LOOK, text)
    pressed: float = page.evaluate(_PRESS)
    seen: list[float] = [other.evaluate("() => window.seen") for other in watching]
    expect(page.get_by_text("the execution is at version")).to_be_visible()
    return [each - pressed for each in seen]
