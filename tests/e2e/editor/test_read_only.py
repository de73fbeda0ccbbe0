"""Read-only canvases: rights, hostile and odd documents, compared versions, axe."""

import re
from collections.abc import Callable
from itertools import pairwise

import httpx
import pytest
from playwright.sync_api import Page, Route, expect
from pydantic import JsonValue

from tests.browser import (
    assert_accessible,
    assert_accessible_in_every_look,
    assert_nothing_sticks_out,
)
from tests.e2e.conftest import OpenPage
from tests.e2e.editor.scenes import EDGES, NODES, Make, card, draft, form, opened, saved


@pytest.mark.parametrize(("role", "query"), [("viewer", ""), ("designer", "?version=1")])
def test_who_may_only_look_changes_nothing(
    open_page: OpenPage, made: Make, api: httpx.Client, role: str, query: str
) -> None:
    slug = made()
    api.post(f"workflows/{slug}/publish", json={"expected_version": 1}).raise_for_status()
    page = open_page(role)
    page.goto(f"/workflows/{slug}/editor/{query}")
    expect(page.locator(".editor-saving")).to_have_text("Read only")
    card(page, "answer").click()
    page.keyboard.press("Delete")
    page.keyboard.press("Control+d")
    expect(page.locator(".flow-card")).to_have_count(2)
    expect(page.get_by_role("region", name="Node types")).to_have_count(0)
    expect(page.get_by_role("button", name="Auto layout")).to_have_count(0)
    if role == "viewer":
        assert_accessible(page)


def test_a_loop_is_a_note_and_no_problem(designer_page: Page, made: Make) -> None:
    back: JsonValue = {"id": "back", "type": "sequence", "from": "answer", "to": "ask"}
    page = opened(designer_page, made(edges=[*EDGES, back]))
    expect(page.get_by_role("heading", name="No problems, 1 note", exact=True)).to_be_visible()
    expect(page.get_by_role("toolbar").get_by_role("button", name="No problems")).to_be_visible()
    expect(page.locator(".problem-note")).to_contain_text("A loop")


def test_the_editor_is_accessible(designer_page: Page, made: Make) -> None:
    page = opened(designer_page, made())
    assert_accessible_in_every_look(page)
    card(page, "ask").click()
    expect(page.get_by_label("Note on the canvas")).to_be_visible()
    assert_accessible_in_every_look(page)
    page.get_by_role("button", name="Outline").click()
    assert_accessible_in_every_look(page)
    page.get_by_role("button", name="Connect Ask").click()
    assert_accessible_in_every_look(page)


@pytest.mark.parametrize("width", [1024, 1280, 1920])
def test_the_tools_stand_in_one_row_and_cover_nothing(
    open_page: OpenPage, made: Make, width: int
) -> None:
    page = opened(open_page("designer", width=width), made())
    card(page, "ask").click()
    expect(form(page)).to_be_visible()
    boxes = [
        box
        for tool in page.get_by_role("toolbar").locator("button:visible, summary, a, input").all()
        if (box := tool.bounding_box())
    ]
    assert len(boxes) > 12
    middles = [box["y"] + box["height"] / 2 for box in boxes]
    assert max(middles) - min(middles) < 3
    ends = [(box["x"], box["x"] + box["width"]) for box in boxes]
    assert all(end <= start + 1 for (_, end), (start, _) in pairwise(sorted(ends)))
    assert_nothing_sticks_out(page)


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
    expect(page.get_by_role("cell", name="One → nowhere")).to_be_visible()


def test_the_editor_fits_the_window_however_long_its_panel_is(
    designer_page: Page, made: Make
) -> None:
    page = opened(designer_page, made())
    page.locator('.react-flow__node[data-id="answer"]').click()
    expect(page.locator("#panel-form")).to_be_visible()
    height = page.evaluate("document.documentElement.clientHeight")
    assert page.locator(".editor").evaluate("each => each.clientHeight") <= height


def test_two_versions_are_compared_on_the_canvas(
    viewer_page: Page, made: Make, api: httpx.Client
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
    page = viewer_page
    page.goto(f"/workflows/{slug}/diff/?from=1&to=draft")
    page.get_by_role("link", name="On the canvas").click()
    expect(card(page, "reply")).to_contain_text("new")
    expect(card(page, "answer")).to_contain_text("removed")
    expect(page.get_by_role("list", name="Legend")).to_contain_text("removed")
    expect(page.locator(".editor-saving")).to_have_text("4 elements differ: 2 new, 2 removed")
    assert_accessible_in_every_look(page)
    card(page, "reply").focus()
    page.keyboard.press("Enter")
    panel = page.get_by_role("complementary", name="Selection")
    expect(panel.get_by_role("heading", name="reply")).to_be_visible()
    expect(panel).to_contain_text("added")
    page.keyboard.press("Escape")
    panel.get_by_role("link", name="Answer", exact=True).click()
    expect(panel.get_by_role("heading", name="Answer")).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?node=answer$"))
    page.keyboard.press("Escape")
    expect(panel.get_by_role("link", name="Answer", exact=True)).to_be_visible()
    page.keyboard.press("n")
    expect(panel).to_contain_text("Change 1 of 4")
    panel.get_by_role("link", name="Next change").focus()
    page.keyboard.press("Enter")
    expect(panel).to_contain_text("Change 2 of 4")
    expect(panel.get_by_role("link", name="Next change")).to_be_focused()
    page.keyboard.press("p")
    expect(panel).to_contain_text("Change 1 of 4")
    page.keyboard.press("o")
    expect(page.get_by_role("row", name="reply Model")).to_contain_text("new")
    assert_accessible_in_every_look(page)


def _top(page: Page) -> float:
    return float(page.locator("#problems").evaluate("each => each.getBoundingClientRect().top"))


def test_the_page_of_a_workflow_has_the_drawing_of_the_canvas_whose_cards_are_links(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made()
    page = designer_page
    held: list[Route] = []
    page.route("**/drawn/", lambda route: held.append(route), times=1)
    with page.expect_request("**/drawn/"):
        page.goto(f"/workflows/{slug}/")
    expect(page.locator("svg.graph")).to_be_visible()
    before = _top(page)
    held[0].continue_()
    expect(card(page, "answer")).to_be_visible()
    expect(page.locator("svg.graph")).to_have_count(0)
    assert _top(page) == before, "the page moved when the canvas came"
    assert_accessible_in_every_look(page)
    # What others save is drawn, too.
    found = api.get(f"workflows/{slug}/draft").json()
    found["document"]["nodes"][1]["name"] = "Reply"
    put = {"document": found["document"], "expected_version": found["draft_version"]}
    api.put(f"workflows/{slug}/draft", json=put).raise_for_status()
    link = page.get_by_role("link", name="Reply, Model")
    expect(link).to_be_visible()
    page.get_by_role("region", name="Workflow graph").focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Ask, Start").first).to_be_focused()
    link.first.click()
    expect(page.locator("#id_node-id")).to_have_value("answer")


def test_a_drawing_stays_where_the_canvas_cannot_be_had(
    designer_page: Page, made: Make, tolerate: Callable[[str], None]
) -> None:
    tolerate("ERR_FAILED")
    page = designer_page
    page.route("**/drawn/", lambda route: route.abort())
    page.goto(f"/workflows/{made()}/")
    page.wait_for_load_state("networkidle")
    expect(page.locator("svg.graph")).to_be_visible()
