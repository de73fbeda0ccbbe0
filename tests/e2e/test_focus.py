"""Who uses keys alone is never put back to the beginning of a page by what they did."""

from uuid import uuid4

import httpx
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.editor.scenes import EDGES, NODES, card, opened
from tests.e2e.scenes import Started, ok


def _press(place: Locator, key: str = "Enter") -> None:
    place.focus()
    place.page.keyboard.press(key)


def test_a_claim_in_the_queue_keeps_the_focus_in_its_row(
    reviewer_page: Page, start: Started
) -> None:
    name = start()
    reviewer_page.goto(f"/reviews/?workflow={name}")
    _press(reviewer_page.get_by_role("button", name=f"Claim {name}"))
    expect(reviewer_page.get_by_role("button", name=f"Release {name}")).to_be_focused()


def test_a_claim_by_mouse_keeps_the_place_in_the_queue(reviewer_page: Page, start: Started) -> None:
    name = start()
    reviewer_page.goto(f"/reviews/?workflow={name}")
    reviewer_page.get_by_role("button", name=f"Claim {name}").click()
    expect(reviewer_page.get_by_role("button", name=f"Release {name}")).to_be_in_viewport()
    expect(reviewer_page.locator(".waiting .waiting-title")).to_be_focused()
    expect(reviewer_page.get_by_text("You claimed this review.")).to_have_count(0)


def test_a_key_leads_into_the_form_of_a_state(reviewer_page: Page, start: Started) -> None:
    name = start()
    reviewer_page.goto(f"/executions/{name}/")
    expect(reviewer_page.get_by_role("link", name="Edit the state")).to_be_visible()
    reviewer_page.keyboard.press("e")
    answer = reviewer_page.get_by_label("draft", exact=True)  # not the first key by name
    expect(answer).to_be_focused()
    expect(answer).to_be_in_viewport()


def test_a_filter_of_a_list_keeps_the_focus_in_its_field(page: Page) -> None:
    page.goto("/audit/")
    page.get_by_label("Person or token").focus()
    page.keyboard.type("admin")
    page.keyboard.press("Enter")
    page.wait_for_url("**/audit/?*actor=admin*")
    expect(page.get_by_label("Person or token")).to_be_focused()


def test_what_was_done_has_the_focus_where_its_form_is_gone(
    reviewer_page: Page, start: Started
) -> None:
    name = start()
    reviewer_page.goto(f"/executions/{name}/")
    _press(reviewer_page.get_by_role("button", name="Approve"))
    expect(reviewer_page.locator("#messages > .note")).to_be_focused()


def test_a_pointer_leaves_the_focus_alone(reviewer_page: Page, start: Started) -> None:
    name = start()
    reviewer_page.goto(f"/executions/{name}/")
    reviewer_page.get_by_role("button", name="Approve").click()
    expect(reviewer_page.get_by_text("Approved.")).to_be_visible()
    expect(reviewer_page.locator("#messages > .note")).not_to_be_focused()


def test_a_dialog_of_a_message_returns_the_focus(page: Page, api: httpx.Client) -> None:
    messages = [{"role": "user", "content": f"message {n}"} for n in range(3)]
    made = ok(api.post("conversations", json={"messages": messages}))
    page.goto(f"/conversations/{made['id']}/")
    page.locator("#m1").focus()
    pin = page.get_by_role("link", name="Pin #1")
    _press(pin)
    expect(page.get_by_label("Reason")).to_be_focused()
    page.keyboard.press("Escape")
    expect(pin).to_be_focused()


def test_escape_leaves_the_field_that_a_key_led_to(page: Page, api: httpx.Client) -> None:
    messages = [{"role": "user", "content": f"message {n}"} for n in range(3)]
    made = ok(api.post("conversations", json={"messages": messages}))
    page.goto(f"/conversations/{made['id']}/")
    page.locator("#m1").focus()
    page.keyboard.press("/")
    expect(page.get_by_label("Words", exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#m1")).to_be_focused()


def test_a_search_in_a_page_does_not_move_the_focus_of_the_next_page(
    page: Page, api: httpx.Client
) -> None:
    made = ok(api.post("conversations", json={"messages": [{"role": "user", "content": "a b"}]}))
    for words in ("a", "b"):  # a "/" typed into the field would be looked for
        page.goto(f"/conversations/{made['id']}/")
        page.keyboard.type(f"/{words}")
        expect(page.get_by_label("Words", exact=True)).to_have_value(words)
        page.keyboard.press("Enter")
        expect(page.locator("#hits .hit-link")).to_have_count(1)


def test_the_canvas_keeps_the_focus_where_one_works(designer_page: Page, api: httpx.Client) -> None:
    slug = f"focus-{uuid4().hex[:6]}"
    ok(api.post("workflows", json={"slug": slug, "name": "Focus"}))
    document = {"name": "Focus", "nodes": NODES, "edges": EDGES}
    ok(api.put(f"workflows/{slug}/draft", json={"document": document, "expected_version": 0}))
    page = opened(designer_page, slug)
    keys, answer = page.keyboard, card(page, "answer")
    panel = page.locator(".editor-panel")
    keys.press("/")
    keys.type("answer")
    keys.press("Enter")
    expect(answer).to_be_focused()
    keys.press("Enter")
    expect(panel.get_by_label("Name", exact=True)).to_be_focused()
    keys.press("Escape")
    expect(answer).to_be_focused()
    keys.press("Escape")
    expect(answer).to_be_focused()
    expect(panel.get_by_role("button", name="Problems")).to_be_visible()
    keys.press("o")
    expect(page.get_by_role("region", name="Nodes")).to_be_focused()
    keys.press("o")
    expect(page.locator(".flow")).to_be_focused()
    answer.focus()
    keys.press("Enter")
    keys.press("Delete")
    expect(answer).to_have_count(0)
    expect(page.locator(".flow")).to_be_focused()


def test_ctrl_enter_reviews_what_was_typed_into_a_state_and_approves_it_with_a_reason(
    reviewer_page: Page, start: Started
) -> None:
    name = start()
    reviewer_page.goto(f"/executions/{name}/state/")
    field = reviewer_page.get_by_label("draft", exact=True)
    field.focus()
    reviewer_page.keyboard.type("Dear Mia. ")
    reviewer_page.keyboard.press("Control+Enter")
    reason = reviewer_page.get_by_label("Reason")
    expect(reason).to_be_focused()
    reviewer_page.wait_for_timeout(700)  # a key decides nothing on a page that nobody has seen yet
    reviewer_page.keyboard.type("a good reason")
    expect(reason).to_have_value("a good reason")
    reviewer_page.keyboard.press("Control+Enter")
    expect(reviewer_page.get_by_text("Approved with your changes")).to_be_visible()


def test_a_key_of_the_page_approves_a_changed_state_once_its_reason_is_left(
    reviewer_page: Page, start: Started
) -> None:
    page = _summary(reviewer_page, start())
    page.wait_for_timeout(700)
    page.keyboard.press("Escape")
    expect(page.get_by_label("Reason")).not_to_be_focused()
    page.keyboard.press("a")
    expect(page.get_by_text("Approved with your changes")).to_be_visible()


def test_a_key_leads_to_an_approval_against_the_edits_of_others(
    reviewer_page: Page, open_page: OpenPage, api: httpx.Client, start: Started
) -> None:
    name = start()
    other = open_page("designer")
    other.goto(f"/executions/{name}/state/")
    other.get_by_label("count", exact=True).fill("4")
    expect(other.get_by_text("Saved for you")).to_be_visible()
    page = _summary(reviewer_page, name)
    approve = page.get_by_role("button", name="Approve anyway with these changes")
    page.wait_for_timeout(700)
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    expect(approve).not_to_be_focused()
    page.keyboard.press("Control+Enter")
    expect(approve).to_be_focused()
    assert ok(api.get(f"conversations/{name}/snapshot"))["status"] == "PAUSED"
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Approved with your changes")).to_be_visible()


def _summary(page: Page, name: str) -> Page:
    """The changes of a state, to which keys led."""
    page.goto(f"/executions/{name}/state/")
    page.get_by_label("draft", exact=True).fill("Dear Mia")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_label("Reason")).to_be_focused()
    return page


def test_back_from_a_review_the_queue_goes_on_at_its_line(
    reviewer_page: Page, start: Started
) -> None:
    names = [start() for _each in range(3)]
    reviewer_page.goto("/reviews/?sort=latest")
    line = reviewer_page.locator(f"#review-{names[1]} .waiting-title")
    _press(line)
    expect(reviewer_page.locator("[data-look]")).to_be_visible()
    reviewer_page.go_back()
    expect(line).to_be_focused()
    reviewer_page.keyboard.press("j")
    expect(reviewer_page.locator(f"#review-{names[0]} .waiting-title")).to_be_focused()


def test_a_conflict_begins_at_its_first_change(
    reviewer_page: Page, api: httpx.Client, start: Started
) -> None:
    page, name = reviewer_page, start()
    page.goto(f"/executions/{name}/state/")
    expect(page.locator("[data-live=open]")).to_be_attached()
    page.get_by_label("draft", exact=True).fill("Dear Ada")
    expect(page.get_by_text("Saved for you")).to_be_visible()
    change = {"node_id": "review", "state_data": {"draft": "Dear Bob"}}
    ok(api.patch(f"conversations/{name}/snapshot", json=change))
    page.keyboard.press("Control+Enter")
    expect(page.locator(".conflict").first).to_be_focused()
