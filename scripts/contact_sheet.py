"""Shows every page on a few pictures, from a fresh server with the demo data.

``python -m scripts.contact_sheet FOLDER [part ...]`` writes one contact sheet for each theme,
language and width into FOLDER, and a picture of each page beside it. Parts of the paths choose
pages: ``/settings/``. ``make tools`` installs what it needs.
"""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import product
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser import launch, sign_in
from tests.live_server import LiveServer

PATHS: Final = (
    "/",
    "/workflows/",
    "/workflows/+new/",
    "/workflows/import/",
    "/workflows/support/",
    "/workflows/support/editor/",
    "/workflows/support/nodes/draft/",
    "/workflows/support/edges/drafted/",
    "/workflows/support/add-node/",
    "/workflows/support/reducers/",
    "/workflows/support/versions/",
    "/workflows/support/versions/1/",
    "/workflows/support/preview/?node=draft&conversation=demo-support",
    "/workflows/support/what-if/",
    "/workflows/counter-chat/compare/",
    "/workflows/counter-chat/publish/",
    "/workflows/counter-chat/diff/?from=1&to=draft",
    "/conversations/",
    "/conversations/?q=saddle",
    "/conversations/import/",
    "/conversations/demo-support/",
    "/conversations/demo-support/messages/2/",
    "/conversations/demo-workshop/",
    "/conversations/demo-workshop/?view=all",
    "/conversations/demo-workshop/batches/",
    "/conversations/demo-workshop/diff/?from=0&to=1",
    "/conversations/demo-workshop/operate/",
    "/conversations/demo-workshop/rollback/0/",
    "/conversations/demo-workshop/edit/",
    "/conversations/demo-workshop/erase/",
    "/executions/",
    "/executions/demo-support/",
    "/executions/demo-support/canvas/",
    "/executions/demo-support/timeline/",
    "/executions/demo-support/state/",
    "/executions/demo-support/versions/1/",
    "/executions/demo-support/diff/?from=0&to=1",
    "/executions/demo-support/versions/0/restore/",
    "/executions/demo-support/versions/0/fork/",
    "/executions/demo-support/cancel/",
    "/executions/demo-research/",
    "/reviews/",
    "/usage/",
    "/usage/?workflow=support",
    "/usage/canvas/support/",
    "/search/?q=saddle",
    "/audit/",
    "/audit/?object=demo-support",
    "/bulk/",
    "/settings/",
    "/settings/tokens/new/",
    "/settings/people/",
    "/settings/people/+new/",
    "/settings/retention/",
    "/settings/prices/?model=gpt-5-mini",
    "/settings/webhooks/",
    "/settings/webhooks/new/",
    "/notifications/",
    "/account/",
    "/glossary/",
    "/api/docs",
    "/api/docs/errors",
    "/no-such-page/",
)
_THEMES: Final = ("light", "dark")
_LANGUAGES: Final = {"en": "en-GB", "zh": "zh-CN"}
_WIDTHS: Final = {1280: 860, 390: 844}
_COLUMNS: Final = {1280: 5, 390: 9}  # of a sheet
_THUMBNAIL: Final = {1280: 480, 390: 260}
_SETTLED: Final = 600  # milliseconds for what a page loads later
_STYLE: Final = (
    "body{{margin:16px;font:14px sans-serif;background:#999}}"
    "main{{display:grid;grid-template-columns:repeat({columns},{width}px);gap:16px}}"
    "figure{{margin:0}}img{{width:100%;display:block}}figcaption{{padding:2px 0 6px}}"
)


@dataclass(frozen=True, slots=True)
class Look:
    """One way to see a page; ``width`` in pixels."""

    theme: str
    language: str
    width: int

    @property
    def name(self) -> str:
        return f"{self.theme}-{self.language}-{self.width}"


def looks() -> Iterator[Look]:
    for theme, language, width in product(_THEMES, _LANGUAGES, _WIDTHS):
        yield Look(theme, language, width)


def main(arguments: Sequence[str]) -> int:
    if not arguments:
        print(__doc__)
        return 2
    folder, *parts = arguments
    paths = [path for path in PATHS if not parts or any(part in path for part in parts)]
    with (
        tempfile.TemporaryDirectory() as name,
        LiveServer(Path(name), {}) as server,
        sync_playwright() as playwright,
        launch(playwright) as browser,
    ):
        server.make_people("admin")
        for look in looks():
            pictures = Path(folder) / look.name
            pictures.mkdir(parents=True, exist_ok=True)
            _take(browser, server.url, look, paths, pictures)
            sheet = Path(folder) / f"{look.name}.png"
            _compose(browser, look, paths, pictures, sheet)
            print(sheet, flush=True)
    return 0


def _take(browser: Browser, url: str, look: Look, paths: Sequence[str], folder: Path) -> None:
    context = browser.new_context(
        base_url=url,
        viewport={"width": look.width, "height": _WIDTHS[look.width]},
        color_scheme="dark" if look.theme == "dark" else "light",
        locale=_LANGUAGES[look.language],
        reduced_motion="reduce",
    )
    page = context.new_page()
    sign_in(page, "admin")
    for number, path in enumerate(paths):
        page.goto(path)
        page.wait_for_timeout(_SETTLED)
        page.screenshot(path=folder / _file(number), animations="disabled")
    context.close()


def _compose(
    browser: Browser, look: Look, paths: Sequence[str], pictures: Path, sheet: Path
) -> None:
    figures = "".join(
        f"<figure><figcaption>{escape(path)}</figcaption>"
        f'<img src="{(pictures / _file(number)).absolute().as_uri()}"></figure>'
        for number, path in enumerate(paths)
    )
    style = _STYLE.format(columns=_COLUMNS[look.width], width=_THUMBNAIL[look.width])
    html = pictures / "sheet.html"
    html.write_text(f"<!doctype html><style>{style}</style><main>{figures}</main>")
    page: Page = browser.new_page(
        viewport={
            "width": _COLUMNS[look.width] * (_THUMBNAIL[look.width] + 16) + 32,
            "height": 800,
        }
    )
    page.goto(html.absolute().as_uri())
    page.screenshot(path=sheet, full_page=True)
    page.close()


def _file(number: int) -> str:
    return f"{number:02}.png"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
