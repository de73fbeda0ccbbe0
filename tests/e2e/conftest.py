"""Pages as people see them: a real server, a real browser, signed in by role.

- ``page``: signed in as admin, light theme; ``dark_page``: the same in dark.
- ``viewer_page``, ``reviewer_page``, ``designer_page``: signed in with less rights.
- ``visitor_page``: not signed in.
- ``open_page(role, theme=..., width=...)``: any other, also several in one test.
- ``api``: an engine with all scopes, an httpx client of ``/api/v1/``, to prepare what pages show.
- ``tolerate(pattern)``: this test provokes such a problem, for instance ``"status of 404"``.

All tests of a worker share one server with the demo data in it: make what a test changes by
``api``, under names of its own. Paths are relative to the server: ``page.goto("/")``.

A test fails when one of its pages violates the content security policy, writes an error to the
console, raises, asks another host or gets an answer of 500 and above. ``assert_accessible(page)``
from ``tests.browser`` checks the page as it stands. Pictures of pages of failed tests are kept in
``.cache/e2e``.
"""

import re
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal, Protocol

import httpx
import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Error,
    Page,
    StorageState,
    expect,
    sync_playwright,
)

from tests import browser as chromium
from tests import servers
from tests.e2e.scenes import Started, start_one
from tests.live_server import LiveServer

PICTURES = servers.ROOT / ".cache" / "e2e"
PATIENCE = 15_000  # milliseconds to wait for an element; a busy machine is slow, not broken
expect.set_options(timeout=PATIENCE)


class OpenPage(Protocol):
    """A page in a browser context of its own; ``role`` None is somebody who is not signed in."""

    def __call__(
        self,
        role: str | None = "admin",
        *,
        theme: Literal["light", "dark"] = "light",
        width: int = 1280,
        locale: str = "en-GB",
    ) -> Page: ...


@dataclass(frozen=True)
class Opened:
    """What one test opened, for the look at it when the test has run."""

    context: BrowserContext
    watch: chromium.Watch


OPENED = pytest.StashKey[list[Opened]]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """Part of every test: its pages did nothing that no page may do."""
    opened = item.stash.setdefault(OPENED, [])
    try:
        yield
        for each in opened:
            _hear_out(each)
            each.watch.assert_clean()
    except Exception as failure:
        _keep_pictures(item.name, opened)
        for problem in (problem for each in opened for problem in each.watch.problems):
            failure.add_note(f"Seen on the page: {problem}")
        if log := _traceback(item):
            failure.add_note(f"The server's last words:\n{log}")
        raise


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """The embedded server with the demo data, on a SQLite file, and a person of each role."""
    with LiveServer(tmp_path_factory.mktemp("server"), {}) as live:
        live.make_people()
        yield live


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for the tests of a module: Playwright's loop must not run beside the ORM's."""
    with sync_playwright() as playwright, chromium.launch(playwright) as launched:
        yield launched


@pytest.fixture(scope="session")
def sessions() -> dict[str, StorageState]:
    """The cookies of who signed in already, by role."""
    return {}


@pytest.fixture
def open_page(
    request: pytest.FixtureRequest,
    browser: Browser,
    server: LiveServer,
    sessions: dict[str, StorageState],
) -> Iterator[OpenPage]:
    opened = request.node.stash.setdefault(OPENED, [])

    def open_one(
        role: str | None = "admin",
        *,
        theme: Literal["light", "dark"] = "light",
        width: int = 1280,
        locale: str = "en-GB",
    ) -> Page:
        if role and role not in sessions:
            sessions[role] = _sign_in(browser, server, role)
        context = browser.new_context(
            base_url=server.url,
            storage_state=sessions[role] if role else None,
            color_scheme=theme,
            reduced_motion="reduce",  # or axe measures colours in the middle of a transition
            viewport={"width": width, "height": 900},
            locale=locale,
        )
        context.set_default_timeout(PATIENCE)
        context.add_cookies([{"name": "theme", "value": theme, "url": server.url}])
        opened.append(Opened(context, chromium.Watch(context, server.url.partition("://")[2])))
        return context.new_page()

    yield open_one
    for each in opened:
        each.context.close()
    opened.clear()  # the test may be run once more


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    return open_page()


@pytest.fixture
def dark_page(open_page: OpenPage) -> Page:
    return open_page(theme="dark")


@pytest.fixture
def viewer_page(open_page: OpenPage) -> Page:
    return open_page("viewer")


@pytest.fixture
def reviewer_page(open_page: OpenPage) -> Page:
    return open_page("reviewer")


@pytest.fixture
def designer_page(open_page: OpenPage) -> Page:
    return open_page("designer")


@pytest.fixture
def visitor_page(open_page: OpenPage) -> Page:
    return open_page(None)


@pytest.fixture
def tolerate(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Call it after the pages are open and before what provokes the problem."""

    def tolerate_one(pattern: str) -> None:
        for each in request.node.stash[OPENED]:
            each.watch.tolerate(pattern)

    return tolerate_one


@pytest.fixture(scope="session")
def token(server: LiveServer) -> str:
    return server.make_token("engine", "review", "design", "admin")


@pytest.fixture
def api(server: LiveServer, token: str) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=f"{server.url}/api/v1/", headers=headers, timeout=30) as client:
        yield client


@pytest.fixture
def start(api: httpx.Client) -> Started:
    """Start an execution of a workflow that pauses before its second node; its conversation."""
    return partial(start_one, api)


def _sign_in(browser: Browser, server: LiveServer, role: str) -> StorageState:
    with browser.new_context(base_url=server.url) as context:
        context.set_default_timeout(PATIENCE)
        entry = context.new_page()
        chromium.sign_in(entry, role)
        return context.storage_state()


def _traceback(item: pytest.Item) -> str:
    """The last traceback in the log of the server that the test used, if there is one."""
    server = getattr(item, "funcargs", {}).get("server")
    if not isinstance(server, LiveServer):
        return ""
    _, found, text = servers.tail(server.log).rpartition("Traceback (most recent call last)")
    return found and found + text


def _hear_out(opened: Opened) -> None:
    """Events wait in a pipe until something is asked; then all that came before are told."""
    for page in opened.context.pages:
        try:
            page.evaluate("() => 0")
        except Error:  # it was about to be another page, of which this waits
            page.wait_for_load_state()
            page.evaluate("() => 0")


def _keep_pictures(name: str, opened: list[Opened]) -> None:
    for number, page in enumerate(page for each in opened for page in each.context.pages):
        safe = re.sub(r"[^\w-]+", "-", name)
        chromium.screenshot(page, PICTURES / f"{safe}-{number}.png")
