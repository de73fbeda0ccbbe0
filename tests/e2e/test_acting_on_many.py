"""Bulk actions in a browser: selecting by keys and on a phone, and a session that ends."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.keys import listed
from tests.e2e.scenes import Started
from tests.e2e.test_lost_sessions import lose_session, sign_in


@pytest.mark.parametrize("size", [(390, 844), (640, 400)])
def test_the_box_that_selects_the_page_is_in_sight_on_a_narrow_page(
    reviewer_page: Page, start: Started, size: tuple[int, int]
) -> None:
    page, name = reviewer_page, start()
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto("/executions/?status=PAUSED")
    box = page.get_by_label("Select all on this page")
    place = box.bounding_box()
    assert place is not None
    assert place["width"] > 10
    page.get_by_text("Select all on this page").click()
    expect(box).to_be_checked()
    expect(page.locator(f'[data-bulk-box][value="{name}"]')).to_be_checked()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_key_leads_from_the_selection_to_the_action_and_back(
    reviewer_page: Page, start: Started
) -> None:
    page = reviewer_page
    start()
    page.goto("/executions/?status=PAUSED")
    assert "Choose an action" not in listed(page)
    box = page.get_by_label("Select all on this page")
    box.focus()
    page.keyboard.press("Space")
    assert listed(page)["Choose an action"] == ["a"]
    page.keyboard.press("a")
    expect(page.get_by_label("Action", exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    expect(box).to_be_focused()
    page.keyboard.press("a")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Continue with selected")).to_be_focused()


def test_a_reason_is_still_there_when_the_session_ends_before_the_start(
    open_page: OpenPage, start: Started
) -> None:
    name, page = start(), open_page("reviewer")
    page.goto("/executions/?status=PAUSED")
    page.locator(f'[data-bulk-box][value="{name}"]').check()
    page.get_by_label("Action", exact=True).select_option("cancel")
    page.get_by_role("button", name="Continue with selected").click()
    page.get_by_label("Reason").fill("no longer needed")
    lose_session(page)
    page.get_by_role("button", name="Cancel 1 execution").click()
    sign_in(page, "reviewer")
    expect(page).to_have_url(re.compile(r"/bulk/bulk_\w+/$"))
    expect(page.get_by_text("It was not sent; check it and submit again.")).to_be_visible()
    expect(page.get_by_label("Reason")).to_have_value("no longer needed")
    page.get_by_role("button", name="Cancel 1 execution").click()
    expect(page.get_by_text("1 execution cancelled")).to_be_visible()
