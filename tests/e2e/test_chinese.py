"""Pages for a reader of Chinese: nothing is left in English, nothing breaks."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from demo import counter
from tests.browser import (
    assert_accessible,
    assert_nothing_sticks_out,
)
from tests.e2e.conftest import OpenPage
from tests.live_server import LiveServer

CHINESE = "zh-CN"
# Names that are the same in every language: of formats and protocols, of the contract, of keys.
NAMES = """
    ctxadmin English REST API JSON JSONL YAML SQL SQLite MySQL Redis OpenAPI Webhook Cookie HTTP ID
    KB MB MiB min h UTC UTF POST PUT GET PATCH DELETE token tokens admin slug Ctrl Cmd Alt Shift Del
    Enter Delete Esc PNG SVG start end llm tool context true false null user assistant system
    developer sequence conditional error append merge overwrite manage set_address NAME length
    log Bearer Authorization OpenAI messages nodes edges reducers name variables history metadata
    template Token NaN React Flow isolate transform json https engine review design reviewer
    designer tests example org hook attribution Chrome Linux
    chat Responses Anthropic Messages Vercel AI SDK
"""
WORD = re.compile(r"[A-Za-z][A-Za-z_]+")
TEXTS = """() => {
  const names = "code, kbd, pre, textarea, [translate=no], .cm-editor, template, script";
  const spoken = ["title", "alt", "placeholder", "aria-label"];
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode;
    // Where scripts run, what stands in it is one text with its tags.
    const said = parentElement.matches("noscript") ? data.replace(/<[^>]+>/g, " ") : data;
    if (!parentElement.closest(names)) found.push(said);
  }
  for (const element of document.querySelectorAll(spoken.map((name) => `[${name}]`).join())) {
    if (element.closest(names)) continue;
    for (const name of spoken) found.push(element.getAttribute(name) ?? "");
  }
  return found.map((text) => text.trim().replace(/\\s+/g, " "));
}"""

PAGES = (
    "/",
    "/reviews/",
    "/search/?q=zzz&role=user",
    "/workflows/",
    "/workflows/support/",
    "/workflows/support/nodes/draft/",
    "/workflows/support/preview/?node=draft&conversation=demo-support",
    "/conversations/",
    "/conversations/demo-support/",
    "/conversations/demo-workshop/batches/",
    "/conversations/demo-workshop/operate/",
    "/executions/demo-support/",
    "/executions/demo-support/timeline/",
    "/executions/demo-support/state/",
    "/settings/",
    "/settings/people/",
    "/settings/tokens/new/",
    "/account/",
    "/settings/retention/",
    "/settings/prices/?model=gpt-5-mini",
    "/usage/",
    "/usage/?workflow=support",
    "/settings/webhooks/new/",
    "/notifications/",
    "/api/docs",
)


@pytest.fixture(scope="module")
def server(memory: Path) -> Iterator[LiveServer]:
    """A server of its own: elsewhere other tests leave data with words of theirs."""
    with LiveServer(memory / "chinese", {}) as live:
        live.make_people("admin")
        yield live


_SLUGS = ("support", "research-note", counter.SLUG)
_CONVERSATIONS = (
    *("demo-support", "demo-research", "demo-workshop", "demo-fortnight"),
    *(counter.talk_id(number) for number in range(counter.TALKS)),
)


@pytest.fixture(scope="module")
def of_the_demo(server: LiveServer) -> set[str]:
    """Every word that the demo data says; what people wrote is in their language."""
    url, token = f"{server.url}/api/v1", server.token("admin")
    asked = [
        "/transforms",
        "/processors",
        *(f"/workflows/{slug}/draft" for slug in _SLUGS),
        *(f"/workflows/{slug}" for slug in _SLUGS),
        *(f"/workflows/{slug}/versions" for slug in _SLUGS),
        *(f"/conversations/{name}{part}" for name in _CONVERSATIONS for part in ("", "/export")),
        *(
            f"/conversations/{name}/{part}"
            for name in ("demo-support", "demo-research")
            for part in ("snapshot", "checkpoints")
        ),
    ]
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(headers=headers, timeout=30) as client:
        return {word for path in asked for word in WORD.findall(client.get(url + path).text)}


def english_in(page: Page, known: set[str]) -> dict[str, str]:
    """Words that are neither names nor of the data, with the texts in which they stand."""
    texts = [re.sub(r"\w+…", "…", text) for text in page.evaluate(TEXTS)]  # cut in a word
    found = {word: text for text in texts for word in WORD.findall(text) if "_" not in word}
    return {word: text for word, text in found.items() if word not in known | {*NAMES.split()}}


def test_every_page_is_in_chinese(open_page: OpenPage, of_the_demo: set[str]) -> None:
    """Narrow: what is not shown there, too, is among the texts of a page."""
    page = open_page(locale=CHINESE, width=360)
    left: dict[str, dict[str, str]] = {}
    for path in PAGES:
        page.goto(path)
        expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
        expect(page.locator("time[data-time=auto]").filter(has_text="UTC")).to_have_count(0)
        left |= {path: found} if (found := english_in(page, of_the_demo)) else {}
        assert_nothing_sticks_out(page)
    assert left == {}


def test_the_editor_speaks_chinese(open_page: OpenPage, of_the_demo: set[str]) -> None:
    """Narrow first: then it shows what no node is selected for."""
    page = open_page("designer", locale=CHINESE)
    page.set_viewport_size({"width": 360, "height": 900})
    page.goto("/workflows/support/editor/")
    expect(page.get_by_role("toolbar", name="编辑器工具")).to_be_visible()
    assert english_in(page, of_the_demo) == {}
    assert_accessible(page)
    assert_nothing_sticks_out(page)
    page.set_viewport_size({"width": 1280, "height": 900})
    page.get_by_role("button", name="显示全部").click()
    page.locator(".flow-card", has_text="Draft the answer").click()
    expect(page.get_by_text("输入过滤器").first).to_be_visible()
    assert english_in(page, of_the_demo) == {}
    assert_nothing_sticks_out(page)
    assert_accessible(page)


def test_the_editor_of_a_state_speaks_chinese(open_page: OpenPage, of_the_demo: set[str]) -> None:
    page = open_page("reviewer", locale=CHINESE)
    page.goto("/executions/demo-support/state/?raw=1")
    page.get_by_role("button", name="树").click()
    expect(page.get_by_role("button", name="全部展开")).to_be_visible()
    assert english_in(page, of_the_demo) == {}
    assert_accessible(page)


def test_who_signs_in_can_choose_before_and_after(open_page: OpenPage) -> None:
    page = open_page(None, locale=CHINESE)
    page.goto("/sign-in/")
    expect(page.get_by_role("heading", name="登录")).to_be_visible()
    page.get_by_role("button", name="English").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.get_by_role("button", name="简体中文").click()
    expect(page.get_by_role("heading", name="登录")).to_be_visible()


def test_the_switch_in_the_menu_stays_on_the_page(open_page: OpenPage) -> None:
    page = open_page()
    page.goto("/conversations/?status=PAUSED")
    page.get_by_role("button", name="简体中文").click()
    expect(page.get_by_role("heading", name="对话", level=1)).to_be_visible()
    assert page.url.endswith("/conversations/?status=PAUSED")
    expect(page.get_by_role("button", name="简体中文")).to_have_attribute("aria-pressed", "true")


def test_times_are_reported_in_chinese(open_page: OpenPage) -> None:
    page = open_page(locale=CHINESE)
    page.goto("/conversations/")
    expect(page.locator("time").first).to_have_text(re.compile("前|刚刚|现在|年"))
