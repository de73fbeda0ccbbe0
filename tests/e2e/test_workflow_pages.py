"""The workflow pages in a browser: a designer builds, previews and publishes by forms."""

import re
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect
from pydantic import JsonValue

from demo.workflows import WORKFLOWS
from tests.e2e.conftest import OpenPage
from tests.live_server import LiveServer


@pytest.fixture
def drawn(api: httpx.Client) -> str:
    """A workflow of the demo's document, with a problem in it, under a name of its own."""
    slug = "e2e-drawn"
    if api.get(f"workflows/{slug}").status_code == 404:
        api.post("workflows", json={"slug": slug, "name": "Drawn"}).raise_for_status()
        document = {**WORKFLOWS["support"], "name": "Drawn"}
        put = {"document": document, "expected_version": 0}
        api.put(f"workflows/{slug}/draft", json=put).raise_for_status()
        api.post(f"workflows/{slug}/publish", json={"expected_version": 1}).raise_for_status()
        lost = {"id": "lost", "type": "llm", "name": "Lost", "context_type": "unheard_of"}
        edges = [*listed("edges"), {**_EDGE, "to": "start", "from": "lost"}]
        nodes = [*listed("nodes"), lost]
        put = {"document": {**document, "nodes": nodes, "edges": edges}, "expected_version": 1}
        api.put(f"workflows/{slug}/draft", json=put).raise_for_status()
    return slug


def listed(name: str) -> list[JsonValue]:
    """The nodes or the edges of the demo's document."""
    elements = WORKFLOWS["support"][name]
    assert isinstance(elements, list)
    return elements


_EDGE = {"id": "wrong", "type": "conditional", "condition": "context.a ==="}


@pytest.fixture
def chat(api: httpx.Client) -> str:
    if api.get("conversations/e2e-chat").status_code == 404:
        messages = [{"role": "user", "content": f"message {place}"} for place in range(8)]
        body = {"id": "e2e-chat", "title": "A chat", "messages": messages}
        api.post("conversations", json=body).raise_for_status()
    return "e2e-chat"


def save(page: Page) -> None:
    page.get_by_role("button", name="Save", exact=True).click()


def test_a_designer_builds_previews_and_publishes_a_workflow(
    designer_page: Page, chat: str
) -> None:
    page, slug = designer_page, f"built-{uuid4().hex[:8]}"
    page.goto("/workflows/")
    page.get_by_role("link", name="New workflow").click()
    page.get_by_label("Name").fill("Built by hand")
    page.get_by_role("radio", name="Empty").check(force=True)
    page.get_by_text("Advanced").click()
    page.get_by_label("Slug").fill(slug)
    page.get_by_role("button", name="Create and draw").click()
    expect(page.get_by_role("link", name="Publish")).to_be_visible()

    page.goto(f"/workflows/{slug}/")
    page.get_by_role("link", name="Add the first node with a form").click()
    page.get_by_text("Advanced").click()
    page.locator("#id_node-id").fill("start")
    page.get_by_role("radio", name="Start").check(force=True)
    save(page)
    expect(page.get_by_text("Node “start” saved.")).to_be_visible()

    page.get_by_role("link", name="Node", exact=True).click()
    page.get_by_label("Name", exact=True).fill("Answer")
    page.get_by_role("radio", name="Model").check(force=True)
    page.get_by_role("button", name="Add a filter").first.click()
    page.get_by_role("button", name="Add an operation").first.click()
    operation = "#id_node-context_filters-0-messages-0"
    page.locator(f"{operation}-operation").select_option("truncate")
    page.locator(f"{operation}-truncate-keep_last").fill("2")
    save(page)
    expect(page.locator("#node-answer")).to_contain_text("last 2")

    page.get_by_role("link", name="Edge", exact=True).click()
    page.get_by_text("Advanced").click()
    page.locator("#id_edge-id").fill("go")
    page.locator("#id_edge-from").select_option("start")
    page.locator("#id_edge-to").select_option("answer")
    save(page)
    expect(page.get_by_role("row", name="go start → Answer")).to_be_visible()

    page.get_by_role("link", name=re.compile("^Answer,? Model")).click()
    page.get_by_role("link", name="Preview").click()
    page.get_by_label("Conversation").fill(chat)
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_text("6 dropped")).to_be_visible()
    expect(page.get_by_text("2 kept")).to_be_visible()

    page.goto(f"/workflows/{slug}/publish/")
    page.get_by_label("Note").fill("The first")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", name="Built by hand, version 1")).to_be_visible()


def test_fields_follow_the_type_of_the_node_and_system_messages_that_go_are_reported(
    designer_page: Page, drawn: str
) -> None:
    page = designer_page
    page.goto(f"/workflows/{drawn}/add-node/")
    operation = page.locator("#id_node-operation-operation")
    expect(operation).to_be_hidden()
    page.get_by_label("Context processor", exact=True).check(force=True)
    expect(operation).to_be_visible()
    operation.select_option("truncate")
    expect(page.locator("#id_node-operation-truncate-keep_last")).to_be_visible()
    expect(page.locator("#id_node-operation-pairing")).to_have_value("keep")
    system = page.locator("#id_node-operation-truncate-keep_system")
    warning = page.locator(".field-off", has_text="System messages are hidden").filter(visible=True)
    expect(system).to_be_checked()
    expect(warning).to_have_count(0)
    system.uncheck()
    expect(warning).to_have_count(1)


def test_fields_of_a_budget_follow_what_goes_first(designer_page: Page, drawn: str) -> None:
    page = designer_page
    page.goto(f"/workflows/{drawn}/add-node/")
    page.get_by_role("button", name="Add a filter").first.click()
    page.get_by_role("button", name="Add an operation").first.click()
    operation = "#id_node-context_filters-0-messages-0"
    page.locator(f"{operation}-operation").select_option(label="Keep a token budget")
    block = f"{operation}-budget"
    expect(page.locator(f"{block}-max_tokens")).to_be_visible()
    expect(page.locator(f"{block}-keep_turn_start")).to_be_checked()
    expect(page.locator(f"{block}-placeholder")).to_be_hidden()
    page.locator(f"{block}-drop").select_option(label="Contents of old results")
    expect(page.locator(f"{block}-placeholder")).to_be_visible()
    expect(page.locator(f"{block}-keep_turn_start")).to_be_hidden()


def test_two_designers_at_once_lose_nothing(open_page: OpenPage, api: httpx.Client) -> None:
    slug = f"two-{uuid4().hex[:6]}"
    api.post("workflows", json={"slug": slug, "name": "Two"})
    put = {"document": {**WORKFLOWS["research-note"]}, "expected_version": 0}
    api.put(f"workflows/{slug}/draft", json=put)
    mine, other = open_page("designer"), open_page("admin")
    mine.goto(f"/workflows/{slug}/nodes/write/")
    other.goto(f"/workflows/{slug}/nodes/outline/")
    other.locator("#id_node-name").fill("Their outline")
    save(other)
    mine.locator("#id_node-name").fill("My writing")
    save(mine)
    expect(mine.get_by_role("alert")).to_contain_text("Someone else changed the draft")
    expect(mine.get_by_role("alert")).to_contain_text("Their outline")
    expect(mine.locator("#id_node-name")).to_have_value("My writing")
    mine.get_by_role("button", name="Save over the latest draft").click()
    expect(mine.locator("#node-write")).to_contain_text("My writing")
    expect(mine.locator("#node-outline")).to_contain_text("Their outline")


def test_a_form_with_mistakes_is_accessible(designer_page: Page, drawn: str) -> None:
    page = designer_page
    page.goto(f"/workflows/{drawn}/edges/wrong/")
    save(page)
    expect(page.locator("#id_edge-condition_error")).to_contain_text("column")


@pytest.mark.parametrize(("width", "room"), [(1280, 600), (360, 240)])
def test_the_rules_of_a_filter_are_readable(
    open_page: OpenPage, drawn: str, width: int, room: int
) -> None:
    page = open_page("designer", width=width)
    page.goto(f"/workflows/{drawn}/nodes/draft/")
    condition = page.locator("[name=node-context_filters-0-rules-0-condition]")
    pattern = page.locator("[name=node-context_filters-0-rules-0-pattern]")
    rule = page.locator(".row-item .row-item").first
    moving = rule.get_by_role("button", name="Move down")
    boxes = [each.bounding_box() for each in (condition, pattern, moving, rule)]
    assert all(boxes)
    (wide, name, button, whole) = (box for box in boxes if box)
    assert wide["width"] > room
    assert name["width"] > 180
    assert button["y"] < name["y"], "the buttons stand beside the name of the rule"
    assert whole["x"] + whole["width"] <= width
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_graph_is_reached_by_keyboard(designer_page: Page, drawn: str) -> None:
    page = designer_page
    page.goto(f"/workflows/{drawn}/")
    expect(page.locator(".graph-frame-drawn")).to_be_visible()
    page.get_by_role("region", name="Workflow graph").focus()
    page.keyboard.press("Tab")
    focused = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert focused.startswith("A question arrives")
    page.keyboard.press("Enter")
    expect(page.locator("#id_node-id")).to_have_value("start")


def test_everything_works_without_scripts(
    browser: Browser, server: LiveServer, open_page: OpenPage, drawn: str
) -> None:
    state = open_page("designer").context.storage_state()
    with browser.new_context(
        base_url=server.url, storage_state=state, java_script_enabled=False
    ) as context:
        page = context.new_page()
        page.goto(f"/workflows/{drawn}/nodes/send/")
        page.get_by_role("button", name="Add a rule").first.click()
        rule = "#id_node-context_filters-0-rules-2"
        page.locator(f"{rule}-type").select_option("exclude")
        page.locator(f"{rule}-pattern").fill("tool.secret")
        save(page)
        expect(page.locator("#node-send")).to_contain_text("not tool.secret")


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_a_new_workflow_is_created_without_scrolling_and_a_typed_name_is_not_missing(
    open_page: OpenPage, width: int, height: int
) -> None:
    page = open_page("designer", width=width)
    page.set_viewport_size({"width": width, "height": height})
    page.goto("/workflows/+new/")
    create = page.get_by_role("button", name="Create and draw")
    expect(create).to_be_in_viewport(ratio=1)
    create.click()
    expect(page.locator(".field-errors")).to_contain_text("required")
    name = page.get_by_label("Name", exact=True)
    name.press_sequentially("A")
    expect(page.locator(".field-errors, .form-errors")).to_have_count(0)
    expect(name).not_to_have_attribute("aria-invalid", "true")
