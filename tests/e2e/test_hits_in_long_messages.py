"""A hit that stands behind what a list shows of a long message."""

import httpx
from playwright.sync_api import Page, expect

from tests.e2e.scenes import go, ok


def test_the_passage_with_the_words_unfolds_where_the_message_stands(
    reviewer_page: Page, api: httpx.Client
) -> None:
    messages = [{"role": "user", "content": "begin"}] * 60
    messages[55] = {"role": "user", "content": "x " * 6000 + "the needle in it" + " y" * 2000}
    made = ok(api.post("conversations", json={"messages": messages}))
    page = go(reviewer_page, f"/conversations/{made['id']}/")
    page.get_by_role("searchbox", name="Words").fill("NEEDLE")
    page.keyboard.press("Enter")
    passage = page.locator("#m55 .message-passage")
    expect(passage.locator("mark")).to_have_text("needle")
    expect(passage).to_be_in_viewport()
