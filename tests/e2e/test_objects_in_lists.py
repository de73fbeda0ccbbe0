"""Objects in a list, and in an object, edited field by field in the form of a paused state."""

import json
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser import assert_accessible_in_every_look
from tests.e2e.scenes import complete, go, ok, start_one, state

FLIGHTS: list[dict[str, Any]] = [
    {"id": "HAT136", "price": 152.0, "direct": False, "seat": None},
    {"id": "HAT039", "price": 103, "direct": True},
]
CUSTOMER = {"name": "Mia", "address": {"city": "Austin", "zip": "78217"}, "tags": ["gold"]}


@pytest.fixture
def name(api: httpx.Client) -> str:
    made = start_one(api, paused=False)
    complete(api, made, "write", state_data={"flights": FLIGHTS, "customer": CUSTOMER})
    return made


def test_who_types_in_a_field_goes_on_there_when_another_field_of_the_object_changes(
    reviewer_page: Page, api: httpx.Client, name: str
) -> None:
    page = go(reviewer_page, f"/executions/{name}/state/")
    city = page.get_by_label("customer: address: city", exact=True)
    city.fill("Dalas")
    expect(page.get_by_text("Saved for you")).to_be_visible()
    city.evaluate("(input) => input.setSelectionRange(3, 3)")
    theirs = {"customer": {**CUSTOMER, "name": "Mila"}, "flights": FLIGHTS}
    change = {"node_id": "review", "state_data": theirs}
    ok(api.patch(f"conversations/{name}/snapshot", json=change))
    expect(page.get_by_label("customer: name", exact=True)).to_have_value("Mila")
    expect(city).to_be_focused()
    page.keyboard.insert_text("l")
    expect(city).to_have_value("Dallas")
    expect(page.get_by_text("Another tab of yours")).to_have_count(0)


def test_a_field_in_a_list_of_objects_is_changed_reverted_and_approved(
    reviewer_page: Page, api: httpx.Client, name: str
) -> None:
    page = go(reviewer_page, f"/executions/{name}/state/")
    first = page.get_by_role("group", name="flights: item 1", exact=True)
    price = first.get_by_label("flights: item 1: price", exact=True)
    price.fill("150.0")
    expect(price).to_have_attribute("title", "Before: 152.0")
    expect(page.get_by_text("1 unapplied change")).to_be_visible()
    expect(page.get_by_text("Saved for you")).to_be_visible()
    page.get_by_role("button", name="Revert flights: item 1: price").click()
    expect(price).to_have_value("152.0")
    expect(price).to_be_focused()
    expect(page.get_by_role("button", name="Revert flights")).to_have_count(0)
    price.fill("150.0")
    page.get_by_role("button", name="Revert flights", exact=True).click()
    expect(price).to_have_value("152.0")
    expect(price).to_have_attribute("title", "")
    expect(page.get_by_text("1 unapplied change")).to_be_hidden()
    price.fill("abc")
    expect(price).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_text("flights: item 1: price: Enter a number.")).to_be_visible()
    price.fill("149.50")
    expect(page.get_by_text("Enter a number.")).to_have_count(0)
    seat = first.get_by_label("flights: item 1: seat", exact=True)
    seat.select_option("text")
    expect(seat).to_be_focused()
    page.get_by_role("button", name="Revert flights: item 1: seat").click()
    expect(seat).to_have_value("null")
    expect(seat).to_be_focused()
    seat.select_option("text")
    seat.fill("12A")
    page.get_by_label("customer: address: city", exact=True).fill("Dallas")
    page.get_by_role("button", name="Review changes").click()
    page.get_by_role("button", name="Approve with these changes").click()
    expect(page.get_by_text("Approved", exact=False).first).to_be_visible()
    found = state(api, name)
    changed = [FLIGHTS[0] | {"price": 149.5, "seat": "12A"}, FLIGHTS[1]]
    assert repr(found["flights"]) == repr(changed)
    assert repr(found["customer"]) == repr(
        CUSTOMER | {"address": {"city": "Dallas", "zip": "78217"}}
    )


def test_an_item_is_added_with_the_fields_of_the_others_and_another_removed(
    reviewer_page: Page, api: httpx.Client, name: str
) -> None:
    page = go(reviewer_page, f"/executions/{name}/state/")
    flights = page.get_by_role("group", name="flights: fields", exact=True)
    flights.get_by_role("button", name="Add an item", exact=True).click()
    added = flights.get_by_label("flights: item 3: id", exact=True)
    expect(added).to_be_focused()
    added.fill("HAT271")
    flights.get_by_role("button", name="Add a field: flights: item 3").click()
    flights.get_by_label("flights: item 3: Name of the field").fill("a.b")
    flights.get_by_role("button", name="Add a field", exact=True).locator("visible=true").click()
    expect(flights.get_by_label("flights: item 3: a.b", exact=True)).to_be_focused()
    flights.get_by_role("button", name="Remove flights: item 1", exact=True).click()
    expect(flights.get_by_label("flights: item 1: id", exact=True)).to_be_focused()
    expect(flights.locator(".shallow-changed")).to_have_count(4)  # those of the added one
    page.get_by_role("button", name="Remove customer: tags: item 1", exact=True).click()
    expect(page.get_by_text("2 unapplied changes")).to_be_visible()
    expect(page.get_by_text("Saved for you")).to_be_visible()
    page.reload()
    expect(flights.get_by_label("flights: item 2: id", exact=True)).to_have_value("HAT271")
    page.get_by_role("button", name="Review changes").click()
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("2 keys changed")).to_be_visible()
    added_one = {"id": "HAT271", "price": 0, "direct": False, "a.b": ""}
    found = state(api, name)
    assert repr(found["flights"]) == repr([FLIGHTS[1], added_one])
    assert found["customer"]["tags"] == []


def test_an_empty_list_gets_an_object_and_what_is_too_much_stays_json(
    reviewer_page: Page, api: httpx.Client, name: str
) -> None:
    many = [{"n": number} for number in range(200)]
    update = {"legs": [], "many": many, '\u202eodd "key".': {"a b": {"\u0627.": "x"}}}
    ok(
        api.patch(
            f"conversations/{name}/snapshot", json={"node_id": "review", "state_data": update}
        )
    )
    page = go(reviewer_page, f"/executions/{name}/state/")
    expect(page.get_by_label("many", exact=True)).to_be_visible()  # the text area
    legs = page.get_by_role("group", name="legs: fields", exact=True)
    legs.get_by_label("Add an item").and_(legs.locator("select")).select_option("object")
    legs.get_by_role("button", name="Add an item").click()
    name_field = legs.get_by_label("legs: item 1: Name of the field")
    expect(name_field).to_be_focused()
    name_field.fill("from")
    legs.get_by_role("button", name="Add a field", exact=True).click()
    legs.get_by_label("legs: item 1: from", exact=True).fill("JFK")
    legs.get_by_role("button", name="Add an item", exact=True).click()
    expect(legs.get_by_label("legs: item 2: from", exact=True)).to_be_focused()
    assert_accessible_in_every_look(page, narrow=390)
    legs.get_by_role("button", name="As JSON").click()
    text = page.get_by_label("legs", exact=True)
    assert json.loads(text.input_value()) == [{"from": "JFK"}, {"from": ""}]
    page.get_by_role("button", name="As a form").click()
    expect(legs.get_by_label("legs: item 1: from", exact=True)).to_be_focused()


def test_a_wrong_field_within_stops_the_review_and_is_named(reviewer_page: Page, name: str) -> None:
    page = go(reviewer_page, f"/executions/{name}/state/")
    price = page.get_by_label("flights: item 1: price", exact=True)
    other = page.get_by_label("flights: item 2: price", exact=True)
    other.fill("12345678901234567890123")
    said = page.locator(".draft-bar").get_by_role("status")
    page.get_by_role("button", name="Review changes").click()
    expect(other).to_be_focused()
    expect(said).to_contain_text("flights: item 2: price: Enter a smaller number")
    price.fill("")
    page.get_by_role("button", name="Review changes").click()
    expect(price).to_be_focused()
    expect(said).to_have_text("flights: item 1: price: Enter a number.")
    price.fill("1")
    other.fill("2")
    page.get_by_role("button", name="Review changes").click()
    expect(page.get_by_role("button", name="Approve with these changes")).to_be_visible()


def test_enter_adds_the_named_field_and_a_name_that_is_there_is_refused(
    reviewer_page: Page, name: str
) -> None:
    page = go(reviewer_page, f"/executions/{name}/state/")
    customer = page.get_by_role("group", name="customer: fields", exact=True)
    adding = customer.get_by_label("customer: Name of the field", exact=True)
    adding.press("Enter")
    expect(customer.get_by_text("Enter a name.")).to_be_visible()
    adding.fill("name")
    adding.press("Enter")
    expect(adding).to_be_focused()
    expect(adding).to_have_attribute("aria-invalid", "true")
    expect(customer.get_by_text("This field already exists.", exact=False)).to_be_visible()
    adding.fill("phone")
    expect(customer.get_by_text("This field already exists.", exact=False)).to_be_hidden()
    adding.press("Enter")
    added = customer.get_by_label("customer: phone", exact=True)
    expect(added).to_be_focused()
    expect(page.get_by_text("1 unapplied change")).to_be_visible()
