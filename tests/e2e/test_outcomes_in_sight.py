"""What a decision led to is in sight, however far the page was scrolled."""

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.e2e.scenes import live, seen, start_one
from tests.e2e.test_reviewing import start_again


@pytest.mark.parametrize("by_key", [False, True])
def test_the_outcome_of_approving_selected_is_in_sight_in_a_scrolled_queue(
    reviewer_page: Page, api: httpx.Client, by_key: bool
) -> None:
    page, flow = reviewer_page, start_one(api)
    others = [start_again(api, flow) for _ in range(13)]
    page.goto(f"/executions/{others[-1]}/")
    expect(page.locator("[data-look]")).to_be_attached()
    page.goto(f"/reviews/?sort=waiting&workflow={flow}")
    live(page)
    page.get_by_role("checkbox", name=f"Select {others[-1]}").check()
    page.evaluate("scrollTo(0, 9999)")
    button = page.get_by_role("button", name="Approve selected")
    if by_key:
        button.press("Enter")
    else:
        button.click()
    note = page.locator("#messages > .note")
    expect(note).to_contain_text("1 review approved.")
    expect(note).to_be_in_viewport(ratio=1)
    if by_key:
        expect(note).to_be_focused()


@pytest.mark.parametrize("by_key", [False, True])
def test_a_decision_on_a_scrolled_page_shows_where_to_go_on(
    reviewer_page: Page, api: httpx.Client, by_key: bool
) -> None:
    page, flow = reviewer_page, start_one(api)
    start_again(api, flow)
    page.goto(f"/executions/{flow}/")
    live(page)
    seen(page)
    page.evaluate("scrollTo(0, 500)")
    if by_key:
        page.keyboard.press("a")
    else:
        page.get_by_role("button", name="Approve", exact=True).click()
    expect(page.get_by_text("You approved this.")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("link", name="Next review")).to_be_in_viewport(ratio=1)
