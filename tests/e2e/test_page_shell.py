"""What every page has: the theme, the menu, dialogs, local times, code to copy."""

import httpx
from playwright.sync_api import Browser, Page, expect

from tests.browser import (
    assert_accessible,
    assert_accessible_in_both_themes,
    assert_nothing_sticks_out,
)
from tests.e2e.conftest import OpenPage
from tests.live_server import LiveServer


def test_the_theme_changes_in_place_and_is_remembered(page: Page) -> None:
    page.goto("/workflows/")
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-bs-theme", "dark")
    page.reload()
    expect(page.get_by_role("button", name="Dark")).to_have_attribute("aria-pressed", "true")


def test_the_automatic_theme_follows_the_system(open_page: OpenPage) -> None:
    page = open_page(theme="dark")
    page.context.clear_cookies(name="theme")
    page.goto("/workflows/")
    expect(page.locator("html")).to_have_attribute("data-bs-theme", "dark")
    page.emulate_media(color_scheme="light")
    expect(page.locator("html")).to_have_attribute("data-bs-theme", "light")


def test_a_theme_and_a_question_work_without_scripts(
    browser: Browser, server: LiveServer, open_page: OpenPage, api: httpx.Client
) -> None:
    path = written(api, "e2e-shell-plain")
    state = open_page().context.storage_state()
    with browser.new_context(
        base_url=server.url, storage_state=state, java_script_enabled=False
    ) as context:
        page = context.new_page()
        page.goto(path)
        page.locator("#conversation-menu > summary").click()
        page.get_by_role("link", name="Archive").click()
        expect(page.get_by_role("heading", name="Archive").first).to_be_visible()
        page.get_by_role("button", name="Dark").click()
        expect(page.locator("html")).to_have_attribute("data-bs-theme", "dark")


def test_the_address_of_a_filter_names_only_what_is_set(page: Page) -> None:
    page.goto("/executions/?status=PAUSED")
    page.get_by_role("button", name="Filter").click()
    page.wait_for_url("**/executions/?status=PAUSED")
    page.goto("/conversations/")
    page.get_by_label("Title or id").fill("zebra")
    page.keyboard.press("Enter")
    page.wait_for_url("**/conversations/?q=zebra")


def test_a_question_opens_in_a_dialog(page: Page, api: httpx.Client) -> None:
    page.goto(written(api, "e2e-shell-dialog"))
    menu = page.locator("#conversation-menu > summary")
    menu.click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name="Archive")).to_be_hidden()
    expect(menu).to_be_focused()
    menu.click()
    page.get_by_role("link", name="Archive").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    assert_accessible_in_both_themes(page)
    dialog.get_by_role("link", name="Cancel").click()
    expect(dialog).to_be_hidden()


def test_the_keyboard_shows_at_which_button_it_is(page: Page) -> None:
    page.goto("/conversations/import/")
    for name in ("Sign out", "Import"):
        button = page.get_by_role("button", name=name, exact=True)
        button.focus()
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Tab")
        expect(button).to_be_focused()
        expect(button).to_have_css("outline-style", "solid")
        expect(button).to_have_css("outline-width", "2px")


def test_rows_are_edited_in_place_and_the_focus_stays_with_them(designer_page: Page) -> None:
    page = designer_page
    page.goto("/workflows/support/nodes/draft/")
    rules = "#id_node-context_filters-0-rules"
    page.locator("#id_node-name").fill("typed and not saved")
    before = page.locator(f"[id^='{rules[1:]}-'][id$='-pattern']").count()
    page.get_by_role("button", name="Add a rule").first.click()
    expect(page.locator(f"{rules}-{before}-type")).to_be_focused()
    page.locator(f"{rules}-{before}-pattern").fill("added.*")
    page.locator(f"[value='up:node-context_filters-0-rules:{before}']").click()
    expect(page.locator(f"{rules}-{before - 1}-pattern")).to_have_value("added.*")
    expect(page.locator("#id_node-name")).to_have_value("typed and not saved")


def test_the_summary_of_a_form_leads_to_its_fields(designer_page: Page) -> None:
    page = designer_page
    page.goto("/workflows/support/edges/drafted/")
    page.locator("#id_edge-condition").fill("(")
    page.get_by_role("button", name="Save").first.click()
    expect(page.locator(".form-errors")).to_be_focused()
    page.locator(".form-errors").get_by_role("link").first.click()
    expect(page.locator("#id_edge-condition")).to_be_focused()
    assert page.locator("#id_edge-condition").get_attribute("aria-invalid") == "true"
    assert_accessible_in_both_themes(page)


def test_times_are_in_the_zone_of_the_reader(open_page: OpenPage, api: httpx.Client) -> None:
    page = open_page(locale="de-DE")
    page.goto(written(api, "e2e-shell-times"))
    assert "UTC" not in page.locator("time").first.inner_text()


def test_a_menu_opens_on_a_narrow_screen(open_page: OpenPage) -> None:
    page = open_page(width=320)
    page.goto("/workflows/")
    assert_nothing_sticks_out(page)
    expect(page.locator("#sidebar")).to_be_hidden()
    page.get_by_role("button", name="Menu").click()
    expect(page.locator("#sidebar")).to_be_visible()
    assert_accessible(page)
    page.keyboard.press("Escape")
    expect(page.locator("#sidebar")).to_be_hidden()


def test_code_is_selected_where_the_browser_lets_no_page_copy(page: Page) -> None:
    page.goto("/settings/tokens/new/")
    page.get_by_label("Name").fill("e2e-shell")
    page.get_by_label("Engine").first.check()
    page.get_by_role("button", name="Create").click()
    # The script that sends the form opens the next page after the click has returned.
    expect(page.locator(".code-block").first).to_be_visible()
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    block = page.locator(".code-block").first
    block.get_by_role("button", name="Copy").click()
    expect(page.get_by_text("The text is selected")).to_be_visible()
    code = block.locator("pre").inner_text()
    assert page.evaluate("getSelection().toString()").strip() == code.strip()


def written(api: httpx.Client, name: str) -> str:
    """The path of a conversation with a message."""
    body = {"id": name, "messages": [{"role": "user", "content": "hello"}]}
    assert api.post("conversations", json=body).status_code == 201
    return f"/conversations/{name}/"
