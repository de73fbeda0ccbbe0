"""Tabs of Chromium that tests take and give back, emptied of all that a test left in them.

A new tab has a process of its own, which reads 635 kB of style sheets and compiles every script
again: to open a page in it takes 0.7 s of a processor, in one that was used before 0.4 s.
"""

from contextlib import ExitStack
from dataclasses import dataclass

from playwright.sync_api import Browser, BrowserContext, Error, Page, sync_playwright

from tests.browser import Watch, launch
from tests.live_server import LiveServer

PATIENCE = 15_000  # milliseconds to wait for an element; a busy machine is slow, not broken
# No page lives long enough to earn what these compilers take: one look with axe in two themes took
# 1.0 s of a processor with them and 0.9 s without.
BRIEF = "--js-flags=--no-opt --no-maglev"
KEPT = 5  # unused tabs; each has a process
EMPTY = "/healthz"  # of the same site, so that the process stays, and without scripts
# True if nothing that Playwright puts in the place of the browser's own outlives the test.
FORGET = """() => {
  localStorage.clear();
  sessionStorage.clear();
  return [Date, setTimeout, WebSocket, Notification, fetch].every(
    (own) => Function.prototype.toString.call(own).includes("[native code]"));
}"""


@dataclass(frozen=True)
class Look:
    """What a browser context has from its start on."""

    url: str
    theme: str
    width: int
    locale: str


@dataclass(frozen=True)
class Tab:
    """One tab in a context of its own, and who watches all pages of the context."""

    look: Look
    context: BrowserContext
    page: Page
    watch: Watch


class Tabs:
    """One browser, started when a test asks, and those of its tabs that no test uses."""

    def __init__(self) -> None:
        self._browser: Browser | None = None
        self._unused: list[Tab] = []
        self._running = ExitStack()

    @property
    def browser(self) -> Browser:
        if self._browser is None:
            playwright = self._running.enter_context(sync_playwright())
            self._browser = self._running.enter_context(launch(playwright, BRIEF))
        return self._browser

    def end(self) -> None:
        """End the browser, and Playwright's loop, which must not run beside the ORM's."""
        self._unused.clear()
        self._browser = None
        self._running.close()

    def take(self, look: Look, server: LiveServer, role: str | None) -> Tab:
        """One that looks so, signed in by a session of this role."""
        tab = next((each for each in self._unused if each.look == look), None)
        if tab is None:
            tab = self._open(look)
        else:
            self._unused.remove(tab)
        cookies = {"theme": look.theme} | ({"ctxadmin": server.sessions[role]} if role else {})
        tab.context.add_cookies(
            [{"name": name, "value": value, "url": look.url} for name, value in cookies.items()]
        )
        return tab

    def give_back(self, tab: Tab) -> None:
        if not _is_emptied(tab):
            tab.context.close()
            return
        tab.watch.forget()
        self._unused.append(tab)
        if len(self._unused) > KEPT:
            self._unused.pop(0).context.close()

    def _open(self, look: Look) -> Tab:
        context = self.browser.new_context(
            base_url=look.url,
            color_scheme="dark" if look.theme == "dark" else "light",
            reduced_motion="reduce",  # or axe measures colours in the middle of a transition
            viewport={"width": look.width, "height": 900},
            locale=look.locale,
        )
        context.set_default_timeout(PATIENCE)
        watch = Watch(context, look.url.partition("://")[2])
        return Tab(look, context, context.new_page(), watch)


def _is_emptied(tab: Tab) -> bool:
    """Take from a tab what a test left; False if it cannot be taken, or the tab is gone."""
    context, page = tab.context, tab.page
    try:
        for other in context.pages:
            if other is not page:
                other.close()
        page.unroute_all(behavior="ignoreErrors")
        context.set_offline(False)
        context.clear_permissions()
        page.goto(EMPTY)
        page.mouse.move(-1, -1)  # or what lies under it in the next page is pointed at
        page.set_viewport_size({"width": tab.look.width, "height": 900})
        context.clear_cookies()
        return bool(page.evaluate(FORGET))
    except Error:
        return False
