"""The harness of the browser tests sees what it promises to see."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import Browser, Page

from tests.browser import Watch, assert_accessible

GOOD = "<!doctype html><html lang=en><title>Good</title><main><h1>Good</h1></main></html>"
PAGES = {
    "/good": GOOD,
    "/style": GOOD.replace("<h1>", "<h1 style='color: red'>"),
    "/inline": GOOD.replace("<h1>", "<script>document.title = 'no'</script><h1>"),
    "/elsewhere": GOOD.replace("<h1>", "<a href='http://elsewhere.test/'>there</a><h1>"),
    "/raises": GOOD.replace("<h1>", "<script src='/raises.js'></script><h1>"),
    "/raises.js": "null.something",
    "/pale": GOOD.replace("<main>", "<link rel=stylesheet href=/pale.css><main>"),
    "/pale.css": "h1 {color: #bbb; background: #fff; font-size: 12px}",
}
TYPES = {"js": "text/javascript", "css": "text/css"}


class Pages(BaseHTTPRequestHandler):
    """Serves PAGES under the policy of ctxadmin, and the status that a path ends with."""

    def do_GET(self) -> None:
        status = int(self.path[-3:]) if self.path[-3:].isdigit() else 200
        self.send_response(status)
        kind = TYPES.get(self.path.rpartition(".")[2], "text/html")
        self.send_header("Content-Type", kind)
        self.send_header(
            "Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'"
        )
        self.end_headers()
        self.wfile.write(PAGES.get(self.path, GOOD).encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def host() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def watched(browser: Browser, host: str) -> Iterator[tuple[Page, Watch]]:
    with browser.new_context(base_url=f"http://{host}") as context:
        watch = Watch(context, host)
        yield context.new_page(), watch


def test_a_good_page_is_clean(watched: tuple[Page, Watch]) -> None:
    page, watch = watched
    page.goto("/good")
    watch.assert_clean()


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("/style", "CSP: style-src-attr blocked inline"),
        ("/inline", "CSP: script-src-elem blocked inline"),
        ("/raises", "exception: .*Cannot read properties of null"),
        ("/status/404", "status of 404"),
        ("/status/500", "answer 500: GET"),
    ],
)
def test_what_no_page_may_do_is_seen(watched: tuple[Page, Watch], path: str, problem: str) -> None:
    page, watch = watched
    page.goto(path)
    page.evaluate("() => 0")
    with pytest.raises(AssertionError, match=problem):
        watch.assert_clean()


def test_a_request_off_the_host_is_seen(watched: tuple[Page, Watch]) -> None:
    page, watch = watched
    page.goto("/elsewhere")
    page.get_by_role("link").click()
    page.wait_for_url("chrome-error://**")
    with pytest.raises(AssertionError, match=r"off the host: http://elsewhere\.test/"):
        watch.assert_clean()


@pytest.mark.parametrize("status", [403, 409, 422])
def test_answers_that_pages_expect_are_no_problem(watched: tuple[Page, Watch], status: int) -> None:
    page, watch = watched
    page.goto(f"/status/{status}")
    page.evaluate("() => 0")
    watch.assert_clean()


def test_what_a_test_provokes_is_tolerated(watched: tuple[Page, Watch]) -> None:
    page, watch = watched
    watch.tolerate("status of 404")
    page.goto("/status/404")
    page.evaluate("() => 0")
    watch.assert_clean()


def test_axe_accepts_a_good_page(watched: tuple[Page, Watch]) -> None:
    page, watch = watched
    page.goto("/good")
    assert_accessible(page)
    watch.assert_clean()


def test_axe_finds_pale_text(watched: tuple[Page, Watch]) -> None:
    page, _ = watched
    page.goto("/pale")
    with pytest.raises(AssertionError, match="color-contrast"):
        assert_accessible(page)


def test_axe_leaves_out_what_a_test_excludes(watched: tuple[Page, Watch]) -> None:
    page, _ = watched
    page.goto("/pale")
    assert_accessible(page, exclude=("h1",))
