"""The components in a browser: accessible in both themes and widths, also without JavaScript."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import (
    assert_accessible,
    assert_accessible_in_both_themes,
    assert_nothing_sticks_out,
)
from tests.e2e.conftest import OpenPage
from tests.live_server import LiveServer

PATH = "/styleguide/"


@pytest.fixture(scope="module")
def server(memory: Path) -> Iterator[LiveServer]:
    """A server of its own: the page is there in debug mode only."""
    with LiveServer(memory / "styleguide", {"CTXADMIN_DEBUG": "1"}) as live:
        live.make_people()
        yield live


@pytest.fixture
def guide(page: Page) -> Page:
    page.goto(PATH)
    return page


@pytest.fixture
def plain_page(browser: Browser, server: LiveServer, open_page: OpenPage) -> Iterator[Page]:
    """Signed in, without JavaScript."""
    state = open_page().context.storage_state()
    with browser.new_context(
        base_url=server.url, storage_state=state, java_script_enabled=False
    ) as context:
        yield context.new_page()


def test_every_component_is_accessible(guide: Page) -> None:
    """Here whole in each width: other pages are made of this."""
    assert_accessible_in_both_themes(guide)
    assert_nothing_sticks_out(guide)
    for width in (390, 320):
        guide.set_viewport_size({"width": width, "height": 900})
        assert_accessible(guide)
        assert_nothing_sticks_out(guide)


def test_a_form_with_errors_is_accessible(guide: Page) -> None:
    page = guide
    page.get_by_label("Priority").fill("many")
    page.locator("#id_rules-0-pattern").fill("")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".form-errors")).to_be_focused()
    page.get_by_role("link", name="Rule 1 › Pattern").click()
    expect(page.locator("#id_rules-0-pattern")).to_be_focused()
    assert page.locator("#id_priority").get_attribute("aria-invalid") == "true"
    assert_accessible_in_both_themes(page)


def test_the_theme_changes_in_place_and_is_remembered(guide: Page) -> None:
    guide.get_by_role("button", name="Dark").click()
    expect(guide.locator("html")).to_have_attribute("data-bs-theme", "dark")
    guide.reload()
    expect(guide.get_by_role("button", name="Dark")).to_have_attribute("aria-pressed", "true")


def test_the_automatic_theme_follows_the_system(open_page: OpenPage) -> None:
    page = open_page(theme="dark")
    page.context.clear_cookies(name="theme")
    page.goto(PATH)
    expect(page.locator("html")).to_have_attribute("data-bs-theme", "dark")
    page.emulate_media(color_scheme="light")
    expect(page.locator("html")).to_have_attribute("data-bs-theme", "light")


def test_rows_are_edited_in_place_and_the_focus_stays_with_them(guide: Page) -> None:
    guide.get_by_label("Name").fill("typed and not saved")
    guide.get_by_role("button", name="Add a rule").click()
    expect(guide.locator("#id_rules-3-type")).to_be_focused()
    guide.locator("#id_rules-3-pattern").fill("added.*")
    guide.locator("[value='up:rules:3']").click()
    expect(guide.locator("[value='up:rules:2']")).to_be_focused()
    expect(guide.locator("#id_rules-2-pattern")).to_have_value("added.*")
    expect(guide.get_by_label("Name")).to_have_value("typed and not saved")


def test_what_depends_on_a_choice_follows_it(guide: Page) -> None:
    expect(guide.get_by_label("Keep last")).to_be_hidden()
    guide.get_by_label("Operation").select_option("window")
    expect(guide.get_by_label("Keep last")).to_be_visible()


def test_a_question_opens_in_a_dialog(guide: Page) -> None:
    page = guide
    page.get_by_role("link", name="Roll back").click()
    dialog = page.get_by_role("dialog", name="Roll back to batch 3?")
    expect(dialog).to_be_visible()
    assert_accessible_in_both_themes(page)
    dialog.get_by_role("link", name="Cancel").click()
    expect(dialog).to_be_hidden()


def test_the_keys_of_the_page_are_listed_and_can_be_switched_off(guide: Page) -> None:
    guide.keyboard.press("?")
    keys = guide.get_by_role("dialog", name="Keyboard")
    expect(keys.get_by_text("Search")).to_be_hidden()
    expect(keys.get_by_text("New conversation")).to_be_visible()
    assert_accessible(guide)
    keys.get_by_label("Enable single-key shortcuts").uncheck()
    guide.keyboard.press("Escape")
    guide.keyboard.press("?")
    expect(keys).to_be_hidden()


def test_times_are_said_in_the_zone_of_the_reader(browser: Browser, open_page: OpenPage) -> None:
    page = open_page(locale="de-DE")
    page.goto(PATH)
    assert "UTC" not in page.locator("time").first.inner_text()


def test_a_menu_opens_on_a_narrow_screen(open_page: OpenPage) -> None:
    page = open_page(width=390)
    page.goto(PATH)
    expect(page.locator("#sidebar")).to_be_hidden()
    page.get_by_role("button", name="Menu").click()
    expect(page.locator("#sidebar")).to_be_visible()
    assert_accessible(page)
    page.keyboard.press("Escape")
    expect(page.locator("#sidebar")).to_be_hidden()


def test_everything_works_without_javascript(plain_page: Page) -> None:
    plain_page.goto(PATH)
    plain_page.get_by_label("Name").fill("kept")
    plain_page.get_by_role("button", name="Add a rule").click()
    plain_page.locator("#id_rules-3-type").select_option("include")
    plain_page.locator("#id_rules-3-pattern").fill("x")
    plain_page.get_by_label("Operation").select_option("window")
    plain_page.get_by_label("Keep last").fill("6")
    plain_page.get_by_role("button", name="Save").click()
    expect(plain_page.get_by_text("Valid.")).to_be_visible()
    plain_page.get_by_role("link", name="Roll back").click()
    expect(plain_page.get_by_role("heading", name="Roll back to batch 3?").first).to_be_visible()
    plain_page.goto(PATH)
    plain_page.get_by_role("button", name="Dark").click()
    expect(plain_page.locator("html")).to_have_attribute("data-bs-theme", "dark")


def test_text_of_others_runs_nothing(guide: Page) -> None:
    assert guide.locator("main img").count() == 0
    expect(guide.get_by_text("<img src=x onerror=alert(1)>").first).to_be_visible()


def test_code_is_selected_where_the_browser_lets_no_page_copy(guide: Page) -> None:
    guide.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    block = guide.locator(".code-block").first
    block.get_by_role("button", name="Copy").click()
    expect(guide.get_by_text("The text is selected")).to_be_visible()
    code = block.locator("pre").inner_text()
    assert guide.evaluate("getSelection().toString()").strip() == code.strip()
