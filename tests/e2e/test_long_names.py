"""Names without a gap, as long as they may be, stay on their pages in every width."""

from uuid import uuid4

import httpx
from playwright.sync_api import Page, expect

from tests.browser import assert_nothing_sticks_out
from tests.e2e.scenes import complete, ok

NAME = "N" * 100
TYPE = "t" * 50
EDGE = "e" * 60
SLUG = f"long-names-{uuid4().hex[:6]}"
CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "n" * 64, "arguments": '{"order": "A-1042"}'},
}
MESSAGES = [
    {"role": "user", "content": "saddle, the whole " + "W" * 10_000},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "call_1", "content": "W" * 300},
]
PATHS = (
    f"/workflows/{SLUG}/",
    f"/workflows/{SLUG}/versions/1/",
    f"/workflows/{SLUG}/compare/",
    f"/workflows/{SLUG}/preview/?node=b&conversation={SLUG}",
    f"/executions/{SLUG}/",
    f"/executions/{SLUG}/versions/1/",
    f"/conversations/{SLUG}/",
)


def test_long_names_stay_on_their_pages(page: Page, api: httpx.Client) -> None:
    begin(api)
    for path in PATHS:
        page.set_viewport_size({"width": 1280, "height": 860})
        page.goto(path)
        assert_nothing_sticks_out(page)
        page.set_viewport_size({"width": 390, "height": 844})
        assert_nothing_sticks_out(page)
    call = page.locator(".tool-call-head")
    assert call.evaluate("head => head.scrollWidth <= head.clientWidth")

    page.goto(f"/conversations/{SLUG}/?q=whole")
    expect(page.get_by_role("link", name="The whole message")).to_be_visible()
    page.wait_for_function("() => CSS.highlights.get('found')?.size === 1")

    page.goto(f"/executions/{SLUG}/timeline/")
    badge = page.locator(".happened-head > .badge").first
    assert badge.evaluate("badge => badge.scrollWidth <= badge.clientWidth")

    page.goto(f"/executions/{SLUG}/")
    page.get_by_text("More ways to continue").click()
    expect(page.locator(".decide-more")).to_have_attribute("open", "")
    assert_nothing_sticks_out(page)


def test_what_can_be_done_with_a_message_covers_not_who_speaks(
    reviewer_page: Page, api: httpx.Client
) -> None:
    name = f"{SLUG}-aside-{uuid4().hex[:6]}"
    ok(api.post("conversations/import", json={"id": name, "messages": MESSAGES}))
    reviewer_page.set_viewport_size({"width": 720, "height": 860})
    reviewer_page.goto(f"/conversations/{name}/")
    message = reviewer_page.locator("#m1")
    message.focus()
    role = reviewer_page.locator("#m1-role").bounding_box()
    aside = message.locator("> .message-head .message-aside").bounding_box()
    assert role
    assert aside
    assert aside["x"] >= role["x"] + role["width"]


def begin(api: httpx.Client) -> None:
    if api.get(f"workflows/{SLUG}").is_success:  # at a second look
        return
    review = {"pause": "before", "pause_reason": "R" * 2_000}
    nodes = [
        {"id": "a", "type": "start", "name": NAME},
        {"id": "b", "type": "human_relay", "name": NAME, "config": review},
        {"id": "c", "type": TYPE, "name": NAME},
    ]
    edges = [
        {"id": EDGE, "type": "sequence", "from": "a", "to": "b"},
        {"id": "after", "type": "sequence", "from": "b", "to": "c"},
    ]
    document = {"name": NAME, "nodes": nodes, "edges": edges}
    ok(api.post("workflows", json={"slug": SLUG, "name": NAME}))
    ok(api.put(f"workflows/{SLUG}/draft", json={"document": document, "expected_version": 0}))
    ok(api.post(f"workflows/{SLUG}/publish", json={"expected_version": 1, "note": "W" * 200}))
    ok(api.post("conversations/import", json={"id": SLUG, "messages": MESSAGES}))
    ok(api.post(f"conversations/{SLUG}/executions", json={"workflow": SLUG}))
    complete(api, SLUG, "a", state_data={"k" * 100: "W" * 5_000})
