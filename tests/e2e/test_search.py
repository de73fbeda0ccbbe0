"""Searching from any page: the palette, and the page of results without scripts."""

from uuid import uuid4

import httpx
from playwright.sync_api import Page, expect

from tests.browser import assert_accessible
from tests.e2e.conftest import OpenPage
from tests.e2e.scenes import ok
from tests.servers import wait_until


def make(api: httpx.Client) -> tuple[str, str]:
    """A conversation, and a word that only its last message has, which the index has."""
    word = f"Q{uuid4().hex[:9]}"
    messages = [{"role": "user", "content": f"message {n}"} for n in range(70)]
    messages.append({"role": "user", "content": f"The {word} is lost"})
    made = ok(api.post("conversations", json={"title": "A parcel", "messages": messages}))

    def is_found() -> bool:
        found = api.get("search", params={"q": word}).json()
        return bool(found["results"] and not found["behind"])

    wait_until(is_found, 60)
    return made["id"], word


def test_the_palette_leads_to_pages_and_to_messages(page: Page, api: httpx.Client) -> None:
    name, word = make(api)
    page.goto("/workflows/")
    page.keyboard.press("Control+k")
    palette = page.get_by_role("dialog", name="Go to or search")
    field = palette.get_by_role("combobox")
    expect(field).to_be_focused()
    field.press_sequentially(word[:8].lower())
    hit = palette.get_by_role("option").filter(has_text=f"{word} is lost")
    expect(hit).to_have_attribute("aria-selected", "true")
    assert_accessible(page)
    field.fill("ro")
    field.press("Tab")
    expect(field).to_have_value("role:")
    field.press_sequentially("us")
    field.press("Tab")
    field.press_sequentially(word.lower())
    expect(hit).to_be_visible()
    field.press("ArrowDown")
    field.press("ArrowUp")
    field.press("Enter")
    page.wait_for_url(f"**/conversations/{name}/?at=70&q={word}&whole=1#m70")
    expect(page.locator("#m70")).to_be_in_viewport()
    page.keyboard.press("Control+k")
    field.fill("workflow:suppor")
    expect(palette.get_by_role("status")).to_have_text("Press Tab for workflow:support")
    field.press("Tab")
    expect(field).to_have_value("workflow:support ")
    field.fill("work")
    expect(palette.get_by_role("option").first).to_contain_text("Workflows")
    page.keyboard.press("Escape")
    expect(palette).to_be_hidden()


def test_a_found_comment_has_the_focus_and_its_words_marked(page: Page, api: httpx.Client) -> None:
    name, _word = make(api)
    said = ok(api.post(f"conversations/{name}/comments", json={"message": 5, "text": "Call Rita"}))
    page.goto(f"/conversations/{name}/?at=5&words=Rita&whole=1#c{said['number']}")
    comment = page.locator(f"#c{said['number']}")
    expect(comment).to_be_focused()
    expect(comment).to_be_in_viewport()
    ranges = "[...CSS.highlights.get('found')].map((each) => each.startContainer.data)"
    assert page.evaluate(ranges) == ["Call Rita"]


def test_a_phone_searches_by_the_button_in_its_bar(open_page: OpenPage, api: httpx.Client) -> None:
    _, word = make(api)
    page = open_page(width=390, theme="dark")
    page.goto("/")
    page.get_by_role("link", name="Search").click()
    palette = page.get_by_role("dialog", name="Go to or search")
    palette.get_by_role("combobox").press_sequentially(word)
    expect(palette.get_by_text("is lost")).to_be_visible()
    assert_accessible(page)
    palette.get_by_role("option", name="Search everything").click()
    page.wait_for_url(f"**/search/?q={word}")
    expect(page.get_by_role("link", name="A parcel #70")).to_be_visible()
