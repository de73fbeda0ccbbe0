"""Another execution begins while forms of the former one are open: nothing typed is lost."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.scenes import SLOW, go, live, ok, save, state

STARTED = "Another execution of this conversation has started"
STRANGE = "<b>&'\" \u202eeulav 🚲 " + "a-word-without-any-end" * 20


@pytest.fixture
def name(api: httpx.Client) -> str:
    made = f"another-{uuid4().hex[:8]}"
    ok(api.post("conversations", json={"id": made, "title": made}))
    ok(api.post(f"conversations/{made}/executions", json={}))
    save(api, made, status="PAUSED", state_data={"plan": "ask", "tone": "warm", "facts": {"a": 1}})
    return made


def begin_another(api: httpx.Client, name: str) -> None:
    """End the execution; the next one waits at the same node and version."""
    ok(api.post(f"conversations/{name}/cancel", json={}))
    ok(api.post(f"conversations/{name}/executions", json={}))
    save(api, name, status="PAUSED", state_data={"plan": "of the new one", "tone": "dry"})


def field(page: Page, key: str) -> Locator:
    return page.get_by_label(key, exact=True)


def look(page: Page) -> None:
    page.get_by_role("button", name="Review changes").click()


def copied(page: Page) -> Locator:
    return page.locator(".code-block")


def test_a_form_of_the_former_one_says_so_at_once_and_shows_all_of_it(
    open_page: OpenPage, api: httpx.Client, name: str
) -> None:
    path = f"/executions/{name}/state/"
    mine, theirs = go(open_page("reviewer"), path), go(open_page("designer"), path)
    field(mine, "plan").fill(STRANGE)
    expect(mine.get_by_text("Saved for you")).to_be_visible()
    field(theirs, "tone").fill("of the designer")
    expect(theirs.get_by_text("Saved for you")).to_be_visible()
    begin_another(api, name)
    for page in (mine, theirs):
        expect(page.get_by_text(STARTED)).to_be_visible()
    field(mine, "tone").fill("typed after it began")
    expect(mine.get_by_text("Saved for you, but it cannot be applied")).to_be_visible()
    look(mine)
    expect(mine.get_by_role("heading", name="Another execution has started")).to_be_visible()
    expect(copied(mine)).to_contain_text("typed after it began")
    expect(copied(mine)).to_contain_text("a-word-without-any-end")
    expect(mine.get_by_text("The execution continued")).to_have_count(0)
    assert (state(api, name)["plan"], state(api, name)["tone"]) == ("of the new one", "dry")
    mine.get_by_role("link", name="Open the execution").click()
    mine.get_by_role("link", name="Show my edits").click()
    expect(copied(mine)).to_contain_text("typed after it began")
    expect(copied(mine)).not_to_contain_text("of the designer")


def test_a_summary_that_is_applied_then_writes_nothing_into_the_new_one(
    reviewer_page: Page, api: httpx.Client, name: str
) -> None:
    page = go(reviewer_page, f"/executions/{name}/state/")
    field(page, "plan").fill("half a sentence")
    look(page)
    expect(page.get_by_role("heading", name="Review changes")).to_be_visible()
    page.get_by_label("Reason").fill("warmer")
    live(page)
    begin_another(api, name)
    expect(page.get_by_text(STARTED)).to_be_visible()
    page.get_by_role("button", name="Apply", exact=True).click()
    expect(copied(page)).to_contain_text("half a sentence")
    expect(page.get_by_text("warmer")).to_be_visible()
    assert state(api, name)["plan"] == "of the new one"


def test_the_whole_state_as_json_is_kept_with_the_former_one(
    reviewer_page: Page, api: httpx.Client, name: str
) -> None:
    page = go(reviewer_page, f"/executions/{name}/state/?raw=1")
    editor = page.locator(".json-text .cm-content")
    expect(editor).to_contain_text("warm")
    begin_another(api, name)
    expect(page.get_by_text(STARTED)).to_be_visible()
    expect(page.get_by_role("button", name="Update to the latest version")).to_be_hidden()
    editor.get_by_text("warm").last.dblclick()
    page.keyboard.type('kind" oh')  # no JSON
    expect(page.get_by_text("Saved for you, but it cannot be applied")).to_be_visible()
    look(page)
    expect(copied(page).last).to_contain_text('kind" oh')
    go(page, f"/executions/{name}/state/")
    expect(field(page, "tone")).to_have_value("dry")
    page.get_by_role("link", name="Open").click()
    expect(copied(page).last).to_contain_text('kind" oh')


def test_what_could_not_be_sent_is_kept_as_soon_as_the_line_is_back(
    reviewer_page: Page, api: httpx.Client, name: str, tolerate: Callable[[str], None]
) -> None:
    page = reviewer_page
    page.clock.install()
    go(page, f"/executions/{name}/state/")
    tolerate("ERR_INTERNET_DISCONNECTED")
    page.context.set_offline(True)
    field(page, "plan").fill("typed without a line")
    expect(page.get_by_text("Not saved yet; retrying.")).to_be_visible()
    with page.expect_event("requestfailed"):
        page.clock.pause_at(datetime.now(UTC) + timedelta(hours=1))  # then no timer tries again
    begin_another(api, name)
    page.context.set_offline(False)
    expect(page.get_by_text("Saved for you, but it cannot be applied")).to_be_visible(timeout=SLOW)
