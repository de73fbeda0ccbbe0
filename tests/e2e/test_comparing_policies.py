"""Comparing policies in a browser: compare, look into a call, use the best in the draft, undo."""

import re
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser import assert_accessible

SLUG = "e2e-compare"
DOCUMENT = {
    "name": "Compared",
    "nodes": [
        {"id": "start", "type": "start"},
        {"id": "write", "type": "llm", "name": "Write", "context_type": "pass_through"},
    ],
    "edges": [{"id": "go", "type": "sequence", "from": "start", "to": "write"}],
}
LONG = "word " * 300


@pytest.fixture
def recorded(api: httpx.Client) -> str:
    """A workflow with conversations that a budget makes cheaper; its draft has no filter."""
    if api.get(f"workflows/{SLUG}").status_code == 200:
        return SLUG
    api.post("workflows", json={"slug": SLUG, "name": "Compared"}).raise_for_status()
    put = {"document": DOCUMENT, "expected_version": 0}
    api.put(f"workflows/{SLUG}/draft", json=put).raise_for_status()
    messages = [
        {"role": role, "content": LONG} for _ in range(20) for role in ("user", "assistant")
    ]
    for number in range(3):
        new: dict[str, Any] = {"id": f"{SLUG}-{number}", "workflow": SLUG, "messages": messages}
        api.post("conversations", json=new).raise_for_status()
    return SLUG


def filter_of_node(api: httpx.Client) -> Any:
    nodes = api.get(f"workflows/{SLUG}/draft").json()["document"]["nodes"]
    return next(each for each in nodes if each["id"] == "write").get("context_filter")


def test_a_budget_is_compared_looked_into_used_in_the_draft_and_undone(
    designer_page: Page, api: httpx.Client, recorded: str
) -> None:
    page = designer_page
    page.goto(f"/workflows/{recorded}/editor/")
    page.get_by_role("link", name="Compare policies").click()
    slider = page.get_by_role("slider", name="Maximum tokens of budget 1")
    slider.focus()
    slider.press("Home")
    for _ in range(3):
        slider.press("PageUp")
    most = page.get_by_role("textbox", name="Maximum tokens of budget 1").input_value()
    target = page.get_by_role("textbox", name="Target tokens of budget 1").input_value()
    assert int(target) < int(most)
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.locator("#compared")).to_contain_text("3 conversations, calls: 60")
    name = f"Budget {int(most):,} to {int(target):,}"
    row = page.locator("#compared").get_by_role("row", name=re.compile(f"^{name}"))
    expect(row).to_contain_text("−")
    assert_accessible(page)

    page.locator("#bands figure", has_text=name).locator("svg a").nth(15).click()
    expect(page.get_by_role("heading", name="Compared call")).to_be_visible()
    expect(page.get_by_label("Call", exact=True)).to_have_value("16")
    assert_accessible(page)
    page.go_back()

    row.get_by_role("button", name="Use in “Write”").click()
    note = page.locator("#messages")
    expect(note).to_contain_text(f"“{name}” is in the draft of “Write” now.")
    used = filter_of_node(api)["messages"][0]["budget"]
    assert used == {"max_tokens": int(most), "target_tokens": int(target)}
    note.get_by_role("button", name="Undo").click()
    expect(note).to_contain_text("Undone: Write has its former filter.")
    assert filter_of_node(api) is None


def test_a_comparison_that_was_left_is_found_again(
    designer_page: Page, recorded: str, api: httpx.Client
) -> None:
    page = designer_page
    page.goto(f"/workflows/{recorded}/compare/?node=write")
    page.get_by_role("button", name="Compare", exact=True).click()
    page.wait_for_url(re.compile("/compare/backtest_"))
    left = page.url
    page.goto(f"/workflows/{recorded}/compare/")
    latest = page.locator(".compare-latest li").first
    expect(latest.get_by_role("link")).to_have_attribute("href", left[left.index("/workflows/") :])
    latest.get_by_role("link").click()
    expect(page.locator("#compared")).to_be_visible()
