"""What stays in sight on the canvas, and what covers nothing, near and from far away."""

import re
from uuid import uuid4

import httpx
from playwright.sync_api import Page, ViewportSize, expect
from pydantic import JsonValue

from tests.e2e.conftest import OpenPage
from tests.e2e.editor.scenes import Make, card, draft, drag, form, opened, saved


def test_from_far_away_cards_show_their_names_and_lines_stay_and_near_again_they_connect(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    nodes: list[JsonValue] = [
        {"id": f"n{n}", "type": "llm", "position": {"x": n % 12 * 300, "y": n // 12 * 200}}
        for n in range(96)
    ]
    edges: list[JsonValue] = [
        {"id": "go", "type": "conditional", "from": "n0", "to": "n1", "condition": "context.a"},
        {"id": "last", "type": "sequence", "from": "n94", "to": "n95"},
    ]
    slug = made(nodes, edges)
    page = opened(designer_page, slug)
    expect(page.locator(".flow-chips")).to_have_count(1)
    page.get_by_role("button", name="Show all").click()
    # Also to cards that came into sight when they were far away already.
    expect(page.locator(".flow-card")).to_have_count(96)
    expect(page.locator(".react-flow__edge")).to_have_count(2)
    expect(page.locator(".flow-chips, .flow-card-type")).to_have_count(0)
    # An edge that says something still has a dot on its line, with its words.
    expect(page.locator(".flow-dot > title")).to_contain_text("context.a")
    card(page, "n95").click()
    expect(page.get_by_role("complementary", name="Selection")).to_contain_text("n95")
    page.get_by_role("button", name="Zoom to selection").click()
    expect(card(page, "n95").locator(".flow-card-type")).to_be_visible()
    expect(page.locator(".flow-far")).to_have_count(0)
    drag(
        page,
        card(page, "n95").locator(".react-flow__handle.source"),
        card(page, "n83").locator(".react-flow__handle.target"),
    )
    expect(page.get_by_role("button", name="Undo: Connect n95 with n83")).to_be_enabled()
    saved(page)
    assert [edge["id"] for edge in draft(api, slug)["edges"]] == ["go", "last", "n95-n83"]


def test_what_is_added_or_duplicated_stays_in_sight(designer_page: Page, made: Make) -> None:
    page = opened(designer_page, made())
    card(page, "answer").click()
    for number in range(5):
        page.get_by_role("button", name="Model", exact=True).click()
        name = "model" if number == 0 else f"model-{number + 1}"
        expect(card(page, name)).to_be_in_viewport(ratio=0.99)
        assert _is_whole_on_the_canvas(page, name)
    expect(form(page).get_by_label("Name", exact=True)).to_be_focused()
    card(page, "model-5").click()
    for number in range(6, 10):
        page.keyboard.press("Control+d")
        assert _is_whole_on_the_canvas(page, f"model-{number}")


def _is_whole_on_the_canvas(page: Page, name: str) -> bool:
    expect(card(page, name)).to_be_visible()
    flow, box = page.locator(".flow").bounding_box(), card(page, name).bounding_box()
    assert flow is not None
    assert box is not None
    return (
        flow["x"] <= box["x"]
        and box["x"] + box["width"] <= flow["x"] + flow["width"]
        and flow["y"] <= box["y"]
        and box["y"] + box["height"] <= flow["y"] + flow["height"]
    )


_LONG_CONDITION = "context.amount_of_the_order > 100 && context.country_of_the_customer === 'DE'"


def test_an_edge_without_room_for_its_words_has_a_sign_with_them(designer_page: Page) -> None:
    designer_page.set_viewport_size({"width": 390, "height": 800})
    page = opened(designer_page, "support")
    condition = page.get_by_role("img", name="context.missing.length > 0", exact=True)
    expect(condition).to_have_text("if")
    filtered = page.get_by_role("img", name="only draft_output, fact.*, priority")
    expect(filtered).to_have_attribute("title", re.compile("over 8,000 tokens"))


def test_a_condition_wider_than_the_canvas_is_cut_to_it_and_covers_no_card(
    designer_page: Page, made: Make
) -> None:
    nodes: list[JsonValue] = [
        {"id": f"n{n}", "type": "llm", "position": {"x": 0, "y": n * 180}} for n in range(2)
    ]
    condition = " && ".join(f"context.messages > {n}00000" for n in range(10, 15))
    edges: list[JsonValue] = [
        {"id": "go", "type": "conditional", "from": "n0", "to": "n1", "condition": condition}
    ]
    designer_page.set_viewport_size({"width": 390, "height": 800})
    page = opened(designer_page, made(nodes, edges))
    chips, canvas = page.locator(".flow-chips").bounding_box(), page.locator(".flow").bounding_box()
    assert chips is not None
    assert canvas is not None
    assert chips["x"] > canvas["x"]
    assert chips["x"] + chips["width"] < canvas["x"] + canvas["width"]
    above, below = card(page, "n0").bounding_box(), card(page, "n1").bounding_box()
    assert above is not None
    assert below is not None
    assert above["y"] + above["height"] < chips["y"]
    assert chips["y"] + chips["height"] < below["y"]


def test_chips_are_in_sight_when_the_editor_opens(page: Page, made: Make) -> None:
    nodes: list[JsonValue] = [
        {"id": "a", "type": "start", "position": {"x": 0, "y": 0}},
        {"id": "b", "type": "end", "position": {"x": 0, "y": 220}},
    ]
    edge = {"id": "e", "type": "sequence", "from": "a", "to": "b", "condition": _LONG_CONDITION}
    opened(page, made(nodes, [edge]))
    chips, canvas = page.locator(".flow-chips").bounding_box(), page.locator(".flow").bounding_box()
    assert chips is not None
    assert canvas is not None
    assert chips["x"] > canvas["x"]
    assert chips["x"] + chips["width"] < canvas["x"] + canvas["width"]


def test_the_graph_fits_a_larger_window_until_someone_moves_the_view(
    page: Page, made: Make
) -> None:
    slug = made(
        [{"id": f"n{n}", "type": "llm", "position": {"x": n * 400, "y": 0}} for n in range(4)], []
    )
    page.set_viewport_size({"width": 1280, "height": 800})
    opened(page, slug)
    view = page.locator(".react-flow__viewport")
    before = view.get_attribute("style")
    page.set_viewport_size({"width": 1920, "height": 800})
    expect(view).not_to_have_attribute("style", before or "")
    canvas = page.locator(".flow").bounding_box()
    assert canvas is not None
    middle = canvas["x"] + canvas["width"] / 2
    expect(card(page, "n0")).to_be_visible()
    page.wait_for_timeout(300)  # the view follows the window in steps
    first, last = card(page, "n0").bounding_box(), card(page, "n3").bounding_box()
    assert first is not None
    assert last is not None
    assert abs((first["x"] + last["x"] + last["width"]) / 2 - middle) < 40
    page.get_by_role("button", name="Zoom in").click()
    page.wait_for_timeout(300)
    moved = view.get_attribute("style")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.wait_for_timeout(300)
    assert view.get_attribute("style") == moved


def test_a_problem_far_from_the_start_of_a_large_graph_comes_into_sight(
    page: Page, made: Make
) -> None:
    nodes: list[JsonValue] = [
        {"id": f"n{n}", "type": "llm", "position": {"x": 0, "y": n * 200}} for n in range(100)
    ]
    wrong = {"type": "conditional", "from": "n98", "to": "n99", "condition": "context.a ==="}
    opened(page, made(nodes, [{"id": "wrong", **wrong}]))
    expect(card(page, "n0")).to_be_in_viewport()
    page.locator(".editor-problems, .editor-panel").get_by_text("condition").first.click()
    expect(card(page, "n99")).to_be_in_viewport()


def test_the_result_of_the_preview_is_in_sight_in_a_low_window(page: Page, made: Make) -> None:
    page.set_viewport_size({"width": 640, "height": 400})
    opened(page, made())
    card(page, "ask").click()
    expect(page.locator(".editor-result")).to_be_in_viewport(ratio=0.9)
    expect(card(page, "ask")).to_be_in_viewport()


def test_a_long_name_leaves_the_room_to_the_canvas(page: Page, api: httpx.Client) -> None:
    slug = f"long-{uuid4().hex[:8]}"
    name = "A name of many words " * 9
    api.post("workflows", json={"slug": slug, "name": name}).raise_for_status()
    page.set_viewport_size({"width": 1280, "height": 800})
    opened(page, slug)
    heading = page.locator(".page-title")
    box = heading.bounding_box()
    assert box is not None
    assert box["height"] < 70
    expect(heading.locator("span").first).to_have_attribute("title", re.compile("many words"))


def test_a_new_node_covers_no_line_that_leads_back(
    page: Page, made: Make, api: httpx.Client
) -> None:
    nodes: list[JsonValue] = [
        {"id": name, "type": "llm", "position": {"x": 0, "y": row * 160}}
        for row, name in enumerate(("a", "b", "c"))
    ]
    edges: list[JsonValue] = [
        {"id": ends, "type": "sequence", "from": ends[0], "to": ends[1]}
        for ends in ("ab", "bc", "cb")
    ]
    slug = made(nodes, edges)
    opened(page, slug)
    card(page, "b").click()
    page.locator(".editor-palette").get_by_text("Tool", exact=True).click()
    saved(page)
    place = draft(api, slug)["nodes"][-1]["position"]
    assert isinstance(place, dict)
    assert place == {"x": -260, "y": 160 * 2}


def test_auto_layout_and_its_undo_leave_all_nodes_in_sight(designer_page: Page, made: Make) -> None:
    nodes: list[JsonValue] = [
        {"id": f"n{n}", "type": "llm", "position": {"x": 9000 + n * 310, "y": 9000}}
        for n in range(6)
    ]
    edges: list[JsonValue] = [
        {"id": f"e{n}", "type": "sequence", "from": f"n{n - 1}", "to": f"n{n}"} for n in range(1, 6)
    ]
    page = opened(designer_page, made(nodes, edges))
    expect(card(page, "n5")).to_be_visible()
    # A view that someone moved does not fit again by itself.
    page.locator(".flow").hover()
    page.mouse.wheel(0, -40)
    for action in ("Auto layout", "Undo: Auto layout"):
        page.get_by_role("button", name=action, exact=True).click()
        expect(card(page, "n0")).to_be_in_viewport(ratio=0.99)
        assert all(_is_whole_on_the_canvas(page, f"n{n}") for n in range(6))


def test_a_line_that_begins_near_the_edge_of_the_canvas_does_not_move_it(
    designer_page: Page, made: Make
) -> None:
    page = opened(designer_page, made())
    flow, handle = page.locator(".flow"), card(page, "ask").locator(".react-flow__handle.source")
    area, start = flow.bounding_box(), handle.bounding_box()
    assert area is not None
    assert start is not None
    # The card is taken to the right edge of the canvas.
    page.mouse.move(area["x"] + 20, area["y"] + area["height"] - 20)
    page.mouse.down()
    to_edge = area["x"] + area["width"] - 25 - start["x"] - start["width"] / 2
    page.mouse.move(area["x"] + 20 + to_edge, area["y"] + area["height"] - 20, steps=5)
    page.mouse.up()
    view = page.locator(".react-flow__viewport")
    before = view.get_attribute("style")
    start = handle.bounding_box()
    assert start is not None
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + 120, steps=20)
    expect(page.locator(".react-flow__connection")).to_be_attached()
    page.evaluate("() => new Promise((then) => setTimeout(then, 200))")
    assert view.get_attribute("style") == before
    page.mouse.up()


LOW: ViewportSize = {"width": 640, "height": 400}  # 1280x800 at 200 %


def test_who_is_here_covers_no_button_of_a_low_window(open_page: OpenPage, made: Make) -> None:
    slug = made()
    opened(open_page("designer"), slug)
    page = opened(open_page("designer"), slug)
    page.set_viewport_size(LOW)
    note = page.locator(".live-people")
    expect(note).to_contain_text("is here")
    for _scroll in range(2):
        covered = note.evaluate(
            """note => {
                const of = (each) => each.getBoundingClientRect();
                const own = of(note);
                return [...document.querySelectorAll("button, a")]
                    .filter((each) => of(each).width && of(each).left < own.right
                        && of(each).right > own.left && of(each).top < own.bottom
                        && of(each).bottom > own.top)
                    .map((each) => each.textContent);
            }"""
        )
        assert covered == []
        card(page, "answer").click()
        page.locator(".editor-palette").evaluate("each => scrollTo(0, each.offsetTop)")


def test_the_buttons_of_dialogs_are_in_sight_in_a_low_window(
    designer_page: Page, made: Make
) -> None:
    page = opened(designer_page, made())
    page.set_viewport_size(LOW)
    page.get_by_role("link", name="Publish").click()
    sheet = page.get_by_role("dialog", name="Publish Drawn")
    publish = sheet.get_by_role("button", name="Publish", exact=True)
    expect(publish).to_be_in_viewport(ratio=1)
    expect(sheet.get_by_role("button", name="Cancel")).to_be_in_viewport(ratio=1)
    sheet.get_by_label("Note").fill("From a low window")
    publish.click()
    expect(page.get_by_text("Published as version 1.")).to_be_visible()


def test_the_status_of_a_form_with_errors_is_read_as_a_whole_on_a_phone(
    designer_page: Page, made: Make
) -> None:
    designer_page.set_viewport_size({"width": 390, "height": 800})
    page = opened(designer_page, made())
    card(page, "answer").click()
    page.locator("[name=node-name]").wait_for()
    page.locator("details", has=page.locator("[name=node-id]")).last.evaluate(
        "each => { each.open = true; }"
    )
    page.locator("[name=node-id]").fill("not an id!")
    status = page.locator(".editor-saving > span")
    expect(status).to_have_text("1 form not saved")
    assert status.evaluate(
        "each => each.scrollHeight < each.clientHeight + 8 && each.scrollWidth <= each.clientWidth"
    )
