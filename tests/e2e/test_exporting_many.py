"""A selection of conversations is exported from its dry run, in a browser."""

from uuid import uuid4

import httpx
from playwright.sync_api import Page, expect

from tests.browser import assert_accessible_in_every_look


def test_a_selection_is_tried_downloaded_and_recorded(viewer_page: Page, api: httpx.Client) -> None:
    name = f"export-{uuid4().hex[:8]}"
    messages = [{"role": "user", "content": "Where is my parcel?"}]
    api.post("conversations", json={"id": name, "messages": messages}).raise_for_status()
    page = viewer_page
    page.goto(f"/conversations/?q={name}")
    page.locator(f'input[name=id][value="{name}"]').check()
    page.get_by_label("Action", exact=True).select_option("export")
    page.get_by_role("button", name="Continue with selected").click()
    expect(page.get_by_role("main")).to_contain_text("1 of 1 selected conversation can be exported")
    assert_accessible_in_every_look(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Export 1 conversation").click()
    text = download.value.path().read_text()
    assert f'"{name}"' in text
    assert text.count("\n") == 1
    # The page says by itself what came of it.
    expect(page.get_by_text("1 conversation exported")).to_be_visible()
    expect(page.get_by_role("row", name=name).get_by_text("Done")).to_be_visible()
    page.goto("/bulk/")
    expect(page.get_by_role("row", name="Export conversations").first).to_contain_text("Finished")
