"""Without scripts a page follows the theme of the system, and that which was chosen."""

from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect


@pytest.mark.parametrize(
    ("system", "chosen", "is_dark"),
    [("dark", "", True), ("light", "", False), ("dark", "Light", False), ("light", "Dark", True)],
)
def test_the_colours_follow_the_system_unless_a_theme_is_chosen(
    browser: Browser, page: Page, system: Literal["light", "dark"], chosen: str, is_dark: bool
) -> None:
    page.goto("/")
    state = page.context.storage_state()
    with browser.new_context(
        java_script_enabled=False, storage_state=state, color_scheme=system
    ) as context:
        context.clear_cookies(name="theme")
        plain = context.new_page()
        plain.goto(page.url)
        if chosen:
            plain.get_by_role("button", name=chosen, exact=True).click()
            expect(plain.locator("html")).to_have_attribute("data-bs-theme", chosen.lower())
        colour = plain.evaluate("getComputedStyle(document.body).backgroundColor")
        lightness = float(colour.removeprefix("oklch(").split()[0])
        assert (lightness < 0.5) is is_dark
