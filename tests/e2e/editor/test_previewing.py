"""The preview beside the form follows what is typed, and shows nothing else."""

from collections.abc import Callable

import httpx
from playwright.sync_api import Page, expect
from pydantic import JsonValue

from tests.browser import assert_accessible
from tests.e2e.editor.scenes import EDGES, NODES, Make, card, choose_source, form, look_at, opened


def test_the_preview_follows_what_is_typed(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    chat = "editor-chat"
    if api.get(f"conversations/{chat}").status_code == 404:
        messages = [{"role": "user", "content": f"message {place}"} for place in range(8)]
        api.post("conversations", json={"id": chat, "messages": messages}).raise_for_status()
    narrow: JsonValue = {
        "id": "answer",
        "type": "llm",
        "position": {"x": 400, "y": 0},
        "context_filter": {"messages": [{"operation": "truncate", "truncate": {"keep_last": 3}}]},
    }
    page = opened(designer_page, made([NODES[0], narrow], EDGES))
    card(page, "answer").click()
    preview = look_at(page, chat)
    expect(preview).to_contain_text("5 dropped")
    expect(card(page, "answer").locator(".flow-card-foot")).to_contain_text("tokens")
    form(page).locator("[name$=keep_last]:visible").fill("6")
    expect(preview).to_contain_text("2 dropped")
    assert_accessible(page)
    choose_source(preview).get_by_label("Preview the full path").check()
    expect(preview.locator(".seen-step")).to_have_count(2)
    first = preview.locator(".seen-step").first
    first.locator("summary").press("Enter")
    expect(first).to_have_attribute("open", "")
    form(page).locator("[name$=keep_last]:visible").fill("7")
    expect(preview.locator(".seen-step").last).to_contain_text("7 messages")
    expect(first).to_have_attribute("open", "")
    choose_source(preview).get_by_role("button", name="Pasted context").click()
    preview.get_by_label("Context as JSON").fill('{"variables": ')
    expect(preview.get_by_role("alert")).to_have_text(
        "Context as JSON: Line 1, column 15: the text ends too early"
    )
    preview.get_by_label("Context as JSON").fill('{"history": [{"prompt": "x"}]}')
    expect(preview.get_by_role("alert")).to_have_text(
        "context › history › 0 › node_id: this field is required"
    )
    preview.get_by_label("Context as JSON").fill('{"variables": {"secret": 1, "prompt": "x"}}')
    expect(preview).to_contain_text("secret")


def test_the_form_of_an_edge_has_the_preview_of_the_node_behind_it_along_that_edge_alone(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    messages = [{"role": "user", "content": f"message {number}"} for number in range(8)]
    api.post("conversations", json={"id": "edge-chat", "messages": messages})
    edge = {"id": "go", "type": "sequence", "from": "ask", "to": "answer"}
    operations: JsonValue = [{"operation": "truncate", "truncate": {"keep_last": 3}}]
    narrow: JsonValue = {
        **edge,
        "context_filter": {"type": "pass_all", "messages": operations},
    }
    wide: JsonValue = {**edge, "id": "all"}
    page = opened(designer_page, made(NODES, [narrow, wide]))
    page.get_by_role("button", name="Outline").click()
    page.get_by_role("button", name="Edit").and_(page.locator("tr:has-text('go') button")).click()
    preview = page.get_by_role("region", name="Preview")
    page.get_by_role("navigation", name="Parts of the panel").get_by_text("Preview").click()
    expect(preview).to_contain_text("Context preview: Answer through this edge")
    preview.locator(".editor-source-shown:not([open]) > summary").click()
    preview.get_by_label("Conversation", exact=True).fill("edge-chat")
    expect(preview).to_contain_text("5 dropped")
    expect(preview.get_by_text("Incoming edge")).to_have_count(0)
    page.get_by_role("navigation", name="Parts of the panel").get_by_text("Settings").click()
    form(page).locator("[name$=keep_last]:visible").fill("6")
    expect(preview).to_contain_text("2 dropped")


def test_a_press_lets_the_model_see_the_last_messages_and_undo_takes_it_back(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    messages = [{"role": "user", "content": f"message {number}"} for number in range(9)]
    api.post("conversations", json={"id": "last-six", "messages": messages})
    page = opened(designer_page, made())
    card(page, "answer").click()
    preview = look_at(page, "last-six")
    expect(preview.locator("tr.seen-kept", has_text="message")).to_have_count(9)
    # Closed, it leaves the room to the form, and its result stays.
    preview.get_by_role("button", name="Context preview").click()
    expect(preview.locator(".editor-seen")).to_be_hidden()
    policies = page.get_by_role("region", name="Messages that it sees")
    policies.get_by_role("button", name="Last N").click()
    expect(policies.get_by_label("Number of messages")).to_be_focused()
    expect(preview.get_by_role("status")).to_contain_text("6 of 9 messages")
    expect(form(page).locator("[name$=keep_last]:visible")).to_have_value("6")
    number = policies.get_by_label("Number of messages")
    number.fill("")
    page.keyboard.type("99999999", delay=30)
    expect(policies.get_by_role("alert")).to_contain_text("1 to 1,000,000. Still 6 in the draft.")
    expect(preview.get_by_role("status")).to_contain_text("6 of 9 messages")
    number.fill("2")
    expect(preview.get_by_role("status")).to_contain_text("2 of 9 messages")
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Undo").click()
    expect(policies.get_by_role("button", name="All")).to_have_attribute("aria-pressed", "true")
    expect(preview.locator("tr.seen-kept", has_text="message")).to_have_count(9)
    edge = page.get_by_role("separator", name="Width of the panel")
    before = edge.get_attribute("aria-valuenow")
    edge.press("ArrowLeft")
    expect(edge).not_to_have_attribute("aria-valuenow", str(before))
    page.reload()
    card(page, "answer").click()
    button = preview.get_by_role("button", name="Context preview")
    expect(button).to_have_attribute("aria-expanded", "false")
    button.click()
    expect(preview.locator(".editor-seen")).to_be_visible()
    height = page.get_by_role("separator", name="Height of the preview")
    tall = height.get_attribute("aria-valuenow")
    height.press("ArrowDown")
    expect(height).not_to_have_attribute("aria-valuenow", str(tall))
    assert_accessible(page)


def test_the_preview_never_shows_what_something_else_would_see(
    designer_page: Page, made: Make, api: httpx.Client, tolerate: Callable[[str], None]
) -> None:
    api.post("conversations", json={"id": "never-stale", "metadata": {"known": "by-its-value"}})
    page = opened(designer_page, made())
    card(page, "answer").click()
    preview = look_at(page, "never-stale")
    seen = preview.locator(".editor-seen")
    expect(seen).to_contain_text("by-its-value")
    chosen = preview.get_by_label("Conversation", exact=True)
    page.get_by_role("navigation", name="Parts of the panel").get_by_text("Preview").click()
    choose_source(preview)
    chosen.fill("")
    expect(seen).to_be_visible()
    chosen.press("Tab")
    expect(seen).to_be_hidden()
    chosen.fill("never-stale")
    expect(seen).to_be_visible()
    tolerate("ERR_FAILED")
    page.route("**/editor/preview/", lambda route: route.abort())
    card(page, "ask").click()
    expect(preview).to_contain_text("The server does not respond.")
    expect(seen).to_be_hidden()
    # It is asked again by itself.
    page.unroute("**/editor/preview/")
    expect(seen).to_contain_text("by-its-value")


def test_a_conversation_is_called_by_its_title_and_half_an_id_is_no_error(
    designer_page: Page, made: Make, api: httpx.Client, tolerate: Callable[[str], None]
) -> None:
    chat: JsonValue = {"id": "half-typed", "title": "A lamp", "messages": []}
    api.post("conversations", json=chat)
    page = opened(designer_page, made())
    card(page, "answer").click()
    preview = look_at(page, "half-typed")
    line = preview.locator(".editor-source-shown > summary")
    expect(line).to_have_text("A lamp, latest version Change")
    expect(line).to_have_attribute("title", "A lamp (half-typed)")
    chosen = choose_source(preview).get_by_label("Conversation", exact=True)
    asked: list[str] = []
    page.on("request", lambda each: asked.append(each.url))
    chosen.fill("half")
    page.wait_for_timeout(700)
    assert not [url for url in asked if url.endswith(("/preview/", "/names/"))]
    tolerate("status of 404")
    chosen.press("Enter")
    expect(preview.get_by_role("alert")).to_contain_text("There is no conversation 'half'.")
    expect(line).to_be_focused()
    expect(chosen).to_be_hidden()


def test_the_preview_follows_the_edge_that_leads_to_the_node(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    messages = [{"role": "user", "content": f"message {number}"} for number in range(3)]
    api.post("conversations", json={"id": "along-an-edge", "messages": messages})
    keep: JsonValue = [{"operation": "truncate", "truncate": {"keep_last": 1}}]
    narrow: JsonValue = {"type": "pass_all", "messages": keep}
    edges: list[JsonValue] = [
        {"id": "go", "type": "sequence", "from": "ask", "to": "answer", "context_filter": narrow}
    ]
    page = opened(designer_page, made(NODES, edges))
    card(page, "answer").click()
    preview = look_at(page, "along-an-edge")
    along = choose_source(preview).get_by_role("checkbox", name="Ask → Answer")
    expect(along).to_be_checked()
    kept = preview.locator("tr.seen-kept", has_text="message")
    expect(kept).to_have_count(1)
    along.uncheck()
    expect(kept).to_have_count(3)


def test_the_tab_of_the_preview_opens_it_from_each_other_tab_also_where_it_was_closed(
    page: Page, made: Make
) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    opened(page, made())
    card(page, "answer").click()
    parts = page.get_by_role("navigation", name="Parts of the panel")
    shut = page.get_by_role("region", name="Preview").locator(".editor-shut")
    for number, other in enumerate(("Settings", "Input", "Output")):
        parts.get_by_text(other, exact=True).click()
        expect(form(page)).to_be_visible()
        if number == 2:
            shut.click()
            expect(shut).to_have_attribute("aria-expanded", "false")
        parts.get_by_text("Preview", exact=True).click()
        expect(form(page)).to_be_hidden()
        expect(shut).to_have_attribute("aria-expanded", "true")


def test_a_conversation_that_was_not_offered_is_called_by_its_title_once_it_is_typed(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    page = opened(designer_page, made())
    # Made later than the page, which cannot offer it.
    api.post("conversations", json={"id": "made-later", "title": "A late lamp", "messages": []})
    card(page, "answer").click()
    preview = look_at(page, "made-later")
    line = preview.locator(".editor-source-shown > summary")
    expect(line).to_have_text("A late lamp, latest version Change")
    expect(line).to_have_attribute("title", "A late lamp (made-later)")


def test_the_messages_stay_in_sight_while_one_chooses_whose_they_are(
    page: Page, made: Make, api: httpx.Client
) -> None:
    messages = [{"role": "user", "content": f"message {number}"} for number in range(3)]
    api.post("conversations", json={"id": "in-sight", "messages": messages})
    page.set_viewport_size({"width": 1280, "height": 800})
    opened(page, made())
    card(page, "answer").click()
    preview = look_at(page, "in-sight")
    choose_source(preview)
    fields = preview.locator(".editor-source-fields")
    expect(fields).to_be_in_viewport(ratio=1)
    expect(preview.locator(".editor-seen")).to_be_in_viewport()
    box, seen = fields.bounding_box(), preview.locator(".editor-preview-body").bounding_box()
    assert box is not None
    assert seen is not None
    assert box["y"] + box["height"] <= seen["y"]
    assert seen["height"] > 80
    preview.get_by_label("Conversation", exact=True).press("Escape")
    expect(fields).to_be_hidden()
    expect(preview.locator(".editor-source-shown > summary")).to_be_focused()
    choose_source(preview)
    form(page).locator("[name=node-name]").click()
    expect(fields).to_be_hidden()


def test_a_preview_behind_an_invalid_node_says_that_this_prevents_it_and_leads_there(
    designer_page: Page, made: Make, tolerate: Callable[[str], None]
) -> None:
    tolerate("status of 422")
    nodes: list[JsonValue] = [
        {"id": "shorten", "type": "context_processor", "name": "Shorten"},
        {"id": "answer", "type": "llm", "name": "Answer", "position": {"x": 400, "y": 0}},
    ]
    edges: list[JsonValue] = [{"id": "go", "type": "sequence", "from": "shorten", "to": "answer"}]
    page = opened(designer_page, made(nodes, edges))
    card(page, "answer").click()
    fault = page.get_by_role("region", name="Preview").get_by_role("alert")
    expect(fault).to_contain_text("No preview: an element before this node has an error. Shorten")
    fault.get_by_role("button").click()
    expect(page.locator("#panel-title")).to_have_text("Shorten")
    expect(fault).to_contain_text("Shorten")
    expect(fault).not_to_contain_text("before this node")
