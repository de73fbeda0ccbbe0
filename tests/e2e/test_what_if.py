"""What if, in a browser: one execution after the other, stopped and taken up again."""

from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser import assert_accessible, assert_accessible_in_every_look

SLUG = "e2e-what-if"
START = {"id": "start", "type": "start"}
WRITE = {"id": "write", "type": "llm", "context_type": "pass_through"}
DOCUMENT = {
    "name": "Tried",
    "nodes": [START, WRITE],
    "edges": [{"id": "go", "type": "sequence", "from": "start", "to": "write"}],
}
NARROW = {"rules": [{"type": "exclude", "pattern": "secret"}], "default_behavior": "pass"}


@pytest.fixture
def recorded(api: httpx.Client) -> str:
    """A workflow with three executions, and a draft in which a node sees less than it saw."""
    if api.get(f"workflows/{SLUG}").status_code == 200:
        return SLUG
    api.post("workflows", json={"slug": SLUG, "name": "Tried"}).raise_for_status()
    _save(api, DOCUMENT, 0)
    api.post(f"workflows/{SLUG}/publish", json={"expected_version": 1}).raise_for_status()
    for number in range(3):
        path = f"conversations/{SLUG}-{number}"
        api.post("conversations", json={"id": f"{SLUG}-{number}"}).raise_for_status()
        start = {"workflow": SLUG, "state": {"secret": 1, "llm.model": "small"}}
        api.post(f"{path}/executions", json=start).raise_for_status()
        for node in ("start", "write"):
            done = {"checkpoint_id": f"done-{node}"}
            api.post(f"{path}/nodes/{node}/complete", json=done).raise_for_status()
    other = {**DOCUMENT, "nodes": [START, {**WRITE, "context_filter": NARROW}]}
    _save(api, other, 1)
    return SLUG


def _save(api: httpx.Client, document: object, seen: int) -> None:
    put = {"document": document, "expected_version": seen}
    api.put(f"workflows/{SLUG}/draft", json=put).raise_for_status()


def test_a_run_shows_each_execution_as_it_comes(designer_page: Page, recorded: str) -> None:
    page = designer_page
    page.goto(f"/workflows/{recorded}/")
    page.locator("#workflow-menu summary").click()
    page.get_by_role("link", name="Replay").click()
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#what-if-sum")).to_contain_text("Done: 3 executions")
    expect(page.locator("#what-if-results section")).to_have_count(3)
    expect(page.locator("#what-if-results")).to_contain_text("secret")
    expect(page.locator("#what-if-next")).to_have_count(0)
    row = page.get_by_role("row", name="write 3")
    expect(row.get_by_role("cell").last).to_have_text("3")
    assert_accessible_in_every_look(page)


def test_a_run_is_stopped_between_two_executions_and_continues(
    reviewer_page: Page, recorded: str
) -> None:
    page = reviewer_page
    page.goto(f"/workflows/{recorded}/what-if/")
    held: list[Route] = []
    page.route("**/what-if/", lambda route: _hold(route, held))
    with page.expect_request(lambda request: "run=" in (request.post_data or "")):
        page.get_by_role("button", name="Start").click()
    page.get_by_role("button", name="Stop").click()
    held[0].continue_()
    expect(page.locator("#what-if-sum")).to_contain_text("1 of 3 executions")
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)
    assert_accessible(page)
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("#what-if-sum")).to_contain_text("Done: 3 executions")
    expect(page.locator("#what-if-results section")).to_have_count(3)
    page.goto(f"/workflows/{recorded}/what-if/")
    page.get_by_label("Executions").fill("2")
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#what-if-sum")).to_contain_text("Done: 2 executions")


def _hold(route: Route, held: list[Route]) -> None:
    """Keep the first request that looks at an execution, and let the others pass."""
    if "run=" in (route.request.post_data or "") and not held:
        held.append(route)
    else:
        route.continue_()


def _edited(page: Page, slug: str) -> None:
    """The editor with a filter on ``write`` that is on the canvas and cannot be saved."""
    page.route("**/editor/draft/", lambda route: route.abort())
    page.goto(f"/workflows/{slug}/editor/")
    page.locator('.react-flow__node[data-id="write"]').click()
    page.keyboard.press("Delete")
    expect(page.locator(".react-flow__node-card")).to_have_count(1)


def test_what_stands_on_the_canvas_is_tried_before_it_is_saved(
    designer_page: Page, recorded: str, tolerate: Callable[[str], None]
) -> None:
    tolerate("ERR_FAILED")
    page = designer_page
    _edited(page, recorded)
    page.keyboard.press("w")
    expect(page.get_by_label("Latest executions")).to_be_focused()
    page.keyboard.press("Enter")
    panel = page.get_by_role("complementary", name="Selection")
    expect(panel).to_contain_text("Done: 3 executions replayed")
    expect(panel.get_by_role("listitem").filter(has_text="write").first).to_contain_text(
        "3 of 3 inputs change"
    )
    panel.get_by_text("Differences of 3 inputs").click()
    expect(panel).to_contain_text("The document has no such node.")
    assert_accessible(page)
    page.get_by_role("button", name="Undo: Delete").click()
    expect(panel).to_contain_text("The workflow has changed since")
    page.get_by_role("button", name="Start again").click()
    expect(panel).to_contain_text("variables: secret")
    card = page.locator('.react-flow__node[data-id="write"]')
    expect(card).to_contain_text("3 of 3 inputs change")
    card.click()
    expect(panel.get_by_role("region", name="Replay")).to_contain_text("variables: secret")


def test_a_run_of_the_canvas_is_stopped_and_continues(designer_page: Page, recorded: str) -> None:
    page = designer_page
    page.goto(f"/workflows/{recorded}/editor/")
    held: list[Route] = []

    def hold(route: Route) -> None:
        """Keep the first request that looks at an execution, and let the others pass."""
        if '"run"' in (route.request.post_data or "") and not held:
            held.append(route)
        else:
            route.continue_()

    page.route("**/editor/what-if/", hold)
    page.get_by_role("toolbar").get_by_role("button", name="Replay").click()
    with page.expect_request(lambda request: '"run"' in (request.post_data or "")):
        page.get_by_role("region", name="Replay").get_by_role("button", name="Start").click()
    expect(page.get_by_text("0 of 3 executions replayed")).to_be_visible()
    expect(page.get_by_role("progressbar")).to_be_visible()
    page.evaluate("scrollTo(0, 0)")  # nothing lies under the head of the page
    assert_accessible_in_every_look(page)
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("progressbar")).to_have_count(0)
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("Done: 3 executions replayed")).to_be_visible()
    page.evaluate("scrollTo(0, 0)")  # nothing lies under the head of the page
    assert_accessible_in_every_look(page)
