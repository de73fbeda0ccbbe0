"""The open JSON text of a state merges what others applied, and keeps what was typed."""

from typing import Any
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import assert_accessible
from tests.e2e.scenes import go, ok, save, state

BEHIND = "This text is based on version 1; the latest is version 2."
LARGE = {f"key {number:04}": "x" * 700 for number in range(1000)}


@pytest.fixture
def name(api: httpx.Client) -> str:
    made = f"take-{uuid4().hex[:8]}"
    ok(api.post("conversations", json={"id": made, "title": made}))
    save(api, made, status="PAUSED", state_data={"draft": "Dear", "plan": "ask", "tone": "warm"})
    return made


def editor(page: Page) -> Locator:
    return page.locator(".json-text .cm-content")


def opened(page: Page, name: str) -> Page:
    go(page, f"/executions/{name}/state/?raw=1")
    expect(editor(page)).to_be_visible()
    return page


def type_over(page: Page, former: str, text: str) -> None:
    """Type a text in the place of a word of the editor."""
    editor(page).get_by_text(former).last.dblclick()
    page.keyboard.type(text)
    expect(page.get_by_text("Saved for you")).to_be_visible()


def add_mine(page: Page) -> None:
    """Type a new key at the beginning of a text that is too long to be seen whole."""
    for key in ("Control+Home", "End", "Enter"):
        editor(page).press(key)
    page.keyboard.type('"mine": 1,')
    expect(page.get_by_text("Saved for you")).to_be_visible()


def applied(api: httpx.Client, name: str, **values: Any) -> None:
    ok(api.patch(f"conversations/{name}/snapshot", json={"node_id": "plan", "state_data": values}))


def take_in(page: Page) -> None:
    page.get_by_role("button", name="Update to the latest version").click()


def test_what_others_applied_is_reported_at_once_and_taken_in_beside_what_was_typed(
    reviewer_page: Page, api: httpx.Client, name: str
) -> None:
    page = opened(reviewer_page, name)
    type_over(page, "Dear", "Hello")
    applied(api, name, plan="act", added=[2**53 + 1])
    expect(page.get_by_text(BEHIND)).to_be_visible()
    expect(editor(page)).to_contain_text('"plan": "ask"')
    assert_accessible(page)
    take_in(page)
    expect(page.get_by_text("Updated to version 2, with your edits")).to_be_visible()
    expect(page.get_by_text("based on version 2")).to_be_visible()
    for text in ('"Hello"', '"plan": "act"', "9007199254740993"):
        expect(editor(page)).to_contain_text(text)
    editor(page).press("Control+z")  # takes back what was typed here, never what others wrote
    expect(editor(page)).to_contain_text('"plan": "act"')
    editor(page).press("Control+y")
    expect(editor(page)).to_contain_text('"Hello"')
    page.get_by_role("button", name="Review changes").click()
    expect(page.locator("ins")).to_have_text(["Hello"])
    page.get_by_role("button", name="Apply", exact=True).click()
    expect(page.get_by_text("1 key changed; the execution is at version 3.")).to_be_visible()
    now = state(api, name)
    assert (now["draft"], now["plan"], now["added"]) == ("Hello", "act", [2**53 + 1])


def test_a_key_that_both_changed_stays_as_it_was_typed_until_it_is_decided(
    reviewer_page: Page, api: httpx.Client, name: str
) -> None:
    page = opened(reviewer_page, name)
    type_over(page, "Dear", "Hello")
    applied(api, name, draft="Good day")
    expect(page.get_by_text(BEHIND)).to_be_visible()
    take_in(page)
    expect(page.get_by_text("conflict with newer changes in draft")).to_be_visible()
    expect(editor(page)).to_contain_text('"Hello"')
    page.get_by_role("button", name="Review changes").click()
    expect(page.get_by_role("group", name="draft", exact=True)).to_be_visible()


def test_what_meets_nothing_is_taken_in_and_it_says_what_meets(
    reviewer_page: Page, api: httpx.Client, name: str
) -> None:
    page = opened(reviewer_page, name)
    type_over(page, "Dear", "Hello")
    applied(api, name, draft="Good day", plan="act", tone={"$delete": True}, added=[2**53 + 1])
    expect(page.get_by_text(BEHIND)).to_be_visible()
    take_in(page)
    expect(
        page.get_by_text("Updated to version 2, except draft, where your values conflict")
    ).to_be_visible()
    assert_accessible(page)
    for text in ('"Hello"', '"plan": "act"', "9007199254740993"):
        expect(editor(page)).to_contain_text(text)
    expect(editor(page)).not_to_contain_text("tone")
    type_over(page, "Hello", "Hi")  # says nothing of what was taken in
    applied(api, name, plan="act at once")
    expect(
        page.get_by_text("This text is based on version 2; the latest is version 3")
    ).to_be_visible()
    take_in(page)
    expect(editor(page)).to_contain_text('"plan": "act at once"')
    page.get_by_role("button", name="Review changes").click()
    expect(page.get_by_role("group", name="draft", exact=True)).to_be_visible()
    expect(page.locator("fieldset.conflict")).to_have_count(1)
    page.get_by_label("Keep mine").check()
    page.get_by_role("button", name="Merge").click()
    page.get_by_role("button", name="Apply", exact=True).click()
    expect(page.get_by_text("1 key changed; the execution is at version 4.")).to_be_visible()
    now = state(api, name)
    assert (now["draft"], now["plan"], now["added"]) == ("Hi", "act at once", [2**53 + 1])
    assert "tone" not in now


def test_a_text_that_cannot_be_read_is_not_touched(
    reviewer_page: Page, api: httpx.Client, name: str
) -> None:
    page = opened(reviewer_page, name)
    type_over(page, "Dear", 'Hello" oh')
    applied(api, name, plan="act")
    take_in(page)
    expect(page.get_by_text("The text is not valid JSON")).to_be_visible()
    expect(editor(page)).to_contain_text('"Hello" oh"')


def test_a_large_text_is_taken_in_whole_and_then_but_for_what_meets(
    reviewer_page: Page, api: httpx.Client, name: str
) -> None:
    applied(api, name, **LARGE)
    page = opened(reviewer_page, name)
    add_mine(page)
    applied(api, name, **{"key 0000": "first of all"})
    take_in(page)
    expect(page.get_by_text("Updated to version 3")).to_be_visible()
    page.get_by_role("button", name="Review changes").click()
    expect(page.get_by_text("compared with version 3")).to_be_visible()
    expect(page.locator(".diff tbody tr")).to_have_count(1)
    expect(page.locator(".diff tbody")).to_contain_text("mine")
    opened(page, name)
    applied(api, name, mine=2, **{"key 0001": "second of all"})
    take_in(page)
    expect(page.get_by_text("Updated to version 4, except mine")).to_be_visible()
    page.get_by_role("button", name="Review changes").click()
    expect(page.locator("fieldset.conflict")).to_have_count(1)


def test_the_text_begins_at_the_key_that_is_too_large_for_the_form_and_ctrl_enter_reviews_it(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, name = reviewer_page, f"take-{uuid4().hex[:8]}"
    ok(api.post("conversations", json={"id": name, "title": name}))
    rows = [{"id": number, "text": "x" * 40} for number in range(1500)]
    save(api, name, status="PAUSED", state_data={"a": rows, "huge": rows, "z": 1})
    go(page, f"/executions/{name}/state/#edit:huge")
    expect(page.locator(".edit-left-out button")).to_be_focused()
    page.keyboard.press("Enter")
    expect(editor(page)).to_be_focused()
    line = editor(page).locator(".cm-activeLine")
    expect(line).to_contain_text('"huge": [')
    expect(line).to_be_in_viewport()
    page.keyboard.type('"gr?": 1, ')  # no key of the page is meant
    expect(page.get_by_text("Saved for you")).to_be_visible()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_label("Reason")).to_be_focused()
    expect(page.get_by_role("group", name="State changes")).to_contain_text("gr?")
