"""A server and a page of a signed-in person, to measure how evenly the page paints."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from playwright.sync_api import Page, sync_playwright

from tests.browser import launch, sign_in
from tests.live_server import LiveServer

_WATCH: Final = """() => {
  window.frames_seen = [];
  let before = performance.now();
  const note = (now) => { window.frames_seen.push(now - before); before = now;
    window.frames_asked = requestAnimationFrame(note); };
  window.frames_asked = requestAnimationFrame(note);
}"""
_SEEN: Final = "() => { cancelAnimationFrame(window.frames_asked); return window.frames_seen; }"


@contextmanager
def browsing(person: str) -> Iterator[tuple[LiveServer, Page]]:
    """Starts a server and opens a page of a person who is named like the role."""
    with (
        tempfile.TemporaryDirectory() as name,
        LiveServer(Path(name), {}) as server,
        sync_playwright() as playwright,
        launch(playwright) as browser,
    ):
        server.make_people()
        page = browser.new_page(base_url=server.url, viewport={"width": 1440, "height": 900})
        sign_in(page, person)
        yield server, page


def frames_of(page: Page, act: Callable[[], None]) -> list[float]:
    """Returns the milliseconds of each frame while ``act`` uses the page."""
    page.evaluate(_WATCH)
    act()
    frames: list[float] = page.evaluate(_SEEN)
    return frames
