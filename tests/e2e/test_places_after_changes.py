"""Messages stand where a link leads to, and where they stood before a change."""

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.selection_scenes import box, made


def top_of(page: Page, index: int) -> float:
    place = page.locator(f"#m{index}").bounding_box()
    assert place is not None
    return place["y"]


def stands_at(page: Page, index: int, top: float) -> None:
    near = (
        "([id, top]) => Math.abs(document.getElementById(id).getBoundingClientRect().top - top) < 3"
    )
    page.wait_for_function(near, arg=[f"m{index}", top])


def test_what_is_in_sight_stands_where_it_stood_after_a_change_and_its_undoing(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, name = reviewer_page, made(api, "e2e-place", 60)
    page.goto(f"/conversations/{name}/")
    page.locator("#m40").scroll_into_view_if_needed()
    box(page, 36).click()
    page.keyboard.press("d")
    expect(page.locator("#sheet")).to_be_visible()
    before = top_of(page, 35)
    page.keyboard.press("Enter")
    expect(page.get_by_text("Hid #36.")).to_be_visible()
    expect(page.locator("#m36")).to_have_count(0)
    stands_at(page, 35, before)
    page.keyboard.press("Control+z")
    expect(page.locator("#m36")).to_be_visible()
    stands_at(page, 35, before)
    box(page, 37).click()
    page.keyboard.press("r")
    page.get_by_label("New text").fill("another word")
    before = top_of(page, 35)
    page.get_by_role("button", name="Apply", exact=True).click()
    expect(page.get_by_text("Replaced #37.")).to_be_visible()
    stands_at(page, 35, before)


FIRST_PAINT = """
const look = () => {
  const message = document.getElementById("m48");
  if (message) window.firstTop = Math.round(message.getBoundingClientRect().top);
  else requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""


def test_what_was_in_sight_stands_there_when_the_page_after_a_change_is_first_painted(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, name = reviewer_page, made(api, "e2e-paint", 240)
    page.goto(f"/conversations/{name}/?at=52#m52")
    box(page, 52).click()
    expect(page.locator("#m48")).to_be_attached()
    page.evaluate("document.getElementById('m48').scrollIntoView()")
    page.keyboard.press("d")
    expect(page.locator("#sheet")).to_be_visible()
    page.add_init_script(FIRST_PAINT)
    before = top_of(page, 48)
    page.keyboard.press("Enter")
    expect(page.get_by_text("Hid #52.")).to_be_visible()
    assert abs(page.evaluate("window.firstTop") - before) < 3
    page.keyboard.press("Control+z")
    expect(page.locator("#m52")).to_be_visible()
    page.wait_for_load_state()
    assert abs(page.evaluate("window.firstTop") - before) < 3
    assert page.evaluate("document.getElementById('m52').style.scrollMarginTop") == ""


@pytest.mark.parametrize("width", [390, 1920])
def test_a_link_leads_to_a_message_below_the_row_of_tools(
    open_page: OpenPage, api: httpx.Client, width: int
) -> None:
    page, name = open_page("reviewer", width=width), made(api, "e2e-under", 240)
    page.goto(f"/conversations/{name}/?at=153#m153")
    page.wait_for_load_state("networkidle")
    bar = page.locator(".reading-tools").bounding_box()
    assert bar is not None
    assert top_of(page, 153) >= bar["y"] + bar["height"] - 1


def test_who_comes_with_a_late_hit_is_told_which_it_is(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, name = reviewer_page, made(api, "e2e-late", 130)
    page.goto(f"/conversations/{name}/?at=120&q=number#m120")
    expect(page.get_by_text("Result 119 of 128")).to_be_visible()
    expect(page.locator(".hit-link[aria-current]")).to_be_in_viewport()
