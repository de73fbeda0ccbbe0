"""Pages whose names are as long as a name can be, and without a place to break."""

import httpx
import pytest
from playwright.sync_api import Page, expect
from pydantic import JsonValue

from tests.browser import assert_nothing_sticks_out

_LONG = "W" * 100
_EDGE = "e" * 64
_DOCUMENT: JsonValue = {
    "name": _LONG,
    "nodes": [
        {"id": "begin", "type": "start", "name": _LONG},
        {"id": "draft", "type": "own_" + "x" * 40, "name": _LONG},
    ],
    "edges": [{"id": _EDGE, "type": "sequence", "from": "begin", "to": "draft"}],
}


@pytest.fixture(scope="module")
def long_names(api: httpx.Client) -> None:
    """A workflow with a published version, and an execution that has completed a node of it."""
    calls: tuple[tuple[str, str, JsonValue], ...] = (
        ("POST", "workflows", {"slug": "long-names", "name": _LONG}),
        ("PUT", "workflows/long-names/draft", {"expected_version": 0, "document": _DOCUMENT}),
        ("POST", "workflows/long-names/publish", {"expected_version": 1, "note": "N" * 200}),
        ("POST", "conversations", {"id": "long-names"}),
        ("POST", "conversations/long-names/executions", {"workflow": "long-names"}),
        ("POST", "conversations/long-names/nodes/begin/enter", {}),
        ("POST", "conversations/long-names/nodes/begin/complete", {"checkpoint_id": "one"}),
    )
    for method, path, body in calls:
        api.request(method, path, json=body).raise_for_status()


@pytest.mark.usefixtures("long_names")
def test_long_names_break_on_a_phone(designer_page: Page) -> None:
    page = designer_page
    page.set_viewport_size({"width": 390, "height": 844})
    for path in (
        "/workflows/long-names/",
        "/workflows/long-names/versions/1/",
        "/workflows/long-names/preview/?node=draft&conversation=long-names",
        "/executions/long-names/timeline/",
        "/executions/long-names/versions/1/",
    ):
        page.goto(path)
        assert_nothing_sticks_out(page)


@pytest.mark.usefixtures("long_names")
def test_what_happened_is_readable_beside_a_long_name(designer_page: Page) -> None:
    page = designer_page
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/executions/long-names/timeline/")
    badge = page.locator(".happened-head .badge", has_text="Node completed")
    expect(badge).to_be_visible()
    assert badge.evaluate("(badge) => badge.scrollWidth <= badge.clientWidth + 1")
