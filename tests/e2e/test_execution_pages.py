"""Reviewers at work in a browser: look, edit, approve, restore; watch an execution move."""

import re
from uuid import uuid4

import httpx
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.scenes import MESSAGES, STATE, Started, complete, ok, state


def test_a_live_page_decides_on_what_it_shows_by_then(
    open_page: OpenPage, api: httpx.Client, start: Started
) -> None:
    name = start()
    page = open_page("reviewer")
    page.goto(f"/executions/{name}/")
    page.get_by_label("Reason").fill("as asked")
    count = page.locator("#decide-form [name=expected_count]")
    expect(count).to_have_value(str(len(MESSAGES)))
    later = {"messages": [{"role": "user", "content": "And the charger?"}]}
    ok(api.post(f"conversations/{name}/messages", json=later))
    expect(page.get_by_text("And the charger?").first).to_be_visible()
    expect(count).to_have_value(str(len(MESSAGES) + 1))
    expect(page.get_by_label("Reason")).to_have_value("as asked")
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("Approved.")).to_be_visible()
    expect(page.get_by_text("The engine continues at Review")).to_be_visible()
    expect(page.get_by_text("“as asked”").first).to_be_visible()


def test_what_was_typed_outlives_the_page_and_is_taken_back_by_key(
    open_page: OpenPage, api: httpx.Client, start: Started
) -> None:
    name = start()
    page = open_page("reviewer")
    page.goto(f"/executions/{name}/state/")
    page.get_by_label("draft", exact=True).fill("Dear friend, it is late.")
    page.get_by_label("count", exact=True).fill("4")
    expect(page.get_by_text("Saved for you")).to_be_visible()
    page.goto("/")
    page.goto(f"/executions/{name}/")
    page.get_by_role("link", name="Edit the state").click()
    expect(page.get_by_role("heading", name="Not applied yet")).to_be_visible()
    expect(page.get_by_label("draft", exact=True)).to_have_value("Dear friend, it is late.")
    page.get_by_role("button", name="Discard count").click()
    expect(page.get_by_label("count", exact=True)).to_have_value(str(state(api, name)["count"]))
    page.get_by_role("button", name="Review changes").click()
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("1 key changed")).to_be_visible()
    page.get_by_role("link", name="Edit the state").click()
    expect(page.get_by_role("heading", name="Not applied yet")).to_have_count(0)


def test_a_whole_state_is_edited_as_text_and_as_a_tree(
    reviewer_page: Page, api: httpx.Client, start: Started
) -> None:
    name, page = start(), reviewer_page
    page.goto(f"/executions/{name}/state/?raw=1")
    text = page.get_by_role("textbox", name="State")
    expect(text).to_contain_text("Dear customer")
    page.get_by_role("button", name="Tree").click()
    tree = page.get_by_role("tree", name="State")
    expect(tree.get_by_role("treeitem").filter(has_text="draft")).to_be_visible()
    page.get_by_label("Find a key or a value").fill("count")
    expect(page.get_by_text("1 rows")).to_be_visible()
    tree.focus()
    page.keyboard.press("Enter")
    page.get_by_label("Value of count").fill("four")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Not a JSON value: four")).to_be_visible()
    page.keyboard.press("Enter")
    page.get_by_label("Value of count").fill("9007199254740993")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Saved for you")).to_be_visible()
    page.get_by_role("button", name="Review changes").click()
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("1 key changed")).to_be_visible()
    assert state(api, name)["count"] == 9007199254740993


def test_a_text_that_is_no_json_is_marked_and_kept(open_page: OpenPage, start: Started) -> None:
    name = start()
    page = open_page("reviewer")
    page.goto(f"/executions/{name}/state/?raw=1")
    text = page.get_by_role("textbox", name="State")
    text.click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type('{"draft" 1')
    expect(page.get_by_text("Line 1, column 10: a colon is missing")).to_be_visible()
    expect(page.get_by_role("button", name="Tree")).to_be_disabled()
    expect(page.get_by_text("Saved for you")).to_be_visible()
    page.goto(f"/executions/{name}/state/?raw=1")
    expect(text).to_contain_text('{"draft" 1')


def test_a_page_moves_with_its_execution_and_offers_the_buttons_when_it_pauses(
    reviewer_page: Page, api: httpx.Client, start: Started
) -> None:
    name = start(paused=False)
    reviewer_page.goto(f"/executions/{name}/")
    expect(reviewer_page.get_by_role("heading", name="Running")).to_be_visible()
    ok(api.post(f"conversations/{name}/messages", json={"messages": MESSAGES[:1]}))
    expect(reviewer_page.get_by_role("link", name="Show all 3 messages")).to_be_visible()
    expect(reviewer_page.locator("#live-said")).to_have_text("Version 0")
    complete(api, name, "write", state_data={"news": "it moved by itself"})
    expect(reviewer_page.get_by_text("it moved by itself").first).to_be_visible()
    expect(reviewer_page.get_by_role("button", name="Approve")).to_be_visible()
    polls: list[str] = []
    reviewer_page.on("request", lambda request: polls.append(request.url))
    reviewer_page.wait_for_timeout(2500)
    assert not [url for url in polls if "/live/" in url]


def test_a_low_window_shows_the_answer_beside_the_decision(
    open_page: OpenPage, start: Started
) -> None:
    name = start()
    page = open_page("reviewer", width=640)
    page.set_viewport_size({"width": 640, "height": 400})
    page.goto(f"/executions/{name}/")
    expect(page.get_by_role("button", name="Approve")).to_be_in_viewport()
    answer, bar = (
        page.locator(where).first.bounding_box() for where in (".proposal-source dd", ".decide-bar")
    )
    assert answer is not None
    assert bar is not None
    assert answer["y"] + answer["height"] <= bar["y"]


def test_a_phone_can_approve(open_page: OpenPage, api: httpx.Client, start: Started) -> None:
    name = start()
    phone = open_page("reviewer", width=390)
    phone.goto(f"/reviews/?workflow={name}")
    phone.get_by_role("link", name=f"Review {name}").click()
    waiting = phone.get_by_role("heading", name="Waiting for review – next step: Review")
    expect(waiting).to_be_visible()
    button = phone.get_by_role("button", name="Approve")
    expect(button).to_be_in_viewport()
    box = button.bounding_box()
    assert box is not None
    assert box["height"] >= 44
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    button.click()
    expect(phone.get_by_text("Approved: ")).to_be_visible()
    assert ok(api.get(f"conversations/{name}/snapshot"))["status"] == "RUNNING"


def test_a_version_is_restored_from_a_dialog_and_forked(
    reviewer_page: Page, api: httpx.Client, start: Started
) -> None:
    name = start()
    change = {"node_id": "review", "state_data": {"draft": "Go away."}}
    ok(api.patch(f"conversations/{name}/snapshot", json=change))
    reviewer_page.goto(f"/executions/{name}/versions/1/")
    reviewer_page.get_by_role("link", name="Restore").click()
    dialog = reviewer_page.get_by_role("dialog")
    expect(dialog.get_by_text("draft")).to_be_visible()
    dialog.get_by_label("Reason").fill("it was kinder")
    dialog.get_by_role("button", name="Restore").click()
    expect(reviewer_page.get_by_text("as version 3")).to_be_visible()
    assert state(api, name)["draft"] == STATE["draft"]
    reviewer_page.goto(f"/executions/{name}/versions/2/")
    reviewer_page.get_by_role("link", name="Fork").click()
    reviewer_page.get_by_label("Id of the new conversation").fill(f"{name}-fork")
    reviewer_page.get_by_role("button", name="Fork").click()
    expect(reviewer_page.get_by_role("link", name=re.compile(f"{name} version 2"))).to_be_visible()
    assert state(api, f"{name}-fork")["draft"] == "Go away."


def test_an_admin_makes_a_token_and_revokes_it(page: Page) -> None:
    name = f"token-{uuid4().hex[:6]}"
    page.goto("/settings/tokens/new/")
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Create token").click()
    expect(page.get_by_text("ctxa_").first).to_be_visible()
    page.get_by_role("link", name="I have copied it").click()
    page.get_by_role("link", name=f"Revoke {name}").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(page.get_by_text(f"Token {name} revoked.")).to_be_visible()
