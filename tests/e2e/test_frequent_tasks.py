"""Frequent tasks take as few clicks and keys as docs/explanation/frequent-tasks.md tells."""

import re
from uuid import uuid4

import httpx
from playwright.sync_api import Page, expect

from tests.e2e.editor.scenes import EDGES, NODES, card, opened, saved
from tests.e2e.hand import Hand
from tests.e2e.scenes import Started, complete, ok, seen
from tests.servers import wait_until


def test_a_reviewer_approves_edits_and_compares(
    reviewer_page: Page, api: httpx.Client, start: Started
) -> None:
    page, hand, name = reviewer_page, Hand(reviewer_page), start()
    page.goto(f"/reviews/?workflow={name}")
    hand.click(page.get_by_role("link", name=f"Review {name}", exact=True))
    expect(page.get_by_role("button", name="Approve")).to_be_visible()
    seen(page)
    hand.press("a")
    expect(page.get_by_text("Approved: ")).to_be_visible()
    hand.has_done("Approve")

    name = start()
    page.goto(f"/executions/{name}/")
    hand.click(page.get_by_role("link", name="Edit draft", exact=True))
    hand.type("Dear Mia, it left on Friday.", page.get_by_label("draft", exact=True))
    hand.click(page.get_by_role("button", name="Review changes"))
    hand.click(page.get_by_role("button", name="Approve with these changes"))
    expect(page.get_by_text("Approved", exact=False).first).to_be_visible()
    hand.has_done("Edit one key and approve")
    assert ok(api.get(f"conversations/{name}/snapshot"))["state_data"]["draft"].endswith("Friday.")

    complete(api, name, "review", state_data={"sent": True})
    page.goto(f"/executions/{name}/timeline/")
    hand.click(page.get_by_role("link", name="what changed").first)
    expect(page.get_by_role("heading", name=re.compile("^Changes from version"))).to_be_visible()
    expect(page.locator(".change-key", has_text="sent")).to_be_visible()
    hand.has_done("Compare versions")


def test_a_reader_hides_undoes_rolls_back_and_finds(reviewer_page: Page, api: httpx.Client) -> None:
    page, hand, name = reviewer_page, Hand(reviewer_page), f"often-{uuid4().hex[:6]}"
    word = f"capybara{uuid4().hex[:6]}"
    said = [{"role": "user", "content": f"Number {n}, please."} for n in range(6)]
    said.append({"role": "assistant", "content": f"The {word} is at the gate."})
    ok(api.post("conversations", json={"id": name, "title": "Often", "messages": said}))
    page.goto(f"/conversations/{name}/")
    page.locator("#m3").hover()
    hand.click(page.get_by_role("link", name="Hide #3"))
    expect(page.get_by_text("1 message will be hidden: #3")).to_be_visible()
    expect(page.get_by_label("Reason")).to_be_focused()
    hand.press("Enter")
    expect(page.get_by_text("Hid #3.")).to_be_visible()
    hand.has_done("Hide a message")
    hand.press("Control+z")
    expect(page.get_by_text("The messages are as before.")).to_be_visible()
    expect(page.locator("#m3")).to_be_visible()
    hand.has_done("Undo it")

    page.locator("#m4").focus()
    page.keyboard.press("d")  # the same by keys alone
    expect(page.get_by_label("Reason")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Hid #4.")).to_be_visible()
    hand.click(page.locator("#batches").get_by_role("link", name="Roll back").last)
    hand.click(page.get_by_role("dialog").get_by_role("button", name="Roll back"))
    expect(page.locator("article.message")).to_have_count(7)
    hand.has_done("Roll back to a batch")
    page.locator("#m5").hover()
    hand.click(page.get_by_role("link", name="Who changed this #5"))
    expect(page.locator("#changes")).to_be_visible()
    hand.has_done("Who changed this message")

    wait_until(lambda: bool(ok(api.get("search", params={"q": word}))["results"]), 60)
    page.goto("/")
    hand.press("Control+k")
    hand.type(word, page.get_by_role("combobox"))
    option = page.get_by_role("option").filter(has_text="is at the gate")
    expect(option).to_have_attribute("aria-selected", "true")
    hand.press("Enter")
    page.wait_for_url(f"**/conversations/{name}/?*")
    hand.has_done("Find a conversation by its content")


def test_a_designer_filters_connects_and_publishes(designer_page: Page, api: httpx.Client) -> None:
    slug = f"often-{uuid4().hex[:6]}"
    ok(api.post("workflows", json={"slug": slug, "name": "Often"}))
    document = {"name": "Often", "nodes": NODES, "edges": EDGES}
    ok(api.put(f"workflows/{slug}/draft", json={"document": document, "expected_version": 0}))
    page, hand = opened(designer_page, slug), Hand(designer_page)
    hand.click(card(page, "answer"))
    policies = page.get_by_role("region", name="Messages that it sees")
    hand.click(policies.get_by_role("button", name="Last N"))
    expect(policies.get_by_label("Number of messages")).to_have_value("6")
    hand.has_done("Let a model see the last 6 messages")

    hand.click(page.get_by_role("button", name="Tool", exact=True))
    expect(card(page, "tool")).to_be_in_viewport()
    edge = page.locator('.react-flow__edge[data-id="answer-tool"]')
    expect(edge).to_have_count(1)
    hand.has_done("Add the next node, connected")

    hand.click(edge)
    hand.click(policies.get_by_role("button", name="Last N"))
    saved(page)
    found = ok(api.get(f"workflows/{slug}/draft"))["document"]
    assert found["edges"][1]["context_filter"]["messages"][0]["truncate"]["keep_last"] == 6
    hand.has_done("Add a filter to an edge")

    hand.click(page.get_by_role("link", name="Publish"))
    hand.click(page.get_by_role("dialog").get_by_role("button", name="Publish"))
    expect(page.get_by_text("Published as version 1")).to_be_visible()
    hand.has_done("Publish")

    page = opened(designer_page, slug)
    card(page, "answer").click()
    page.get_by_role("button", name="Tool", exact=True).click()
    saved(page)
    hand.click(page.get_by_role("link", name="Publish", exact=True))
    with page.expect_popup() as compared:  # the canvas stays open
        hand.click(page.get_by_role("link", name="Compare", exact=True))
    heading = compared.value.get_by_role("heading", name="From version 1 to the draft")
    expect(heading).to_be_visible()
    hand.has_done("Compare a draft with the published version")
