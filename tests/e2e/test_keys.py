"""The list of keys says what works on the page, and a menu's key gives way to the page's own."""

import httpx
from playwright.sync_api import Page, expect

from tests.browser import assert_accessible
from tests.e2e.keys import assert_does_something, listed
from tests.e2e.scenes import ok
from tests.e2e.tabs import EMPTY


def test_each_listed_key_of_a_conversation_does_something(page: Page, api: httpx.Client) -> None:
    messages = [{"role": "user", "content": f"message {n}"} for n in range(30)]
    path = f"/conversations/{ok(api.post('conversations', json={'messages': messages}))['id']}/"
    page.goto(path)
    keys = listed(page)
    assert keys["Find in the messages"] == ["/"]
    assert "Search" not in keys
    assert "Next result" not in keys
    page.goto(f"{path}?q=message")
    expect(page.get_by_text("Result 1 of")).to_be_visible()
    page.locator("#m3 .message-select").check()
    keys = listed(page)
    assert {"Next result", "Clear selection", "Go to Workflows"} <= keys.keys()
    for label, steps in keys.items():
        # Always again: a dialog of the key before may still be on its way, and would take this one.
        page.goto(EMPTY)
        page.goto(f"{path}?q=message#m9")
        expect(page.locator(".hit-link").first).to_be_visible()
        page.locator("#m3 .message-select").check()
        assert_does_something(page, label, steps)


def test_the_list_of_keys_can_be_read_by_everyone(page: Page) -> None:
    page.goto("/workflows/")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keyboard")
    assert_accessible(page)
    dialog.get_by_label("Enable single-key shortcuts").uncheck()
    expect(dialog.get_by_text("Go to Workflows")).to_have_count(0)
    expect(dialog.get_by_text("Show these keys")).to_have_count(0)
