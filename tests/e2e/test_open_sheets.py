"""What stays in sight while the sheet of an action is open, and what closing it leaves behind."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

ROW = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
LOW = {"width": 640, "height": 400}  # 1280x800 at 200 %
ASKED = "Which of the two orders do you mean? " * 4


def made(api: httpx.Client, count: int = 40) -> str:
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": f"number {n}. {ASKED}"} for n in range(count)
    ]
    name = f"e2e-sheets-{uuid4().hex[:6]}"
    assert api.post("conversations", json={"id": name, "messages": messages}).status_code == 201
    return name


def box(page: Page, index: int) -> Locator:
    return page.get_by_label(f"Select message #{index}", exact=True)


def place(found: Locator) -> FloatRect:
    expect(found).to_be_visible()
    where = found.bounding_box()
    assert where is not None
    return where


def overlap(one: FloatRect, other: FloatRect) -> bool:
    across = one["x"] < other["x"] + other["width"] and other["x"] < one["x"] + one["width"]
    return (
        across and one["y"] < other["y"] + other["height"] and other["y"] < one["y"] + one["height"]
    )


@pytest.mark.parametrize("size", [ROW, {"width": 800, "height": 700}, PHONE, LOW])
def test_no_notice_covers_an_open_sheet_or_its_buttons(
    reviewer_page: Page, api: httpx.Client, size: Any
) -> None:
    page = reviewer_page
    page.set_viewport_size(size)
    page.goto(f"/conversations/{made(api)}/")
    box(page, 3).check()
    page.keyboard.press("d")
    page.get_by_role("button", name="Apply").click()
    notice = page.locator(".messages .note")
    expect(notice).to_contain_text("Hid #3.")
    box(page, 5).check()
    assert not overlap(place(notice), place(page.locator("#selection")))
    page.keyboard.press("d")
    apply = page.get_by_role("button", name="Apply")
    expect(apply).to_be_in_viewport(ratio=1)
    expect(page.get_by_label("Reason")).to_be_focused()
    expect(page.get_by_label("Reason")).to_be_in_viewport(ratio=1)
    sheet = place(page.locator("#sheet"))
    expect(notice).to_be_hidden()
    page.evaluate(
        "document.dispatchEvent(new CustomEvent('toast', {detail: {text: 'Saved', tone: 'info'}}))"
    )
    assert not overlap(place(page.locator(".toast-note")), sheet)
    page.get_by_role("button", name="Cancel").click()
    expect(notice).to_be_visible()


def test_a_notice_of_pins_covers_no_sheet(reviewer_page: Page, api: httpx.Client) -> None:
    page = reviewer_page
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"/conversations/{made(api)}/")
    for text in ("Pinned 1 message.", "These messages were pinned before."):
        box(page, 3).check()
        page.get_by_role("link", name="Pin", exact=True).click()
        page.locator("dialog").get_by_role("button", name="Pin").click()
        notice = page.locator(".messages .note")
        expect(notice).to_contain_text(text)
        box(page, 5).check()
        page.keyboard.press("d")
        expect(page.get_by_label("Reason")).to_be_focused()
        if notice.is_visible():  # with a way to undo it is hidden as long as the sheet is open
            assert not overlap(place(notice), place(page.locator("#sheet")))
        page.keyboard.press("Escape")
        box(page, 5).uncheck()


def test_a_key_on_a_message_selects_it_only_as_long_as_its_sheet_is_open(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page = reviewer_page
    page.goto(f"/conversations/{made(api)}/")
    message = page.locator("#m12")
    message.focus()
    page.keyboard.press("f")
    expect(page.get_by_text("12 messages before it will be hidden: #0–#11")).to_be_visible()
    expect(message).to_be_in_viewport()  # where the change ends, not where it begins
    page.keyboard.press("Escape")
    expect(page.locator("#selection")).to_be_hidden()
    expect(message).to_be_focused()
    page.keyboard.press("x")
    page.keyboard.press("f")
    expect(page.locator("#sheet")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_text("1 selected")).to_be_visible()


def test_next_error_goes_on_behind_an_error_that_had_to_be_loaded(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, name = reviewer_page, f"e2e-errors-{uuid4().hex[:6]}"
    messages: list[dict[str, Any]] = []
    for n in range(500):
        call = {"id": f"c{n}", "type": "function", "function": {"name": "find", "arguments": "{}"}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        answer = '{"error": "Timeout"}' if n % 150 == 149 else "found"
        messages.append({"role": "tool", "tool_call_id": f"c{n}", "content": answer})
    assert api.post("conversations", json={"id": name, "messages": messages}).status_code == 201
    page.goto(f"/conversations/{name}/")
    for index in (299, 599, 899):
        page.keyboard.press("!")
        expect(page.locator(f"#m{index}")).to_be_focused()
        expect(page.locator(f"#m{index}")).to_be_in_viewport()


@pytest.mark.parametrize("size", [ROW, PHONE])
def test_a_rollback_opens_at_its_summary_with_its_buttons_in_sight(
    reviewer_page: Page, api: httpx.Client, size: Any
) -> None:
    page, name = reviewer_page, made(api)
    for start in (3, 9):
        cut = {"remove_ranges": [{"start": start, "end": start + 4}]}
        body = {"operation": "truncate", "truncate": cut}
        assert api.post(f"conversations/{name}/operations", json=body).status_code == 200
    page.set_viewport_size(size)
    page.goto(f"/conversations/{name}/")
    page.get_by_role("link", name="Roll back batch 0").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("[data-dialog-title]")).to_be_in_viewport(ratio=1)
    expect(dialog.get_by_role("button", name="Roll back")).to_be_in_viewport(ratio=1)
    assert dialog.evaluate("dialog => dialog.scrollTop") == 0


def test_a_sheet_says_that_its_figures_are_old_and_asks_again_once_connected(
    reviewer_page: Page, api: httpx.Client, tolerate: Callable[[str], None]
) -> None:
    page = reviewer_page
    page.goto(f"/conversations/{made(api)}/")
    box(page, 3).check()
    page.get_by_role("button", name="Replace", exact=True).click()
    tokens = page.locator(".sheet-figures dd").first
    before = tokens.inner_text()
    tolerate("ERR_INTERNET_DISCONNECTED")
    tolerate("Failed to fetch")
    page.context.set_offline(True)
    page.get_by_label("New text").fill("short")
    expect(page.get_by_text("so this is from before your last change")).to_be_visible()
    expect(tokens).to_have_text(before)
    page.context.set_offline(False)
    expect(page.get_by_text("so this is from before your last change")).to_be_hidden()
    expect(tokens).not_to_have_text(before)
    expect(page.locator("#toasts .toast-note")).to_have_count(0)
