"""What is typed into a decision stays on the page when the page has no form for it any more."""

from collections.abc import Callable
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.scenes import go, ok, save

SWAPPED = "Another execution of this conversation has started"
ENDED = "The execution no longer needs your decision: it is now Cancelled."
TYPED = "Your text: Reason"
MESSAGE = {"role": "user", "content": "said after the end"}
REASON = 'The <b>tone</b> is wrong,\nand "so" is the plan 🚲'


@pytest.fixture
def name(api: httpx.Client) -> str:
    made = f"typed-{uuid4().hex[:8]}"
    ok(api.post("conversations", json={"id": made, "title": made}))
    begin(api, made, "old plan")
    return made


def begin(api: httpx.Client, name: str, plan: str) -> None:
    """A new execution that waits at the version at which every other one of these waits."""
    ok(api.post(f"conversations/{name}/executions", json={}))
    save(api, name, status="PAUSED", state_data={"plan": plan})


def cancel(api: httpx.Client, name: str) -> None:
    ok(api.post(f"conversations/{name}/cancel", json={}))


def reason(page: Page) -> Locator:
    return page.get_by_label("Reason", exact=False).and_(
        page.locator("#move-reason, #resume-reason")
    )


def said(page: Page, words: str) -> Locator:
    return page.get_by_role("alert").filter(has_text=words)


def kept(page: Page) -> Locator:
    return page.get_by_label(TYPED)


def status(api: httpx.Client, name: str) -> str:
    found: str = ok(api.get(f"conversations/{name}/snapshot"))["status"]
    return found


def test_a_reason_outlives_a_cancellation_and_what_happens_next_until_it_is_closed(
    open_page: OpenPage, api: httpx.Client, name: str
) -> None:
    page = go(open_page("reviewer", width=390), f"/executions/{name}/")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    reason(page).fill(REASON)
    cancel(api, name)
    expect(said(page, ENDED)).to_be_visible()
    expect(reason(page)).to_have_count(0)
    expect(kept(page)).to_have_value(REASON)
    expect(kept(page)).to_be_focused()
    page.keyboard.type("e")  # who types on neither changes it nor presses a key of the page
    ok(api.post(f"conversations/{name}/messages", json={"messages": [MESSAGE]}))
    expect(page.get_by_text("said after the end", exact=True)).to_be_visible()
    expect(kept(page)).to_have_value(REASON)
    page.get_by_role("button", name="Copy").first.click()
    assert page.evaluate("navigator.clipboard.readText()") == REASON
    page.locator("#live-left").get_by_role("button", name="Close").click()
    expect(kept(page)).to_have_count(0)


def test_the_reason_for_the_former_execution_is_not_that_for_the_new_one(
    reviewer_page: Page, api: httpx.Client, name: str
) -> None:
    page = go(reviewer_page, f"/executions/{name}/")
    reason(page).fill(REASON)
    cancel(api, name)
    expect(said(page, ENDED)).to_be_visible()
    begin(api, name, "new plan")
    expect(said(page, SWAPPED)).to_be_visible()
    expect(said(page, ENDED)).to_have_count(0)
    expect(page.get_by_text("new plan").first).to_be_visible()
    expect(kept(page)).to_have_value(REASON)
    expect(kept(page)).to_have_count(1)
    expect(reason(page)).to_have_value("")
    reason(page).fill("The new one is fine.")
    save_of_others(api, name)
    expect(page.get_by_text("newer plan").first).to_be_visible()
    expect(reason(page)).to_have_value("The new one is fine.")
    expect(said(page, SWAPPED)).to_be_in_viewport()
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("Approved.")).to_be_visible()
    assert status(api, name) == "RUNNING"


def save_of_others(api: httpx.Client, name: str) -> None:
    body = {"node_id": "plan", "state_data": {"plan": "newer plan"}}
    ok(api.patch(f"conversations/{name}/snapshot", json=body))


def test_a_page_that_misses_the_end_moves_nothing_into_the_form_of_the_new_execution(
    reviewer_page: Page, api: httpx.Client, name: str
) -> None:
    """The form of one is put in the place of the other at once, with the pointer's field in it."""
    page = go(reviewer_page, f"/executions/{name}/")
    reason(page).fill(REASON)
    held: list[Route] = []

    def hold_first(route: Route) -> None:
        if held:
            route.continue_()
        else:
            held.append(route)

    page.route(f"**/executions/{name}/", hold_first)
    cancel(api, name)
    while not held:  # the request is told before it is held
        page.wait_for_timeout(20)
    begin(api, name, "new plan")
    # While it is still routed: to end that lets go of what is held, and may do so twice.
    held[0].continue_()
    expect(said(page, SWAPPED)).to_be_visible()
    expect(kept(page)).to_have_value(REASON)
    expect(kept(page)).to_be_focused()
    expect(reason(page)).to_have_value("")
    page.unroute(f"**/executions/{name}/")


def test_a_new_execution_is_reported_also_if_nothing_was_typed(
    reviewer_page: Page, api: httpx.Client, name: str
) -> None:
    page = go(reviewer_page, f"/executions/{name}/")
    cancel(api, name)
    expect(page.get_by_role("button", name="Approve")).to_have_count(0)
    expect(page.locator("#live-left .note")).to_have_count(0)
    begin(api, name, "new plan")
    expect(page.get_by_role("button", name="Approve")).to_be_visible()
    expect(said(page, SWAPPED)).to_be_visible()
    expect(page.get_by_text("Your text stays here")).to_be_hidden()
    page.mouse.wheel(0, 5_000)
    expect(said(page, SWAPPED)).to_be_in_viewport()
    save_of_others(api, name)
    expect(page.get_by_text("newer plan").first).to_be_visible()
    expect(said(page, SWAPPED)).to_be_visible()


def test_a_page_without_a_socket_tells_of_another_execution_that_runs_at_the_same_version(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, name = reviewer_page, f"typed-{uuid4().hex[:8]}"
    ok(api.post("conversations", json={"id": name}))
    ok(api.post(f"conversations/{name}/executions", json={}))
    page.route_web_socket("**/ws/**", lambda route: route.close(code=1013))
    page.goto(f"/executions/{name}/")
    reason(page).fill(REASON)
    held: list[Route] = []
    page.route("**/live/**", lambda route: held.append(route), times=1)
    while not held:
        page.wait_for_timeout(50)
    cancel(api, name)
    ok(api.post(f"conversations/{name}/executions", json={}))
    held[0].continue_()
    expect(said(page, SWAPPED)).to_be_visible()
    expect(kept(page)).to_have_value(REASON)
    expect(reason(page)).to_have_value("")


def test_ones_own_decision_leaves_no_note_and_one_without_an_answer_does(
    reviewer_page: Page, api: httpx.Client, name: str, tolerate: Callable[[str], None]
) -> None:
    page = go(reviewer_page, f"/executions/{name}/")
    tolerate("ERR_FAILED")
    reason(page).fill(REASON)
    held: list[Route] = []
    page.route("**/move/", lambda route: held.append(route))
    with page.expect_request("**/move/"):
        page.get_by_role("button", name="Reject").click()
    cancel(api, name)
    expect(reason(page)).to_have_count(0)
    expect(page.locator("#live-left .note")).to_have_count(0)
    held[0].abort()
    expect(said(page, ENDED)).to_be_visible()
    expect(kept(page)).to_have_value(REASON)


def test_a_decision_that_comes_too_late_is_refused_with_the_reason_on_the_page(
    reviewer_page: Page, api: httpx.Client, name: str, tolerate: Callable[[str], None]
) -> None:
    page = reviewer_page
    page.route_web_socket("**/ws/**", lambda route: route.close(code=1013))
    page.goto(f"/executions/{name}/")
    tolerate("status of 409")
    reason(page).fill("A long reason")
    cancel(api, name)
    page.get_by_role("button", name="Reject").click()
    expect(page.get_by_text("Nothing was changed")).to_be_visible()
    expect(page.locator(".code-block").first).to_contain_text("A long reason")


def test_a_decision_that_comes_after_another_execution_began_leaves_its_form_empty(
    reviewer_page: Page, api: httpx.Client, name: str, tolerate: Callable[[str], None]
) -> None:
    page = reviewer_page
    page.route_web_socket("**/ws/**", lambda route: route.close(code=1013))
    page.goto(f"/executions/{name}/")
    tolerate("status of 409")
    reason(page).fill(REASON)
    cancel(api, name)
    begin(api, name, "new plan")
    page.get_by_role("button", name="Reject").click()
    expect(page.get_by_text("Another execution has started")).to_be_visible()
    expect(page.get_by_text("new plan").first).to_be_visible()
    block = page.locator(".code-block").filter(has_text=TYPED)
    expect(block.locator("code")).to_have_text(REASON)
    expect(reason(page)).to_have_value("")
    assert status(api, name) == "PAUSED"


def test_a_reason_at_its_limit_says_that_it_is_cut(
    open_page: OpenPage, api: httpx.Client, name: str
) -> None:
    page = go(open_page("reviewer"), f"/executions/{name}/")
    count = page.locator(".field-count")
    for text, words in (
        ("x" * 8_999, None),
        ("x" * 9_500, "9,500 of 10,000 characters"),
        ("one\n" * 2_500, "10,000 of 10,000 characters: longer text is cut here"),
    ):
        reason(page).evaluate("(field, text) => { field.value = text; }", text)
        reason(page).dispatch_event("input")
        expect(count).to_have_count(0 if words is None else 1)
        if words is not None:
            expect(count).to_have_text(words)
    page.get_by_role("button", name="Reject").click()
    expect(page.get_by_text("Rejected. The execution has failed")).to_be_visible()
    reject = ok(api.get(f"conversations/{name}/checkpoints"))["results"][0]
    assert len(reject["reason"]) == 9_999
