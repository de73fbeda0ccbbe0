"""Three browsers edit one paused state: they merge, decide, lose a right, a line, the execution."""

import re
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Locator, Page, Route, WebSocketRoute, expect

from tests.browser import assert_accessible
from tests.e2e.conftest import OpenPage
from tests.e2e.scenes import SLOW, Started, go, live, ok, save, set_role
from tests.live_server import LiveServer

STATE = {
    "plan": "ask",
    "tone": "kind",
    "count": 1,
    "log": ["begun"],
    "items": [{"id": "a", "text": "first"}, {"id": "b", "text": "second"}],
}
REDUCERS = {"count": "increment", "log": "append", "items": "add_by_id"}


@pytest.fixture
def name(api: httpx.Client) -> str:
    """A free execution that waits, with a reducer for most of its keys."""
    made = f"together-{uuid4().hex[:8]}"
    ok(api.post("conversations", json={"id": made, "title": made}))
    ok(api.post(f"conversations/{made}/executions", json={"reducers": REDUCERS}))
    save(api, made, status="PAUSED", state_data=STATE)
    return made


@pytest.fixture
def two(open_page: OpenPage, name: str) -> tuple[Page, Page]:
    """The form of the state in the browsers of two people."""
    path = f"/executions/{name}/state/"
    return go(open_page("reviewer"), path), go(open_page("designer"), path)


@pytest.fixture
def three(open_page: OpenPage, name: str) -> tuple[Page, Page, Page]:
    """The form of the state in the browsers of three people."""
    path = f"/executions/{name}/state/"
    first, second, third = (open_page(role) for role in ("reviewer", "designer", "admin"))
    return go(first, path), go(second, path), go(third, path)


def state_of(api: httpx.Client, name: str) -> dict[str, Any]:
    state: dict[str, Any] = ok(api.get(f"conversations/{name}/snapshot"))["state_data"]
    return state


def field(page: Page, key: str) -> Locator:
    return page.get_by_label(key, exact=True)


def as_json(page: Page, key: str) -> None:
    """Shows a short list or object as its JSON, if it is a form of fields."""
    shown = page.get_by_role("group", name=key).get_by_role("button", name="As JSON")
    if shown.count():
        shown.click()


def kept(page: Page) -> None:
    expect(page.get_by_text("Saved for you")).to_be_visible()


def look(page: Page) -> None:
    page.get_by_role("button", name="Review changes").click()


def apply(page: Page) -> None:
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("the execution is at version")).to_be_visible()


def test_what_three_people_change_in_different_places_goes_together(
    three: tuple[Page, Page, Page], api: httpx.Client, name: str
) -> None:
    first, second, third = three
    field(first, "plan").fill("ask Anna")
    field(second, "items: item 2: text").fill("second, by two")
    more = '[{"id": "a", "text": "first, by three"}, {"id": "b", "text": "second"}, {"id": "c"}]'
    as_json(third, "items")
    field(third, "items").fill(more)
    field(third, "tone").fill("warm")
    look(first)
    apply(first)
    expect(second.get_by_text("reviewer changed plan")).to_be_visible()
    look(second)
    apply(second)
    expect(third.get_by_text("designer changed items")).to_be_visible()
    expect(third.get_by_text("based on version 3")).to_be_visible()
    look(third)  # what they did in other places of the list is put together without a question
    apply(third)
    state = state_of(api, name)
    assert (state["plan"], state["tone"]) == ("ask Anna", "warm")
    texts = [(item["id"], item.get("text")) for item in state["items"]]
    assert texts == [("a", "first, by three"), ("b", "second, by two"), ("c", None)]


def test_a_conflict_is_decided_key_by_key_and_every_way_of_deciding_holds(
    three: tuple[Page, Page, Page], api: httpx.Client, name: str
) -> None:
    first, second, third = three
    texts = {"plan": "by one", "tone": "warm", "count": "3", "log": '["begun", "one"]'}
    for each in (first, second):
        as_json(each, "log")
    for key, text in texts.items():
        field(first, key).fill(text)
    theirs = {"plan": "by two", "tone": "cool", "count": "5", "log": '["begun", "two"]'}
    for key, text in theirs.items():
        field(second, key).fill(text)
    field(third, "tone").fill("dry")
    look(first)
    first.get_by_label("Reason").fill("She told us her name")
    apply(first)
    look(second)
    for key in theirs:
        expect(second.get_by_role("group", name=key, exact=True)).to_be_visible()
    plan = second.get_by_role("group", name="plan", exact=True)
    expect(plan.locator(".side").nth(0)).to_contain_text("ask")
    expect(plan.locator(".side-mine")).to_contain_text("by two")
    expect(plan.locator(".side-theirs")).to_contain_text("by one")
    expect(second.get_by_text("She told us her name")).to_be_visible()
    assert_accessible(second)

    plan.get_by_label("Keep mine").check()
    plan.get_by_label("New value of plan").fill("by both")
    expect(plan.get_by_label("Enter a new value:")).to_be_checked()
    second.get_by_role("group", name="tone", exact=True).get_by_label("Keep theirs").check()
    for key in ("count", "log"):
        second.get_by_role("group", name=key, exact=True).get_by_label(
            "Both, merged by the reducer"
        ).check()
    second.get_by_role("button", name="Merge").click()
    second.get_by_label("Reason").fill("warmer")
    apply(second)
    state = state_of(api, name)
    assert (state["plan"], state["tone"], state["count"]) == ("by both", "warm", 7)
    assert state["log"] == ["begun", "one", "two"]

    merge = third.get_by_role("button", name="Merge")
    look(third)
    third.get_by_role("group", name="tone", exact=True).get_by_label("Keep mine").check()
    merge.click()
    apply(third)
    assert state_of(api, name)["tone"] == "dry"


def test_a_conflict_is_seen_and_decided_at_the_row_of_its_key(
    two: tuple[Page, Page], api: httpx.Client, name: str
) -> None:
    mine, other = two
    for key, text in (("tone", "cool"), ("plan", "answer")):
        field(mine, key).fill(text)
        field(other, key).fill(f"{text} indeed")
    expect(mine.get_by_text("Saved for you")).to_be_visible()
    other.get_by_role("button", name="Review changes").click()
    other.get_by_role("button", name="Apply").click()
    row = mine.locator('.edit-key[data-key-name="tone"] .edit-key-theirs')
    expect(row).to_contain_text("designer changed this too (version 2): cool indeed")
    expect(field(mine, "tone")).to_have_value("cool")
    row.evaluate("row => row.scrollIntoView({ block: 'center' })")  # not below the bar
    assert_accessible(mine)
    row.get_by_role("button", name="Take theirs").click()
    expect(field(mine, "tone")).to_have_value("cool indeed")
    expect(row).to_have_count(0)
    mine.locator('[data-key-name="plan"]').get_by_label("Keep mine").check()
    mine.get_by_role("button", name="Review changes").click()
    mine.get_by_role("button", name="Apply").click()
    expect(mine.get_by_text("1 key changed; the execution is at version 3.")).to_be_visible()
    state = state_of(api, name)
    assert (state["tone"], state["plan"]) == ("cool indeed", "answer")


def test_what_is_merged_into_one_object_is_not_taken_for_another_tab(
    two: tuple[Page, Page],
) -> None:
    mine, other = two
    field(mine, "items: item 1: text").fill("first, by one")
    kept(mine)
    field(other, "items: item 2: text").fill("second, by two")
    look(other)
    apply(other)
    expect(field(mine, "items: item 2: text")).to_have_value("second, by two")
    expect(field(mine, "items: item 1: text")).to_have_value("first, by one")
    expect(mine.get_by_text("designer changed items")).to_be_visible()
    expect(mine.get_by_text("Another tab of yours")).to_have_count(0)


def test_what_was_decided_is_kept_when_the_page_is_left(
    two: tuple[Page, Page], api: httpx.Client, name: str
) -> None:
    first, second = two
    field(first, "plan").fill("by one")
    field(second, "plan").fill("by two")
    look(first)
    apply(first)
    look(second)
    group = second.get_by_role("group", name="plan", exact=True)
    group.get_by_label("Enter a new value:").check()
    group.get_by_label("New value of plan").fill("by both")
    second.get_by_role("button", name="Merge").click()
    expect(second.get_by_role("button", name="Apply")).to_be_visible()
    go(second, f"/executions/{name}/state/")
    expect(field(second, "plan")).to_have_value("by both")
    look(second)
    apply(second)
    assert state_of(api, name)["plan"] == "by both"


def test_a_role_that_is_taken_closes_one_editor_and_nothing_typed_is_lost(
    two: tuple[Page, Page],
    open_page: OpenPage,
    server: LiveServer,
    name: str,
    tolerate: Callable[[str], None],
) -> None:
    first, second = two
    decider = go(open_page("reviewer"), f"/executions/{name}/")
    expect(decider.get_by_role("button", name="Approve")).to_be_visible()
    tolerate("status of 403")  # what is typed just before is sent again
    field(first, "plan").fill("before it was taken")
    kept(first)
    on_their_way: list[Route] = []
    first.route(re.compile("/state/"), lambda route: on_their_way.append(route))
    try:
        field(first, "tone").fill("typed in the same moment")
        while not on_their_way:
            first.wait_for_timeout(50)
        set_role(server, "reviewer", "viewer")
        for each in on_their_way:
            each.continue_()
        first.unroute(re.compile("/state/"))
        said = first.get_by_text("You are no longer allowed to edit here.")
        expect(said).to_be_visible(timeout=SLOW)
        expect(field(first, "plan")).to_have_value("before it was taken")
        expect(field(first, "tone")).to_have_value("typed in the same moment")
        expect(field(first, "tone")).not_to_be_editable()
        expect(first.get_by_role("button", name="Review changes")).to_be_disabled()
        expect(field(second, "tone")).to_be_editable()
        expect(decider.get_by_role("button", name="Approve")).to_have_count(0, timeout=SLOW)
        live(first)
    finally:
        set_role(server, "reviewer", "reviewer")
    expect(field(first, "tone")).to_be_editable(timeout=SLOW)
    expect(first.get_by_text("Saved for you")).to_be_visible(timeout=SLOW)
    go(first, f"/executions/{name}/state/")
    expect(field(first, "tone")).to_have_value("typed in the same moment")
    expect(field(first, "plan")).to_have_value("before it was taken")


def test_a_lost_connection_loses_nothing_and_tells_afterwards_what_happened(
    open_page: OpenPage, api: httpx.Client, name: str, tolerate: Callable[[str], None]
) -> None:
    path = f"/executions/{name}/state/"
    page = open_page("reviewer")
    sockets: list[WebSocketRoute] = []
    away = False

    def between(route: WebSocketRoute) -> None:
        if away:
            route.close(code=1013)
            return
        route.connect_to_server()
        sockets.append(route)

    page.route_web_socket("**/ws/**", between)
    go(page, path)
    other = go(open_page("designer"), path)
    tolerate("ERR_INTERNET_DISCONNECTED")
    away = True
    page.context.set_offline(True)
    sockets[-1].close(code=1001)
    expect(page.get_by_text("Connection lost, reconnecting")).to_be_visible()
    field(page, "plan").fill("typed without a line")
    expect(page.get_by_text("Not saved yet; retrying.")).to_be_visible()
    field(other, "plan").fill("by the other")
    field(other, "tone").fill("warm")
    look(other)
    apply(other)

    away = False
    page.context.set_offline(False)
    kept(page)
    expect(page.get_by_text("Connection lost, reconnecting")).to_be_hidden()
    expect(page.get_by_text("This has changed")).to_be_visible()
    expect(field(page, "plan")).to_have_value("typed without a line")
    look(page)
    page.get_by_role("group", name="plan", exact=True).get_by_label("Keep mine").check()
    page.get_by_role("button", name="Merge").click()
    apply(page)
    state = state_of(api, name)
    assert (state["plan"], state["tone"]) == ("typed without a line", "warm")


def test_an_execution_that_continues_is_reported_at_once_and_the_edit_waits_for_the_next_pause(
    three: tuple[Page, Page, Page], api: httpx.Client, name: str
) -> None:
    first, second, third = three
    field(first, "plan").fill("half a sentence")
    field(second, "tone").fill("half a tone")
    kept(first)
    kept(second)
    ok(api.post(f"conversations/{name}/approve", json={}))
    for page in three:
        expect(page.get_by_text("The execution is now Running")).to_be_visible()
    expect(field(first, "plan")).to_have_value("half a sentence")
    look(first)
    expect(first.get_by_text("Your changes were not applied")).to_be_visible()
    expect(first.locator(".code-block")).to_contain_text("half a sentence")
    first.context.grant_permissions(["clipboard-read", "clipboard-write"])
    first.wait_for_load_state()  # else its scripts may not hear the press yet
    first.get_by_role("button", name="Copy").click()
    expect(first.get_by_text("Copied", exact=True)).to_be_visible()
    copied = first.evaluate("navigator.clipboard.readText()")
    assert "half a sentence" in copied
    assert_accessible(first)

    save(api, name, status="PAUSED", state_data={"log": ["meanwhile"]})
    expect(second.get_by_text("The execution is now Running")).to_be_hidden()
    go(first, f"/executions/{name}/state/")
    expect(field(first, "plan")).to_have_value("half a sentence")
    for page in (first, second):
        look(page)
        apply(page)
    state = state_of(api, name)
    assert (state["plan"], state["tone"]) == ("half a sentence", "half a tone")
    assert state["log"] == ["begun", "meanwhile"]
    expect(third.get_by_text("designer changed tone")).to_be_visible()


def test_an_edit_that_can_no_longer_be_applied_has_one_note_and_is_copied(
    two: tuple[Page, Page], api: httpx.Client, name: str
) -> None:
    first, second = two
    first.context.grant_permissions(["clipboard-read", "clipboard-write"])
    field(first, "plan").fill("half a sentence")
    kept(first)
    field(second, "tone").fill("warm")
    look(second)
    second.get_by_role("button", name="Approve anyway with these changes").click()
    expect(first.get_by_text("The execution is now Running")).to_be_visible()
    expect(first.locator("#live-notes .note")).to_have_count(1)
    expect(first.get_by_role("button", name="Review changes")).not_to_have_class(
        re.compile("btn-primary")
    )
    first.get_by_role("button", name="Copy your edits").click()
    expect(first.get_by_text("Copied", exact=True)).to_be_visible()
    assert first.evaluate("navigator.clipboard.readText()") == "half a sentence"
    assert_accessible(first)


def test_a_deadline_is_no_longer_announced_once_nothing_waits(
    reviewer_page: Page, api: httpx.Client, start: Started
) -> None:
    name = start(review={"pause": "before", "timeout": {"seconds": 600, "outcome": "approve"}})
    go(reviewer_page, f"/executions/{name}/state/")
    deadline = reviewer_page.get_by_text("approves automatically")
    expect(deadline).to_be_visible()
    live(reviewer_page)
    ok(api.post(f"conversations/{name}/approve", json={}))
    expect(reviewer_page.get_by_text("The execution is now Running")).to_be_visible()
    expect(deadline).to_be_hidden()


def test_the_summary_and_the_choice_say_at_once_that_nothing_waits_any_longer(
    three: tuple[Page, Page, Page], api: httpx.Client, name: str
) -> None:
    first, second, third = three
    for page, text in ((first, "by one"), (second, "by two"), (third, "by three")):
        field(page, "plan").fill(text)
        look(page)
        expect(page.get_by_role("heading", name="Review changes")).to_be_visible()
        live(page)
    apply(first)
    second.get_by_role("button", name="Apply").click()  # a summary of before theirs
    changed = second.get_by_role("heading", name="This changed while you were editing")
    expect(changed).to_be_visible()
    expect(second.get_by_role("group", name="plan", exact=True)).to_be_visible()
    live(second)
    expect(third.get_by_text("reviewer changed plan")).to_be_visible()
    ok(api.post(f"conversations/{name}/approve", json={}))
    for page in (second, third):
        expect(page.get_by_text("The execution is now Running")).to_be_visible()
        assert_accessible(page)


def test_a_cancelled_execution_says_so_and_what_was_typed_can_be_copied(
    reviewer_page: Page, api: httpx.Client, name: str
) -> None:
    first = go(reviewer_page, f"/executions/{name}/state/")
    field(first, "plan").fill("half a sentence")
    kept(first)
    ok(api.post(f"conversations/{name}/cancel", json={"reason": "notification turned off"}))
    expect(first.get_by_text("The execution is now Cancelled")).to_be_visible()
    expect(field(first, "plan")).to_have_value("half a sentence")
    look(first)
    expect(first.locator(".code-block")).to_contain_text("half a sentence")
    expect(first.get_by_text("pauses again")).to_have_count(0)  # it never will
    expect(first.get_by_text("It is kept for you for 30 days.")).to_be_visible()


def test_a_key_says_who_edited_it_and_went_on_until_that_is_undone(two: tuple[Page, Page]) -> None:
    first, second = two
    row = first.locator('.edit-key[data-key-name="plan"]')
    before = row.bounding_box()
    field(second, "plan").fill("act")
    expect(row.get_by_text("edits this", exact=False)).to_be_visible()
    assert row.bounding_box() == before  # nothing moves under the hand
    field(second, "tone").focus()
    expect(row.get_by_text("edited this, not applied")).to_be_visible()
    assert row.bounding_box() == before
    expect(row.get_by_text("designer")).to_be_visible()
    field(second, "plan").fill("ask")
    field(second, "tone").focus()
    expect(row.get_by_text("edited this, not applied")).to_have_count(0)
