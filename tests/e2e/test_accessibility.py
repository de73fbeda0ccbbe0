"""Every page, wide and on a phone, in both themes: axe finds nothing, nothing sticks out, and no
letters are too small to read.

Here alone: other tests look with axe only at what is drawn in the browser.
"""

import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser import assert_accessible, assert_accessible_in_every_look
from tests.e2e.scenes import STATE, Started, complete, ok

CONVERSATION = ("", "?view=all", "batches/", "diff/?from=0&to=1", "operate/", "rollback/0/",
                "edit/", "erase/", "archive/")  # fmt: skip
EXECUTION = ("", "timeline/", "versions/1/", "versions/1/label/", "diff/?from=0&to=1", "state/",
             "state/?raw", "cancel/", "versions/0/restore/", "versions/0/fork/", "assign/",
             "versions/1/delete/", "comment/?message=0")  # fmt: skip
WORKFLOW = ("", "nodes/draft/", "nodes/compact/", "edges/drafted/", "reducers/",
            "nodes/tools/delete/", "publish/", "versions/", "versions/1/", "versions/1/restore/",
            "diff/?from=1&to=draft", "preview/?node=classify&conversation=demo-support",
            "preview/?paste=1", "what-if/", "compare/",
            "compare/?last=20&max_tokens=5&target_tokens=9")  # fmt: skip
ADMIN = ("/", "/settings/", "/settings/tokens/new/", "/settings/people/", "/settings/people/+new/",
         "/settings/retention/", "/settings/prices/?model=gpt-5-mini", "/usage/",
         "/usage/?workflow=support&days=7", "/usage/estimates/", "/settings/webhooks/",
         "/settings/webhooks/new/", "/notifications/", "/account/", "/conversations/",
         "/conversations/import/", "/executions/", "/reviews/", "/bulk/", "/search/",
         "/search/?q=order+role:user", "/workflows/", "/workflows/+new/", "/workflows/import/",
         "/workflows/counter-chat/publish/",
         "/api/docs", "/api/docs/errors", "/api/docs/put_draft",
         "/api/docs/list_workflows")  # fmt: skip


# axe lets a link pass that has the very colour of the text around it.
PLAIN_LINKS = """() => [...document.querySelectorAll("main a[href]")].filter((link) => {
  const style = getComputedStyle(link);
  const beside = [...link.parentElement.childNodes].some(
    (node) => node.nodeType === Node.TEXT_NODE && /[\\p{L}]/u.test(node.data));
  return beside && link.checkVisibility() && style.display === "inline"
    && !style.textDecorationLine.includes("underline");
}).map((link) => link.outerHTML.slice(0, 120))"""

# Visible texts below 11 px on screen, by their element; a drawing has letters of its own scale.
SMALL_LETTERS = """() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = new Set();
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !element.checkVisibility({visibilityProperty: true}))
      continue;
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    if (range.getBoundingClientRect().width < 2) continue;
    const scale = element.ownerSVGElement ? element.getScreenCTM().a : 1;
    const size = scale * parseFloat(getComputedStyle(element).fontSize);
    if (size < 10.99) found.add(`${size.toFixed(1)} px: ${element.outerHTML.slice(0, 120)}`);
  }
  return [...found];
}"""


def look(page: Page, paths: Iterator[str]) -> None:
    for path in paths:
        answer = page.goto(path)
        assert answer, path
        assert answer.status == 200, path
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert page.evaluate(PLAIN_LINKS) == [], path
        assert page.evaluate(SMALL_LETTERS) == [], path
        assert_accessible_in_every_look(page, narrow=390)


@pytest.fixture
def reviewed(api: httpx.Client, start: Started) -> str:
    """A paused execution with comments and a label, in a conversation with a batch."""
    name = start()
    one = f"conversations/{name}"
    about: list[dict[str, Any]] = [{"message": 0}, {"version": 1}, {"version": 1, "key": "draft"}]
    for each in about:
        ok(api.post(f"{one}/comments", json={"text": "said", **each}))
    ok(api.put(f"{one}/checkpoints/1/label", json={"label": "good"}))
    ok(api.post(f"{one}/operations", json={"operation": "clear", "reason": "r"}))
    return name


@pytest.fixture
def edited(api: httpx.Client, start: Started) -> str:
    """A paused execution whose proposal was edited and hidden in part, with a later message."""
    name = start(paused=False)
    one = f"conversations/{name}"
    said = [{"role": "assistant", "content": each} for each in ("It left on Friday.", "A note.")]
    complete(api, name, "write", state_data=STATE, messages=said)
    ok(
        api.patch(
            f"{one}/snapshot", json={"node_id": "review", "state_data": {"draft": "Dear Mia"}}
        )
    )
    replace = {"index": 2, "message": {"role": "assistant", "content": "It left on Thursday."}}
    ok(api.post(f"{one}/operations", json={"operation": "replace", "replace": replace}))
    hide = {"remove_ranges": [{"start": 3, "end": 4}]}
    ok(api.post(f"{one}/operations", json={"operation": "truncate", "truncate": hide}))
    # So long that it is folded, which the keyboard must open.
    later = {"messages": [{"role": "user", "content": "And my invoice? " * 80}]}
    ok(api.post(f"{one}/messages", json=later))
    return name


def test_a_proposal_that_was_edited(page: Page, edited: str) -> None:
    page.goto(f"/executions/{edited}/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    text = page.locator(".proposal-came-in .fold-text")
    assert text.evaluate("(each) => each.scrollHeight > each.clientHeight")
    assert_accessible_in_every_look(page, narrow=360)
    page.set_viewport_size({"width": 360, "height": 800})
    assert text.evaluate("(each) => each.scrollHeight > each.clientHeight")
    page.locator(".proposal-came-in .fold summary").press("Enter")
    assert text.evaluate("(each) => each.scrollHeight == each.clientHeight")


def test_pages_of_a_conversation(page: Page, reviewed: str) -> None:
    look(page, (f"/conversations/{reviewed}/{each}" for each in CONVERSATION))


def test_pages_of_an_execution(page: Page, reviewed: str) -> None:
    look(page, (f"/executions/{reviewed}/{each}" for each in EXECUTION))


def test_pages_of_a_workflow(designer_page: Page) -> None:
    look(designer_page, (f"/workflows/support/{each}" for each in WORKFLOW))


def test_lists_and_settings(page: Page) -> None:
    look(page, iter(ADMIN))


def test_what_a_visitor_sees(visitor_page: Page) -> None:
    look(visitor_page, iter(["/sign-in/"]))


def test_what_a_viewer_sees(viewer_page: Page, reviewed: str) -> None:
    """What somebody sees who may do more, less what a viewer may not: one look is enough."""
    for path in ("/", f"/conversations/{reviewed}/", f"/executions/{reviewed}/"):
        viewer_page.goto(path)
        expect(viewer_page.get_by_role("heading", level=1)).to_be_visible()
        assert_accessible(viewer_page)


def test_a_form_with_mistakes(designer_page: Page) -> None:
    page = designer_page
    page.goto("/workflows/support/edges/drafted/")
    page.locator("#id_edge-condition").fill("(")
    page.get_by_role("button", name="Save").first.click()
    expect(page.locator("#id_edge-condition_error")).to_contain_text("column")
    assert_accessible(page)


def test_the_first_password_of_someone_new(page: Page) -> None:
    page.goto("/settings/people/+new/")
    page.get_by_label("Name").fill("axe-newcomer")
    page.get_by_role("button", name="Add person").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("Password for"))
    assert_accessible(page)
