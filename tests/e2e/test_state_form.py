"""The form of a state in a browser: the input of a row follows the type that is chosen."""

from collections.abc import Callable
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser import assert_nothing_sticks_out
from tests.e2e.conftest import OpenPage
from tests.e2e.scenes import go, ok, save, start_one


@pytest.fixture
def name(api: httpx.Client) -> str:
    made = f"form-{uuid4().hex[:8]}"
    ok(api.post("conversations", json={"id": made, "title": made}))
    reducers = {"log": "append", "count": "increment"}
    ok(api.post(f"conversations/{made}/executions", json={"reducers": reducers}))
    state = {"plan": "ask", "sent": False, "note": None, "facts": {"a": 1}}
    save(api, made, status="PAUSED", state_data=state)
    return made


def test_the_input_follows_the_type_and_what_was_typed_comes_back(
    reviewer_page: Page, api: httpx.Client, name: str
) -> None:
    page = go(reviewer_page, f"/executions/{name}/state/")
    plan, kind = page.get_by_label("plan", exact=True), page.get_by_label("Type of plan")
    plan.fill("ask Anna")
    kind.select_option("null")
    expect(plan).to_have_value("")
    expect(plan).not_to_be_editable()
    kind.select_option("boolean")
    expect(plan).to_have_value("false")
    kind.select_option("text")
    expect(plan).to_have_value("ask Anna")
    kind.select_option("list")
    expect(plan).to_have_value('["ask Anna"]')
    page.get_by_label("Type of note").select_option("object")
    expect(page.get_by_label("note", exact=True)).to_have_value("{}")
    page.get_by_label("log", exact=True).fill('["first"]')  # which the state does not have yet
    expect(page.get_by_label("Type of log")).to_have_count(0)  # nothing to choose
    page.get_by_role("button", name="Review changes").click()
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("3 keys changed")).to_be_visible()
    state = ok(api.get(f"conversations/{name}/snapshot"))["state_data"]
    changed = (state["plan"], state["note"], state["log"], "count" in state)
    assert changed == (["ask Anna"], {}, ["first"], False)


def test_the_form_refuses_what_a_reducer_cannot_take_and_fits_each_width(
    reviewer_page: Page, name: str
) -> None:
    page = go(reviewer_page, f"/executions/{name}/state/")
    page.get_by_label("log", exact=True).fill("7")
    page.get_by_role("button", name="Review changes").click()
    expect(page.get_by_text("The key 'log' is reduced by append").first).to_be_visible()
    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 900})
        assert_nothing_sticks_out(page)


def test_a_changed_row_is_marked_and_reverted_and_the_bar_counts(
    reviewer_page: Page, api: httpx.Client, name: str
) -> None:
    page = go(reviewer_page, f"/executions/{name}/state/")
    plan, bar = page.get_by_label("plan", exact=True), page.locator(".draft-bar")
    expect(bar.get_by_text("Connected", exact=True)).to_be_visible()
    expect(bar.get_by_role("button", name="Discard all")).to_be_hidden()
    page.get_by_label("Type of plan").select_option("list")
    page.get_by_role("group", name="plan").get_by_role("button", name="As JSON").click()
    plan.fill('["ask", "act"]')
    page.get_by_label("log", exact=True).fill('["first"]')
    expect(bar.get_by_text("2 unapplied changes")).to_be_visible()
    changed = page.locator(".edit-key-changed")
    expect(changed).to_have_count(2)
    expect(changed.locator(".edit-key-tools").first).to_have_attribute("title", "Before: ask")
    page.get_by_role("button", name="Revert plan").click()
    expect(plan).to_have_value("ask")
    expect(page.get_by_label("Type of plan")).to_have_value("text")
    expect(bar.get_by_text("1 unapplied change")).to_be_visible()
    expect(changed).to_have_count(1)
    go(page, f"/executions/{name}/state/")
    page.get_by_role("button", name="Revert log").click()
    expect(bar.get_by_text("1 unapplied change")).to_be_hidden()
    expect(bar.get_by_role("button", name="Discard all")).to_be_hidden()


def test_a_short_object_is_edited_field_by_field_and_keeps_its_numbers(
    reviewer_page: Page, api: httpx.Client, name: str
) -> None:
    """What is typed in a field is kept as text of the key, and comes back after a reload."""
    update = {"node_id": "plan", "state_data": {"facts": {"$replace": {"a": 1.0, "b": "x"}}}}
    ok(api.patch(f"conversations/{name}/snapshot", json=update))
    page = go(reviewer_page, f"/executions/{name}/state/")
    facts = page.get_by_role("group", name="facts")
    facts.get_by_label("facts: b", exact=True).fill("y")
    expect(page.get_by_text("Saved for you")).to_be_visible()
    page.reload()
    expect(facts.get_by_label("facts: b", exact=True)).to_have_value("y")
    facts.get_by_label("facts: Name of the field").fill("c")
    facts.get_by_role("button", name="Add a field").click()
    facts.get_by_label("facts: c", exact=True).fill("new")
    page.get_by_role("button", name="Revert facts", exact=True).click()
    expect(facts.get_by_label("facts: c", exact=True)).to_have_count(0)
    facts.get_by_label("facts: b", exact=True).fill("z")
    page.get_by_role("button", name="Review changes").click()
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("1 key changed")).to_be_visible()
    snapshot = api.get(f"conversations/{name}/snapshot").text
    assert '"facts":{"a":1.0,"b":"z"}' in snapshot


def test_a_number_that_is_none_is_marked_while_typed_and_stops_the_review(
    reviewer_page: Page, name: str
) -> None:
    page = go(reviewer_page, f"/executions/{name}/state/")
    count, bar = page.get_by_label("count", exact=True), page.locator(".draft-bar")
    count.fill("hello")
    expect(count).to_have_attribute("aria-invalid", "true")
    said = page.get_by_text("Enter a number.", exact=True)
    expect(said).to_be_visible()
    below, field = said.bounding_box(), count.bounding_box()
    assert below is not None
    assert field is not None
    assert abs(below["x"] - field["x"]) < 2  # at its field, not below the name
    assert below["y"] >= field["y"] + field["height"]
    page.get_by_label("plan", exact=True).fill("another")
    expect(bar.get_by_text("2 unapplied changes")).to_be_visible()
    page.get_by_role("button", name="Review changes").click()
    expect(count).to_be_focused()
    expect(bar.get_by_text("count: Enter a number.")).to_be_visible()
    count.fill("12345678901234567890123")
    expect(page.get_by_text("Enter a smaller number", exact=False).first).to_be_visible()
    count.fill("4")
    expect(page.locator('[aria-invalid="true"]')).to_have_count(0)


def test_a_wrong_number_of_a_new_key_is_said_below_its_value(
    reviewer_page: Page, name: str
) -> None:
    page = go(reviewer_page, f"/executions/{name}/state/")
    page.get_by_role("button", name="Add a key").click()
    new = page.locator(".edit-adds[open]")
    new.get_by_label("New key").fill("price")
    new.get_by_label("Type").select_option("number")
    value = new.get_by_label("Value", exact=True)
    value.fill("much")
    expect(value).to_have_accessible_description("Enter a number.")
    expect(value.locator("xpath=../following-sibling::ul")).to_have_text("Enter a number.")
    value.fill("4")
    expect(page.get_by_text("Enter a number.", exact=True)).to_have_count(0)


def test_a_refused_list_keeps_its_fields_and_the_refusal_leads_to_them(
    reviewer_page: Page, api: httpx.Client, name: str, tolerate: Callable[[str], None]
) -> None:
    tolerate("status of 422")
    update = {"deep": {"a": 1, "b": {"c": {"d": {"e": 1}}}}}
    ok(api.patch(f"conversations/{name}/snapshot", json={"node_id": "plan", "state_data": update}))
    page = go(reviewer_page, f"/executions/{name}/state/")
    page.get_by_label("deep: b", exact=True).fill('{"d": 12345678901234567890123}')
    page.get_by_role("button", name="Review changes").click()
    page.get_by_role("link", name="Go to the field").click()
    refused = page.get_by_label("deep: b: d", exact=True)
    expect(refused).to_be_focused()
    expect(refused).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("deep: a", exact=True)).to_have_value("1")


def test_on_a_phone_the_key_to_edit_is_in_sight_and_the_bar_takes_two_lines(
    open_page: OpenPage, api: httpx.Client
) -> None:
    flow = start_one(api)
    page = go(open_page("reviewer", width=390), f"/executions/{flow}/state/?q=draft")
    draft = page.get_by_label("draft", exact=True)
    expect(draft).to_be_focused()
    expect(draft).to_be_in_viewport()
    draft.fill("Another text")
    expect(page.get_by_text("Saved for you")).to_be_visible()
    bar = page.locator(".draft-bar")
    expect(bar.get_by_role("button", name="Discard all")).to_be_visible()
    bottom = "all => all.map((each) => Math.round(each.getBoundingClientRect().bottom / 8))"
    assert len(set(bar.locator(".btn:visible").evaluate_all(bottom))) == 1
    box = bar.bounding_box()
    assert box is not None
    assert box["height"] <= 90
    assert_nothing_sticks_out(page)


def test_edits_that_are_not_applied_say_how_long_ago_they_were_saved(
    reviewer_page: Page, name: str
) -> None:
    page = go(reviewer_page, f"/executions/{name}/state/")
    page.get_by_label("plan", exact=True).fill("ask Anna")
    expect(page.get_by_text("Saved for you")).to_be_visible()
    page.reload()
    other = go(page.context.new_page(), f"/executions/{name}/state/")
    other.get_by_label("sent", exact=True).select_option("true")
    expect(page.locator(".pending-line")).to_have_count(2)  # the panel was fetched again
    expect(page.locator(".pending time")).to_have_text("now", timeout=5_000)


def test_the_field_of_a_new_key_has_room_for_a_name(reviewer_page: Page, name: str) -> None:
    page = go(reviewer_page, f"/executions/{name}/state/")
    page.locator("summary", has_text="Add a key").click()
    place = page.get_by_label("New key").bounding_box()
    assert place is not None
    assert place["width"] >= 200, place
