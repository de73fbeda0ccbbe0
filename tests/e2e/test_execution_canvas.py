"""An execution on its canvas, in a browser: watched as it moves, by mouse and by keyboard."""

import re
from typing import Any
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.browser import assert_accessible_in_every_look

REVIEW = {"pause": "before", "pause_reason": "Read it first."}
SEES = {"rules": [{"type": "exclude", "pattern": "secret"}], "default_behavior": "pass"}


@pytest.fixture
def run(api: httpx.Client) -> str:
    """A running execution of ask, answer, review, send, at version 1; its conversation."""
    name = f"canvas-{uuid4().hex[:8]}"
    nodes: list[dict[str, Any]] = [
        {"id": "ask", "type": "start", "name": "Ask"},
        {"id": "answer", "type": "llm", "context_type": "pass_through", "context_filter": SEES},
        {"id": "review", "type": "human_relay", "config": REVIEW},
        {"id": "sorry", "type": "llm"},
    ]
    go: list[dict[str, Any]] = [
        {"id": "asked", "type": "sequence", "from": "ask", "to": "answer"},
        {"id": "good", "type": "conditional", "from": "answer", "to": "review"},
        {"id": "bad", "type": "conditional", "from": "answer", "to": "sorry"},
    ]
    go[1]["condition"], go[2]["condition"] = "context.sure === true", "context.sure === false"
    api.post("workflows", json={"slug": name, "name": name}).raise_for_status()
    put = {"document": {"name": name, "nodes": nodes, "edges": go}, "expected_version": 0}
    api.put(f"workflows/{name}/draft", json=put).raise_for_status()
    api.post(f"workflows/{name}/publish", json={"expected_version": 1}).raise_for_status()
    messages = [{"role": "user", "content": "Where is my parcel?"}]
    api.post("conversations", json={"id": name, "messages": messages}).raise_for_status()
    start = {"workflow": name, "state": {"secret": "s3cr3t", "sure": True}}
    api.post(f"conversations/{name}/executions", json=start).raise_for_status()
    complete(api, name, "ask")
    return name


def complete(api: httpx.Client, name: str, node: str, **body: Any) -> None:
    done = {"checkpoint_id": f"{node}-{uuid4().hex[:8]}", **body}
    api.post(f"conversations/{name}/nodes/{node}/complete", json=done).raise_for_status()


def card(page: Page, key: str) -> Locator:
    return page.locator(f'.react-flow__node[data-id="{key}"]')


def panel(page: Page) -> Locator:
    return page.get_by_role("complementary", name="Selection")


def opened(page: Page, name: str, query: str = "") -> Page:
    page.goto(f"/executions/{name}/canvas/{query}")
    expect(page.locator("#live-link")).to_have_attribute("data-live", "open")
    expect(panel(page).locator(".run-panel")).to_be_visible()
    return page


def test_the_page_of_an_execution_leads_to_its_canvas_and_that_says_where_it_stands(
    viewer_page: Page, run: str
) -> None:
    page = viewer_page
    page.goto(f"/executions/{run}/")
    page.get_by_role("link", name="Canvas", exact=True).click()
    expect(card(page, "ask")).to_contain_text("done")
    expect(card(page, "answer")).to_contain_text("runs next")
    expect(card(page, "review")).to_contain_text("not run")
    expect(page.get_by_role("list", name="Legend")).to_contain_text("runs next")
    expect(page.get_by_role("region", name="Node types")).to_have_count(0)
    expect(page.get_by_role("button", name="Auto layout")).to_have_count(0)


def test_the_canvas_follows_the_execution(viewer_page: Page, run: str, api: httpx.Client) -> None:
    page = opened(viewer_page, run, "?node=answer")
    expect(panel(page)).to_contain_text("It has not run yet.")
    answer = {"role": "assistant", "content": "On its way."}
    complete(api, run, "answer", messages=[answer], state_data={"draft": "On its way."})
    expect(card(page, "review")).to_contain_text("paused before")
    expect(page.locator(".editor-saving")).to_have_text(
        re.compile(r"Paused before review, version 2")
    )
    expect(page.locator(".flow-chips.mark-taken")).to_have_count(2)
    expect(page.locator(".flow-chips.mark-refused")).to_have_text("not taken")
    expect(panel(page).get_by_role("link", name="version 2", exact=True)).to_be_visible()
    expect(panel(page)).to_contain_text("draft")
    expect(panel(page).get_by_role("link", name="wrote 1 message, #1")).to_be_visible()


def test_a_node_shows_what_it_saw_and_keeps_it_open_while_the_execution_moves(
    viewer_page: Page, run: str, api: httpx.Client
) -> None:
    complete(api, run, "answer")
    page = opened(viewer_page, run)
    card(page, "answer").click()
    page.wait_for_url(re.compile(r"\?node=answer$"))
    panel(page).get_by_role("link", name="Context seen").click()
    row = panel(page).get_by_role("row", name="secret")
    expect(row).to_contain_text("dropped")
    api.post(f"conversations/{run}/approve", json={}).raise_for_status()
    expect(card(page, "review")).to_contain_text("runs next")
    expect(row).to_be_visible()
    page.reload()
    expect(panel(page).get_by_role("heading", name="answer")).to_be_visible()
    panel(page).get_by_role("link", name="version 2", exact=True).click()
    page.wait_for_url(re.compile(r"/versions/2/$"))


def refetched(page: Page, run: str, api: httpx.Client) -> None:
    """The execution has moved and the panel shows what it was told of it."""
    with page.expect_response(re.compile(r"/canvas/.*node=answer")) as answer:
        api.post(f"conversations/{run}/approve", json={}).raise_for_status()
    answer.value.finished()
    expect(page.locator(".editor-saving")).to_contain_text("Running before review")
    page.evaluate("() => new Promise(requestAnimationFrame)")


def test_what_a_node_saw_opens_though_the_panel_is_fetched_again_meanwhile(
    viewer_page: Page, run: str, api: httpx.Client
) -> None:
    complete(api, run, "answer")
    page = opened(viewer_page, run, "?node=answer")
    held: list[Route] = []
    page.route("**/saw/", lambda route: held.append(route))
    with page.expect_request("**/saw/"):
        panel(page).get_by_role("link", name="Context seen").click()
    refetched(page, run, api)
    held[0].continue_()
    expect(panel(page).get_by_role("row", name="secret")).to_contain_text("dropped")


def test_a_panel_that_is_fetched_again_keeps_the_focus_and_where_it_was_scrolled_to(
    viewer_page: Page, run: str, api: httpx.Client
) -> None:
    complete(api, run, "answer")
    page = opened(viewer_page, run, "?node=answer")
    page.set_viewport_size({"width": 1280, "height": 420})
    link = panel(page).get_by_role("link", name="Context seen")
    link.press("Enter")
    expect(panel(page).get_by_role("row", name="secret")).to_be_visible()
    scrolled = "panel => panel.querySelector('.editor-panel-top').scrollTop"
    panel(page).evaluate("panel => (panel.querySelector('.editor-panel-top').scrollTop = 60)")
    refetched(page, run, api)
    expect(link).to_be_focused()
    expect(panel(page).get_by_role("row", name="secret")).to_be_attached()
    assert panel(page).evaluate(scrolled) == 60


def test_an_edge_shows_why_it_was_taken(viewer_page: Page, run: str, api: httpx.Client) -> None:
    complete(api, run, "answer")
    page = opened(viewer_page, run)
    page.locator(".flow-chips.mark-refused").click()
    expect(panel(page)).to_contain_text("the condition is false: context.sure === false")
    page.goto(f"/executions/{run}/canvas/?edge=good")
    expect(panel(page)).to_contain_text("the condition is true: context.sure === true")


def test_nodes_and_edges_are_chosen_by_keyboard_and_the_outline_says_their_state(
    viewer_page: Page, run: str
) -> None:
    page = opened(viewer_page, run)
    card(page, "ask").focus()
    page.keyboard.press("Enter")
    expect(panel(page).get_by_role("heading", name="Ask")).to_be_visible()
    page.keyboard.press("Delete")
    page.keyboard.press("Escape")
    expect(panel(page).get_by_role("heading", name="Activity")).to_be_visible()
    page.keyboard.press("o")
    expect(page.get_by_role("row", name="Ask ask Start")).to_contain_text("done")
    expect(page.get_by_role("row", name="asked sequence")).to_contain_text("taken")
    page.get_by_role("button", name="Show asked").press("Enter")
    expect(panel(page)).to_contain_text("no condition")


def test_a_picture_shows_the_marks(viewer_page: Page, run: str) -> None:
    page = opened(viewer_page, run)
    page.locator("summary", has_text="Export image").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG").click()
    picture = download.value.path().read_text()
    assert "runs next" in picture
    assert "taken" in picture


def test_the_canvas_of_an_execution_is_accessible(
    reviewer_page: Page, run: str, api: httpx.Client
) -> None:
    complete(api, run, "answer")
    page = opened(reviewer_page, run)
    assert_accessible_in_every_look(page)
    page.goto(f"/executions/{run}/canvas/?node=answer")
    panel(page).get_by_role("link", name="Context seen").click()
    expect(panel(page).get_by_text("Tokens after")).to_be_visible()
    assert_accessible_in_every_look(page)
    page.get_by_role("button", name="Outline").click()
    assert_accessible_in_every_look(page)
    page.goto(f"/executions/{run}/canvas/?edge=good")
    expect(panel(page)).to_contain_text("the condition is true")
    assert_accessible_in_every_look(page)


def test_without_javascript_every_node_can_be_read(browser: Browser, run: str, page: Page) -> None:
    context = browser.new_context(
        java_script_enabled=False, storage_state=page.context.storage_state()
    )
    plain = context.new_page()
    page.goto(f"/executions/{run}/canvas/")
    plain.goto(page.url.split("?")[0])
    plain.get_by_role("link", name="Ask", exact=True).click()
    expect(plain.get_by_role("link", name="version 1", exact=True)).to_be_visible()
    plain.get_by_role("link", name="Context seen").click()
    expect(plain.locator("#saw").get_by_text("Where is my parcel?")).to_be_visible()
    context.close()


CUT = """cards => cards.flatMap(card => {
    const end = card.getBoundingClientRect();
    return [...card.querySelectorAll("strong, .flow-mark, .flow-card-mark")].filter(each => {
        const box = each.getBoundingClientRect();
        return each.scrollWidth > each.clientWidth + 1 || box.bottom > end.bottom + 1
            || box.top < end.top - 1;
    }).map(each => each.textContent);
})"""


def test_the_status_on_cards_is_whole_from_wherever_it_is_written(
    viewer_page: Page, run: str, api: httpx.Client
) -> None:
    usage = {"model": "m", "input_tokens": 1500, "cached_tokens": 900, "output_tokens": 20}
    complete(api, run, "answer", usage={**usage, "cost": 0.00038})
    page = opened(viewer_page, run)
    expect(card(page, "answer")).to_contain_text("tok")
    levels = set()
    for _step in range(6):
        assert page.locator(".flow-card").evaluate_all(CUT) == []
        found = re.search(
            "flow-(near|middle|brief|far)", page.locator(".flow").get_attribute("class") or ""
        )
        assert found
        levels.add(found[1])
        before = page.locator(".react-flow__viewport").get_attribute("style")
        page.get_by_role("button", name="Zoom out").click()
        expect(page.locator(".react-flow__viewport")).not_to_have_attribute("style", before or "")
    assert {"near", "middle", "brief"} <= levels, levels
