"""The queue of reviews by keys, while others work on it."""

import httpx
from playwright.sync_api import Page, expect

from tests.e2e.keys import listed
from tests.e2e.scenes import ok, start_one
from tests.e2e.test_reviewing import start_again


def test_the_queue_is_worked_through_by_keys_while_others_decide(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, flow = reviewer_page, start_one(api)
    others = [start_again(api, flow) for _ in range(2)]
    page.goto(f"/reviews/?workflow={flow}")
    expect(page.locator("[data-live=open]")).to_be_attached()
    titles = page.locator(".waiting-title")
    page.keyboard.press("j")
    keys = listed(page)
    assert [keys["Next review"], keys["Previous review"]] == [["j"], ["k"]]
    assert [keys["Open review"], keys["Select review"]] == [["Enter"], ["x"]]
    expect(titles.first).to_be_focused()
    for name in others:
        page.keyboard.press("j")
        expect(titles.filter(has_text=name)).to_be_focused()
    page.keyboard.press("k")
    expect(titles.nth(1)).to_be_focused()
    page.keyboard.press("x")
    expect(page.get_by_text("Open it to approve it here", exact=True)).to_be_visible()
    # Others leave the focus where it is; from a line that goes the next one takes it.
    ok(api.post(f"conversations/{flow}/approve", json={}))
    expect(titles).to_have_count(2)
    expect(titles.filter(has_text=others[0])).to_be_focused()
    ok(api.post(f"conversations/{others[0]}/approve", json={}))
    expect(titles).to_have_count(1)
    expect(titles.filter(has_text=others[1])).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 of 1 in the queue")).to_be_visible()
    page.goto(f"/reviews/?workflow={flow}")
    expect(page.locator("[data-opened=opened]")).to_be_attached()
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.get_by_role("checkbox", name=f"Select {others[1]}")).to_be_checked()


def test_a_line_stays_under_the_pointer_that_moves(reviewer_page: Page, api: httpx.Client) -> None:
    page, flow = reviewer_page, start_one(api)
    other = start_again(api, flow)
    page.goto(f"/reviews/?workflow={flow}")
    expect(page.locator("[data-live=open]")).to_be_attached()
    claims = page.get_by_role("button", name="Claim")
    expect(claims).to_have_count(2)
    place = claims.first.bounding_box()
    assert place is not None
    x, y = place["x"] + 9, place["y"] + 9
    ok(api.post(f"conversations/{flow}/approve", json={}))
    for step in range(12):
        page.mouse.move(x + step % 3, y)
        page.wait_for_timeout(100)
    expect(claims).to_have_count(2)
    expect(claims).to_have_count(1)  # once it rests
    page.mouse.down()
    page.mouse.up()  # meant for the line that stood there
    expect(page.get_by_text("Claimed by you")).to_have_count(0)
    page.mouse.move(x + 3, y + 1)
    page.mouse.down()
    page.mouse.up()
    expect(page.get_by_text("Claimed by you")).to_have_count(1)
    expect(page.locator(".waiting-title")).to_contain_text(other)


def test_selected_reviews_are_approved_by_keys(reviewer_page: Page, api: httpx.Client) -> None:
    page, flow = reviewer_page, start_one(api)
    start_again(api, flow)
    page.goto(f"/executions/{flow}/")
    expect(page.locator("[data-look]")).to_be_attached()
    page.goto(f"/reviews/?workflow={flow}")
    name = "Go to Approve selected"
    assert name not in listed(page)
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.get_by_text("1 selected")).to_be_visible()
    assert listed(page)[name] == ["a"]
    page.keyboard.press("a")
    expect(page.get_by_label("Reason")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".waiting-title").first).to_be_focused()
    page.keyboard.press("a")
    page.keyboard.type("as agreed")
    page.keyboard.press("Enter")
    expect(page.locator("#messages > .note")).to_be_focused()
