"""What a test leaves in a tab is gone when the next one takes it, or the tab is."""

from collections.abc import Callable
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.tabs import Look, Tabs
from tests.live_server import LiveServer

LEAVE = """() => {
  localStorage.setItem("left", "1");
  sessionStorage.setItem("left", "1");
  document.cookie = "left=1; path=/";
}"""
LEFT = "() => 'left' in localStorage || 'left' in sessionStorage || /left/.test(document.cookie)"


@pytest.fixture
def look(server: LiveServer) -> Look:
    """Of these tests alone: nobody else gives back or takes such a tab."""
    return Look(server.url, "light", 700 + uuid4().int % 300, "en-GB")


def test_a_tab_is_used_again_without_what_was_left_in_it(
    tabs: Tabs, server: LiveServer, look: Look
) -> None:
    first = tabs.take(look, server, "viewer")
    page = first.page
    page.goto("/account/")
    page.evaluate(LEAVE)
    assert page.evaluate(LEFT)
    page.route("**/*", lambda route: route.abort())
    page.set_viewport_size({"width": 300, "height": 300})
    first.watch.tolerate("anything")
    page.context.new_page()
    page.context.set_offline(True)
    tabs.give_back(first)

    second = tabs.take(look, server, "admin")
    assert second is first
    page.goto("/account/")
    assert not page.evaluate(LEFT)
    expect(page.locator(".account-name")).to_contain_text("admin")
    assert page.evaluate("innerWidth") == look.width
    assert page.context.pages == [page]
    second.watch.assert_clean()
    page.evaluate("console.error('anything')")
    with pytest.raises(AssertionError, match="anything"):
        second.watch.assert_clean()
    tabs.give_back(second)


def stop_time(page: Page) -> None:
    page.clock.install()


def hear_nothing(page: Page) -> None:
    page.route_web_socket("**/ws/**", lambda socket: None)


def close(page: Page) -> None:
    page.close()


@pytest.mark.parametrize("leave", [stop_time, hear_nothing, close])
def test_a_tab_with_what_cannot_be_taken_from_it_is_closed(
    tabs: Tabs, server: LiveServer, look: Look, leave: Callable[[Page], None]
) -> None:
    first = tabs.take(look, server, None)
    leave(first.page)
    tabs.give_back(first)
    second = tabs.take(look, server, None)
    assert second is not first
    second.page.goto("/sign-in/")
    expect(second.page.get_by_role("heading", name="Sign in")).to_be_visible()
    second.context.close()
