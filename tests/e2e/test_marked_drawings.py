"""The canvas on the status of an execution and beside a comparison, with its marks."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser import assert_accessible_in_every_look

NAMES = ("Ask", "Draft the answer", "Check it", "Send")


def save(api: httpx.Client, name: str, names: dict[str, str], version: int) -> None:
    """Save a draft of a line of nodes by their ids."""
    keys = list(names)
    nodes: list[dict[str, Any]] = [
        {"id": key, "type": "llm" if place else "start", "name": names[key]}
        for place, key in enumerate(keys)
    ]
    edges = [
        {"id": f"{one}-{two}", "type": "sequence", "from": one, "to": two}
        for one, two in pairwise(keys)
    ]
    put = {"document": {"name": name, "nodes": nodes, "edges": edges}, "expected_version": version}
    api.put(f"workflows/{name}/draft", json=put).raise_for_status()


@pytest.fixture
def workflow(api: httpx.Client) -> str:
    name = f"marked-{uuid4().hex[:8]}"
    api.post("workflows", json={"slug": name, "name": name}).raise_for_status()
    save(api, name, {f"n{place}": each for place, each in enumerate(NAMES)}, 0)
    api.post(f"workflows/{name}/publish", json={"expected_version": 1}).raise_for_status()
    return name


@pytest.fixture
def conversation(api: httpx.Client, workflow: str) -> str:
    api.post("conversations", json={"id": workflow, "messages": []}).raise_for_status()
    return workflow


def begin(api: httpx.Client, name: str) -> None:
    api.post(f"conversations/{name}/executions", json={"workflow": name}).raise_for_status()


def complete(api: httpx.Client, name: str, node: str) -> None:
    done = {"checkpoint_id": f"{node}-{uuid4().hex[:8]}"}
    api.post(f"conversations/{name}/nodes/{node}/complete", json=done).raise_for_status()


def card(page: Page, key: str) -> Locator:
    return page.locator(f'.graph-frame-drawn .react-flow__node[data-id="{key}"]')


def test_the_status_shows_the_states_of_nodes_and_follows_a_step(
    viewer_page: Page, conversation: str, api: httpx.Client
) -> None:
    begin(api, conversation)
    page = viewer_page
    page.goto(f"/executions/{conversation}/")
    expect(page.locator("#live-link")).to_have_attribute("data-live", "open")
    expect(card(page, "n0").locator(".mark-ready")).to_be_visible()
    expect(card(page, "n1").locator(".mark-open")).to_be_visible()
    assert_accessible_in_every_look(page)
    complete(api, conversation, "n0")
    expect(card(page, "n0").locator(".mark-done")).to_be_visible()
    expect(card(page, "n1").locator(".mark-ready")).to_be_visible()
    way = card(page, "n1").get_by_role("link", name="Draft the answer, Model, runs next")
    expect(way).to_have_attribute("href", f"/executions/{conversation}/canvas/?node=n1")


def test_the_canvas_comes_with_an_execution_that_begins_on_the_open_page(
    viewer_page: Page, conversation: str, api: httpx.Client
) -> None:
    page = viewer_page
    page.goto(f"/executions/{conversation}/")
    expect(page.get_by_text("No execution yet")).to_be_visible()
    expect(page.locator("#live-link")).to_have_attribute("data-live", "open")
    begin(api, conversation)
    expect(card(page, "n0").locator(".mark-ready")).to_be_visible()


def test_a_canvas_that_could_not_be_had_comes_with_the_next_step(
    viewer_page: Page, conversation: str, api: httpx.Client, tolerate: Callable[[str], None]
) -> None:
    tolerate("ERR_FAILED")
    begin(api, conversation)
    page = viewer_page
    page.route("**/drawn/", lambda route: route.abort(), times=1)
    page.goto(f"/executions/{conversation}/")
    expect(page.locator("#live-link")).to_have_attribute("data-live", "open")
    expect(page.locator("[data-drawn]")).to_be_hidden()
    complete(api, conversation, "n0")
    expect(card(page, "n0").locator(".mark-done")).to_be_visible()


def test_the_canvas_beside_a_comparison_marks_what_is_new_removed_and_changed(
    viewer_page: Page, workflow: str, api: httpx.Client
) -> None:
    save(api, workflow, {"n0": "Ask", "n1": "Draft a reply", "n3": "Send", "n4": "Archive"}, 1)
    page = viewer_page
    page.goto(f"/workflows/{workflow}/diff/?from=1&to=draft")
    for key, sign, word in (
        ("n1", "changed", "Draft a reply, Model, changed"),
        ("n2", "removed", "Check it, Model, removed"),
        ("n4", "added", "Archive, Model, new"),
    ):
        expect(card(page, key).locator(f".mark-{sign}")).to_be_visible()
        # A sign, not a color alone.
        expect(card(page, key).locator(".flow-card-title > .icon")).to_be_visible()
        way = card(page, key).get_by_role("link", name=word)
        expect(way).to_have_attribute("href", f"#change-node-{key}")
    expect(card(page, "n0").locator("[class*=mark-]")).to_have_count(0)
    expect(page.get_by_role("list", name="Legend")).to_contain_text("removed")
    assert_accessible_in_every_look(page)
    card(page, "n4").get_by_role("link").click()
    expect(page.locator("#change-node-n4")).to_be_in_viewport()
    page.locator("#change-node-n4").get_by_role("link", name="Archive").click()
    expect(page.locator(".editor-panel").get_by_role("heading")).to_have_text("Archive")


def test_without_scripts_the_list_of_nodes_and_the_drawing_of_the_server_stand_there(
    browser: Browser, viewer_page: Page, conversation: str, api: httpx.Client
) -> None:
    begin(api, conversation)
    complete(api, conversation, "n0")
    save(api, conversation, {"n0": "Ask", "n9": "New"}, 1)
    signed_in = viewer_page.context.storage_state()
    with browser.new_context(java_script_enabled=False, storage_state=signed_in) as context:
        page = context.new_page()
        origin = viewer_page.url.split("/", 3)[:3]
        page.goto("/".join([*origin, "executions", conversation, ""]))
        steps = page.get_by_role("list", name="Nodes of the workflow").get_by_role("listitem")
        expect(steps).to_have_count(4)
        expect(steps.nth(0)).to_contain_text("done")
        expect(page.locator("[data-drawn]")).to_be_hidden()
        page.goto("/".join([*origin, "workflows", conversation, "diff", "?from=1&to=draft"]))
        expect(page.locator("svg.graph .graph-added").first).to_be_visible()
        expect(page.locator(".graph-legend")).to_be_visible()
