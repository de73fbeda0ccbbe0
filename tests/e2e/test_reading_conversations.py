"""Reading a long conversation in a browser: joined calls, hidden messages in place, finding."""

import re
from typing import Any
from uuid import uuid4

import httpx
from playwright.sync_api import Page, expect

from tests.browser import assert_accessible, assert_accessible_in_every_look
from tests.e2e.scenes import ok
from tests.e2e.tabs import EMPTY


def made(api: httpx.Client, name: str, count: int) -> str:
    name = f"{name}-{uuid4().hex[:6]}"  # a second look makes another one
    call = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": f"number {n}" + (" has a needle" if n % 400 == 399 else "")}
        for n in range(count)
    ]
    messages[1] = {"role": "assistant", "content": None, "tool_calls": [call]}
    messages[2] = {"role": "tool", "tool_call_id": "c1", "content": '{"seats": [1, 2]}'}
    messages[3] = {"role": "assistant", "content": "See\n```py\nprint(1)\n```"}
    body = {"id": name, "messages": messages, "metadata": {"token_budget": 20_000}}
    assert api.post("conversations", json=body).status_code == 201
    return name


def test_hits_far_away_are_walked_through_by_keys(page: Page, api: httpx.Client) -> None:
    page.goto(f"/conversations/{made(api, 'e2e-find', 2000)}/")
    page.keyboard.press("/")
    page.keyboard.type("NEEDLE")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Result 1 of 5")).to_be_visible()
    expect(page.locator("#m399")).to_be_in_viewport()
    page.locator("#hits").focus()
    page.keyboard.press("n")
    expect(page.get_by_text("Result 2 of 5")).to_be_visible()
    expect(page.locator("#m799")).to_be_in_viewport()
    page.keyboard.press("n")
    expect(page.locator("#m1199")).to_be_in_viewport()
    page.keyboard.press("N")
    expect(page.locator("#m799")).to_be_in_viewport()
    expect(page).to_have_url(re.compile(r"\?q=NEEDLE#m799$"))
    assert page.evaluate("CSS.highlights.get('found').size") >= 1
    assert page.locator("article.message").count() < 1000
    page.get_by_role("button", name="Close results").click()
    expect(page.get_by_text("Result 2 of 5")).to_be_hidden()
    assert page.evaluate("CSS.highlights.get('found').size") == 0


def test_a_phrase_is_marked_across_lines_and_emphasis(page: Page, api: httpx.Client) -> None:
    said = "a second\ncharger, second  **charger** and\n\nSécond *char*ger; charger. Second"
    messages = [{"role": "user", "content": said}, {"role": "user", "content": "charger"}]
    body = {"id": "e2e-marks", "messages": messages}
    assert api.post("conversations", json=body).status_code == 201
    page.goto("/conversations/e2e-marks/?q=second+charger&whole=1")
    expect(page.get_by_text("Result 1 of 1")).to_be_visible()
    marked = page.evaluate(
        """[...CSS.highlights.get("found")].map((marked) => {
          const range = document.createRange();
          range.setStart(marked.startContainer, marked.startOffset);
          range.setEnd(marked.endContainer, marked.endOffset);
          return range.toString().replace(/\\s+/g, " ");
        })"""
    )
    assert marked == ["second charger", "second charger", "Sécond charger"]


def test_messages_that_are_fetched_while_scrolling_are_as_wide_as_the_first(
    page: Page, api: httpx.Client
) -> None:
    page.goto(f"/conversations/{made(api, 'e2e-wide', 160)}/")
    page.locator("#s100").scroll_into_view_if_needed()
    expect(page.locator("#m120")).to_be_attached()
    widths = page.evaluate("[...document.querySelectorAll('#m5, #m120')].map(e => e.offsetWidth)")
    assert widths[0] == widths[1]


def test_the_outline_follows_who_scrolls_and_a_search_leads_to_its_first_hit(
    page: Page, api: httpx.Client
) -> None:
    name = f"e2e-follow-{uuid4().hex[:6]}"
    said = [{"role": "user", "content": f"turn **{n}** here " * 20} for n in range(120)]
    api.post("conversations", json={"id": name, "messages": said}).raise_for_status()
    page.goto(f"/conversations/{name}/?at=110#m110")
    turn = page.locator(".outline [aria-current]")
    expect(turn).to_have_attribute("href", re.compile("#m1[01][0-9]$"))
    expect(turn).to_be_in_viewport()
    page.get_by_placeholder("Find in the messages").fill("turn 7 here")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Result 1 of 1")).to_be_visible()
    expect(page.locator("#m7")).to_be_in_viewport()
    expect(turn).to_have_attribute("href", re.compile("#m[5-8]$"))


def test_a_link_with_words_shows_the_hits_again(page: Page, api: httpx.Client) -> None:
    page.goto(f"/conversations/{made(api, 'e2e-find-link', 900)}/?q=needle")
    expect(page.locator("#m399")).to_be_in_viewport()
    expect(page.get_by_text("Result 1 of 2")).to_be_visible()


def test_a_link_with_words_leads_to_the_words_in_a_long_message(
    page: Page, api: httpx.Client
) -> None:
    long = (
        "A fee.\n\n"
        + "Nothing of it.\n\n" * 60
        + "The fee is **waived**.\n\n"
        + "The end.\n\n" * 60
    )
    messages = [{"role": "user", "content": "Go"}, {"role": "assistant", "content": long}]
    name = ok(api.post("conversations", json={"messages": messages}))["id"]
    for address in ("?at=1&q=waived#m1", "?q=waived", '?q="waived" "nothing of"#m1'):
        page.goto(EMPTY)
        page.goto(f"/conversations/{name}/{address}")
        expect(page.locator("#m1").get_by_text("waived", exact=True)).to_be_in_viewport()
    # Where the words are not in the way one goes on as usual.
    page.mouse.wheel(0, 5000)
    expect(page.locator("#m1").get_by_text("waived", exact=True)).not_to_be_in_viewport()


def test_hidden_messages_are_fetched_into_their_place(viewer_page: Page, api: httpx.Client) -> None:
    page, name = viewer_page, made(api, "e2e-gap", 30)
    cut = {"operation": "truncate", "truncate": {"keep_first": 4, "keep_last": 4}, "reason": "why"}
    assert api.post(f"conversations/{name}/operations", json=cut).status_code == 200
    page.goto(f"/conversations/{name}/")
    expect(page.locator("article.message")).to_have_count(8)
    expect(page.locator("#m1 #m2")).to_be_hidden()
    page.locator("#m1").get_by_text("→ 1 field").click()
    expect(page.locator("#m1 #m2")).to_be_visible()
    page.get_by_role("link", name="22 hidden messages: #4–#25").click()
    expect(page.locator("article.message-hidden")).to_have_count(22)
    expect(page.locator("#m4").get_by_text("hidden by batch 1: ")).to_be_visible()
    assert_accessible_in_every_look(page)
    page.goto(f"/conversations/{name}/?hidden=1&q=number")
    expect(page.get_by_text("Result 1 of")).to_be_visible()
    page.evaluate("document.querySelector('.message-gap, .message-hidden').scrollIntoView()")
    expect(page.locator("article.message-hidden")).to_have_count(22)
    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate("window.scrollTo(0, 0)")  # where the panel of hits stands over nothing
        expect(page.locator("#m0")).to_be_in_viewport()
        assert_accessible(page)
    page.set_viewport_size({"width": 1280, "height": 900})


def test_messages_are_read_by_keys(reviewer_page: Page, api: httpx.Client) -> None:
    page = reviewer_page
    page.goto(f"/conversations/{made(api, 'e2e-read-keys', 120)}/")
    page.keyboard.press("j")
    expect(page.locator("#m0")).to_be_focused()
    page.keyboard.press("j")
    expect(page.locator("#m1")).to_be_focused()
    expect(page.locator("#m2")).to_be_hidden()
    page.keyboard.press("Space")
    expect(page.locator("#m2")).to_be_visible()
    page.keyboard.press("Space")
    expect(page.locator("#m2")).to_be_hidden()
    page.keyboard.press("u")
    expect(page.locator("#m4")).to_be_focused()
    page.keyboard.press("x")
    expect(page.get_by_label("Select message #4", exact=True)).to_be_checked()
    page.keyboard.press("k")
    expect(page.locator("#m3")).to_be_focused()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog").get_by_text("Next user turn")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("G")
    expect(page.locator("#m119")).to_be_in_viewport()


def test_messages_are_one_stop_for_tab_and_changed_and_rolled_back_by_keys(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, name = reviewer_page, made(api, "e2e-keys-only", 60)
    page.goto(f"/conversations/{name}/")
    expect(page.locator('.message[tabindex="0"]')).to_have_count(1)
    page.keyboard.press("j")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#m1")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Hide #1")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("link", name="Pin #1")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#m1")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+ArrowDown")
    expect(page.get_by_text("2 selected")).to_be_visible()
    expect(page.locator("#m4")).to_be_focused()
    page.keyboard.press("f")
    expect(page.get_by_text("Everything from #3 on stays.")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Kept from #3 on. Batch 1")).to_be_visible()
    page.keyboard.press("b")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("Roll back to batch 0")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Rolled back to batch 0 “Start”.")).to_be_visible()
    expect(page.locator("#live-link")).to_have_attribute("data-live", "open")  # scripts are there
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Go to or search")).to_be_focused()
    page.keyboard.type("restore")
    expect(page.get_by_role("option", name="Restore batch 1: Kept from #3 on")).to_be_visible()
    page.keyboard.press("Enter")
    expect(dialog.get_by_text("Restore batch 1")).to_be_visible()


def test_the_tools_stay_in_sight_and_cover_no_message_in_focus(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, name = reviewer_page, made(api, "e2e-in-sight", 120)
    apart = """() => {
      const of = (part) => document.querySelector(part).getBoundingClientRect();
      return of("#m60").top >= of(".reading-tools").bottom && of(".reading-tools").bottom < 60;
    }"""
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
        page.goto(f"/conversations/{name}/?at=70#m70")
        page.locator("#m70").focus()
        for _ in range(10):
            page.keyboard.press("k")
        expect(page.locator("#m60")).to_be_focused()
        expect(page.get_by_role("link", name="Next error")).to_be_in_viewport()
        assert page.evaluate(apart)
    page.set_viewport_size({"width": 1280, "height": 900})
    page.locator(".reading-filter summary").click()
    page.get_by_label("Role", exact=True).select_option("tool")
    expect(page.get_by_text("1 of 120 messages")).to_be_visible()
    page.get_by_role("link", name="Clear this filter: Role: tool").click()
    expect(page.get_by_text("1 of 120 messages")).to_have_count(0)


def test_the_line_above_a_message_is_one_line_in_every_detail(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, name = reviewer_page, made(api, "e2e-one-line", 8)
    # Author, tokens, time and number; the role and the actions that come over the line.
    apart = """() => {
      const of = (part) => document.querySelector(`#m4 ${part}`).getBoundingClientRect();
      const beside = of(".message-actions").left > of(".message-role").right;
      return [of(".message-head").height < 30, beside];
    }"""
    for detail in ("tools", "everything"):
        page.goto(f"/conversations/{name}/?detail={detail}")
        page.get_by_label("Select message #4", exact=True).check()
        page.locator("#m4").hover()
        expect(page.get_by_role("link", name="Hide #4")).to_be_visible()
        assert page.evaluate(apart) == [True, True]
        cover = "#m4 .message-aside" if detail == "tools" else "#m4 .message-actions"
        assert page.locator(cover).evaluate("e => getComputedStyle(e).backgroundColor") not in (
            "transparent",
            "rgba(0, 0, 0, 0)",
        )
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator("#m5").scroll_into_view_if_needed()
    expect(page.locator("#m5-number")).to_be_in_viewport()
    page.set_viewport_size({"width": 1280, "height": 900})


def test_a_message_has_actions_while_someone_is_at_it(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, name = reviewer_page, made(api, "e2e-at-it", 8)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"/conversations/{name}/")
    actions = page.locator(".message-actions")
    expect(actions).to_have_count(0)
    page.get_by_role("link", name="Actions for message #4").click()
    expect(page.get_by_role("link", name="Hide #4")).to_be_focused()
    hide = page.get_by_role("link", name="Hide #4").get_attribute("href")
    page.get_by_role("link", name="Plain text #4").click()
    expect(page.locator("#text-4")).to_have_attribute("data-form", "plain")
    expect(page.get_by_role("link", name="Formatted #4")).to_be_focused()
    expect(page.get_by_role("link", name="Plain text #4")).to_be_hidden()
    page.keyboard.press("j")
    expect(page.get_by_role("link", name="Hide #5")).to_be_visible()
    expect(actions).to_have_count(1)
    page.goto(hide or "")  # in a tab of its own it leads to the full form
    expect(page.get_by_role("button", name="Preview", exact=True)).to_be_visible()
    expect(page.get_by_text("The form is incomplete")).to_have_count(0)
    page.set_viewport_size({"width": 1280, "height": 900})


def test_on_a_phone_the_message_that_a_page_opens_at_keeps_its_box_free(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, name = reviewer_page, made(api, "e2e-phone-box", 8)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"/conversations/{name}/?near=4#m4")
    expect(page.locator("#m4")).to_be_focused()
    page.get_by_label("Select message #4", exact=True).click()
    expect(page.get_by_text("1 selected")).to_be_visible()
    expect(page.locator("#sheet")).to_have_count(0)
    page.set_viewport_size({"width": 1280, "height": 900})


def test_p_pins_the_message_at_the_top_of_the_window_without_a_focus(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, name = reviewer_page, made(api, "e2e-pin-top", 8)
    page.goto(f"/conversations/{name}/")
    page.keyboard.press("p")
    page.get_by_role("dialog").get_by_role("button", name="Pin").click()
    expect(page.locator("#m0").get_by_text("pinned")).to_be_visible()
    page.locator("#m0").hover()
    expect(page.get_by_role("link", name="Unpin #0")).to_be_visible()
    uncovered = """(badge) => {
      const { left, right, top, bottom } = badge.getBoundingClientRect();
      const places = [left + 4, (left + right) / 2, right - 4];
      return places.every((x) => badge.contains(document.elementFromPoint(x, (top + bottom) / 2)));
    }"""
    for detail in ("With tools", "Everything"):
        page.get_by_role("link", name=detail, exact=True).click()
        page.locator("#m0").hover()
        expect(page.get_by_role("link", name="Unpin #0")).to_be_visible()
        assert page.locator("#m0 .message-head > .badge").evaluate(uncovered)
    page.get_by_role("link", name="With tools", exact=True).click()


def test_the_detail_is_chosen_in_place_and_kept_when_messages_come(
    page: Page, api: httpx.Client
) -> None:
    name = made(api, "e2e-detail", 8)
    page.goto(f"/conversations/{name}/")
    expect(page.locator("#live-link")).to_have_attribute("data-live", "open")
    page.get_by_role("link", name="Talk", exact=True).click()
    expect(page.locator("#m1")).to_be_hidden()
    said = {"messages": [{"role": "user", "content": "one more"}]}
    assert api.post(f"conversations/{name}/messages", json=said).status_code == 201
    expect(page.locator("#m8")).to_be_visible()
    expect(page.locator("#m1")).to_be_hidden()
    page.get_by_role("link", name="Everything", exact=True).click()
    expect(page.locator("#m1 #m2")).to_be_visible()
    page.reload()
    expect(page.locator("#m1 #m2")).to_be_visible()


def test_a_call_that_was_opened_stays_open_when_messages_come(
    page: Page, api: httpx.Client
) -> None:
    name = made(api, "e2e-stays-open", 8)
    page.goto(f"/conversations/{name}/")
    expect(page.locator("#live-link")).to_have_attribute("data-live", "open")
    page.locator("#m1 .tool-call-head").click()
    said = {"messages": [{"role": "user", "content": "one more"}]}
    assert api.post(f"conversations/{name}/messages", json=said).status_code == 201
    expect(page.locator("#m8")).to_be_visible()
    expect(page.locator("#m2")).to_be_visible()
