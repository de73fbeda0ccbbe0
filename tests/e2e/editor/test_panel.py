"""The panel beside the canvas: where it is, its heads and tabs, and copies."""

import re
from itertools import combinations

import httpx
from playwright.sync_api import Page, expect
from pydantic import JsonValue

from tests.e2e.conftest import OpenPage
from tests.e2e.editor.scenes import (
    Make,
    card,
    draft,
    form,
    opened,
    saved,
    spots,
)

BUDGET_NODES: list[JsonValue] = [
    {"id": "begin", "type": "start", "position": {"x": 0, "y": 0}},
    {
        "id": "cut",
        "type": "context_processor",
        "position": {"x": 400, "y": 0},
        "config": {"operation": "truncate", "truncate": {"keep_last": 4}},
    },
]
BUDGET_EDGES: list[JsonValue] = [{"id": "go", "type": "sequence", "from": "begin", "to": "cut"}]


def test_on_a_phone_the_form_of_what_is_selected_is_in_sight(
    open_page: OpenPage, made: Make
) -> None:
    page = opened(open_page("designer", width=390), made())
    card(page, "answer").click()
    expect(page.locator("#panel-title")).to_be_in_viewport()


def test_the_type_is_one_row_until_another_is_wanted(designer_page: Page, made: Make) -> None:
    page = opened(designer_page, made())
    card(page, "answer").click()
    types = form(page).locator(".tile:visible")
    expect(types).to_have_text("Model")
    change = form(page).get_by_role("button", name="Change type")
    change.click()
    expect(types.filter(has_text="Tool")).to_be_visible()
    types.filter(has_text="Tool").click()
    expect(types).to_have_text("Tool")
    expect(form(page).get_by_role("radio", name="Tool")).to_be_checked()
    # By keys: arrows go from type to type, Enter takes one.
    change.press("Enter")
    form(page).get_by_role("radio", name="Tool").press("ArrowRight")
    expect(types.filter(has_text="Tool")).to_be_visible()
    page.keyboard.press("Enter")
    expect(types).to_have_text("Decision")
    expect(card(page, "answer")).to_have_accessible_name(re.compile("Answer, Decision"))


def test_a_new_budget_is_not_wrong_before_anything_is_typed(
    designer_page: Page, made: Make
) -> None:
    page = opened(designer_page, made(BUDGET_NODES, BUDGET_EDGES))
    card(page, "cut").click()
    limit = form(page).get_by_label("Cut when over")
    form(page).get_by_label("Operation").first.select_option("budget")
    expect(limit).to_be_visible()
    expect(page.locator(".editor-saving")).not_to_have_text("Saved")
    expect(form(page).locator(".field-errors")).to_have_count(0)
    with page.expect_response(lambda answer: "/read/" in answer.url):
        form(page).get_by_label("Cut down to").fill("10")
        limit.focus()
        limit.fill("1")
        limit.fill("")
    expect(form(page).locator(".field-errors")).to_have_count(1)


def test_the_panel_is_headed_by_names_and_its_preview_is_a_tab_of_full_height(
    designer_page: Page, made: Make
) -> None:
    page = opened(designer_page, made())
    card(page, "answer").click()
    heading = page.locator("#panel-title")
    expect(heading).to_have_text("Answer")
    form(page).get_by_label("Name", exact=True).fill("Reply")
    expect(heading).to_have_text("Reply")
    page.get_by_role("link", name="Ask → Answer (go)").click()
    expect(heading).to_have_text("Ask → Reply")
    card(page, "answer").click()
    parts = page.get_by_role("navigation", name="Parts of the panel")
    parts.get_by_text("Preview").click()
    expect(form(page)).to_be_hidden()
    panel, preview = (
        page.locator(each).bounding_box() for each in (".editor-panel", ".editor-preview")
    )
    assert panel is not None
    assert preview is not None
    assert preview["height"] > panel["height"] - 60
    card(page, "ask").click()  # a tab stays from node to node
    expect(heading).to_have_text("Ask")
    expect(form(page)).to_be_hidden()
    parts.get_by_text("Settings").click()
    expect(form(page)).to_be_visible()
    expect(heading).to_be_focused()


def test_a_copy_has_the_next_free_name_and_covers_nothing(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made()
    page = opened(designer_page, slug)
    card(page, "answer").click()
    for _each in range(2):
        page.keyboard.press("Control+d")
    expect(page.locator(".flow-card")).to_have_count(4)
    saved(page)
    nodes = draft(api, slug)["nodes"]
    assert [node["name"] for node in nodes[1:]] == ["Answer", "Answer 2", "Answer 3"]
    for (x, y), (other_x, other_y) in combinations(spots(page).values(), 2):
        assert abs(other_x - x) >= 260 or abs(other_y - y) >= 144
