"""Pages as people see them: a real server, a real browser, signed in by role.

- ``page``: signed in as admin, light theme; ``dark_page``: the same in dark.
- ``viewer_page``, ``reviewer_page``, ``designer_page``: signed in with less rights.
- ``visitor_page``: not signed in.
- ``open_page(role, theme=..., width=...)``: any other, also several in one test.
- ``api``: an engine with all scopes, an httpx client of ``/api/v1/``, to prepare what pages show.
- ``tolerate(pattern)``: this test provokes such a problem, for instance ``"status of 404"``.

All tests of a worker share one server with the demo data in it: make what a test changes by
``api``, under names of its own. Paths are relative to the server: ``page.goto("/")``. They share
one browser, too, and its tabs (``tabs.py``): what a test leaves in one is gone before the next.

A test fails when one of its pages violates the content security policy, writes an error to the
console, raises, asks another host or gets an answer of 500 and above. ``assert_accessible(page)``
from ``tests.browser`` checks the page as it stands. Pictures of pages of failed tests are kept in
``.cache/e2e``.
"""

import re
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Literal, Protocol

import httpx
import pytest
from playwright.sync_api import Browser, Error, Page, expect

from scripts.run_tests import MEMORY, has_room
from tests import servers
from tests.browser import screenshot
from tests.e2e.scenes import Started, start_one
from tests.e2e.tabs import PATIENCE, Look, Tab, Tabs
from tests.live_server import LiveServer
from tests.standing import Standing, ends

PICTURES = servers.ROOT / ".cache" / "e2e"
SCOPES = ("engine", "review", "design", "admin")
FOLDER = Path(__file__).parent
TABS = Tabs()
SERVER = Standing[LiveServer]()
Theme = Literal["light", "dark"]
expect.set_options(timeout=PATIENCE)


class OpenPage(Protocol):
    """A page in a browser context of its own; ``role`` None is someone who is not signed in."""

    def __call__(
        self,
        role: str | None = "admin",
        *,
        theme: Theme = "light",
        width: int = 1280,
        locale: str = "en-GB",
    ) -> Page: ...


OPENED = pytest.StashKey[list[Tab]]()
FAILED = pytest.StashKey[bool]()


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
        item.stash[FAILED] = True
        _keep_pictures(item.name, opened)
        for problem in (problem for each in opened for problem in each.watch.problems):
            failure.add_note(f"Seen on the page: {problem}")
        if log := _traceback(item):
            failure.add_note(f"The server's last words:\n{log}")
        raise


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None]:
    """The browser and the server end when no test of pages is next."""
    try:
        yield
    finally:
        if ends(FOLDER, nextitem):
            TABS.end()
            SERVER.end()


@pytest.fixture(scope="session")
def memory() -> Iterator[Path]:
    """A folder for the files of servers: on a disk they wait as long as they work."""
    place = MEMORY if has_room(MEMORY) else None
    with tempfile.TemporaryDirectory(prefix="ctxadmin-pages-", dir=place) as folder:
        yield Path(folder)


@pytest.fixture(scope="module")
def server(memory: Path) -> LiveServer:
    """The embedded server with the demo data, on a SQLite file, and a person of each role."""

    @contextmanager
    def started() -> Iterator[LiveServer]:
        with LiveServer(memory / "server", {}) as live:
            live.make_people(*SCOPES)
            yield live

    return SERVER.get(started)


@pytest.fixture
def tabs() -> Tabs:
    """The browser of the tests of pages, and its tabs."""
    return TABS


@pytest.fixture
def browser(tabs: Tabs) -> Browser:
    """For contexts that no tab has."""
    return tabs.browser


@pytest.fixture
def open_page(request: pytest.FixtureRequest, server: LiveServer, tabs: Tabs) -> Iterator[OpenPage]:
    opened = request.node.stash.setdefault(OPENED, [])

    def open_one(
        role: str | None = "admin",
        *,
        theme: Theme = "light",
        width: int = 1280,
        locale: str = "en-GB",
    ) -> Page:
        tab = tabs.take(Look(server.url, theme, width, locale), server, role)
        opened.append(tab)
        return tab.page

    yield open_one
    for each in opened:
        if request.node.stash.get(FAILED, False):
            each.context.close()
        else:
            tabs.give_back(each)
    opened.clear()  # the test may be run again


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


@pytest.fixture(scope="module")
def token(server: LiveServer) -> str:
    return server.token(*SCOPES)


@pytest.fixture(scope="module")
def api(server: LiveServer, token: str) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=f"{server.url}/api/v1/", headers=headers, timeout=30) as client:
        yield client


@pytest.fixture
def start(api: httpx.Client) -> Started:
    """Start an execution of a workflow that pauses before its second node; its conversation."""
    return partial(start_one, api)


def _traceback(item: pytest.Item) -> str:
    """The last traceback in the log of the server that the test used, if there is one."""
    server = getattr(item, "funcargs", {}).get("server")
    if not isinstance(server, LiveServer):
        return ""
    _, found, text = servers.tail(server.log).rpartition("Traceback (most recent call last)")
    return found and found + text


def _hear_out(opened: Tab) -> None:
    """Events wait in a pipe until something is asked; then all that came before are reported."""
    for page in opened.context.pages:
        try:
            page.evaluate("() => 0")
        except Error:  # it was about to be another page, of which this waits
            page.wait_for_load_state()
            page.evaluate("() => 0")


def _keep_pictures(name: str, opened: list[Tab]) -> None:
    for number, page in enumerate(page for each in opened for page in each.context.pages):
        safe = re.sub(r"[^\w-]+", "-", name)
        screenshot(page, PICTURES / f"{safe}-{number}.png")
