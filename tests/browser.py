"""Chromium for tests of pages, with eyes on what a page must never do.

``Watch`` follows all pages of a browser context and notes violations of the content security
policy, errors in the console, exceptions, answers of 500 and above, and requests off the host.
``assert_accessible`` runs axe-core with the rules of WCAG 2.2, levels A and AA, also in every look
that a page has: axe takes most of the time of these tests, and a second load costs as much again.
"""

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Page,
    Playwright,
    Response,
    TimeoutError,
    WebSocket,
)

from tests.live_server import PASSWORD
from tests.servers import Missing, program

AXE = Path(__file__).resolve().parent / "assets" / "vendor" / "axe.min.js"
Rules = Mapping[str, str | list[str]]
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"]
# Without these Chromium calls home at every start, and looks names up that are not there.
QUIET = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# Chromium reports these answers as errors of the page, and pages expect them: a conflict, a form
# with a mistake, something that this person may not do.
EXPECTED = re.compile(r"the server responded with a status of (403|409|422)\b")
TELL_VIOLATIONS = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`CSP: ${event.effectiveDirective} blocked ${event.blockedURI} ${event.sample}`));
"""
# A function: a bare expression is evaluated by what the content security policy refuses.
_AT_REST: Final = "() => !document.querySelector('[aria-busy=true]')"
_FITS: Final = "() => document.documentElement.scrollWidth <= innerWidth"
# The rules of axe that look at colours: all that one theme can break and the other does not.
COLOURS: Final = ("color-contrast", "link-in-text-block")
# What else follows the width: how large things are, and the names of what is there when narrow.
LAYOUT: Final = (
    "target-size",
    "scrollable-region-focusable",
    "button-name",
    "link-name",
    "label",
    "select-name",
)
ALL_RULES: Rules = {"type": "tag", "values": WCAG}
# Looked at in the style sheets themselves (``tests/unit/web/test_style_sheets.py``): axe fetches
# and reads all of them again each time, 0.1 s of a processor.
IN_STYLE_SHEETS: Final = ("css-orientation-lock",)
# As the theme switch does it, less its request. Transitions, however short, would be measured half
# way. To end each took longer than axe.
CHOOSE_THEME = """(theme) => {
  const still = new CSSStyleSheet();
  still.replaceSync("*, ::before, ::after { transition: none !important }");
  document.adoptedStyleSheets.push(still);
  document.documentElement.dataset.bsTheme = theme;
  document.body.getBoundingClientRect();
  document.adoptedStyleSheets.pop();
}"""
RUN_AXE = """([rules, excluded, leftOut]) =>
  axe.run({include: [document], exclude: excluded.map((selector) => [selector])},
          {runOnly: rules, resultTypes: ["violations"], preload: false,
           rules: Object.fromEntries(leftOut.map((id) => [id, {enabled: false}]))})
     .then(({violations}) => violations.map(({id, help, nodes}) => ({id, help,
        nodes: nodes.map((node) => node.target.join(" ") + ": " + node.failureSummary)})))"""


def launch(playwright: Playwright, *more: str) -> Browser:
    """A headless browser of the machine, or the one that Playwright has downloaded.

    ``more`` are flags of Chromium. Errors: Missing.
    """
    # Root, in containers, has no right to the name spaces of the sandbox.
    flags = [*QUIET, *more, "--no-sandbox"] if os.geteuid() == 0 else [*QUIET, *more]
    return playwright.chromium.launch(executable_path=_chromium(playwright), args=flags)


def _chromium(playwright: Playwright) -> str:
    try:
        # The shell is the same engine without the windows, and takes a fifth less of a processor.
        return program("chromium", "chromium-headless-shell", *BROWSERS)
    except Missing:
        downloaded = playwright.chromium.executable_path
        if Path(downloaded).exists():
            return downloaded
        raise


def sign_in(page: Page, person: str) -> None:
    """As one of the people of ``LiveServer.make_people``, on the page of signing in."""
    page.goto("/sign-in/")
    page.locator("input[name=username]").fill(person)
    page.locator("input[name=password]").fill(PASSWORD)
    with page.expect_navigation():
        page.locator("input[name=password]").press("Enter")
    assert "/sign-in/" not in page.url, page.locator("body").inner_text()


class Watch:
    """The problems of all pages of one context; ``tolerate`` takes what a test provokes."""

    def __init__(self, context: BrowserContext, host: str) -> None:
        self.problems: list[str] = []
        self.tolerated: list[re.Pattern[str]] = [EXPECTED]
        self._host = host
        context.add_init_script(TELL_VIOLATIONS)
        context.on("console", self._console)
        context.on("weberror", lambda error: self._note(f"exception: {error.error}"))
        # Not "request": each event of each file costs, and every request ends in one of these.
        context.on("response", self._response)
        context.on("requestfailed", lambda request: self._check_host(request.url))
        context.on("page", lambda page: page.on("websocket", self._websocket))

    def tolerate(self, pattern: str) -> None:
        self.tolerated.append(re.compile(pattern))

    def forget(self) -> None:
        """Begin again, for another test."""
        self.problems.clear()
        self.tolerated[:] = [EXPECTED]

    def assert_clean(self) -> None:
        """Fail with all problems that were noted and not tolerated."""
        problems = [
            problem
            for problem in self.problems
            if not any(pattern.search(problem) for pattern in self.tolerated)
        ]
        self.problems.clear()
        assert not problems, "The page did what no page may do:\n" + "\n".join(problems)

    def _note(self, problem: str) -> None:
        self.problems.append(problem)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            place = message.location
            self._note(f"console: {message.text} ({place['url']}:{place['lineNumber']})")

    def _websocket(self, socket: WebSocket) -> None:
        self._check_host(socket.url)

    def _check_host(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme in {"http", "https", "ws", "wss"} and parts.netloc != self._host:
            self._note(f"request off the host: {url}")

    def _response(self, response: Response) -> None:
        self._check_host(response.url)
        if response.status >= 500:
            self._note(f"answer {response.status}: {response.request.method} {response.url}")


@cache
def _axe() -> str:
    return AXE.read_text(encoding="utf-8")


def _findings(
    page: Page, rules: Rules, exclude: Sequence[str], leave_out: Sequence[str]
) -> list[dict[str, Any]]:
    """What axe finds: each with its ``id``, ``help`` and ``nodes``."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(_axe())  # as the debugger does it: the page's policy allows no such script
    left_out = [*leave_out, *IN_STYLE_SHEETS]
    findings: list[dict[str, Any]] = page.evaluate(RUN_AXE, [rules, list(exclude), left_out])
    return findings


def assert_accessible(
    page: Page,
    *,
    exclude: tuple[str, ...] = (),
    rules: Rules = ALL_RULES,
    leave_out: Sequence[str] = (),
) -> None:
    """Fail with every finding of axe on the page as it is now, in its current theme.

    ``exclude`` names elements that axe judges wrongly; say why where it is used. Of ``rules`` those
    in ``leave_out`` are not asked.
    """
    page.wait_for_load_state()
    with suppress(TimeoutError):  # what is asked for again is faded until it is here
        page.wait_for_function(_AT_REST, timeout=5_000)
    try:
        findings = _findings(page, rules, exclude, leave_out)
    except Error:
        # A page that was left while axe looked at it: the page that came is meant.
        page.wait_for_load_state()
        if page.evaluate("'axe' in window"):
            raise
        findings = _findings(page, rules, exclude, leave_out)
    text = [
        f"{found['id']}: {found['help']}\n  " + "\n  ".join(found["nodes"]) for found in findings
    ]
    theme, width = page.evaluate("[document.documentElement.dataset.bsTheme, innerWidth]")
    assert not findings, f"axe finds on {page.url}, {theme}, {width} wide:\n" + "\n".join(text)


def assert_accessible_in_both_themes(page: Page) -> None:
    """As the page is, then its colours in the other theme, which it takes in place."""
    assert_accessible(page)
    theme = page.evaluate("document.documentElement.dataset.bsTheme")
    page.evaluate(CHOOSE_THEME, "light" if theme == "dark" else "dark")
    assert_accessible(page, rules={"type": "rule", "values": [*COLOURS]})
    page.evaluate(CHOOSE_THEME, theme)


def assert_accessible_in_every_look(page: Page, narrow: int = 360) -> None:
    """As the page is, and narrow in the other theme, and nowhere wider than the screen.

    It is loaded once, and left in the other theme: what a page is follows its width and its theme
    by its style sheets alone. So the second look is at what these can break: colours, sizes, and
    what is drawn then alone. What that is made of stands on the page of components, which is looked
    at whole in every width.
    """
    size = page.viewport_size
    assert size
    assert_accessible(page)
    assert_nothing_sticks_out(page)
    theme = page.evaluate("document.documentElement.dataset.bsTheme")
    page.set_viewport_size({"width": narrow, "height": size["height"]})
    page.evaluate(CHOOSE_THEME, "light" if theme == "dark" else "dark")
    assert_nothing_sticks_out(page)
    assert_accessible(page, rules={"type": "rule", "values": [*COLOURS, *LAYOUT]})
    page.set_viewport_size(size)


def assert_nothing_sticks_out(page: Page) -> None:
    """Of a page whose width was just changed, when it has followed."""
    with suppress(TimeoutError):
        page.wait_for_function(_FITS, timeout=5_000)
    room, wide = page.evaluate("[innerWidth, document.documentElement.scrollWidth]")
    assert wide <= room, f"{page.url} is {wide} pixels wide, in a window of {room}"


def screenshot(page: Page, path: Path) -> None:
    """Keep a picture of the whole page, if it is still there to be taken."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        page.screenshot(path=path, full_page=True)
    except Error as gone:
        path.with_suffix(".txt").write_text(str(gone))
