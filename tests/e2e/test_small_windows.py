"""What is decided about, and how, stays in sight on a phone and in a low window."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.scenes import Started, go

PHONE = {"width": 390, "height": 844}
LOW = {"width": 640, "height": 400}  # 1280x800 at 200 %


@pytest.mark.parametrize("size", [PHONE, LOW])
def test_the_buttons_of_a_decision_are_in_sight_at_once_and_a_rejection_asks_why(
    reviewer_page: Page, start: Started, size: Any
) -> None:
    page = reviewer_page
    page.set_viewport_size(size)
    go(page, f"/executions/{start()}/")
    for name in ("Approve", "Edit the state", "Reject"):
        role: Any = "link" if name == "Edit the state" else "button"
        expect(page.get_by_role(role, name=name, exact=True)).to_be_in_viewport(ratio=1)
    page.get_by_role("button", name="Reject", exact=True).click()
    expect(page.get_by_role("textbox", name="Reason")).to_be_focused()
    expect(page.get_by_role("textbox", name="Reason")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("button", name="Reject", exact=True)).to_be_in_viewport(ratio=1)


def test_the_buttons_of_a_decision_are_of_one_height_on_a_phone(
    reviewer_page: Page, start: Started
) -> None:
    reviewer_page.set_viewport_size({"width": 390, "height": 844})
    page = go(reviewer_page, f"/executions/{start()}/")
    page.get_by_role("link", name="Edit the state").evaluate(
        "edit => edit.lastChild.textContent = '编辑状态数据'"
    )
    bar = page.locator(".decide-bar > .btn")
    heights = bar.evaluate_all("buttons => buttons.map(each => each.offsetHeight)")
    assert heights == [44, 44, 44]


@pytest.mark.parametrize("size", [PHONE, LOW])
def test_whom_a_decision_passes_over_stands_above_its_buttons(
    open_page: OpenPage, start: Started, size: Any
) -> None:
    name = start()
    theirs, mine = open_page("designer"), open_page("reviewer")
    go(theirs, f"/executions/{name}/").get_by_role("button", name="Claim").click()
    expect(theirs.get_by_text("You claimed this review.")).to_be_visible()
    mine.set_viewport_size(size)
    go(mine, f"/executions/{name}/").get_by_role("button", name="Approve", exact=True).click()
    asked = mine.get_by_text("has claimed this. Approve anyway?")
    expect(asked).to_be_in_viewport(ratio=1)
    text, button = asked.bounding_box(), mine.get_by_role("button", name="Approve anyway")
    place = button.bounding_box()
    assert text is not None
    assert place is not None
    assert text["y"] + text["height"] < place["y"]


@pytest.mark.parametrize("size", [PHONE, LOW])
def test_the_bar_of_the_form_is_in_sight_with_a_draft_above_it(
    reviewer_page: Page, start: Started, size: Any
) -> None:
    page = reviewer_page
    page.set_viewport_size(size)
    path = f"/executions/{start()}/state/"
    go(page, path)
    page.get_by_label("draft", exact=True).fill("Dear customer, it left. " * 20)
    expect(page.get_by_text("1 unapplied change")).to_be_visible()
    expect(page.get_by_text("Saved for you")).to_be_visible()
    go(page, path)
    review = page.locator(".draft-bar").get_by_role("button", name="Review changes")
    expect(review).to_be_in_viewport(ratio=1)
    expect(page.get_by_text("Connected", exact=True)).to_be_in_viewport(ratio=1)
