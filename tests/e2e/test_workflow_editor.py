"""The visual editor in a browser: drawn by mouse and by keyboard, saved by itself, never lost."""

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Literal

import httpx
import pytest
from playwright.sync_api import Error, Locator, Page, expect
from pydantic import JsonValue

from tests.browser import assert_accessible
from tests.e2e.conftest import OpenPage

NODES: list[JsonValue] = [
    {"id": "ask", "type": "start", "name": "Ask", "position": {"x": 0, "y": 0}},
    {"id": "answer", "type": "llm", "name": "Answer", "position": {"x": 400, "y": 0}},
]
EDGES: list[JsonValue] = [{"id": "go", "type": "sequence", "from": "ask", "to": "answer"}]

Make = Callable[..., str]


@pytest.fixture
def made(api: httpx.Client, request: pytest.FixtureRequest) -> Make:
    """Make a workflow of one's own, with two nodes and an edge unless others are given."""

    def make(nodes: list[JsonValue] = NODES, edges: list[JsonValue] = EDGES) -> str:
        slug = "editor-" + re.sub(r"[^a-z0-9]+", "-", request.node.name.lower())[-50:].strip("-")
        api.post("workflows", json={"slug": slug, "name": "Drawn"}).raise_for_status()
        document = {"name": "Drawn", "nodes": nodes, "edges": edges}
        put = {"document": document, "expected_version": 0}
        api.put(f"workflows/{slug}/draft", json=put).raise_for_status()
        return slug

    return make


def draft(api: httpx.Client, slug: str) -> dict[str, list[dict[str, JsonValue]]]:
    found = api.get(f"workflows/{slug}/draft").raise_for_status().json()["document"]
    assert isinstance(found, dict)
    return found


def opened(page: Page, slug: str) -> Page:
    page.goto(f"/workflows/{slug}/editor/")
    expect(page.get_by_role("toolbar")).to_be_visible()
    return page


def card(page: Page, key: str) -> Locator:
    return page.locator(f'.react-flow__node[data-id="{key}"]')


def saved(page: Page) -> None:
    expect(page.locator(".editor-saving")).to_have_text("Saved")


def drag(page: Page, start: Locator, end: Locator) -> None:
    """By small moves of the mouse, as a hand does it."""
    first, last = start.bounding_box(), end.bounding_box()
    assert first
    assert last
    page.mouse.move(first["x"] + first["width"] / 2, first["y"] + first["height"] / 2)
    page.mouse.down()
    page.mouse.move(last["x"] + last["width"] / 2, last["y"] + last["height"] / 2, steps=8)
    page.mouse.up()


def test_two_nodes_are_drawn_and_connected_by_mouse(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made([], [])
    page = opened(designer_page, slug)
    canvas = page.locator(".react-flow__pane")
    kinds = page.get_by_role("region", name="Kinds of nodes")
    kinds.get_by_role("button", name="Start").drag_to(canvas, target_position={"x": 130, "y": 100})
    kinds.get_by_role("button", name="Model").drag_to(canvas, target_position={"x": 250, "y": 300})
    expect(card(page, "start")).to_be_visible()
    expect(card(page, "llm")).to_be_visible()
    drag(
        page,
        card(page, "start").locator(".react-flow__handle.source"),
        card(page, "llm").locator(".react-flow__handle.target"),
    )
    expect(page.locator(".react-flow__edge")).to_have_count(1)
    saved(page)
    found = draft(api, slug)
    assert [node["id"] for node in found["nodes"]] == ["start", "llm"]
    assert found["edges"] == [{"id": "start-llm", "type": "sequence", "from": "start", "to": "llm"}]


def test_everything_is_undone_and_redone(
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


def test_nodes_are_copied_pasted_and_duplicated(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made()
    page = opened(designer_page, slug)
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


def test_an_edge_is_drawn_by_two_clicks(designer_page: Page, made: Make, api: httpx.Client) -> None:
    slug = made(NODES, [])
    page = opened(designer_page, slug)
    card(page, "ask").locator(".react-flow__handle.source").click()
    card(page, "answer").locator(".react-flow__handle.target").click()
    expect(page.locator(".react-flow__edge")).to_have_count(1)
    saved(page)
    assert [edge["id"] for edge in draft(api, slug)["edges"]] == ["ask-answer"]


def test_a_box_chooses_what_it_touches(designer_page: Page, made: Make) -> None:
    page = opened(designer_page, made())
    page.get_by_role("button", name="Drag draws a box").click()
    first, last = card(page, "ask").bounding_box(), card(page, "answer").bounding_box()
    assert first
    assert last
    page.mouse.move(first["x"] - 20, first["y"] - 20)
    page.mouse.down()
    page.mouse.move(last["x"] + last["width"] + 10, last["y"] + last["height"] + 10, steps=8)
    page.mouse.up()
    expect(page.locator(".react-flow__node.selected")).to_have_count(2)


def test_the_whole_graph_is_built_by_keyboard_in_the_outline(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made([], [])
    page = opened(designer_page, slug)
    page.get_by_role("button", name="Outline").focus()
    page.keyboard.press("Enter")
    kind = page.get_by_label("Kind of node")
    for label in ("Start", "Model"):
        kind.select_option(label=label)
        kind.focus()
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
    page.get_by_role("button", name="Delete start-llm").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Connect start").focus()
    page.keyboard.press("Enter")
    page.keyboard.type("nobody")
    page.keyboard.press("Enter")
    expect(page.get_by_text("There is no node with this id.")).to_be_visible()
    page.keyboard.press("Control+a")
    page.keyboard.type("llm")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Edit start-llm")).to_be_visible()
    saved(page)
    found = draft(api, slug)
    assert [node["id"] for node in found["nodes"]] == ["start", "llm"]
    assert [edge["to"] for edge in found["edges"]] == ["llm"]


def test_a_large_graph_is_laid_out_in_one_step(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    nodes: list[JsonValue] = [
        {"id": f"n{n}", "type": "llm", "position": {"x": 0, "y": 0}} for n in range(30)
    ]
    edges: list[JsonValue] = [
        {"id": f"e{n}", "type": "sequence", "from": f"n{n // 2}", "to": f"n{n}"}
        for n in range(1, 30)
    ]
    slug = made(nodes, edges)
    page = opened(designer_page, slug)
    page.get_by_role("button", name="Lay out").click()
    expect(page.get_by_role("button", name="Undo: Lay out")).to_be_enabled()
    saved(page)
    places = [str(node["position"]) for node in draft(api, slug)["nodes"]]
    assert len(set(places)) == 30
    page.get_by_role("button", name="Undo: Lay out").click()
    saved(page)
    assert draft(api, slug)["nodes"] == nodes


CHAIN: list[JsonValue] = [{"id": f"n{n}", "type": "llm"} for n in range(9)]
CHAINED: list[JsonValue] = [
    {"id": f"e{n}", "type": "sequence", "from": f"n{n}", "to": f"n{n + 1}"} for n in range(8)
]


def spots(page: Page) -> dict[str, tuple[float, float]]:
    """Where each card stands on the canvas, by the id of its node."""
    found = page.locator(".react-flow__node-card").evaluate_all(
        "cards => cards.map(card => [card.dataset.id, card.style.transform])"
    )
    numbers = {key: re.findall(r"-?[\d.]+", text) for key, text in found}
    return {key: (float(x), float(y)) for key, (x, y, *_) in numbers.items()}


@pytest.mark.parametrize("role", ["designer", "viewer"])
def test_nodes_without_positions_open_in_rows_and_the_draft_stays_as_it_is(
    open_page: OpenPage, made: Make, api: httpx.Client, role: str
) -> None:
    slug = made(CHAIN, CHAINED)
    page = opened(open_page(role), slug)
    expect(page.locator(".flow-card")).to_have_count(9)
    stood = spots(page)
    assert len({y for _, y in stood.values()}) == 3
    box, frame = card(page, "n8").bounding_box(), page.locator(".flow").bounding_box()
    assert box
    assert frame
    assert box["x"] + box["width"] < frame["x"] + frame["width"]
    page.get_by_text("Picture").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG").click()
    picture = download.value.path().read_text()
    for x, y in stood.values():
        assert f'<rect x="{x:g}" y="{y:g}"' in picture
    if role == "designer":
        expect(page.get_by_role("button", name="Undo")).to_be_disabled()
        saved(page)
    page.reload()
    expect(page.locator(".flow-card")).to_have_count(9)
    assert spots(page) == stood
    assert api.get(f"workflows/{slug}").json()["draft_version"] == 1
    assert draft(api, slug)["nodes"] == CHAIN


def test_the_first_card_that_is_moved_leaves_the_others_where_they_were_seen(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made(CHAIN, CHAINED)
    page = opened(designer_page, slug)
    expect(page.locator(".flow-card")).to_have_count(9)
    stood = spots(page)
    card(page, "n4").click()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("button", name="Undo: Move 1 node")).to_be_enabled()
    saved(page)
    places = {str(node["id"]): node["position"] for node in draft(api, slug)["nodes"]}
    x, y = stood["n4"]
    assert places == {
        key: {"x": spot[0], "y": spot[1]} for key, spot in {**stood, "n4": (x, y + 10)}.items()
    }
    page.get_by_role("button", name="Undo").click()
    saved(page)
    assert draft(api, slug)["nodes"] == CHAIN


def test_nodes_that_have_positions_keep_them_beside_those_that_have_none(
    designer_page: Page, made: Make
) -> None:
    later: list[JsonValue] = [{"id": "check", "type": "tool"}, {"id": "tell", "type": "llm"}]
    edges: list[JsonValue] = [
        {"id": "a", "type": "sequence", "from": "ask", "to": "check"},
        {"id": "b", "type": "sequence", "from": "check", "to": "tell"},
    ]
    page = opened(designer_page, made([*NODES, *later], [*EDGES, *edges]))
    expect(page.locator(".flow-card")).to_have_count(4)
    stood = spots(page)
    assert (stood["ask"], stood["answer"]) == ((0, 0), (400, 0))
    assert 0 < stood["check"][0] < stood["tell"][0]
    assert stood["check"][1] >= 96


def test_a_node_that_comes_later_without_a_position_is_placed_and_not_saved(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made(NODES[:1], [])
    page = opened(designer_page, slug)
    edge: JsonValue = {"id": "more", "type": "sequence", "from": "ask", "to": "late"}
    document = {
        "name": "Drawn",
        "nodes": [*NODES[:1], {"id": "late", "type": "llm"}],
        "edges": [edge],
    }
    put = {"document": document, "expected_version": 1}
    api.put(f"workflows/{slug}/draft", json=put).raise_for_status()
    expect(card(page, "late")).to_have_attribute("style", re.compile(r"translate\(320px, 0px\)"))
    saved(page)
    assert api.get(f"workflows/{slug}").json()["draft_version"] == 2


def test_search_finds_and_shows(designer_page: Page, made: Make) -> None:
    page = opened(designer_page, made())
    page.keyboard.press("/")
    page.keyboard.type("answ")
    expect(page.get_by_text("2 found")).to_be_visible()
    page.keyboard.press("Enter")
    expect(card(page, "answer")).to_have_class(re.compile("selected"))


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


def test_a_picture_of_the_graph_is_downloaded(designer_page: Page, made: Make) -> None:
    page = opened(designer_page, made())
    for ending, starts in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        page.get_by_text("Picture").click()
        with page.expect_download() as download:
            page.get_by_role("button", name=ending).click()
        assert download.value.suggested_filename == f"Drawn.{ending.lower()}"
        assert download.value.path().read_bytes().startswith(starts)
        page.locator(".editor-bar").click(position={"x": 1, "y": 1})


def test_what_a_page_that_went_away_left_unsaved_is_brought_back(
    designer_page: Page, made: Make, api: httpx.Client, tolerate: Callable[[str], None]
) -> None:
    slug = made()
    page = opened(designer_page, slug)
    tolerate("ERR_FAILED")
    page.route("**/api/v1/**", lambda route: route.abort())
    card(page, "answer").click()
    page.keyboard.press("Delete")
    expect(page.locator(".editor-saving")).to_contain_text("the server does not answer")
    context = page.context
    with suppress(Error):  # a page that is left, or closed, saves once more
        page.goto("chrome://crash", timeout=5000)
    page.close()
    again = opened(context.new_page(), slug)
    expect(card(again, "answer")).to_be_visible()
    again.get_by_role("button", name="Bring back").click()
    expect(card(again, "answer")).to_have_count(0)
    saved(again)
    assert [node["id"] for node in draft(api, slug)["nodes"]] == ["ask"]


def test_a_server_that_comes_back_gets_what_was_not_saved(
    designer_page: Page, made: Make, api: httpx.Client, tolerate: Callable[[str], None]
) -> None:
    slug = made()
    page = opened(designer_page, slug)
    tolerate("ERR_FAILED")
    page.route("**/api/v1/**", lambda route: route.abort())
    card(page, "answer").click()
    page.keyboard.press("Delete")
    expect(page.locator(".editor-saving")).to_contain_text("the server does not answer")
    page.unroute("**/api/v1/**")
    page.get_by_role("button", name="Try now").click()
    saved(page)
    assert [node["id"] for node in draft(api, slug)["nodes"]] == ["ask"]


def test_two_designers_who_touch_other_nodes_both_keep_their_edits(
    open_page: OpenPage, made: Make, api: httpx.Client
) -> None:
    slug = made()
    mine, other = opened(open_page("designer"), slug), opened(open_page("admin"), slug)
    card(other, "ask").click()
    other.get_by_label("Note on the canvas").fill("Theirs")
    saved(other)
    card(mine, "answer").click()
    mine.get_by_label("Note on the canvas").fill("Mine")
    saved(mine)
    expect(mine.locator(".flow-note")).to_have_count(2)
    notes = [str(node["properties"]) for node in draft(api, slug)["nodes"]]
    assert "Theirs" in notes[0]
    assert "Mine" in notes[1]


def test_what_another_designer_saves_appears_by_itself_and_one_sees_who_is_there(
    open_page: OpenPage, made: Make, api: httpx.Client
) -> None:
    slug = made()
    mine, other = opened(open_page("designer"), slug), opened(open_page("admin"), slug)
    card(other, "ask").click()
    expect(mine.locator(".live-people")).to_contain_text("edits ask")
    other.get_by_label("Note on the canvas").fill("Theirs")
    expect(mine.locator(".flow-note")).to_contain_text("Theirs")
    saved(mine)
    version = api.get(f"workflows/{slug}/draft").json()["draft_version"]
    card(mine, "answer").click()
    mine.get_by_label("Note on the canvas").fill("Mine")
    expect(other.locator(".flow-note")).to_have_count(2)
    saved(other)
    found = api.get(f"workflows/{slug}/draft").json()["draft_version"]
    assert found - version <= 3  # nobody saved what only came from the other


def deaf(page: Page) -> Page:
    """A page that hears nothing of others, as over a network that lets no sockets through."""
    page.route_web_socket(re.compile("/ws/"), lambda _socket: None)
    return page


@pytest.mark.parametrize(
    ("choice", "stays"), [("Mine for all", "Mine"), ("Theirs for all", "Theirs")]
)
def test_an_element_that_two_changed_is_decided_with_all_sides_in_sight(
    open_page: OpenPage, made: Make, api: httpx.Client, choice: str, stays: str
) -> None:
    slug = made()
    mine, other = opened(deaf(open_page("designer")), slug), opened(open_page("admin"), slug)
    for page, text in ((other, "Theirs"), (mine, "Mine")):
        card(page, "ask").click()
        page.get_by_label("Note on the canvas").fill(text)
        if page is other:
            saved(page)
    dialog = mine.get_by_role("dialog", name="1 element was changed on both sides")
    expect(dialog).to_contain_text("Theirs")
    expect(dialog.get_by_role("button", name="Merge")).to_be_disabled()
    assert_accessible(mine)
    dialog.get_by_role("button", name=choice).click()
    dialog.get_by_role("button", name="Merge").click()
    saved(mine)
    assert stays in str(draft(api, slug)["nodes"][0]["properties"])


@pytest.mark.parametrize("where", ["draft", "version"])
def test_who_may_only_look_changes_nothing(
    open_page: OpenPage, made: Make, api: httpx.Client, where: str
) -> None:
    slug = made()
    if where == "version":
        api.post(f"workflows/{slug}/publish", json={"expected_version": 1}).raise_for_status()
        page = open_page("designer")
        page.goto(f"/workflows/{slug}/editor/?version=1")
    else:
        page = open_page("viewer")
        page.goto(f"/workflows/{slug}/editor/")
    expect(page.locator(".editor-saving")).to_have_text("Read only")
    card(page, "answer").click()
    page.keyboard.press("Delete")
    page.keyboard.press("Control+d")
    expect(page.locator(".flow-card")).to_have_count(2)
    expect(page.get_by_role("region", name="Kinds of nodes")).to_have_count(0)
    expect(page.get_by_role("button", name="Lay out")).to_have_count(0)
    assert_accessible(page)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_editor_is_accessible(
    open_page: OpenPage, made: Make, theme: Literal["light", "dark"], width: int
) -> None:
    page = opened(open_page("designer", theme=theme, width=width), made())
    assert_accessible(page)
    card(page, "ask").click()
    expect(page.get_by_label("Note on the canvas")).to_be_visible()
    assert_accessible(page)
    page.get_by_role("button", name="Outline").click()
    assert_accessible(page)
    page.get_by_role("button", name="Connect Ask").click()
    assert_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_hostile_names_are_text(designer_page: Page, made: Make) -> None:
    bad = "</script><img src=x onerror=alert(1)>"
    page = opened(designer_page, made([{"id": "ask", "type": bad, "name": bad}], []))
    expect(card(page, "ask").locator("strong")).to_have_text(bad)


def test_numbers_beyond_what_javascript_counts_survive(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    long_number = 9_223_372_036_854_775_807
    slug = made([{"id": "ask", "type": "start", "config": {"seed": long_number}}], [])
    page = opened(designer_page, slug)
    card(page, "ask").click()
    page.keyboard.press("Control+d")
    saved(page)
    configs = [node["config"] for node in draft(api, slug)["nodes"]]
    assert configs == [{"seed": long_number}] * 2


def test_elements_with_one_id_and_edges_that_hang_in_the_air_are_shown_and_kept(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    twins: list[JsonValue] = [{**NODES[0], "name": name} for name in ("One", "Two")]  # type: ignore[dict-item]
    loose: JsonValue = {"id": "loose", "type": "sequence", "from": "ask", "to": "nowhere"}
    slug = made([*twins, NODES[1]], [loose])
    page = opened(designer_page, slug)
    card(page, "answer").click()
    page.get_by_label("Note on the canvas").fill("Changed")
    saved(page)
    found = draft(api, slug)
    assert found["nodes"][:2] == twins
    assert found["edges"] == [loose]
    # The form of the second one is not that of the first.
    card(page, "ask~2").click()
    expect(form(page).get_by_label("Name")).to_have_value("Two")
    form(page).get_by_label("Name").fill("Second")
    saved(page)
    assert [node["name"] for node in draft(api, slug)["nodes"]] == ["One", "Second", "Answer"]
    page.get_by_role("button", name="Outline").click()
    expect(page.get_by_role("cell", name="ask → nowhere")).to_be_visible()


def form(page: Page) -> Locator:
    return page.locator("#panel-form")


def test_what_is_typed_into_the_form_stands_on_the_card_and_is_one_step(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made()
    page = opened(designer_page, slug)
    card(page, "answer").click()
    name = form(page).get_by_label("Name", exact=True)
    expect(name).to_have_value("Answer")
    name.click()
    name.press("End")
    page.keyboard.type(" kindly", delay=120)
    expect(card(page, "answer").locator("strong")).to_have_text("Answer kindly")
    saved(page)
    expect(name).to_be_focused()
    assert draft(api, slug)["nodes"][1]["name"] == "Answer kindly"
    page.get_by_role("button", name="Undo: Edit answer").click()
    expect(card(page, "answer").locator("strong")).to_have_text("Answer")
    expect(name).to_have_value("Answer")
    saved(page)
    assert draft(api, slug)["nodes"] == NODES


def test_a_filter_is_made_by_rows_and_told_in_words_on_the_card(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made()
    page = opened(designer_page, slug)
    card(page, "answer").click()
    form(page).get_by_role("button", name="Add a filter").first.click()
    form(page).get_by_role("button", name="Add a rule").first.click()
    form(page).get_by_label("What it does").select_option("include")
    form(page).get_by_label("Pattern").fill("prompt.*")
    expect(card(page, "answer").locator(".flow-card-filter")).to_contain_text("only prompt.*")
    saved(page)
    wanted = draft(api, slug)["nodes"][1]["context_filter"]
    assert "prompt.*" in str(wanted)


def test_a_condition_is_checked_while_typing_and_the_column_marked(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made()
    page = opened(designer_page, slug)
    page.get_by_role("button", name="Outline").click()
    page.get_by_role("button", name="Edit go").click()
    condition = form(page).get_by_label("Taken if")
    condition.fill("context.ready ===")
    error = form(page).locator(".field-errors")
    expect(error).to_contain_text("column")
    expect(condition).to_have_attribute("aria-invalid", "true")
    assert_accessible(page)
    condition.fill("context.ready === true")
    expect(error).to_have_count(0)
    page.get_by_role("button", name="Canvas").click()
    expect(page.locator(".flow-chip-condition")).to_have_text("if ready === true")
    saved(page)
    assert draft(api, slug)["edges"][0]["condition"] == "context.ready === true"


def test_a_new_id_is_followed_by_the_edges_and_the_form_stays(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made()
    page = opened(designer_page, slug)
    card(page, "answer").click()
    field = form(page).get_by_label("Id")
    field.click()
    field.press("End")
    page.keyboard.type("-well")
    expect(card(page, "answer-well")).to_be_visible()
    expect(field).to_be_focused()
    form(page).get_by_label("Name", exact=True).fill("Well")
    expect(card(page, "answer-well").locator("strong")).to_have_text("Well")
    saved(page)
    assert draft(api, slug)["edges"][0]["to"] == "answer-well"


def test_what_cannot_be_read_yet_is_kept_when_one_looks_elsewhere(
    designer_page: Page, made: Make
) -> None:
    page = opened(designer_page, made())
    card(page, "answer").click()
    field = form(page).get_by_label("Id")
    field.fill("not an id!")
    expect(form(page).locator(".field-errors")).to_be_visible()
    expect(card(page, "answer").locator(".flow-card-problems")).to_be_visible()
    card(page, "ask").click()
    expect(form(page).get_by_label("Id")).to_have_value("ask")
    card(page, "answer").click()
    expect(form(page).get_by_label("Id")).to_have_value("not an id!")
    form(page).get_by_label("Id").fill("answer")
    expect(card(page, "answer").locator(".flow-card-problems")).to_have_count(0)


def test_the_reducers_and_the_name_are_edited_when_nothing_is_chosen(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made()
    page = opened(designer_page, slug)
    panel = page.get_by_role("complementary", name="What is chosen")
    panel.get_by_role("button", name="Reducers").click()
    form(page).get_by_role("button", name="Add a reducer").click()
    form(page).locator("[name=reducers-0-pattern]").fill("notes")
    form(page).locator("[name=reducers-0-reducer]").select_option("append")
    expect(page.get_by_role("button", name="Undo: Edit workflow")).to_be_enabled()
    panel.get_by_role("button", name="Workflow").click()
    form(page).get_by_label("Name").fill("Renamed")
    # Whoever goes on at once loses nothing either.
    panel.get_by_role("button", name="Reducers").click()
    expect(form(page).locator("[name=reducers-0-pattern]")).to_have_value("notes")
    panel.get_by_role("button", name="Workflow").click()
    expect(form(page).get_by_label("Name")).to_have_value("Renamed")
    saved(page)
    found = api.get(f"workflows/{slug}/draft").json()["document"]
    assert found["name"] == "Renamed"
    assert found["reducers"] == {"notes": "append"}


def test_the_preview_follows_what_is_typed(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    chat = "editor-chat"
    if api.get(f"conversations/{chat}").status_code == 404:
        messages = [{"role": "user", "content": f"message {place}"} for place in range(8)]
        api.post("conversations", json={"id": chat, "messages": messages}).raise_for_status()
    narrow: JsonValue = {
        "id": "answer",
        "type": "llm",
        "position": {"x": 400, "y": 0},
        "context_filter": {"messages": [{"operation": "truncate", "truncate": {"keep_last": 3}}]},
    }
    page = opened(designer_page, made([NODES[0], narrow], EDGES))
    card(page, "answer").click()
    preview = page.get_by_role("region", name="Preview")
    preview.get_by_label("Conversation").fill(chat)
    expect(preview).to_contain_text("5 dropped")
    expect(card(page, "answer").locator(".flow-card-foot")).to_contain_text("tokens")
    form(page).locator("[name$=keep_last]:visible").fill("6")
    expect(preview).to_contain_text("2 dropped")
    assert_accessible(page)
    preview.get_by_label("Every step from the start").check()
    expect(preview.locator(".seen-step")).to_have_count(2)
    preview.get_by_role("button", name="A pasted context").click()
    preview.get_by_label("Context as JSON").fill('{"variables": ')
    expect(preview.get_by_role("alert")).to_contain_text("This is not JSON")
    preview.get_by_label("Context as JSON").fill('{"variables": {"secret": 1, "prompt": "x"}}')
    expect(preview).to_contain_text("secret")


def test_the_editor_fits_the_window_however_long_its_panel_is(
    designer_page: Page, made: Make
) -> None:
    page = opened(designer_page, made())
    page.locator('.react-flow__node[data-id="answer"]').click()
    expect(page.locator("#panel-form")).to_be_visible()
    height = page.evaluate("document.documentElement.clientHeight")
    assert page.locator(".editor").evaluate("each => each.clientHeight") <= height


def test_what_is_typed_last_is_published(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made()
    page = opened(designer_page, slug)
    card(page, "answer").click()
    form(page).get_by_label("Name").fill("Typed last")
    page.get_by_role("link", name="Publish").click()
    page.wait_for_url("**/publish/")
    assert draft(api, slug)["nodes"][1]["name"] == "Typed last"


def test_nothing_is_published_while_a_form_cannot_be_read(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made()
    page = opened(designer_page, slug)
    card(page, "answer").click()
    form(page).get_by_label("Id").fill("not an id!")
    card(page, "ask").click()
    expect(form(page).get_by_label("Id")).to_have_value("ask")
    expect(page.locator(".editor-saving")).to_contain_text("1 form is not saved")
    page.get_by_role("link", name="Publish").click()
    # It shows what is to be mended, and how to be rid of it.
    expect(form(page).get_by_label("Id")).to_have_value("not an id!")
    page.get_by_role("button", name="Take it back").click()
    expect(form(page).get_by_label("Id")).to_have_value("answer")
    saved(page)
    page.get_by_role("link", name="Publish").click()
    page.wait_for_url("**/publish/")


def test_a_form_that_cannot_be_read_outlives_other_changes_of_its_node(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made()
    page = opened(designer_page, slug)
    card(page, "answer").click()
    form(page).get_by_label("Id").fill("not an id!")
    expect(form(page).locator(".field-errors")).to_be_visible()
    page.get_by_label("Note on the canvas").fill("Beside it")
    expect(page.locator(".flow-note")).to_have_text("Beside it")
    found = api.get(f"workflows/{slug}/draft").json()
    found["document"]["nodes"][1]["description"] = "Theirs"
    put = {"document": found["document"], "expected_version": found["draft_version"]}
    api.put(f"workflows/{slug}/draft", json=put)
    expect(form(page).get_by_label("Id")).to_have_value("not an id!")
    form(page).get_by_label("Id").fill("mended")
    saved(page)
    node = draft(api, slug)["nodes"][1]
    assert (node["id"], node["description"]) == ("mended", "Theirs")
    assert "Beside it" in str(node["properties"])


def test_what_is_typed_while_the_server_is_away_is_read_when_it_is_back(
    designer_page: Page, made: Make, api: httpx.Client, tolerate: Callable[[str], None]
) -> None:
    slug = made()
    page = opened(designer_page, slug)
    card(page, "answer").click()
    expect(form(page).get_by_label("Name")).to_be_visible()
    tolerate("ERR_FAILED")
    page.route("**/editor/read/", lambda route: route.abort())
    form(page).get_by_label("Name").fill("Typed while away")
    expect(page.locator(".editor-saving")).to_contain_text("the server does not answer")
    page.unroute("**/editor/read/")
    saved(page)
    assert draft(api, slug)["nodes"][1]["name"] == "Typed while away"


def test_escape_leaves_no_question_unanswered(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made()
    page = opened(deaf(designer_page), slug)
    found = api.get(f"workflows/{slug}/draft").json()
    found["document"]["nodes"][0]["name"] = "Theirs"
    put = {"document": found["document"], "expected_version": found["draft_version"]}
    api.put(f"workflows/{slug}/draft", json=put)
    card(page, "ask").click()
    form(page).get_by_label("Name").fill("Mine")
    dialog = page.get_by_role("dialog", name="1 element was changed on both sides")
    expect(dialog).to_be_visible()
    for _ in range(3):
        page.keyboard.press("Escape")
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name="Mine for all").click()
    dialog.get_by_role("button", name="Merge").click()
    saved(page)
    assert draft(api, slug)["nodes"][0]["name"] == "Mine"


def test_the_preview_never_shows_what_something_else_would_see(
    designer_page: Page, made: Make, api: httpx.Client, tolerate: Callable[[str], None]
) -> None:
    api.post("conversations", json={"id": "never-stale", "metadata": {"known": "by-its-value"}})
    page = opened(designer_page, made())
    card(page, "answer").click()
    preview = page.get_by_role("region", name="Preview")
    preview.get_by_label("Conversation").fill("never-stale")
    seen = preview.locator(".editor-seen")
    expect(seen).to_contain_text("by-its-value")
    preview.get_by_label("Conversation").fill("")
    expect(seen).to_be_hidden()
    preview.get_by_label("Conversation").fill("never-stale")
    expect(seen).to_be_visible()
    tolerate("ERR_FAILED")
    page.route("**/editor/preview/", lambda route: route.abort())
    card(page, "ask").click()
    expect(preview).to_contain_text("The server does not answer.")
    expect(seen).to_be_hidden()
    # It is asked again by itself.
    page.unroute("**/editor/preview/")
    expect(seen).to_contain_text("by-its-value")


def test_the_preview_follows_the_edge_that_leads_to_the_node(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    messages = [{"role": "user", "content": f"message {number}"} for number in range(3)]
    api.post("conversations", json={"id": "along-an-edge", "messages": messages})
    keep: JsonValue = [{"operation": "truncate", "truncate": {"keep_last": 1}}]
    narrow: JsonValue = {"type": "pass_all", "messages": keep}
    edges: list[JsonValue] = [
        {"id": "go", "type": "sequence", "from": "ask", "to": "answer", "context_filter": narrow}
    ]
    page = opened(designer_page, made(NODES, edges))
    card(page, "answer").click()
    preview = page.get_by_role("region", name="Preview")
    preview.get_by_label("Conversation").fill("along-an-edge")
    along = preview.get_by_role("checkbox", name="go, from Ask")
    expect(along).to_be_checked()
    kept = preview.locator("tr.seen-kept", has_text="message")
    expect(kept).to_have_count(1)
    along.uncheck()
    expect(kept).to_have_count(3)


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 360)])
def test_two_versions_are_compared_on_the_canvas(
    open_page: OpenPage, made: Make, api: httpx.Client, theme: Literal["light", "dark"], width: int
) -> None:
    slug = made()
    api.post(f"workflows/{slug}/publish", json={"expected_version": 1}).raise_for_status()
    changed: list[JsonValue] = [
        NODES[0],
        {"id": "reply", "type": "llm", "position": {"x": 400, "y": 200}},
    ]
    edge: JsonValue = {"id": "on", "type": "sequence", "from": "ask", "to": "reply"}
    document = {"name": "Drawn", "nodes": changed, "edges": [edge]}
    put = {"document": document, "expected_version": 1}
    api.put(f"workflows/{slug}/draft", json=put).raise_for_status()
    page = open_page("viewer", theme=theme, width=width)
    page.goto(f"/workflows/{slug}/diff/?from=1&to=draft")
    page.get_by_role("link", name="On the canvas").click()
    expect(card(page, "reply")).to_contain_text("new")
    expect(card(page, "answer")).to_contain_text("gone")
    expect(page.get_by_role("list", name="What the marks mean")).to_contain_text("gone")
    expect(page.locator(".editor-saving")).to_have_text("4 elements differ: 2 new, 2 gone")
    assert_accessible(page)
    card(page, "reply").focus()
    page.keyboard.press("Enter")
    panel = page.get_by_role("complementary", name="What is chosen")
    expect(panel.get_by_role("heading", name="reply")).to_be_visible()
    expect(panel).to_contain_text("added")
    page.keyboard.press("Escape")
    expect(panel).to_contain_text("node answer")
    page.keyboard.press("o")
    expect(page.get_by_role("row", name="reply Model")).to_contain_text("new")
    assert_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


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
    card(page, "n95").click()
    expect(page.get_by_role("complementary", name="What is chosen")).to_contain_text("n95")
    page.get_by_role("button", name="Show what is chosen").click()
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
