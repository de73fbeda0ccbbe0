"""An admin says what is kept; conversations leave the list and come back, in a browser."""

import re
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenPage


@pytest.fixture
def chat(api: httpx.Client) -> str:
    name = f"old-{uuid4().hex[:8]}"
    message = {"role": "user", "content": "Where is my parcel?"}
    answer = api.post("conversations", json={"id": name, "title": name, "messages": [message]})
    assert answer.is_success, answer.text
    return name


def test_an_admin_says_what_is_kept(open_page: OpenPage) -> None:
    page = open_page("admin")
    page.goto("/settings/")
    page.get_by_role("link", name="Storage").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Storage")
    field = page.get_by_label(re.compile("Latest versions to keep"))
    field.fill("0")
    page.get_by_role("button", name="Save").click()
    expect(field).to_have_attribute("aria-invalid", "true")
    field.fill("1000")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("It takes effect with the next maintenance run.")).to_be_visible()
    expect(field).to_have_value("1000")
    field.fill("")
    page.get_by_role("button", name="Save").click()
    expect(field).to_have_value("")


def test_a_conversation_is_archived_and_comes_back(page: Page, chat: str) -> None:
    page.goto(f"/conversations/{chat}/")
    page.locator("#conversation-menu > summary").click()
    page.get_by_role("link", name="Archive").click()
    page.get_by_role("button", name="Archive").click()
    expect(page.get_by_text("This conversation is archived")).to_be_visible()
    page.goto(f"/conversations/?q={chat}")
    expect(page.get_by_text("Nothing matches")).to_be_visible()
    page.get_by_label("Archive status").select_option("true")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_role("link", name=chat)).to_be_visible()
    page.get_by_role("link", name=chat).click()
    page.locator("#conversation-menu > summary").click()
    page.locator("#conversation-menu").get_by_role("link", name="Unarchive").click()
    page.get_by_role("button", name="Unarchive").click()
    expect(page.get_by_text("This conversation is archived")).to_have_count(0)
