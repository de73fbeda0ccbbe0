"""Keys of the editor: all that are listed work after a press on the empty canvas."""

import re

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenPage
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
    page.keyboard.press("Delete")
    expect(page.locator(".react-flow__node")).to_have_count(0)
    page.keyboard.press("Control+a")
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


def _focused(page: Page) -> str:
    """The id of the card or line that has the focus, else the label of what has it."""
    return str(
        page.evaluate(
            "() => { const each = document.activeElement;"
            " return each.dataset.id ?? each.getAttribute('aria-label') ?? each.className; }"
        )
    )


def _tab_to(page: Page, name: str) -> None:
    for _step in range(80):
        if _focused(page) == name:
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{name} is not reached by Tab")


def test_tab_goes_from_a_card_to_its_lines_and_on(designer_page: Page, made: Make) -> None:
    nodes = [{"id": name, "type": "task"} for name in ("ask", "write", "send")]
    pairs = [("ask", "write"), ("ask", "send"), ("write", "send"), ("send", "ask")]
    edges = [{"id": f"{a}-{b}", "type": "sequence", "from": a, "to": b} for a, b in pairs]
    page = opened(designer_page, made(nodes, edges))
    order = ["ask", "ask-write", "ask-send", "write", "write-send", "send", "send-ask"]
    card(page, "ask").focus()
    before = _focused_after(page, "Shift+Tab")
    assert before not in order
    assert [_focused_after(page, "Tab") for _ in order] == order
    after = _focused_after(page, "Tab")
    assert after not in {*order, before}
    # Back one comes to the last card, whose line is ahead of it.
    back = order[-2::-1]
    assert [_focused_after(page, "Shift+Tab") for _ in back] == back
    assert _focused_after(page, "Shift+Tab") == before
    page.locator('[data-id="write-send"].react-flow__edge').focus()
    page.keyboard.press("Enter")
    expect(page.locator("#panel-title")).to_have_text("write → send")
    # Enter again leads to the first field.
    page.keyboard.press("Enter")
    expect(page.locator("[name=edge-type]")).to_be_focused()


def _focused_after(page: Page, key: str) -> str:
    page.keyboard.press(key)
    return _focused(page)


def test_a_name_and_the_id_that_follows_it_are_undone_together(
    designer_page: Page, made: Make
) -> None:
    page = opened(designer_page, made())
    page.get_by_role("region", name="Node types").get_by_role("button", name="Tool").click()
    expect(page.locator("[name=node-name]")).to_be_focused()
    page.keyboard.type("Search")
    page.keyboard.press("Escape")
    expect(card(page, "search")).to_be_focused()
    page.keyboard.press("Control+z")
    expect(card(page, "tool").locator("strong")).to_have_text("Tool")


@pytest.mark.parametrize("delay", [0, 90])
def test_each_name_of_nodes_that_are_added_one_after_the_other_is_one_step(
    designer_page: Page, made: Make, delay: int
) -> None:
    page = opened(designer_page, made([], []))
    added = [("Start", "Begin here", "begin-here"), ("Model", "Write it", "write-it")]
    added.append(("Tool", "Look up", "look-up"))
    for kind, name, _ in added:
        types = page.get_by_role("region", name="Node types")
        types.get_by_role("button", name=kind, exact=True).click()
        page.keyboard.type(name, delay=delay)
    page.keyboard.press("Escape")
    for _, name, key in added:
        expect(card(page, key).locator("strong")).to_have_text(name)
    for place, (kind, _, _) in reversed(list(enumerate(added))):
        page.keyboard.press("Control+z")
        expect(card(page, kind.lower()).locator("strong")).to_have_text(kind)
        page.keyboard.press("Control+z")
        expect(page.locator(".flow-card")).to_have_count(place)
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()


def test_publish_opens_by_its_key_from_a_card_and_the_selection_stays(
    designer_page: Page, made: Make
) -> None:
    page = opened(designer_page, made())
    card(page, "ask").click()
    expect(page.locator("#panel-title")).to_have_text("Ask")
    for focused in (card(page, "ask"), card(page, "answer"), page.locator(".react-flow__edge")):
        focused.focus()
        page.keyboard.press("Control+Enter")
        dialog = page.get_by_role("dialog", name="Publish")
        expect(dialog).to_be_visible()
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        expect(page.locator("#panel-title")).to_have_text("Ask")


@pytest.mark.parametrize("zoomed", [False, True])
def test_a_workflow_is_drawn_with_keys_alone(
    open_page: OpenPage, made: Make, api: httpx.Client, *, zoomed: bool
) -> None:
    """Also at 200 %, where a window of 1280 x 800 has the room of 640 x 400."""
    slug = made()
    page = open_page("designer")
    page.emulate_media(reduced_motion="reduce")
    if zoomed:
        page.set_viewport_size({"width": 640, "height": 400})
    opened(page, slug)
    expect(card(page, "ask")).to_be_visible()
    _tab_to(page, "answer")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    saved(page)
    assert draft(api, slug)["nodes"][1]["position"] == {"x": 400, "y": 10}
    page.keyboard.press("Enter")
    expect(page.locator("[name=node-name]")).to_be_focused()
    page.keyboard.press("Escape")
    assert _focused(page) == "answer"
    expect(page.locator("#panel-title")).to_have_text("Answer")
    # The menu adds a node, whose name is typed next.
    page.keyboard.press("Shift+F10")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.get_by_role("combobox", name="Node type").fill("tool")
    page.keyboard.press("Enter")
    expect(page.locator("[name=node-name]")).to_be_focused()
    page.keyboard.type("Search")
    expect(card(page, "tool").locator("strong")).to_have_text("Search")
    page.keyboard.press("Escape")
    expect(card(page, "search")).to_be_focused()
    # It is connected by the name of the other, and the edge deleted.
    page.keyboard.press("c")
    page.keyboard.type("ask")
    page.keyboard.press("Enter")
    expect(page.locator("#panel-title")).to_have_text("Search → Ask")
    expect(page.locator(".react-flow__edge")).to_have_count(3)
    page.keyboard.press("Delete")
    expect(page.locator(".react-flow__edge")).to_have_count(2)
    saved(page)
    names = [node["name"] for node in draft(api, slug)["nodes"]]
    assert names == ["Ask", "Answer", "Search"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_view_does_not_glide(open_page: OpenPage, made: Make) -> None:
    page = open_page("designer")
    page.emulate_media(reduced_motion="reduce")
    opened(page, made())
    card(page, "answer").click()
    viewport = page.locator(".react-flow__viewport")
    for key in ("z", "f", "+"):
        before = viewport.get_attribute("style")
        page.keyboard.press(key)
        expect(viewport).not_to_have_attribute("style", before or "")
        after = viewport.get_attribute("style")
        page.wait_for_timeout(150)
        assert viewport.get_attribute("style") == after
