"""A form whose answer is lost, or that has no connection, keeps its input and is applied once."""

import re
from collections.abc import Callable
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser import assert_nothing_sticks_out
from tests.e2e.conftest import OpenPage
from tests.e2e.scenes import Started, go, ok

AWAY = "No connection: nothing was sent."
UNKNOWN = "No response,"
ALREADY = "Already saved; nothing was changed twice"
CHANGED = "Your later changes are not saved yet."

Tolerate = Callable[[str], None]


@pytest.fixture
def name(api: httpx.Client) -> str:
    made = f"twice-{uuid4().hex[:8]}"
    said = [{"role": "user", "content": f"word {n}"} for n in range(4)]
    ok(api.post("conversations", json={"id": made, "title": made, "messages": said}))
    return made


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def lose_answers(page: Page, path: str, tolerate: Tolerate) -> None:
    """What the page sends there from now on is done, and nobody is notified of it."""
    tolerate("ERR_CONNECTION_RESET")

    def lose(route: Route) -> None:
        if route.request.method == "POST":
            route.fetch()
            route.abort("connectionreset")
        else:
            route.continue_()

    page.route(path, lose)


def lost_then_again(page: Page, path: str, name: str, tolerate: Tolerate) -> None:
    lose_answers(page, path, tolerate)
    press(page, name)
    expect(page.get_by_text(UNKNOWN)).to_be_visible()
    page.unroute(path)
    press(page, name)
    expect(page.get_by_text(ALREADY)).to_be_visible()


def comments_of(api: httpx.Client, name: str) -> list[str]:
    return [each["text"] for each in ok(api.get(f"conversations/{name}/comments"))["results"]]


def batches_of(api: httpx.Client, name: str) -> int:
    return len(ok(api.get(f"conversations/{name}/batches"))["results"])


def posts_of(page: Page) -> list[str]:
    """The addresses to which the page sends from now on."""
    found: list[str] = []
    page.on("request", lambda each: found.append(each.url) if each.method == "POST" else None)
    return found


def say_in_dialog(page: Page, name: str, text: str) -> Locator:
    go(page, f"/conversations/{name}/")
    page.locator("#m2").press("Enter")
    page.get_by_role("link", name="Comment on message #2").click()
    field = page.get_by_role("dialog").get_by_label("Comment")
    field.fill(text)
    return field


@pytest.mark.parametrize("where", ["dialog", "page"])
def test_a_comment_without_a_connection_stays_in_its_field(
    open_page: OpenPage,
    api: httpx.Client,
    name: str,
    tolerate: Tolerate,
    where: str,
) -> None:
    page = open_page("reviewer")
    if where == "dialog":
        field = say_in_dialog(page, name, "long\nthought")
    else:
        page.goto(f"/executions/{name}/comment/?message=2")
        field = page.get_by_label("Comment", exact=True)
        field.fill("long\nthought")
    tolerate("ERR_INTERNET_DISCONNECTED")
    page.context.set_offline(True)
    press(page, "Comment")
    expect(page.get_by_text(AWAY)).to_be_visible()
    expect(field).to_have_value("long\nthought")
    page.context.set_offline(False)
    press(page, "Comment")
    expect(page.get_by_text("Comment added.")).to_be_visible()
    assert comments_of(api, name) == ["long\nthought"]


@pytest.mark.parametrize("width", [1280, 390])
def test_a_comment_whose_answer_is_lost_is_there_once_and_said_so_where_it_stands(
    open_page: OpenPage, api: httpx.Client, name: str, tolerate: Tolerate, width: int
) -> None:
    page = open_page("reviewer", width=width)
    page.set_viewport_size({"width": width, "height": 400})
    say_in_dialog(page, name, "said once")
    lost_then_again(page, "**/comment/**", "Comment", tolerate)
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_text("said once")).to_be_in_viewport(ratio=1)
    expect(page.get_by_text(ALREADY)).to_be_in_viewport(ratio=1)
    page.locator("#messages").get_by_role("button", name="Close").last.click()
    expect(page.get_by_text(ALREADY)).to_have_count(0)
    assert comments_of(api, name) == ["said once"]


def test_what_was_changed_after_a_lost_answer_is_distinguished(
    reviewer_page: Page, api: httpx.Client, name: str, tolerate: Tolerate
) -> None:
    page = reviewer_page
    field = say_in_dialog(page, name, "first words")
    lose_answers(page, "**/comment/**", tolerate)
    press(page, "Comment")
    expect(page.get_by_text(UNKNOWN)).to_be_visible()
    page.unroute("**/comment/**")
    field.fill("other words")
    tolerate("409")
    press(page, "Comment")
    expect(page.get_by_text(CHANGED)).to_be_visible()
    assert comments_of(api, name) == ["first words"]
    press(page, "Comment")
    # The browser has the words of the lost answer, too, which this test let through.
    expect(page.get_by_text("Comment added.").last).to_be_visible()
    assert comments_of(api, name) == ["first words", "other words"]


def test_a_refusal_at_a_field_is_shown_in_the_form_which_is_sent_once_a_press(
    reviewer_page: Page, api: httpx.Client, name: str, tolerate: Tolerate
) -> None:
    page = reviewer_page
    field, posts = say_in_dialog(page, name, " "), posts_of(page)
    tolerate("422")
    for count in (1, 2):
        press(page, "Comment")
        expect(page.get_by_text("Enter a comment")).to_be_visible()
        expect(field).to_be_focused()
        assert len(posts) == count
    field.fill("now with words")
    press(page, "Comment")
    expect(page.get_by_text("Comment added.")).to_be_visible()
    assert (len(posts), comments_of(api, name)) == (3, ["now with words"])


def test_what_is_typed_while_a_refusal_is_awaited_is_sent_too(
    reviewer_page: Page, api: httpx.Client, name: str, tolerate: Tolerate
) -> None:
    page = reviewer_page
    field = say_in_dialog(page, name, " ")
    held: list[Route] = []
    page.route("**/comment/**", lambda route: route.continue_() if held else held.append(route))
    tolerate("422")
    with page.expect_request("**/comment/**"):
        press(page, "Comment")
    field.fill("typed late")
    held[0].continue_()
    expect(page.get_by_text("Comment added.")).to_be_visible()
    assert comments_of(api, name) == ["typed late"]


def test_a_rejection_asks_for_a_reason_before_it_is_sent(
    reviewer_page: Page, start: Started
) -> None:
    page = go(reviewer_page, f"/executions/{start()}/")
    posts = posts_of(page)
    press(page, "Reject")
    expect(page.get_by_label("Reason")).to_be_focused()
    assert len(posts) == 0
    page.get_by_label("Reason").fill("not true")
    press(page, "Reject")
    expect(page.get_by_text("Rejected. The execution has failed")).to_be_visible()
    expect(page.get_by_role("heading", name="Failed at Review")).to_be_visible()
    assert len(posts) == 1


def test_a_refusal_about_a_version_that_is_not_the_latest_comes_with_its_page(
    reviewer_page: Page, api: httpx.Client, start: Started, tolerate: Tolerate
) -> None:
    page, name = reviewer_page, start()
    page.route_web_socket("**/ws/**", lambda socket: None)  # no news of it by itself
    page.goto(f"/executions/{name}/")
    change = {"node_id": "review", "state_data": {"draft": "Of another version."}}
    ok(api.patch(f"conversations/{name}/snapshot", json=change))
    tolerate("409")
    page.get_by_label("Reason").fill("not this")
    press(page, "Reject")
    expect(page.get_by_text("Nothing was changed")).to_be_visible()
    expect(page.get_by_text("Of another version.").first).to_be_visible()


def test_a_second_comment_on_the_same_message_is_another(
    reviewer_page: Page, api: httpx.Client, name: str
) -> None:
    for _ in range(2):
        say_in_dialog(reviewer_page, name, "same words")
        press(reviewer_page, "Comment")
        expect(reviewer_page.get_by_text("Comment added.")).to_be_visible()
    assert comments_of(api, name) == ["same words", "same words"]


def test_a_roll_back_whose_answer_is_lost_is_done_once(
    reviewer_page: Page, api: httpx.Client, name: str, tolerate: Tolerate
) -> None:
    page = reviewer_page
    ok(api.post(f"conversations/{name}/operations", json={"operation": "clear"}))
    go(page, f"/conversations/{name}/")
    page.get_by_role("link", name="Roll back batch 0").click()
    page.get_by_role("dialog").get_by_label("Reason").fill("too much")
    tolerate("ERR_INTERNET_DISCONNECTED")
    page.context.set_offline(True)
    press(page, "Roll back")
    expect(page.get_by_text(AWAY)).to_be_visible()
    page.context.set_offline(False)
    lost_then_again(page, "**/rollback/**", "Roll back", tolerate)
    page.goto(f"/conversations/{name}/batches/")
    expect(
        page.get_by_text("rolled back from batch 1 “Hid all but the system messages” to 0 “Start”")
    ).to_have_count(1)


def test_a_rejection_whose_answer_is_lost_is_done_once(
    reviewer_page: Page, api: httpx.Client, start: Started, tolerate: Tolerate
) -> None:
    page, name = reviewer_page, start()
    go(page, f"/executions/{name}/")
    page.get_by_label("Reason").fill("not like this")
    tolerate("ERR_INTERNET_DISCONNECTED")
    page.context.set_offline(True)
    press(page, "Reject")
    expect(page.get_by_text(AWAY)).to_be_visible()
    expect(page.get_by_label("Reason")).to_have_value("not like this")
    page.context.set_offline(False)
    page.route_web_socket("**/ws/**", lambda socket: None)  # no news of it by itself
    page.goto(f"/executions/{name}/")
    page.get_by_label("Reason").fill("not like this")
    before = ok(api.get(f"conversations/{name}/snapshot"))["version"]
    lost_then_again(page, "**/move/", "Reject", tolerate)
    after = ok(api.get(f"conversations/{name}/snapshot"))
    assert (after["status"], after["version"]) == ("FAILED", before + 1)


def test_a_page_that_continues_by_itself_keeps_the_form_whose_answer_is_awaited(
    reviewer_page: Page, start: Started, tolerate: Tolerate
) -> None:
    page, name = reviewer_page, start()
    go(page, f"/executions/{name}/")
    held: list[Route] = []

    def hold(route: Route) -> None:
        route.fetch()
        held.append(route)

    page.route("**/claim/", hold)
    press(page, "Claim")
    expect(page.get_by_text("Claimed by you")).to_be_visible()
    tolerate("ERR_CONNECTION_RESET")
    held[0].abort("connectionreset")
    expect(page.get_by_text(UNKNOWN)).to_be_visible()
    page.unroute("**/claim/")
    press(page, "Claim")
    expect(page.get_by_text(ALREADY)).to_be_visible()
    expect(page.get_by_role("button", name="Release")).to_be_visible()


def test_a_claim_in_the_queue_without_a_connection_is_reported_beside_its_button(
    reviewer_page: Page, start: Started, tolerate: Tolerate
) -> None:
    page, name = reviewer_page, start()
    page.goto(f"/reviews/?workflow={name}")
    first = page.get_by_role("button", name="Claim").first
    row = page.locator("form[data-submit-once]").filter(has=first)
    tolerate("ERR_INTERNET_DISCONNECTED")
    page.context.set_offline(True)
    first.click()
    expect(page.get_by_text(AWAY)).to_have_count(1)
    expect(row.get_by_text(AWAY)).to_be_visible()
    page.context.set_offline(False)


def test_an_operation_whose_answer_is_lost_opens_one_batch(
    reviewer_page: Page, api: httpx.Client, name: str, tolerate: Tolerate
) -> None:
    page = reviewer_page
    page.goto(f"/conversations/{name}/operate/?operation=clear")
    press(page, "Preview")
    expect(page.get_by_role("heading", name="Preview of the result")).to_be_visible()
    lost_then_again(page, "**/operate/**", "Apply", tolerate)
    assert batches_of(api, name) == 2


def test_a_dialog_without_a_connection_leaves_the_page(
    reviewer_page: Page, name: str, tolerate: Tolerate
) -> None:
    page = reviewer_page
    go(page, f"/conversations/{name}/")
    tolerate("ERR_INTERNET_DISCONNECTED")
    tolerate("Failed to fetch")
    page.context.set_offline(True)
    page.locator("#m2").press("Enter")
    page.get_by_role("link", name="Comment on message #2").click()
    expect(page.get_by_text("The server does not respond.")).to_be_visible()
    page.context.set_offline(False)
    page.locator("#m2").press("Enter")
    page.get_by_role("link", name="Comment on message #2").click()
    expect(page.get_by_role("dialog").get_by_label("Comment")).to_be_visible()


def test_a_question_on_a_page_of_its_own_can_be_cancelled(reviewer_page: Page, name: str) -> None:
    page = reviewer_page
    page.goto(f"/executions/{name}/comment/?message=2")
    page.get_by_role("link", name="Cancel").click()
    expect(page).to_have_url(re.compile(f"/conversations/{name}/\\?at=2#m2$"))


def test_enter_in_the_field_of_a_label_keeps_the_label(
    reviewer_page: Page, api: httpx.Client, start: Started
) -> None:
    page, name = reviewer_page, start()
    ok(api.put(f"conversations/{name}/checkpoints/1/label", json={"label": "before"}))
    page.goto(f"/executions/{name}/versions/1/label/")
    page.get_by_label("Label", exact=True).fill("after")
    page.get_by_label("Label", exact=True).press("Enter")
    expect(page.get_by_text("Label added to version 1.")).to_be_visible()


def test_every_tab_of_an_execution_is_there_on_a_phone(open_page: OpenPage, start: Started) -> None:
    page, name = open_page("reviewer", width=390), start()
    for path in ("", "timeline/", "diff/?from=0&to=1"):
        page.goto(f"/executions/{name}/{path}")
        for width in (390, 360):
            page.set_viewport_size({"width": width, "height": 900})
            for tab in page.get_by_label("Parts of the execution").get_by_role("link").all():
                tab.scroll_into_view_if_needed()
                box = tab.bounding_box()
                assert box is not None
                assert box["x"] + box["width"] <= width
            assert_nothing_sticks_out(page)


def test_a_form_of_settings_without_a_connection_keeps_what_was_typed(
    page: Page, tolerate: Tolerate
) -> None:
    tolerate("ERR_FAILED")
    page.goto("/settings/tokens/new/")
    name = page.get_by_label("Name")
    name.fill("for an engine")
    page.route("**/*", lambda route: route.abort())
    page.get_by_role("button", name="Create token").click()
    expect(page.get_by_role("alert")).to_be_visible()
    expect(name).to_have_value("for an engine")
    page.unroute_all()
    page.get_by_role("button", name="Create token").click()
    expect(page.get_by_text("for an engine").first).to_be_visible()


def test_a_form_of_settings_is_sent_once_while_its_answer_is_awaited(page: Page) -> None:
    asked: list[Route] = []
    sent: list[str] = []
    page.goto("/settings/tokens/new/")
    page.get_by_label("Name").fill("pressed twice")
    page.route("**/healthz", lambda route: asked.append(route))
    page.on("request", lambda request: sent.append(request.method))
    button = page.get_by_role("button", name="Create token")
    button.click()
    expect(button).to_have_attribute("aria-busy", "true")
    button.click()
    asked.pop().continue_()
    expect(page.get_by_text("pressed twice").first).to_be_visible()
    assert sent.count("POST") == 1
