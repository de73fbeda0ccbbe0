"""What if, in a browser: one execution after the other, stopped and taken up again."""

import httpx
import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser import assert_accessible
from tests.e2e.conftest import OpenPage

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
    page.get_by_role("link", name="What if").click()
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#what-if-sum")).to_contain_text("Done: 3 executions")
    expect(page.locator("#what-if-results section")).to_have_count(3)
    expect(page.locator("#what-if-results")).to_contain_text("secret")
    expect(page.locator("#what-if-next")).to_have_count(0)
    row = page.get_by_role("row", name="write 3")
    expect(row.get_by_role("cell").last).to_have_text("3")
    assert_accessible(page)


def test_a_run_is_stopped_between_two_executions_and_goes_on(
    designer_page: Page, recorded: str
) -> None:
    page = designer_page
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
    page.get_by_role("button", name="Go on").click()
    expect(page.locator("#what-if-sum")).to_contain_text("Done: 3 executions")
    expect(page.locator("#what-if-results section")).to_have_count(3)


def _hold(route: Route, held: list[Route]) -> None:
    """Keep the first request that looks at an execution, and let the others pass."""
    if "run=" in (route.request.post_data or "") and not held:
        held.append(route)
    else:
        route.continue_()


@pytest.mark.parametrize("width", [360, 1280])
def test_the_page_is_readable_in_the_dark_and_on_a_phone(
    open_page: OpenPage, recorded: str, width: int
) -> None:
    page = open_page("reviewer", theme="dark", width=width)
    page.goto(f"/workflows/{recorded}/what-if/")
    page.get_by_label("Executions").fill("2")
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#what-if-sum")).to_contain_text("Done: 2 executions")
    assert_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
