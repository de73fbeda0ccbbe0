"""Selecting messages in a browser, and operating on them."""

import re
from typing import Any
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser import assert_accessible_in_every_look
from tests.e2e.conftest import OpenPage
from tests.e2e.selection_scenes import box, made


def left_of(button: Locator) -> float:
    place = button.bounding_box()
    assert place is not None
    return place["x"] + place["width"]


def test_a_range_over_stretches_is_hidden_and_undone(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, name = reviewer_page, made(api, "e2e-select", 160)
    page.goto(f"/conversations/{name}/")
    expect(page.locator("#selection")).to_be_hidden()
    box(page, 10).check()
    page.locator("#s100").scroll_into_view_if_needed()
    box(page, 120).scroll_into_view_if_needed()
    box(page, 120).click(modifiers=["Shift"])
    expect(page.get_by_text("111 selected")).to_be_visible()
    expect(page.get_by_role("button", name="Replace", exact=True)).to_be_disabled()
    page.get_by_role("button", name="Hide", exact=True).click()
    expect(page.get_by_text("111 messages will be hidden: #10–#120")).to_be_visible()
    expect(page.locator("#m120.message-going")).to_be_visible()
    page.get_by_label("Reason").fill("noise")
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("49 messages visible")).to_be_visible()
    expect(page.get_by_text("Hid #10–#120.")).to_be_visible()
    page.keyboard.press("Control+z")
    expect(page.get_by_text("160", exact=True).first).to_be_visible()
    expect(page.get_by_text("1 rolled-back batch")).to_be_visible()
    expect(page).to_have_url(re.compile(r"near=10#m10$"))  # where the reader was


def test_what_another_changed_since_is_not_undone_and_the_notice_says_whose_it_is(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, name = reviewer_page, made(api, "e2e-undo-of-two", 12)
    page.goto(f"/conversations/{name}/")
    expect(page.locator("#live-link")).to_have_attribute("data-live", "open")
    box(page, 5).check()
    page.get_by_role("button", name="Hide", exact=True).click()
    page.get_by_role("button", name="Apply").click()
    notice = page.locator("#messages .note")
    expect(notice).to_contain_text("Hid #5.")
    expect(notice.get_by_role("button", name="Undo")).to_be_visible()
    expect(page.locator("#live-link")).to_have_attribute("data-live", "open")

    def hide_first() -> None:
        cut = {"operation": "truncate", "truncate": {"remove_ranges": [{"start": 0, "end": 1}]}}
        assert api.post(f"conversations/{name}/operations", json=cut).status_code == 200

    hide_first()
    words = re.compile(r"Hid #5\..* The last change is by .*: Hid #0\. Roll back under Batches")
    expect(notice).to_have_text(words)
    expect(notice.get_by_role("button", name="Undo")).to_have_count(0)
    page.keyboard.press("Control+z")
    expect(page.locator("#toasts")).to_contain_text("The last change is by")
    # A page that nobody sees is not fetched again: the server says the same.
    page.reload()
    box(page, 6).check()
    page.get_by_role("button", name="Hide", exact=True).click()
    page.get_by_role("button", name="Apply").click()
    expect(notice).to_contain_text("Hid #6.")
    page.evaluate("Object.defineProperty(document, 'hidden', { value: true })")
    hide_first()
    page.keyboard.press("Control+z")
    expect(notice).to_have_text(re.compile(r"^\s*The last change is by .*: Hid #1\."))
    expect(page).to_have_url(re.compile(f"/conversations/{name}/$"))


def test_selected_messages_are_pinned_together_or_edited_in_the_full_form(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, name = reviewer_page, made(api, "e2e-pin-selected", 12)
    page.goto(f"/conversations/{name}/")
    for index in (4, 5):
        box(page, index).check()
    page.locator("#selection").get_by_role("link", name="Pin", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("Pin 2 messages")).to_be_visible()
    dialog.get_by_role("button", name="Pin", exact=True).click()
    expect(page.get_by_text("Pinned 2 messages.")).to_be_visible()
    box(page, 6).check()
    page.keyboard.press("e")
    expect(page).to_have_url(re.compile("/operate/.*positions=6"))
    starts = page.locator("input[name*=remove_ranges][name$=start]")
    expect(starts.first).to_have_value("6")


def test_a_selection_stays_with_its_messages_when_the_view_moves(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, name = reviewer_page, made(api, "e2e-select-moves", 12)
    page.goto(f"/conversations/{name}/")
    expect(page.locator("#live-link")).to_have_attribute("data-live", "open")
    for index in (4, 6, 8):
        box(page, index).check()
    cut = {"remove_ranges": [{"start": 3, "end": 5}, {"start": 8, "end": 9}]}
    body = {"operation": "truncate", "truncate": cut}
    assert api.post(f"conversations/{name}/operations", json=body).status_code == 200
    expect(page.get_by_role("link", name="2 hidden messages: #3–#4")).to_be_visible()
    expect(page.get_by_text("1 selected")).to_be_visible()
    expect(box(page, 6)).to_be_checked()
    page.get_by_role("button", name="Hide", exact=True).click()
    expect(page.get_by_text("1 message will be hidden: #6")).to_be_visible()


def test_messages_are_selected_by_keys(reviewer_page: Page, api: httpx.Client) -> None:
    page, name = reviewer_page, made(api, "e2e-select-keys", 12)
    page.goto(f"/conversations/{name}/")
    box(page, 4).focus()
    page.keyboard.press("Space")
    for _ in range(3):
        page.keyboard.press("Shift+ArrowDown")
    expect(page.get_by_text("4 selected")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#selection")).to_be_hidden()
    page.keyboard.press("Space")
    expect(page.get_by_text("1 selected")).to_be_visible()
    page.get_by_role("button", name="Keep from here").click()
    expect(page.get_by_text("7 messages before it will be hidden: #0–#6")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#sheet")).to_have_count(0)
    expect(page.locator(".message-going")).to_have_count(0)
    expect(page.get_by_text("1 selected")).to_be_visible()


def test_selecting_previewing_and_comparing_are_accessible(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, name = reviewer_page, made(api, "e2e-select-axe", 8)
    page.goto(f"/conversations/{name}/")
    page.locator("#m1 .tool-call-head").click()
    box(page, 2).check()
    # Where no link is half under the bar above or the one below.
    page.evaluate("document.activeElement.blur(); scrollTo(0, document.body.scrollHeight)")
    page.evaluate("scrollBy(0, -40)")
    assert_accessible_in_every_look(page)
    page.get_by_role("button", name="Hide", exact=True).click()
    expect(page.get_by_text("1 message will be hidden: #2")).to_be_visible()
    expect(page.get_by_text("The matching calls and results go with it: #1.")).to_be_visible()
    assert_accessible_in_every_look(page)
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("Batch 1: 6 messages visible.")).to_be_visible()
    replaced = {"operation": "replace", "replace": {"index": 0, "message": {
        "role": "user", "content": "number nought"}}}  # fmt: skip
    assert api.post(f"conversations/{name}/operations", json=replaced).status_code == 200
    page.goto(f"/conversations/{name}/")
    page.get_by_label("Compare batch 0: ").check()
    page.get_by_label("Compare batch 2: ").check()
    page.get_by_role("button", name="Compare selected").click()
    expect(page.locator("ins")).to_have_text("nought")
    assert_accessible_in_every_look(page)


def test_selecting_works_without_scripts(
    browser: Browser, reviewer_page: Page, api: httpx.Client
) -> None:
    page, name = reviewer_page, made(api, "e2e-select-plain", 8)
    page.goto(f"/conversations/{name}/")
    state = page.context.storage_state()
    with browser.new_context(java_script_enabled=False, storage_state=state) as context:
        plain = context.new_page()
        plain.goto(page.url)
        box(plain, 4).check()
        box(plain, 6).check()
        plain.get_by_role("button", name="Hide", exact=True).click()
        expect(plain.get_by_text("2 messages: #4, #6")).to_be_visible()


def test_a_summary_is_drawn_in_its_place_while_it_is_written(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, name = reviewer_page, made(api, "e2e-select-summary", 8)
    page.goto(f"/conversations/{name}/")
    for index in (4, 5):
        box(page, index).check()
    page.get_by_role("button", name="Summarize", exact=True).click()
    page.get_by_label("Summary").fill("Two numbers")
    expect(page.locator(".message-coming + #m4.message-going")).to_be_visible()
    expect(page.locator(".message-coming")).to_have_text("Two numbers")
    expect(page.locator("#sheet").get_by_text("7 messages")).to_be_visible()
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("Summarized #4–#5.")).to_be_visible()
    expect(page.locator("#m8")).to_contain_text("Two numbers")


def test_back_after_a_change_leaves_the_conversation(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, name = reviewer_page, made(api, "e2e-select-back", 6)
    page.goto("/conversations/")
    page.goto(f"/conversations/{name}/")
    box(page, 3).check()
    page.get_by_role("button", name="Hide", exact=True).click()
    page.get_by_role("button", name="Apply").click()
    expect(page).to_have_url(re.compile("near="))
    page.go_back()
    expect(page).to_have_url(re.compile("/conversations/$"))


def test_keys_of_the_whole_log_undo_there_and_say_where_messages_are_selected(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, name = reviewer_page, made(api, "e2e-log-keys", 12)
    page.goto(f"/conversations/{name}/")
    box(page, 5).check()
    page.get_by_role("button", name="Hide", exact=True).click()
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("Hid #5.")).to_be_visible()
    page.goto(f"/conversations/{name}/?view=all")
    page.locator("#m4").focus()
    page.keyboard.press("r")
    expect(page.get_by_text("Select messages in the current view.")).to_be_visible()
    page.keyboard.press("Control+z")
    expect(page.get_by_text("Undone. The messages are as before.")).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?view=all&near=5#m5$"))
    page.keyboard.press("Control+Shift+z")
    expect(page.get_by_text("Redone.")).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?view=all&near=4#m4$"))
    page.goto(f"/conversations/{name}/?near=5#m5")
    expect(page.locator("#m4")).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?near=5#m5$"))


def test_what_a_conversation_cannot_do_now_is_disabled_and_what_came_is_marked(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, name = reviewer_page, made(api, "e2e-marks", 8)
    page.goto(f"/conversations/{name}/")
    box(page, 5).check()
    hide = page.get_by_role("button", name="Hide", exact=True)
    place = left_of(hide)
    page.get_by_role("button", name="Replace", exact=True).click()
    page.get_by_label("New text").fill("number five")
    assert left_of(hide) == place
    page.get_by_role("button", name="Apply", exact=True).click()
    expect(page.locator("#m8").get_by_text("new", exact=True)).to_be_visible()
    compare = page.get_by_role("button", name="Compare selected")
    ticks = page.locator("#batches .batch-tick")
    ticks.first.check()
    expect(compare).to_be_disabled()
    ticks.last.check()
    expect(compare).to_be_enabled()
    error = page.get_by_role("link", name="Next error")
    expect(error).to_have_attribute("aria-disabled", "true")
    error.click(force=True)
    expect(page.get_by_text("No tool result reports an error.")).to_be_visible()
    page.get_by_role("link", name="Talk", exact=True).click()
    page.get_by_role("link", name="Show them").click()
    expect(page.locator("#m2, .tool-call").first).to_be_visible()
    expect(page.get_by_text("Talk leaves out")).to_be_hidden()


def test_the_actions_of_a_call_stand_beside_it_once_they_are_asked_for(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page = reviewer_page
    long = {"name": "search_flights", "arguments": '{"from": "' + "JFK " * 80 + '"}'}
    call = {"id": "c1", "type": "function", "function": long}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "Find a flight"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "found"},
    ]
    name = f"e2e-call-{uuid4().hex[:6]}"
    assert api.post("conversations", json={"id": name, "messages": messages}).status_code == 201
    page.goto(f"/conversations/{name}/")
    hide = page.locator("#m1 > .message-head").get_by_role("link", name="Hide #1")

    def stand_apart() -> None:
        expect(hide).to_be_visible()
        tool = page.locator("#m1 .tool-call-head").bounding_box()
        actions = page.locator("#m1 > .message-head .message-aside").bounding_box()
        assert tool is not None
        assert actions is not None
        assert tool["x"] + tool["width"] <= actions["x"] + 1, (tool, actions)

    head = page.locator("#m1 .tool-call-head")
    head.click()  # in its middle: it opens, for nothing came under the pointer
    expect(page.locator("#m1 .tool-call-body")).to_be_visible()
    head.click()
    page.locator("#m1 > .message-head .message-more").click()
    stand_apart()
    page.mouse.move(2, 2)
    page.locator("#m0").focus()
    expect(hide).to_be_hidden()
    page.keyboard.press("j")
    stand_apart()


@pytest.mark.parametrize("width", [390, 640])
def test_actions_by_keys_leave_the_box_and_the_speaker_of_a_message_in_sight(
    open_page: OpenPage, api: httpx.Client, width: int
) -> None:
    page, name = open_page("reviewer", width=width), made(api, "e2e-narrow-keys", 4)
    page.goto(f"/conversations/{name}/")
    page.keyboard.press("j")
    page.keyboard.press("x")
    head = page.locator(".message:focus > .message-head")
    expect(head.get_by_role("checkbox")).to_be_checked()
    expect(head.locator(".message-actions")).to_be_visible()
    on_top = """element => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      const y = (top + bottom) / 2;
      const found = [left + 2, right - 2].map((x) => document.elementFromPoint(x, y));
      return found.every((each) => element.contains(each) || each?.contains(element));
    }"""
    for part in ("input", ".message-role", ".message-number"):
        assert head.locator(part).evaluate(on_top), part
