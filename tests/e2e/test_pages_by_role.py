"""The overview as each role and theme sees it, and the way to it for who is not signed in."""

import re

import pytest
from playwright.sync_api import Page, expect

from ctxadmin.identity.roles import Role
from tests.browser import assert_accessible
from tests.e2e.conftest import OpenPage
from tests.live_server import PASSWORD


@pytest.mark.parametrize("role", [Role.REVIEWER, Role.DESIGNER])
def test_the_other_roles_have_an_overview(open_page: OpenPage, role: Role) -> None:
    """Those of an admin and of a viewer are among the pages of ``test_accessibility.py``."""
    page = open_page(role.value)
    page.goto("/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert_accessible(page)


def test_the_theme_of_a_page_is_the_one_that_was_asked_for(page: Page, dark_page: Page) -> None:
    for opened, theme in ((page, "light"), (dark_page, "dark")):
        opened.goto("/")
        expect(opened.locator("html")).to_have_attribute("data-bs-theme", theme)


def test_a_visitor_signs_in_and_comes_to_where_they_wanted(visitor_page: Page) -> None:
    visitor_page.goto("/conversations/")
    visitor_page.locator("input[name=username]").fill("viewer")
    visitor_page.locator("input[name=password]").fill(PASSWORD)
    visitor_page.locator("input[name=password]").press("Enter")
    expect(visitor_page).to_have_url(re.compile(r"/conversations/$"))


def test_a_wrong_password_is_reported_and_lets_no_one_in(visitor_page: Page) -> None:
    visitor_page.goto("/sign-in/")
    visitor_page.locator("input[name=username]").fill("viewer")
    visitor_page.locator("input[name=password]").fill("not the passphrase")
    visitor_page.locator("input[name=password]").press("Enter")
    expect(visitor_page.get_by_role("alert")).to_be_visible()
    visitor_page.goto("/conversations/")
    expect(visitor_page).to_have_url(re.compile(r"/sign-in/"))
