"""Several tabs that edit one state: of one person, of two, and of who signs in meanwhile."""

import json
import re
from collections.abc import Callable
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.scenes import SLOW, go, live, ok, save
from tests.live_server import PASSWORD


@pytest.fixture
def name(api: httpx.Client) -> str:
    made = f"tabs-{uuid4().hex[:8]}"
    ok(api.post("conversations", json={"id": made, "title": made}))
    save(api, made, status="PAUSED", state_data={"plan": "ask", "draft": "Dear", "tone": "warm"})
    return made


def field(page: Page, key: str) -> Locator:
    return page.get_by_label(key, exact=True)


def type_in(page: Page, key: str, text: str) -> None:
    field(page, key).fill(text)
    kept(page)


def kept(page: Page) -> None:
    expect(page.get_by_text("Saved for you")).to_be_visible()


def two_tabs(page: Page, path: str) -> tuple[Page, Page]:
    return go(page, path), go(page.context.new_page(), path)


def assert_inserted(page: Page, *texts: str) -> None:
    """The summary shows these words as new, in whatever order, and no others."""
    expect(page.get_by_role("heading", name="Review changes")).to_be_visible()
    expect(page.locator("ins")).to_have_count(len(texts))
    for text in texts:
        expect(page.locator("ins", has_text=text)).to_have_count(1)


def pending(page: Page) -> Locator:
    return page.get_by_role("region", name="Not applied yet")


def test_what_is_typed_and_taken_back_in_one_tab_moves_the_other(
    reviewer_page: Page, name: str
) -> None:
    first, second = two_tabs(reviewer_page, f"/executions/{name}/state/")
    type_in(first, "plan", "think")
    expect(field(second, "plan")).to_have_value("think")
    expect(pending(second)).to_be_visible()
    go(first, f"/executions/{name}/state/")
    first.get_by_role("button", name="Discard plan").click()
    expect(pending(first)).to_have_count(0)
    expect(field(second, "plan")).to_have_value("ask")
    type_in(second, "draft", "Hello")
    type_in(first, "tone", "cool")
    second.get_by_role("button", name="Review changes").click()
    assert_inserted(second, "Hello", "cool")


def test_fields_that_no_one_touched_move_and_who_types_keeps_the_place(
    reviewer_page: Page, api: httpx.Client, name: str
) -> None:
    page = go(reviewer_page, f"/executions/{name}/state/")
    type_in(page, "draft", "Dear frind")
    field(page, "draft").evaluate("(area) => area.setSelectionRange(8, 8)")
    change = {"node_id": "plan", "state_data": {"plan": "act", "added": "by a program"}}
    ok(api.patch(f"conversations/{name}/snapshot", json=change))
    expect(field(page, "plan")).to_have_value("act")
    expect(field(page, "added")).to_have_value("by a program")
    expect(field(page, "draft")).to_have_value("Dear frind")
    with page.expect_response(lambda answer: answer.request.method == "PATCH"):
        page.keyboard.insert_text("e")
    expect(field(page, "draft")).to_have_value("Dear friend")
    kept(page)
    expect(page.get_by_text("based on version 2")).to_be_visible()
    expect(pending(go(page, f"/executions/{name}/state/"))).to_contain_text("Dear friend")
    page.get_by_role("button", name="Review changes").click()
    expect(page.locator("ins")).to_have_text([" friend"])
    page.get_by_role("button", name="Apply", exact=True).click()
    expect(page.get_by_text("1 key changed; the execution is at version 3.")).to_be_visible()
    state = ok(api.get(f"conversations/{name}/snapshot"))["state_data"]
    assert (state["plan"], state["draft"]) == ("act", "Dear friend")


def in_json(page: Page, old: str, new: str) -> None:
    """Replace a text in the editor of the whole state."""
    editor = page.locator(".cm-content")
    expect(editor).to_contain_text(old)
    whole = json.loads(editor.evaluate("(each) => each.cmTile.view.state.doc.toString()"))
    text = json.dumps(whole, indent=2).replace(old, new)
    editor.click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(text)
    kept(page)


def test_two_tabs_with_the_state_as_json_lose_nothing_of_each_other(
    reviewer_page: Page, api: httpx.Client, name: str
) -> None:
    path = f"/executions/{name}/state/"
    first, second = two_tabs(reviewer_page, f"{path}?raw=1")
    in_json(first, "ask", "think")
    in_json(second, "warm", "cool")
    expect(pending(first)).to_contain_text("cool")
    first.get_by_role("button", name="Review changes").click()
    expect(first.locator("ins")).to_have_text(["cool", "think"])


def test_one_key_in_two_tabs_keeps_both_texts_and_lets_choose(
    reviewer_page: Page, name: str
) -> None:
    path = f"/executions/{name}/state/"
    first, second = two_tabs(reviewer_page, f"{path}?raw=1")
    in_json(first, "ask", "think")
    second.locator(".cm-content").click()
    second.keyboard.press("Control+A")
    second.keyboard.insert_text('{"plan": "act", "draft": "Dear", "tone": "warm"}')
    said = second.get_by_text("Another tab of yours has a different value for the key plan")
    expect(said).to_be_visible()
    expect(pending(second)).to_contain_text("from another tab of yours, not used")
    page = go(second, path)
    expect(field(page, "plan")).to_have_value("act")
    page.get_by_role("button", name="Use this instead plan").click()
    expect(field(page, "plan")).to_have_value("think")
    expect(pending(page)).to_contain_text("act")


OVER = "Another tab of yours has a different value for plan, which is used now."


def beside(page: Page, key: str) -> Locator:
    """What one typed elsewhere for a key, and is not used."""
    return pending(page).locator(".pending-other", has_text=re.compile(f"^\\s*{key}\\b"))


def test_what_another_tab_or_device_puts_in_the_place_of_what_is_typed_here_is_kept_beside_it(
    open_page: OpenPage, name: str
) -> None:
    path = f"/executions/{name}/state/"
    device = go(open_page("reviewer"), path)
    first, second = two_tabs(open_page("reviewer"), path)
    type_in(device, "tone", "from the device")
    expect(field(first, "tone")).to_have_value("from the device")
    type_in(first, "plan", "from this tab")
    for page in (second, device):
        expect(field(page, "plan")).to_have_value("from this tab")
    type_in(second, "tone", "typed here")
    expect(device.get_by_text(OVER.replace("plan", "tone"))).to_be_visible()
    type_in(second, "plan", "typed there")
    expect(first.get_by_text(OVER)).to_be_visible()
    for page in (first, device):
        expect(field(page, "plan")).to_have_value("typed there")
    for page in (first, second, device):
        expect(beside(page, "plan")).to_contain_text("from this tab")
        expect(beside(page, "tone")).to_contain_text("from the device")
    type_in(second, "plan", "typed there, longer")
    expect(field(first, "plan")).to_have_value("typed there, longer")
    expect(beside(first, "plan")).to_have_count(1)
    first.get_by_role("button", name="Use this instead plan").click()
    expect(field(first, "plan")).to_have_value("from this tab")
    expect(beside(first, "plan")).to_contain_text("typed there, longer")


def test_the_open_json_text_says_that_another_tab_put_something_in_its_place(
    reviewer_page: Page, name: str
) -> None:
    path = f"/executions/{name}/state/"
    first, second = go(reviewer_page, f"{path}?raw=1"), reviewer_page.context.new_page()
    in_json(first, "ask", "from this tab")
    go(second, path)
    type_in(second, "plan", "typed there")
    expect(first.get_by_text(OVER)).to_be_visible()
    expect(pending(first).locator(".pending-other")).to_contain_text("from this tab")
    expect(first.locator(".cm-content")).to_contain_text("from this tab")
    first.get_by_role("button", name="Review changes").click()
    expect(first.locator("ins")).to_have_text(["typed there"])


def test_what_one_applies_in_another_tab_is_reported_as_ones_own(
    reviewer_page: Page, name: str
) -> None:
    path = f"/executions/{name}/state/"
    first, second = two_tabs(reviewer_page, path)
    field(second, "plan").focus()
    expect(first.locator(".live-busy")).to_have_text("Your other tab edits this")
    type_in(second, "plan", "think")
    for page in (first, second):
        page.get_by_role("button", name="Review changes").click()
        expect(page.get_by_role("heading", name="Review changes")).to_be_visible()
        live(page)
    second.get_by_role("button", name="Apply", exact=True).click()
    expect(first.get_by_text("You changed plan in another tab")).to_be_visible()
    expect(first.get_by_text("reviewer changed")).to_have_count(0)
    expect(second.get_by_text("1 key changed")).to_be_visible()


def test_what_one_device_typed_without_a_line_stays_beside_what_another_typed_since(
    open_page: OpenPage, api: httpx.Client, name: str, tolerate: Callable[[str], None]
) -> None:
    path = f"/executions/{name}/state/"
    away = go(open_page("reviewer"), path)
    tolerate("ERR_INTERNET_DISCONNECTED")
    away.route_web_socket("**/ws/**", lambda route: route.close(code=1013))
    away.reload()  # a line that tells nothing of what others do
    away.context.set_offline(True)
    field(away, "plan").fill("typed on the train")
    expect(away.get_by_text("Not saved yet; retrying.")).to_be_visible()
    change = {"node_id": "plan", "state_data": {"plan": "act"}}
    ok(api.patch(f"conversations/{name}/snapshot", json=change))
    at_home = go(open_page("reviewer"), path)
    type_in(at_home, "plan", "typed at home")
    away.context.set_offline(False)
    said = away.get_by_text("Another tab of yours has a different value for the key plan")
    expect(said).to_be_visible(timeout=SLOW)
    expect(pending(away)).to_contain_text("typed on the train")
    expect(field(away, "plan")).to_have_value("typed at home")
    away.get_by_role("button", name="Use this instead plan").click()
    expect(field(away, "plan")).to_have_value("typed on the train")
    away.get_by_role("button", name="Review changes").click()
    expect(away.locator("del")).to_have_text(["act"])


def sign_in(page: Page, role: str = "reviewer") -> None:
    page.get_by_label("Username").fill(role)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()


def signs_in(page: Page, role: str) -> None:
    """In another tab, where the former person signs out."""
    tab = page.context.new_page()
    page.context.clear_cookies(name="ctxadmin")
    tab.goto("/sign-in/")
    sign_in(tab, role)
    expect(tab).not_to_have_url(re.compile("/sign-in/"))
    tab.close()


def test_who_signs_in_again_in_another_tab_types_on_and_no_one_else_gets_the_text(
    open_page: OpenPage, name: str
) -> None:
    path = f"/executions/{name}/state/"
    page = go(open_page("reviewer"), path)
    type_in(page, "plan", "think")
    signs_in(page, "reviewer")
    type_in(page, "draft", "Dear friend")

    page.context.clear_cookies(name="ctxadmin")
    field(page, "tone").fill("kind")
    expect(page.get_by_text("Not saved: you are signed out.")).to_be_visible()
    signs_in(page, "reviewer")
    page.evaluate("() => window.dispatchEvent(new Event('focus'))")
    kept(page)
    page.get_by_role("button", name="Review changes").click()
    assert_inserted(page, "think", " friend", "kind")
    expect(pending(go(page, path))).to_contain_text("think")

    signs_in(page, "designer")
    field(page, "plan").fill("mine alone")
    expect(page.get_by_text("Not saved: someone else is signed in")).to_be_visible()
    page.get_by_role("button", name="Review changes").click()
    expect(page.get_by_text("Not saved: someone else is signed in")).to_be_visible()
    expect(field(page, "plan")).to_have_value("mine alone")
    other = go(page.context.new_page(), path)
    expect(field(other, "plan")).to_have_value("ask")
    expect(pending(other)).to_have_count(0)


def test_who_signs_out_in_another_tab_edits_on_after_signing_in_there_or_here(
    visitor_page: Page, name: str
) -> None:
    other = visitor_page  # whose session no other test shares
    other.goto("/sign-in/")
    sign_in(other)
    expect(other).not_to_have_url(re.compile("/sign-in/"))
    page = go(other.context.new_page(), f"/executions/{name}/state/")
    ended = page.get_by_text("You are signed out or no longer a member.")
    field(page, "plan").fill("half a word")
    other.get_by_role("button", name="Sign out").click()
    expect(ended).to_be_visible()
    expect(page.get_by_role("link", name="Sign in in a new tab")).to_be_visible()
    expect(field(page, "plan")).not_to_be_editable()
    other.goto("/sign-in/")
    sign_in(other)
    expect(other).not_to_have_url(re.compile("/sign-in/"))
    page.evaluate("() => window.dispatchEvent(new Event('focus'))")
    expect(field(page, "plan")).to_be_editable()
    expect(ended).to_have_count(0)
    kept(page)
    expect(field(page, "plan")).to_have_value("half a word")

    field(page, "plan").fill("half a sentence")  # just before the end: it cannot be sent any more
    other.get_by_role("button", name="Sign out").click()
    expect(ended).to_be_visible()
    page.reload()
    sign_in(page)
    expect(page.get_by_role("heading", name="Edit the state")).to_be_visible()
    expect(field(page, "plan")).to_have_value("half a sentence")
    expect(pending(page)).to_contain_text("half a sentence")


def unsent(page: Page) -> list[str]:
    """What the tab keeps until the server has it."""
    names: list[str] = page.evaluate("() => Object.keys(sessionStorage)")
    return [each for each in names if each.startswith("unsent:")]


@pytest.mark.parametrize("raw", [False, True])
def test_a_reload_within_the_pause_shows_what_was_typed_and_blames_no_one(
    reviewer_page: Page, name: str, raw: bool
) -> None:
    page = go(reviewer_page, f"/executions/{name}/state/{'?raw=1' if raw else ''}")
    if raw:
        page.locator(".cm-content").click()
        page.keyboard.press("Control+A")
        page.keyboard.insert_text('{"plan": "think", "draft": "Dear", "tone": "warm"}')
    else:
        field(page, "plan").fill("think")
    page.reload()
    if raw:
        expect(page.locator(".cm-content")).to_contain_text("think")
    else:
        expect(field(page, "plan")).to_have_value("think")
    expect(pending(page)).to_contain_text("think")
    expect(page.get_by_text("Another tab of yours")).to_have_count(0)
    expect(page.get_by_text("from another tab of yours")).to_have_count(0)
    assert unsent(page) == []


def test_what_is_typed_just_before_one_leaves_by_a_link_is_kept(
    reviewer_page: Page, name: str
) -> None:
    page = go(reviewer_page, f"/executions/{name}/state/")
    field(page, "plan").fill("think")
    page.get_by_role("link", name="Back", exact=True).click()
    expect(page.get_by_role("heading", name="Edit the state")).to_have_count(0)
    expect(pending(go(page, f"/executions/{name}/state/"))).to_contain_text("think")
    expect(field(page, "plan")).to_have_value("think")
    assert unsent(page) == []
