"""A page and its input after the session ended or the execution continued."""

import re

import httpx
import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.scenes import Started, complete, ok, state
from tests.live_server import PASSWORD


def lose_session(page: Page) -> None:
    """As if it had expired, or been ended in another tab."""
    page.context.clear_cookies(name="ctxadmin")


def sign_in(page: Page, role: str) -> None:
    expect(page).to_have_url(re.compile("/sign-in/"))
    page.get_by_label("Username").fill(role)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()


def kept(page: Page) -> int:
    """How many forms the tab keeps the texts of."""
    names = page.evaluate("() => Object.keys(sessionStorage)")
    return sum(name.startswith("draft:") for name in names)


def test_a_refused_decision_continues_with_the_execution(
    reviewer_page: Page, api: httpx.Client, start: Started
) -> None:
    name = start()
    first: list[WebSocketRoute] = []

    def connect(socket: WebSocketRoute) -> None:
        """The page that is about to decide hears nothing yet; the next one is live."""
        if first:
            socket.connect_to_server()
        first.append(socket)

    reviewer_page.route_web_socket(re.compile("/ws/"), connect)
    reviewer_page.goto(f"/executions/{name}/")
    ok(api.post(f"conversations/{name}/approve", json={}))
    reviewer_page.get_by_label("Reason").fill("fine with me")
    reviewer_page.get_by_role("button", name="Approve").click()
    expect(reviewer_page.get_by_text("Nothing was changed")).to_be_visible()
    expect(reviewer_page).to_have_url(re.compile(f"/executions/{name}/$"))
    expect(reviewer_page.get_by_label("Reason")).to_have_value("fine with me")
    complete(api, name, "review", status="PAUSED")
    expect(reviewer_page.get_by_role("button", name="Approve")).to_be_visible()
    expect(reviewer_page).to_have_url(re.compile(f"/executions/{name}/$"))
    expect(reviewer_page.get_by_label("Your text: Reason")).to_have_value("fine with me")
    reviewer_page.get_by_role("button", name="Approve").click()
    expect(reviewer_page.get_by_text("Approved.")).to_be_visible()
    expect(reviewer_page.get_by_label("Reason")).to_have_value("")


def test_a_reason_is_still_there_after_signing_in_again(
    open_page: OpenPage, api: httpx.Client, start: Started
) -> None:
    name, page = start(), open_page("reviewer")
    page.goto(f"/executions/{name}/")
    page.get_by_label("Reason").fill("two lines\nof reasons")
    lose_session(page)
    page.get_by_role("button", name="Approve").click()
    sign_in(page, "reviewer")
    expect(page).to_have_url(re.compile(f"/executions/{name}/$"))
    expect(page.get_by_label("Reason")).to_have_value("two lines\nof reasons")
    expect(page.get_by_text("Your text is back in the form")).to_be_visible()
    assert ok(api.get(f"conversations/{name}/snapshot"))["status"] == "PAUSED"
    assert kept(page) == 0
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("Approved.")).to_be_visible()
    expect(page.get_by_label("Reason")).to_have_value("")
    assert kept(page) == 0


def test_a_bulk_selection_is_sent_again_after_signing_in(
    open_page: OpenPage, start: Started
) -> None:
    name, page = start(), open_page("reviewer")
    page.goto("/executions/?status=PAUSED")
    page.locator(f'[data-bulk-box][value="{name}"]').check()
    page.get_by_label("Action").select_option("label")
    lose_session(page)
    page.get_by_role("button", name="Continue with selected").click()
    sign_in(page, "reviewer")
    expect(page.get_by_text("1 of 1 selected execution can be changed.")).to_be_visible()
    expect(page.get_by_role("button", name="Label 1 execution")).to_be_visible()
    assert kept(page) == 0


def test_a_reason_is_not_given_to_someone_else(open_page: OpenPage, start: Started) -> None:
    name, page = start(), open_page("reviewer")
    page.goto(f"/executions/{name}/")
    page.get_by_label("Reason").fill("mine alone")
    lose_session(page)
    page.get_by_role("button", name="Approve").click()
    sign_in(page, "designer")
    expect(page.get_by_role("button", name="Approve")).to_be_visible()
    expect(page.get_by_label("Reason")).to_have_value("")
    assert kept(page) == 0


@pytest.mark.parametrize("at", ["form", "summary"])
def test_an_edit_of_the_state_outlives_the_session(
    open_page: OpenPage, api: httpx.Client, start: Started, at: str
) -> None:
    name, page = start(), open_page("reviewer")
    page.goto(f"/executions/{name}/state/")
    page.get_by_label("draft", exact=True).fill("Dear friend, it is late.")
    if at == "form":
        lose_session(page)
    page.get_by_role("button", name="Review changes").click()
    if at == "summary":
        page.get_by_label("Reason").fill("warmer")
        lose_session(page)
        page.get_by_role("button", name="Apply").click()
    sign_in(page, "reviewer")
    expect(page.get_by_role("heading", name="Review changes")).to_be_visible()
    expect(page.locator("ins", has_text="friend")).to_be_visible()
    expect(page.get_by_label("Reason")).to_have_value("warmer" if at == "summary" else "")
    assert state(api, name)["draft"] == "Dear customer, it is late."
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("1 key changed")).to_be_visible()


def test_an_operation_is_previewed_after_signing_in(open_page: OpenPage, api: httpx.Client) -> None:
    made = ok(api.post("conversations", json={"messages": [{"role": "user", "content": "hi"}] * 9}))
    page = open_page("reviewer")
    page.goto(f"/conversations/{made['id']}/operate/")
    page.get_by_label("Keep the last", exact=True).fill("4")
    page.get_by_label("Reason").fill("too long")
    lose_session(page)
    page.get_by_role("button", name="Preview", exact=True).click()
    sign_in(page, "reviewer")
    expect(page.get_by_role("heading", name="Preview of the result")).to_be_visible()
    expect(page.get_by_label("Reason")).to_have_value("too long")
    assert ok(api.get(f"conversations/{made['id']}"))["visible_count"] == 9


@pytest.mark.parametrize("do", ["Hide", "Replace"])
def test_a_sheet_is_open_again_after_signing_in(
    open_page: OpenPage, api: httpx.Client, do: str
) -> None:
    texts = [{"role": "user", "content": f"number {n}. " * 20} for n in range(90)]
    made, page = ok(api.post("conversations", json={"messages": texts})), open_page("reviewer")
    page.goto(f"/conversations/{made['id']}/?at=3#m3")
    page.get_by_label("Select message #3", exact=True).check()
    page.get_by_role("button", name=do, exact=True).click()
    long = "A better text.\n" * 400
    if do == "Replace":
        page.get_by_label("New text").fill(long)
        expect(page.locator(".sheet-words ins").first).to_be_visible()
    page.get_by_label("Reason").fill("too long")
    lose_session(page)
    page.get_by_role("button", name="Apply").click()
    sign_in(page, "reviewer")
    expect(page).to_have_url(re.compile(f"/conversations/{made['id']}/"))
    expect(page.locator("#m3")).to_be_in_viewport()
    expect(page.get_by_label("Select message #3", exact=True)).to_be_checked()
    expect(page.get_by_text("1 selected")).to_be_visible()
    expect(page.get_by_label("Reason")).to_have_value("too long")
    expect(page.get_by_text("Your text is back in the form")).to_be_visible()
    if do == "Replace":
        expect(page.get_by_label("New text")).to_have_value(long)
        expect(page.locator(".sheet-words ins").first).to_be_visible()
    assert kept(page) == 0
    page.get_by_role("button", name="Apply").click()
    done = "Replaced #3" if do == "Replace" else "Hid #3."
    expect(page.locator(".messages .note")).to_contain_text(done)


def test_a_text_is_kept_when_its_preview_asks_to_sign_in(
    open_page: OpenPage, api: httpx.Client
) -> None:
    texts = [{"role": "user", "content": f"number {n}"} for n in range(5)]
    made, page = ok(api.post("conversations", json={"messages": texts})), open_page("reviewer")
    page.goto(f"/conversations/{made['id']}/")
    page.get_by_label("Select message #3", exact=True).check()
    page.get_by_role("button", name="Replace", exact=True).click()
    expect(page.get_by_label("New text")).to_be_focused()
    lose_session(page)
    page.get_by_label("New text").fill("A better one")
    sign_in(page, "reviewer")
    expect(page.get_by_label("New text")).to_have_value("A better one")
    expect(page.get_by_text("1 selected")).to_be_visible()
    page.goto(f"/conversations/{made['id']}/act/")
    expect(page).to_have_url(re.compile(f"/conversations/{made['id']}/$"))


def test_a_form_out_of_date_is_filled_in_again(open_page: OpenPage, start: Started) -> None:
    name, page = start(), open_page("reviewer")
    page.goto(f"/executions/{name}/")
    page.get_by_label("Reason").fill("as typed")
    page.evaluate("""() => document.querySelectorAll("[name=csrfmiddlewaretoken]")
        .forEach((field) => { field.value = "a".repeat(64); })""")
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_role("heading", name="The form is out of date")).to_be_visible()
    page.get_by_role("link", name="Open the form again").click()
    expect(page.get_by_label("Reason")).to_have_value("as typed")


def test_the_palette_leads_to_signing_in_and_back(reviewer_page: Page) -> None:
    reviewer_page.goto("/reviews/?sort=oldest")
    lose_session(reviewer_page)
    reviewer_page.keyboard.press("Control+k")
    palette = reviewer_page.get_by_role("dialog", name="Go to or search")
    palette.get_by_role("combobox").press_sequentially("work")
    expect(palette.get_by_text("Your session has ended. Sign in to search.")).to_be_visible()
    expect(palette.get_by_role("option").first).to_have_text("Sign in")
    palette.get_by_role("combobox").press("Enter")
    sign_in(reviewer_page, "reviewer")
    expect(reviewer_page).to_have_url(re.compile(r"/reviews/\?sort=oldest$"))
