"""*Edit* beside a key on the card of a review: where it leads, and where one types then."""

import re
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.scenes import complete, go, start_one

PASSENGERS = [{"name": "Mia", "age": 41}, {"name": "Raj", "age": 9}]


@pytest.fixture
def name(api: httpx.Client) -> str:
    made = start_one(api, paused=False)
    written: dict[str, Any] = {f"customer.f{at}": f"value {at}" for at in range(60)}
    written |= {"draft": "A long answer.\n\n" * 40, "passengers": PASSENGERS, "tags": ["gold"]}
    written |= {"notes": {"to": {"street": "Elm"}, "count": 2}}
    complete(api, made, "write", state_data=written)
    return made


def settled(page: Page) -> None:
    """The request and the proposed answer are there; the page has grown by it."""
    expect(page.locator("#reviewed .proposal")).to_have_count(1)
    page.wait_for_timeout(300)  # what it draws once it is there


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844), (640, 400)])
def test_the_key_is_in_sight_when_all_is_drawn_and_its_first_field_has_the_focus(
    open_page: OpenPage, name: str, width: int, height: int
) -> None:
    page = open_page("reviewer", width=width)
    page.set_viewport_size({"width": width, "height": height})
    for key, field in (
        ("customer.f0", "customer.f0"),
        ("passengers", "passengers: item 1: name"),
        ("notes", "notes: to: street"),
    ):
        go(page, f"/executions/{name}/state/?q={key}")
        settled(page)
        found = page.get_by_label(field, exact=True)
        expect(found).to_be_focused()
        expect(found).to_be_in_viewport(ratio=1)
        expect(page.locator(f'[data-key-name="{key}"] .form-label').first).to_be_in_viewport()
        expect(page.locator(".draft-bar")).to_be_in_viewport()
        box, bar = found.bounding_box(), page.locator(".draft-bar").bounding_box()
        assert box is not None
        assert bar is not None
        assert box["y"] + box["height"] <= bar["y"]


def test_the_fields_of_a_list_are_drawn_however_late_the_script_comes(
    reviewer_page: Page, name: str
) -> None:
    """The browser may give the focus to the text area before the fields take its place."""
    waiting: list[Route] = []
    reviewer_page.route(re.compile("/build/draft"), lambda route: waiting.append(route))
    reviewer_page.goto(f"/executions/{name}/state/?q=passengers", wait_until="commit")
    expect(reviewer_page.locator("textarea[name=value-0]")).to_be_focused()
    waiting.pop().continue_()
    expect(reviewer_page.get_by_label("passengers: item 1: name", exact=True)).to_be_focused()
    reviewer_page.reload(wait_until="commit")
    area = reviewer_page.locator("textarea[name=value-0]")
    expect(area).to_be_focused()
    area.press_sequentially(" ")  # someone types JSON: it stays
    waiting.pop().continue_()
    expect(reviewer_page.get_by_text("1 unapplied change")).to_be_visible()
    expect(area).to_be_focused()
