"""Each press of Apply ends in a message: done, in conflict, refused, or without a connection."""

from collections.abc import Callable
from functools import partial
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.scenes import go, live, ok, save, state

PATH = "**/executions/*/state/"
AWAY = "No connection: nothing was sent."
UNKNOWN = "No response,"
FAILED = "The server could not respond."


@pytest.fixture
def name(api: httpx.Client) -> str:
    made = f"told-{uuid4().hex[:8]}"
    ok(api.post("conversations", json={"id": made, "title": made}))
    save(api, made, status="PAUSED", state_data={"plan": "ask", "tone": "kind"})
    return made


def summary(page: Page, name: str, text: str = "by one") -> Page:
    go(page, f"/executions/{name}/state/")
    page.get_by_label("plan", exact=True).fill(text)
    page.get_by_role("button", name="Review changes").click()
    expect(button(page)).to_be_visible()
    live(page)
    return page


def button(page: Page, name: str = "Apply") -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def other_writes(api: httpx.Client, name: str, **values: str) -> None:
    ok(api.patch(f"conversations/{name}/snapshot", json={"node_id": "plan", "state_data": values}))


def press(page: Page, what: Locator) -> None:
    box = what.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 4)
    page.mouse.down()


def test_a_button_stays_under_the_pointer_that_presses_it(
    reviewer_page: Page, open_page: OpenPage, api: httpx.Client, name: str
) -> None:
    page = summary(reviewer_page, name)
    press(page, button(page))
    other = go(open_page("designer"), f"/executions/{name}/state/")  # a line of who is here
    other_writes(api, name, tone="warm")  # and a note above the form
    expect(other.get_by_label("tone", exact=True)).to_have_value("warm")
    page.mouse.up()
    expect(page.get_by_text("Merged with someone else’s changes")).to_be_visible()
    button(page).click()
    expect(page.get_by_text("1 key changed; the execution is at version 3.")).to_be_visible()


def test_who_is_here_is_shown_when_the_pointer_is_released(
    reviewer_page: Page, open_page: OpenPage, name: str
) -> None:
    page = go(reviewer_page, f"/executions/{name}/state/")
    press(page, page.get_by_role("heading", level=1))
    go(open_page("designer"), f"/executions/{name}/state/")
    page.mouse.up()
    expect(page.locator(".live-people")).to_contain_text("designer")


def lost(page: Page, *, answered: bool) -> None:
    """From now on the answers to what the page sends do not come."""

    def lose(route: Route) -> None:
        if answered:
            route.fetch()  # written, and nobody is notified of it
        route.abort("connectionreset")

    page.route(PATH, lose)


def test_an_edit_whose_answer_is_lost_is_written_once(
    reviewer_page: Page,
    api: httpx.Client,
    name: str,
    tolerate: Callable[[str], None],
) -> None:
    """What did not come to the server is written by the next press; what did, is not again."""
    page = summary(reviewer_page, name)
    tolerate("ERR_CONNECTION_RESET")
    page.get_by_label("Reason").fill("as we agreed")
    for answered, version in ((False, 1), (True, 2)):
        lost(page, answered=answered)
        button(page).click()
        expect(page.get_by_text(UNKNOWN)).to_be_visible()
        expect(page.get_by_label("Reason")).to_have_value("as we agreed")
        assert ok(api.get(f"conversations/{name}/snapshot"))["version"] == version
        page.get_by_text(UNKNOWN).evaluate("(word) => word.remove()")  # the next puts it back
        page.unroute(PATH)
    button(page).click()
    expect(page.get_by_text("Already saved as version 2.")).to_be_visible()
    assert ok(api.get(f"conversations/{name}/snapshot"))["version"] == 2
    assert state(api, name)["plan"] == "by one"


def test_an_approval_with_changes_whose_answer_is_lost_is_not_called_lost(
    reviewer_page: Page, api: httpx.Client, name: str, tolerate: Callable[[str], None]
) -> None:
    page = summary(reviewer_page, name)
    tolerate("ERR_CONNECTION_RESET")
    lost(page, answered=True)
    button(page, "Approve with these changes").click()
    expect(page.get_by_text(UNKNOWN)).to_be_visible()
    page.unroute(PATH)
    button(page, "Approve with these changes").click()
    expect(page.get_by_text("Approved with your changes").last).to_be_visible()
    assert ok(api.get(f"conversations/{name}/snapshot"))["version"] == 3


def test_a_server_that_cannot_now_is_reported_beside_the_button(
    reviewer_page: Page, name: str, tolerate: Callable[[str], None]
) -> None:
    page = summary(reviewer_page, name)
    for status in (503, 429):
        tolerate(str(status))
        page.route(PATH, partial(Route.fulfill, status=status, body="away"))
        button(page).click()
        expect(page.get_by_text(FAILED)).to_be_visible()
        page.get_by_text(FAILED).evaluate("(word) => word.remove()")  # the next puts it back
        page.unroute(PATH)
    button(page).dblclick()
    expect(page.get_by_text("1 key changed; the execution is at version 2.")).to_be_visible()


def test_what_is_typed_after_the_press_goes_with_the_form(reviewer_page: Page, name: str) -> None:
    page = go(reviewer_page, f"/executions/{name}/state/")
    asked: list[Route] = []
    page.route("**/healthz", lambda route: asked.append(route))
    page.get_by_label("plan", exact=True).fill("by one")
    button(page, "Review changes").click()
    while not asked:
        page.wait_for_timeout(50)
    page.get_by_label("tone", exact=True).fill("typed late")
    asked[0].continue_()
    expect(button(page)).to_be_visible()
    for text in ("by one", "typed late"):
        expect(page.locator("ins", has_text=text)).to_be_visible()


def test_without_a_connection_no_step_of_an_edit_leaves_its_page(
    reviewer_page: Page, api: httpx.Client, name: str, tolerate: Callable[[str], None]
) -> None:
    page = go(reviewer_page, f"/executions/{name}/state/")
    tolerate("ERR_INTERNET_DISCONNECTED")
    page.get_by_label("plan", exact=True).fill("by one")
    page.get_by_label("tone", exact=True).focus()
    expect(page.get_by_text("Saved for you")).to_be_visible()
    _away_and_back(page, "Review changes", AWAY)
    expect(button(page)).to_be_visible()
    other_writes(api, name, plan="by another")
    _away_and_back(page, "Apply", AWAY)
    page.get_by_role("group", name="plan", exact=True).get_by_label("Enter a new value:").check()
    page.get_by_label("New value of plan").fill("by both")
    _away_and_back(page, "Merge", AWAY)
    button(page).click()
    expect(page.get_by_text("1 key changed; the execution is at version 3.")).to_be_visible()
    assert state(api, name)["plan"] == "by both"


def _away_and_back(page: Page, name: str, said: str) -> None:
    page.context.set_offline(True)
    button(page, name).click()
    expect(page.get_by_text(said)).to_be_visible()
    page.context.set_offline(False)
    button(page, name).click()


def test_an_operation_without_a_connection_leaves_what_was_typed(
    reviewer_page: Page, name: str, tolerate: Callable[[str], None]
) -> None:
    page = reviewer_page
    page.goto(f"/conversations/{name}/operate/?operation=clear")
    page.get_by_label("Reason").fill("it starts anew")
    tolerate("ERR_INTERNET_DISCONNECTED")
    page.context.set_offline(True)
    button(page, "Preview").click()
    expect(page.get_by_text(AWAY)).to_be_visible()
    expect(page.get_by_label("Reason")).to_have_value("it starts anew")
    page.context.set_offline(False)
    button(page, "Preview").click()
    expect(page.get_by_role("heading", name="Preview of the result")).to_be_visible()
    expect(page.get_by_label("Reason")).to_have_value("it starts anew")
