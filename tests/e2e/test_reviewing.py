"""The reviewer's queue, claims, comments and labels in a browser."""

from uuid import uuid4

import httpx
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.scenes import MESSAGES, STATE, complete, ok, seen, start_one


def made(api: httpx.Client, name: str) -> str:
    """A free execution that waits at version 1."""
    name = f"{name}-{uuid4().hex[:6]}"  # a second look makes another one
    message = {"role": "user", "content": "Please write."}
    body = {"id": name, "title": f"Letter {name}", "messages": [message]}
    assert api.post("conversations", json=body).status_code == 201
    save = {"node_id": "write", "state_data": {"draft": "Dear you"}, "status": "PAUSED"}
    answer = api.put(f"conversations/{name}/checkpoints/{name}-1", json=save)
    assert answer.status_code == 201, answer.text
    return name


def start_again(api: httpx.Client, flow: str) -> str:
    """Another execution of a workflow, up to its review."""
    name = f"{flow}-{uuid4().hex[:4]}"
    ok(api.post("conversations", json={"id": name, "title": name, "messages": MESSAGES}))
    ok(api.post(f"conversations/{name}/executions", json={"workflow": flow}))
    complete(api, name, "write", state_data=STATE)
    return name


def test_a_review_is_claimed_in_the_queue_and_taken_over(
    open_page: OpenPage, api: httpx.Client
) -> None:
    name = made(api, "e2e-claim")
    mine, theirs = open_page("reviewer"), open_page("designer")
    mine.goto("/reviews/")
    mine.get_by_role("button", name=f"Claim Letter {name}").click()
    line = mine.get_by_role("listitem").filter(has_text=f"Letter {name}")
    expect(line.get_by_text("Claimed by you")).to_be_visible()
    theirs.goto(f"/executions/{name}/")
    expect(theirs.get_by_text("Claimed by")).to_be_visible()
    theirs.get_by_role("button", name="Take over").click()
    expect(theirs.get_by_text("You claimed this review.")).to_be_visible()
    mine.goto("/reviews/?who=mine")
    expect(mine.get_by_text(f"Letter {name}")).to_have_count(0)


def test_reviews_are_decided_one_after_the_other_by_keys_and_several_at_once(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, flow = reviewer_page, start_one(api)
    others = [start_again(api, flow) for _ in range(3)]
    page.goto(f"/reviews/?workflow={flow}")
    boxes = page.get_by_role("checkbox", name="Select", exact=False)
    expect(boxes).to_have_count(4)
    expect(boxes.first).to_be_disabled()
    expect(boxes.first).to_have_attribute("aria-description", "Open it to approve it here")
    page.get_by_role("link", name="Review", exact=False).and_(page.locator(".btn")).first.click()
    expect(page.get_by_text("1 of 4 in the queue")).to_be_visible()
    seen(page)
    page.keyboard.down("a")
    expect(page.get_by_text(f"Approved: {flow}")).to_be_visible()
    expect(page.get_by_text("1 of 3 in the queue")).to_be_visible()
    page.keyboard.down("a")  # it is held
    page.keyboard.up("a")
    seen(page)
    page.keyboard.press("r")
    expect(page.get_by_label("Reason")).to_be_focused()
    page.get_by_label("Reason").fill("not now")
    page.get_by_role("button", name="Reject").click()
    expect(page.get_by_text("1 of 2 in the queue")).to_be_visible()
    page.get_by_role("link", name="Next review").click()
    expect(page.get_by_text("2 of 2 in the queue")).to_be_visible()
    page.get_by_role("link", name="2 of 2 in the queue").click()
    expect(page.locator("[data-opened=opened]")).to_have_count(2)
    change = {"node_id": "review", "state_data": {"draft": "Changed"}}
    ok(api.patch(f"conversations/{others[1]}/snapshot", json=change))
    page.reload()
    expect(page.locator("[data-opened=changed]")).to_have_count(1)
    boxes.last.check()
    page.get_by_role("button", name="Approve selected").click()
    expect(page.get_by_text("1 review approved.")).to_be_visible()
    expect(boxes).to_have_count(1)


def test_a_message_is_commented_on_in_a_dialog(reviewer_page: Page, api: httpx.Client) -> None:
    page, name = reviewer_page, made(api, "e2e-comment")
    page.goto(f"/conversations/{name}/")
    page.locator("#m0").focus()
    page.get_by_role("link", name="Comment on message #0").click()
    dialog = page.locator("form.confirm")
    dialog.get_by_label("Comment").fill("Is this right?")
    dialog.get_by_role("button", name="Comment").click()
    expect(page.locator("#m0").get_by_text("Is this right?")).to_be_visible()
    page.get_by_role("link", name="Remove").click()
    page.locator("form.confirm").get_by_role("button", name="Remove").click()
    expect(page.get_by_text("Is this right?")).to_have_count(0)


def test_the_queue_shows_what_others_do_and_keeps_what_is_selected(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, flow = reviewer_page, start_one(api)
    other = start_again(api, flow)
    for each in (flow, other):
        page.goto(f"/executions/{each}/")
        expect(page.locator("[data-look]")).to_be_attached()
    page.goto(f"/reviews/?workflow={flow}")
    expect(page.locator("[data-live=open]")).to_be_attached()
    page.get_by_role("checkbox", name=f"Select {other}").check()
    ok(api.post(f"conversations/{flow}/approve", json={}))
    expect(page.get_by_role("checkbox", name="Select", exact=False)).to_have_count(1)
    expect(page.get_by_role("checkbox", name=f"Select {other}")).to_be_checked()
    start_again(api, flow)
    expect(page.get_by_role("checkbox", name="Select", exact=False)).to_have_count(2)
    page.locator(".waiting-select").last.click()
    expect(page.get_by_text("Open it to approve it here", exact=True)).to_be_visible()


def test_another_decides_while_a_reason_is_typed(open_page: OpenPage, api: httpx.Client) -> None:
    flow = start_one(api)
    other = start_again(api, flow)
    page = open_page("reviewer", width=390)
    page.goto(f"/executions/{flow}/?queue=waiting&workflow={flow}")
    seen(page)
    page.get_by_role("button", name="Reject").click()
    expect(page.get_by_text("Say why, then reject (Enter).")).to_be_visible()
    expect(page.get_by_label("Reason")).to_be_focused()
    expect(page.get_by_label("Reason")).to_be_in_viewport()
    page.keyboard.type("I think that")
    ok(api.post(f"conversations/{flow}/approve", json={}))
    expect(page.get_by_text("approved this.")).to_be_visible()
    expect(page.get_by_label("Your text: Reason")).to_have_value("I think that")
    page.get_by_role("link", name="Next review").click()
    seen(page)
    page.get_by_role("button", name="Reject").click()
    page.keyboard.type("not now")
    page.keyboard.press("Enter")
    expect(page.get_by_text(f"Rejected: {other}")).to_be_visible()


def test_a_queue_without_a_socket_tells_when_more_waits(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page = reviewer_page
    page.route_web_socket("**/ws/**", lambda route: route.close(code=1013))
    made(api, "e2e-before-news")
    page.clock.install()
    with page.expect_response("**/reviews/waiting/"):
        page.goto("/reviews/")
    made(api, "e2e-news")
    with page.expect_response("**/reviews/waiting/"):
        page.clock.run_for(21_000)
    expect(page.get_by_text("More reviews are waiting.")).to_be_visible()


def test_a_key_asks_before_it_decides_what_another_has_claimed(
    open_page: OpenPage, api: httpx.Client
) -> None:
    flow = start_one(api)
    mine, theirs = open_page("reviewer"), open_page("designer")
    mine.goto(f"/executions/{flow}/")
    theirs.goto(f"/executions/{flow}/")
    theirs.get_by_role("button", name="Claim").click()
    expect(theirs.get_by_text("You claimed this review.")).to_be_visible()
    seen(mine)
    mine.keyboard.press("a")
    expect(mine.get_by_text("has claimed this. Approve anyway?")).to_be_visible()
    expect(mine.get_by_role("button", name="Approve anyway")).to_be_focused()
    seen(mine)
    mine.keyboard.press("a")
    expect(mine.get_by_text("Approved.")).to_be_visible()
    expect(theirs.get_by_text("approved this.")).to_be_visible()
    expect(theirs.get_by_text("You claimed this review.")).to_have_count(0)


def test_a_key_that_comes_too_early_says_that_nothing_was_decided(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, flow = reviewer_page, start_one(api)
    page.goto(f"/executions/{flow}/")
    page.evaluate("window.dispatchEvent(new PageTransitionEvent('pageshow'))")
    page.evaluate("document.dispatchEvent(new KeyboardEvent('keydown', { key: 'a' }))")
    expect(page.get_by_text("nothing was decided. Press a again.")).to_be_visible()
    page.wait_for_timeout(1000)  # the page counts as shown from the event above on
    page.keyboard.press("a")
    expect(page.get_by_text("Approved.")).to_be_visible()


def test_a_claim_keeps_what_is_selected_its_reason_and_the_place(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, flow = reviewer_page, start_one(api)
    others = [start_again(api, flow) for _ in range(13)]
    page.goto(f"/executions/{others[-1]}/")
    expect(page.locator("[data-look]")).to_be_attached()
    page.goto(f"/reviews/?workflow={flow}")
    expect(page.locator("[data-live=open]")).to_be_attached()
    box = page.get_by_role("checkbox", name=f"Select {others[-1]}")
    box.check()
    page.get_by_label("Reason").fill("as agreed")
    for button in ("Claim", "Release"):
        page.evaluate("scrollTo(0, 300)")
        pressed = page.get_by_role("button", name=f"{button} {others[-3]}")
        pressed.scroll_into_view_if_needed()
        before = page.evaluate("scrollY")
        pressed.click()
        after = {"Claim": "Release", "Release": "Claim"}[button]
        expect(page.get_by_role("button", name=f"{after} {others[-3]}")).to_be_visible()
        expect(box).to_be_checked()
        expect(page.get_by_text("1 selected")).to_be_visible()
        expect(page.get_by_label("Reason")).to_have_value("as agreed")
        page.wait_for_timeout(300)  # what a browser scrolls to after the page has loaded
        assert page.evaluate("scrollY") == before


def test_a_selected_review_that_another_decides_is_named(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, flow = reviewer_page, start_one(api)
    other = start_again(api, flow)
    for each in (flow, other):
        page.goto(f"/executions/{each}/")
        expect(page.locator("[data-look]")).to_be_attached()
    page.goto(f"/reviews/?workflow={flow}")
    expect(page.locator("[data-live=open]")).to_be_attached()
    page.get_by_role("checkbox", name=f"Select {flow}", exact=True).check()
    page.get_by_role("checkbox", name=f"Select {other}").check()
    ok(api.post(f"conversations/{flow}/approve", json={}))
    expect(page.get_by_text(f"approved {flow}. It is no longer selected.")).to_be_visible()
    expect(page.get_by_text("1 selected")).to_be_visible()
    ok(api.post(f"conversations/{other}/reject", json={"reason": "no"}))
    expect(page.get_by_text(f"rejected {other}. It is no longer selected.")).to_be_visible()


def test_a_key_that_asks_leaves_a_long_answer_in_its_place(
    open_page: OpenPage, api: httpx.Client
) -> None:
    flow = start_one(api, paused=False)
    complete(api, flow, "write", state_data={**STATE, "more": "A line.\n\n" * 60})
    page, other = open_page("reviewer"), open_page("designer")
    page.set_viewport_size({"width": 1280, "height": 600})
    other.goto(f"/executions/{flow}/")
    other.get_by_role("button", name="Claim").click()
    expect(other.get_by_text("You claimed this review.")).to_be_visible()
    page.goto(f"/executions/{flow}/")
    seen(page)
    page.keyboard.press("r")
    expect(page.get_by_label("Reason")).to_be_focused()
    page.keyboard.type("because of the date")
    page.wait_for_timeout(200)  # a page that scrolls does so in a moment
    assert page.evaluate("scrollY") == 0
    page.get_by_label("Reason").fill("")
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    expect(page.get_by_role("button", name="Approve anyway")).to_be_focused()
    page.wait_for_timeout(200)
    assert page.evaluate("scrollY") == 0
