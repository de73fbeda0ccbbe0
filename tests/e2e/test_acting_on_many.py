"""Bulk actions in a browser: selecting on a phone."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.scenes import Started


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
