"""An admin adds a person, who signs in, chooses a password, and is deactivated."""

import re
from uuid import uuid4

from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenPage

OWN = "a sentence that nobody knows"


def add(page: Page, name: str, role: str) -> str:
    """The first password of someone new, as the page shows it."""
    page.goto("/settings/")
    page.get_by_role("link", name="People").click()
    page.get_by_role("link", name="New person").click()
    page.get_by_label("Name").fill(name)
    page.get_by_label("Role").select_option(role)
    page.get_by_role("button", name="Add person").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Password for {name}")
    return page.locator("pre").first.inner_text().strip()


def sign_in(page: Page, name: str, password: str) -> None:
    page.goto("/sign-in/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def test_someone_new_is_let_in_and_locked_out(open_page: OpenPage) -> None:
    name = f"anna-{uuid4().hex[:8]}"
    admin = open_page("admin")
    password = add(admin, name, "reviewer")

    hers = open_page(None)
    sign_in(hers, name, password)
    expect(hers.get_by_text("Choose your own password")).to_be_visible()
    hers.get_by_label("Old password").fill(password)
    hers.get_by_label("New password", exact=True).fill(OWN)
    hers.get_by_label("New password confirmation").fill(OWN)
    hers.get_by_role("button", name="Change password").click()
    expect(hers.get_by_text("Password changed")).to_be_visible()
    hers.goto("/reviews/")
    expect(hers.get_by_role("heading", level=1)).to_have_text("Reviews")

    admin.goto("/settings/people/")
    admin.get_by_role("link", name=name, exact=True).click()
    expect(admin.get_by_role("button", name="Save")).to_be_visible()
    assert admin.evaluate("document.documentElement.scrollWidth <= innerWidth")
    admin.get_by_role("link", name="Deactivate").click()
    admin.get_by_role("button", name="Deactivate").click()
    expect(admin.get_by_text(f"{name} is deactivated.")).to_be_visible()
    hers.goto("/reviews/")
    expect(hers).to_have_url(re.compile("/sign-in/"))


def test_ones_own_account_is_behind_ones_name(open_page: OpenPage) -> None:
    page = open_page("reviewer")
    page.goto("/reviews/")
    page.get_by_role("link", name=re.compile("Your account")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your account")
    expect(page.get_by_text("edits paused states")).to_be_visible()
