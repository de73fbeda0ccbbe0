"""Drawing on the canvas by mouse and by keyboard; every step can be undone."""

import re

import httpx
from playwright.sync_api import Page, expect
from pydantic import JsonValue

from tests.browser import assert_accessible
from tests.e2e.editor.scenes import EDGES, NODES, Make, card, draft, drag, form, opened, saved

ASK: dict[str, JsonValue] = {"id": "ask", "type": "start", "name": "Ask"}
ANSWER: dict[str, JsonValue] = {"id": "answer", "type": "llm", "name": "Answer"}
GO: dict[str, JsonValue] = {"id": "go", "from": "ask", "to": "answer"}


def test_an_empty_canvas_says_what_to_do_first_and_counts_no_problem(
    designer_page: Page, made: Make
) -> None:
    page = opened(designer_page, made([], []))
    tools = page.get_by_role("toolbar")
    expect(tools.get_by_role("button", name="No nodes yet")).to_be_visible()
    assert_accessible(page)
    page.get_by_role("button", name="Other node…").click()
    page.get_by_role("combobox", name="Node type").fill("tool")
    page.keyboard.press("Enter")
    expect(card(page, "tool")).to_be_visible()
    expect(page.get_by_text("Drop a first node here")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Add a start node").click()
    expect(form(page).get_by_label("Name", exact=True)).to_be_focused()
    expect(tools.get_by_role("button", name="No problems")).to_be_visible()
    # A double click offers a node there, also beside others.
    page.locator(".react-flow__pane").dblclick(position={"x": 60, "y": 60})
    page.get_by_role("dialog", name="Add a node").get_by_role("option", name="Model").click()
    name = form(page).get_by_label("Name", exact=True)
    expect(name).to_be_focused()
    page.keyboard.type("Reply")  # r is a key of the canvas
    expect(name).to_have_value("Reply")


def test_two_nodes_are_drawn_and_connected_by_mouse(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made([], [])
    page = opened(designer_page, slug)
    canvas = page.locator(".react-flow__pane")
    kinds = page.get_by_role("region", name="Node types")
    kinds.get_by_role("button", name="Start").drag_to(canvas, target_position={"x": 130, "y": 100})
    kinds.get_by_role("button", name="Model").drag_to(canvas, target_position={"x": 250, "y": 300})
    expect(card(page, "start")).to_be_visible()
    expect(card(page, "model")).to_be_visible()
    expect(form(page).get_by_label("Name", exact=True)).to_be_focused()
    drag(
        page,
        card(page, "start").locator(".react-flow__handle.source"),
        card(page, "model").locator(".react-flow__handle.target"),
    )
    expect(page.locator(".react-flow__edge")).to_have_count(1)
    saved(page)
    found = draft(api, slug)
    assert [node["id"] for node in found["nodes"]] == ["start", "model"]
    assert found["edges"] == [
        {"id": "start-model", "type": "sequence", "from": "start", "to": "model"}
    ]


def test_a_node_that_is_added_by_a_click_is_named_by_typing_and_its_id_follows(
    designer_page: Page, made: Make
) -> None:
    page = opened(designer_page, made())
    page.get_by_role("button", name="Tool", exact=True).click()
    expect(form(page).get_by_label("Name", exact=True)).to_be_focused()
    page.keyboard.type("Look up")
    # Also when one goes on elsewhere at once.
    card(page, "ask").click()
    expect(card(page, "look-up")).to_be_visible()
    expect(card(page, "tool")).to_have_count(0)


def test_the_outline_has_the_names_of_nodes_and_its_buttons_in_reach_however_long_they_are(
    designer_page: Page, made: Make
) -> None:
    long: JsonValue = {"id": "answer", "type": "llm", "name": "W" * 190}
    page = opened(designer_page, made([NODES[0], long], EDGES))
    page.get_by_role("button", name="Outline").click()
    row = page.get_by_role("row").filter(has=page.get_by_role("button", name="Edit go"))
    expect(row).to_contain_text("Ask→ W")
    outline = page.locator(".editor-outline")
    assert outline.evaluate("each => each.scrollWidth <= each.clientWidth")


def test_everything_is_undone_and_redone_and_nodes_are_copied_pasted_and_duplicated(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made()
    page = opened(designer_page, slug)
    card(page, "answer").click()
    page.keyboard.press("Delete")
    expect(card(page, "answer")).to_have_count(0)
    expect(page.locator(".react-flow__edge")).to_have_count(0)
    page.keyboard.press("Control+z")
    expect(card(page, "answer")).to_be_visible()
    expect(page.locator(".react-flow__edge")).to_have_count(1)
    page.keyboard.press("Control+Shift+z")
    expect(card(page, "answer")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(card(page, "answer")).to_be_visible()
    saved(page)
    assert draft(api, slug)["nodes"] == NODES
    assert draft(api, slug)["edges"] == EDGES
    # Copies have ids and edges of their own.
    card(page, "ask").click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+c")
    page.keyboard.press("Control+v")
    expect(card(page, "ask-2")).to_be_visible()
    expect(page.locator(".react-flow__edge")).to_have_count(2)
    page.keyboard.press("Control+d")
    expect(card(page, "answer-3")).to_have_count(1)
    saved(page)
    found = draft(api, slug)
    ids = ["ask", "answer", "ask-2", "answer-2", "ask-3", "answer-3"]
    assert [node["id"] for node in found["nodes"]] == ids
    assert [edge["to"] for edge in found["edges"]] == ["answer", "answer-2", "answer-3"]


def test_a_paste_that_is_no_part_of_a_workflow_is_reported_once(
    designer_page: Page, made: Make
) -> None:
    page = opened(designer_page, made())
    notice = page.locator(".toast-note")
    for text in ("Dear Sir", '{"format": "ctxadmin-elements", "nodes": "all"}'):
        pasted(page, ".flow", text)
        expect(notice).to_have_count(1)
        expect(notice).to_contain_text("Nothing was pasted")
    assert_accessible(page)
    notice.get_by_role("button", name="Close").click()
    pasted(page, ".editor input[type=search]", "Dear Sir")
    card(page, "ask").click()
    pasted(page, "#panel-form [name=node-name]", "Dear Sir")
    expect(form(page).get_by_label("Name")).to_be_visible()
    expect(notice).to_have_count(0)
    expect(page.locator(".react-flow__node-card")).to_have_count(2)


def pasted(page: Page, where: str, text: str) -> None:
    """What a browser tells a page of a paste; the clipboard itself is shared by all tests."""
    page.locator(where).evaluate(
        """(target, text) => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/plain", text);
            const told = { clipboardData, bubbles: true, cancelable: true };
            target.dispatchEvent(new ClipboardEvent("paste", told));
        }""",
        text,
    )


def test_signs_that_no_one_sees_are_named_on_the_canvas(designer_page: Page, made: Make) -> None:
    canvas: JsonValue = {"group": "Fi\u200brst", "note": {"text": "Ask\n\u202eyldnik"}}
    ask: JsonValue = {**ASK, "position": {"x": 0, "y": 0}, "properties": {"canvas": canvas}}
    condition = "context.tone === '\u202emlac'"
    passes: JsonValue = {"type": "selective", "include_patterns": ["fa\u200bct.*"]}
    go: JsonValue = {**GO, "type": "conditional", "condition": condition, "context_filter": passes}
    page = opened(designer_page, made([ask, NODES[1]], [go]))
    expect(page.locator(".flow-frame-title")).to_have_text("FiU+200Brst")
    expect(page.locator(".flow-note")).to_have_text("Ask\nU+202Eyldnik", use_inner_text=True)
    expect(page.locator(".flow-chip-condition")).to_have_text("if tone === 'U+202Emlac'")
    expect(page.locator(".flow-chip").nth(1)).to_contain_text("faU+200Bct.*")
    hidden = re.compile("[\u202e\u200b]")
    assert not hidden.search(page.locator(".editor-main").inner_text())
    expect(card(page, "ask")).not_to_have_attribute("aria-label", hidden)
    page.get_by_role("button", name="Outline").click()
    expect(page.get_by_role("row", name="go")).to_contain_text("U+202Emlac")
    assert not hidden.search(page.locator(".editor-outline").inner_html())


def test_a_long_note_covers_no_card_and_is_read_by_keyboard(
    designer_page: Page, made: Make
) -> None:
    text = "\n".join(f"line {number}" for number in range(40))
    ask: JsonValue = {
        **ASK,
        "position": {"x": 0, "y": 0},
        "properties": {"canvas": {"note": {"text": text, "x": 0, "y": -96}}},
    }
    answer: JsonValue = {
        **ANSWER,
        "position": {"x": 400, "y": 0},
        "properties": {"canvas": {"note": {"text": "Short"}}},
    }
    page = opened(designer_page, made([ask, answer], EDGES))
    note = page.get_by_role("region", name="Note beside ask")
    box, below = note.bounding_box(), card(page, "ask").bounding_box()
    assert box
    assert below
    assert box["y"] + box["height"] <= below["y"]
    note.focus()
    page.keyboard.press("End")
    expect(note).to_be_focused()
    page.wait_for_function(
        "note => note.scrollTop + note.clientHeight >= note.scrollHeight - 1",
        arg=note.element_handle(),
    )
    expect(page.locator(".flow-note[tabindex]")).to_have_count(1)
    assert_accessible(page)


def test_nodes_are_moved_by_mouse_and_by_keys_in_steps_of_the_grid(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made()
    page = opened(designer_page, slug)
    before = card(page, "ask").bounding_box()
    assert before
    page.mouse.move(before["x"] + 60, before["y"] + 20)
    page.mouse.down()
    page.mouse.move(before["x"] + 160, before["y"] + 140, steps=8)
    page.mouse.up()
    expect(page.get_by_role("button", name="Undo")).to_be_enabled()
    saved(page)
    first = draft(api, slug)["nodes"][0]["position"]
    assert isinstance(first, dict)
    assert first != {"x": 0, "y": 0}
    assert [int(str(first[axis])) % 10 for axis in "xy"] == [0, 0]
    card(page, "answer").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    saved(page)
    expect(page.get_by_role("button", name="Undo: Move 1 node")).to_be_enabled()
    assert draft(api, slug)["nodes"][1]["position"] == {"x": 400, "y": 20}
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    saved(page)
    assert draft(api, slug)["nodes"] == NODES


def test_a_box_and_a_search_choose_nodes_and_a_picture_is_downloaded(
    designer_page: Page, made: Make
) -> None:
    page = opened(designer_page, made())
    page.get_by_role("button", name="Drag to select").click()
    first, last = card(page, "ask").bounding_box(), card(page, "answer").bounding_box()
    assert first
    assert last
    page.mouse.move(first["x"] - 20, first["y"] - 20)
    page.mouse.down()
    page.mouse.move(last["x"] + last["width"] + 10, last["y"] + last["height"] + 10, steps=8)
    page.mouse.up()
    expect(page.locator(".react-flow__node.selected")).to_have_count(2)

    page.keyboard.press("/")
    page.keyboard.type("answ")
    expect(page.get_by_text("2 found")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator(".react-flow__node.selected")).to_have_count(1)
    expect(card(page, "answer")).to_have_class(re.compile("selected"))

    for ending, starts in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        page.locator("summary", has_text="Export image").click()
        with page.expect_download() as download:
            page.get_by_role("button", name=ending).click()
        assert download.value.suggested_filename == f"Drawn.{ending.lower()}"
        assert download.value.path().read_bytes().startswith(starts)
        page.locator(".editor-bar").click(position={"x": 1, "y": 1})


def test_the_whole_graph_is_built_by_keyboard_in_the_outline(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made([], [])
    page = opened(designer_page, slug)
    page.get_by_role("button", name="Outline").focus()
    page.keyboard.press("Enter")
    kind = page.get_by_label("Node type")
    for label in ("Start", "Model"):
        kind.select_option(label=label)
        kind.focus()
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
    page.get_by_role("button", name="Delete start-model").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Connect start").focus()
    page.keyboard.press("Enter")
    page.keyboard.type("nobody")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Enter the name or the id of a node.")).to_be_visible()
    page.keyboard.press("Control+a")
    page.keyboard.type("model")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Edit start-model")).to_be_visible()
    saved(page)
    found = draft(api, slug)
    assert [node["id"] for node in found["nodes"]] == ["start", "model"]
    assert [edge["to"] for edge in found["edges"]] == ["model"]


def test_who_deletes_in_the_outline_by_keyboard_continues_at_the_next_row(
    designer_page: Page, made: Make
) -> None:
    page = opened(designer_page, made([*NODES, {"id": "end", "type": "end"}], EDGES))
    page.get_by_role("button", name="Outline").press("Enter")
    page.get_by_role("button", name="Delete Ask").press("Enter")
    expect(page.get_by_role("button", name="Delete Answer")).to_be_focused()
    page.get_by_role("button", name="Delete end").press("Enter")
    expect(page.get_by_role("button", name="Delete Answer")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Nodes")).to_be_focused()
    page.keyboard.press("Control+z")
    expect(page.get_by_role("button", name="Delete Answer", exact=True)).to_be_visible()


def test_groups_and_notes_are_kept_with_their_nodes(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made()
    page = opened(designer_page, slug)
    card(page, "ask").click()
    page.get_by_role("button", name="Group", exact=True).click()
    page.get_by_label("Group on the canvas").fill("Beginning")
    page.get_by_label("Note on the canvas").fill("Ask kindly")
    expect(page.locator(".flow-note")).to_have_text("Ask kindly")
    expect(page.locator(".flow-frame-title")).to_have_text("Beginning")
    saved(page)
    canvas = draft(api, slug)["nodes"][0]["properties"]
    assert canvas == {
        "canvas": {"group": "Beginning", "note": {"text": "Ask kindly", "x": 0, "y": -96}}
    }
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".flow-note")).to_have_count(0)


def test_nodes_are_connected_once_by_two_clicks_or_by_a_line_to_any_place_of_a_card(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made(NODES, [])
    page = opened(designer_page, slug)
    card(page, "ask").locator(".react-flow__handle.source").click()
    card(page, "answer").locator(".react-flow__handle.target").click()
    expect(page.locator(".react-flow__edge")).to_have_count(1)
    saved(page)
    assert [edge["id"] for edge in draft(api, slug)["edges"]] == ["ask-answer"]
    start = card(page, "ask").locator(".react-flow__handle.source")
    drag(page, start, card(page, "answer").locator(".react-flow__handle.target"))
    expect(page.locator(".toast-note")).to_have_text(
        re.compile("Ask is already connected to Answer")
    )
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".react-flow__edge")).to_have_count(0)
    drag(
        page, card(page, "ask").locator(".source"), card(page, "answer").locator(".flow-card-type")
    )
    expect(page.locator(".react-flow__edge")).to_have_count(1)
    drag(
        page,
        card(page, "answer").locator(".target"),
        card(page, "answer").locator(".flow-card-type"),
    )
    saved(page)
    ends = [(edge["from"], edge["to"]) for edge in draft(api, slug)["edges"]]
    assert ends == [("ask", "answer")]


def test_a_line_that_ends_nowhere_offers_a_node_there_and_a_menu_one_on_an_edge(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made()
    page = opened(designer_page, slug)
    flow = page.locator(".flow").bounding_box()
    dot = card(page, "ask").locator(".source").bounding_box()
    assert flow is not None
    assert dot is not None
    x, y = flow["x"] + flow["width"] / 2, flow["y"] + flow["height"] - 120
    page.mouse.move(dot["x"] + dot["width"] / 2, dot["y"] + dot["height"] / 2)
    page.mouse.down()
    page.mouse.move(x, y, steps=8)
    page.mouse.up()
    offer = page.get_by_role("dialog", name="Add a node")
    expect(offer.get_by_role("combobox")).to_be_focused()
    assert_accessible(page)
    page.keyboard.type("tool")
    page.keyboard.press("Enter")
    expect(card(page, "tool")).to_be_visible()
    box = card(page, "tool").bounding_box()
    assert box is not None
    assert abs(box["x"] - x) < 20
    assert abs(box["y"] + box["height"] / 2 - y) < 20
    expect(form(page).get_by_label("Name", exact=True)).to_be_focused()  # it can be named at once
    card(page, "answer").focus()
    page.keyboard.press("Shift+F10")
    expect(page.get_by_role("menu", name="Answer")).to_be_visible()
    assert_accessible(page)
    page.keyboard.press("Escape")
    expect(page.get_by_role("menu")).to_have_count(0)
    page.locator('.react-flow__edge[data-id="go"]').click(button="right")
    page.get_by_role("menuitem", name="Insert a node…").click()
    page.get_by_role("option", name="Decision").click()
    expect(card(page, "decision")).to_be_visible()
    saved(page)
    ends = {(edge["from"], edge["to"]) for edge in draft(api, slug)["edges"]}
    assert ends == {("ask", "tool"), ("ask", "decision"), ("decision", "answer")}
