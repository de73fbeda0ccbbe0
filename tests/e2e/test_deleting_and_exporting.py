"""A version is deleted from its page, and a conversation exported from the menu, in a browser."""

import json
from pathlib import Path
from uuid import uuid4

import httpx
from playwright.sync_api import Page, expect

from tests.browser import assert_accessible
from tests.e2e.scenes import MESSAGES, Started, complete, ok


def test_an_admin_deletes_a_version_in_a_dialog(page: Page, api: httpx.Client) -> None:
    name = f"free-{uuid4().hex[:8]}"
    ok(api.post("conversations", json={"id": name, "messages": MESSAGES}))
    usage = {"model": "gpt-5-mini", "input_tokens": 1200, "cached_tokens": 1000}
    for number in (1, 2, 3):
        body = {"node_id": "write", "state_data": {"n": number}}
        ok(api.put(f"conversations/{name}/checkpoints/c{number}", json=body))
    complete(api, name, "write", usage={**usage, "output_tokens": 300, "cost": 0.0021})
    page.goto(f"/executions/{name}/versions/4/")
    expect(page.get_by_text("1,000 cached")).to_be_visible()
    page.goto(f"/executions/{name}/versions/2/")
    page.get_by_role("link", name="Delete").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("removed for good")
    dialog.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("Deleted version 2.")).to_be_visible()
    expect(page.get_by_text("version 2, deleted")).to_be_visible()


def test_a_view_is_exported_for_a_provider_from_the_menu(
    page: Page, start: Started, tmp_path: Path
) -> None:
    name = start()
    page.goto(f"/conversations/{name}/")
    page.locator("#conversation-menu > summary").click()
    link = page.get_by_role("link", name="Current view for Anthropic Messages")
    expect(link).to_be_visible()
    assert_accessible(page)
    with page.expect_download() as download:
        link.click()
    assert download.value.suggested_filename == f"{name}.anthropic.json"
    path = tmp_path / "one.json"
    download.value.save_as(path)
    assert [each["role"] for each in json.loads(path.read_text())["messages"]][:1] == ["user"]
