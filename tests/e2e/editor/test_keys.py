"""Keys of the editor: all that are listed work after a press on the empty canvas."""

import re

import httpx
from playwright.sync_api import Page, expect

from tests.e2e.editor.scenes import Make, card, draft, opened, saved
from tests.e2e.keys import assert_does_something, listed


def press_on_the_empty_canvas(page: Page) -> None:
    page.locator(".react-flow__pane").click(position={"x": 40, "y": 300})


def test_each_listed_key_works_after_a_press_on_the_empty_canvas(
    designer_page: Page, made: Make
) -> None:
    page = opened(designer_page, made())
    expect(card(page, "ask")).to_be_visible()
    press_on_the_empty_canvas(page)
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+d")
    page.keyboard.press("Control+g")
    keys = listed(page)
    assert {"Undo", "Group", "Ungroup", "Select all nodes", "Paste", "Zoom in"} <= keys.keys()
    for label, steps in keys.items():
        if label.startswith("Go to "):
            continue
        page.keyboard.press("Escape")
        press_on_the_empty_canvas(page)
        if label != "Select all nodes":
            page.keyboard.press("Control+a")
        page.keyboard.press("ArrowDown")
        if label == "Redo":
            page.keyboard.press("Control+z")
        if label == "Ungroup":
            page.keyboard.press("Control+g")
        page.keyboard.press("-")
        assert_does_something(page, label, steps)
        page.keyboard.press("Escape")
        if label in {"Delete", "Cut"}:
            page.keyboard.press("Control+z")
        page.get_by_role("button", name="Canvas", exact=True).click()


def test_a_sequence_of_keys_goes_where_it_says_and_groups_nothing(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made()
    page = opened(designer_page, slug)
    before = draft(api, slug)
    card(page, "ask").click()
    press_on_the_empty_canvas(page)
    page.keyboard.press("Control+a")
    page.keyboard.press("g")
    page.keyboard.press("w")
    expect(page).to_have_url(re.compile("/workflows/$"))
    assert draft(api, slug) == before


def test_a_press_on_the_empty_canvas_leaves_undo_and_select_all_to_the_canvas(
    designer_page: Page, made: Make
) -> None:
    page = opened(designer_page, made())
    card(page, "ask").click()
    page.keyboard.press("Delete")
    expect(card(page, "ask")).to_have_count(0)
    press_on_the_empty_canvas(page)
    page.keyboard.press("Control+z")
    expect(card(page, "ask")).to_be_visible()
    page.keyboard.press("Control+a")
    expect(page.locator(".react-flow__node.selected")).to_have_count(2)
    assert page.evaluate("getSelection().isCollapsed")
    saved(page)


def test_a_draft_is_published_by_two_strokes(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made()
    page = opened(designer_page, slug)
    card(page, "ask").focus()
    page.keyboard.press("Control+Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Publish")).to_be_visible()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Published as version 1")).to_be_visible()
    assert api.get(f"workflows/{slug}/versions/1").is_success


def test_the_palette_adds_a_node_on_the_canvas_and_says_that_nothing_is_found(
    designer_page: Page, made: Make
) -> None:
    page = opened(designer_page, made())
    expect(card(page, "ask")).to_be_visible()
    page.keyboard.press("Control+k")
    palette = page.get_by_role("dialog", name="Go to or search")
    expect(palette.get_by_role("option", name="Publish")).to_be_visible()
    page.keyboard.type("xyzzyq")
    expect(palette.get_by_text("Nothing found for “xyzzyq”.")).to_be_visible()
    page.keyboard.press("Control+a")
    page.keyboard.type("add a")
    page.keyboard.press("Enter")
    expect(palette).to_be_hidden()
    page.keyboard.type("model")
    page.keyboard.press("Enter")
    expect(card(page, "model")).to_be_in_viewport()
    # Nothing was typed into its name: what is undone is the node.
    field = page.get_by_role("complementary", name="Selection").get_by_label("Name", exact=True)
    expect(field).to_be_focused()
    page.keyboard.press("Control+z")
    expect(card(page, "model")).to_have_count(0)
