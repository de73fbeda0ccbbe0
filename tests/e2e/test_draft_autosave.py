"""What is typed into the form of a state is saved, whatever happens to page and connection."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.scenes import SLOW, go, ok, save


@pytest.fixture
def name(api: httpx.Client) -> str:
    """An execution that waits, with more keys than a window shows."""
    made = f"kept-{uuid4().hex[:8]}"
    ok(api.post("conversations", json={"id": made, "title": made}))
    keys = {f"key{n}": f"value {n}" for n in range(20)}
    save(api, made, status="PAUSED", state_data={"plan": "ask", **keys})
    return made


def field(page: Page, key: str) -> Locator:
    return page.get_by_label(key, exact=True)


def test_a_form_that_cannot_be_kept_is_not_sent_into_nothing(
    reviewer_page: Page, name: str, tolerate: Callable[[str], None]
) -> None:
    page = go(reviewer_page, f"/executions/{name}/state/")
    tolerate("ERR_INTERNET_DISCONNECTED")
    page.context.set_offline(True)
    field(page, "plan").fill("typed without a line")
    page.get_by_role("button", name="Review changes").click()
    expect(page.get_by_text("No connection: your edits stay here.")).to_be_visible()
    expect(page.get_by_role("heading", name="Edit the state")).to_be_visible()
    expect(field(page, "plan")).to_have_value("typed without a line")
    page.context.set_offline(False)
    page.get_by_role("button", name="Review changes").click()
    expect(page.get_by_role("heading", name="Review changes")).to_be_visible()
    expect(page.locator("ins", has_text="typed without a line")).to_be_visible()


def test_what_happens_meanwhile_is_reported_where_someone_types(
    reviewer_page: Page, api: httpx.Client, name: str
) -> None:
    page = go(reviewer_page, f"/executions/{name}/state/")
    field(page, "plan").fill("far below")  # the last of the keys
    ok(api.post(f"conversations/{name}/resume", json={}))
    said = page.get_by_text("nothing can be applied")
    expect(said).to_be_in_viewport(ratio=1, timeout=SLOW)
    expect(field(page, "plan")).to_be_in_viewport()


def test_signs_that_turn_a_text_around_are_named_in_the_editor(
    reviewer_page: Page, api: httpx.Client, name: str
) -> None:
    change = {"node_id": "plan", "state_data": {"turned\u202eyek": "v\u202eeulav"}}
    ok(api.patch(f"conversations/{name}/snapshot", json=change))
    page = go(reviewer_page, f"/executions/{name}/state/?raw")
    expect(page.locator(".cm-hidden-sign", has_text="U+202E")).to_have_count(2)
    page.get_by_role("button", name="Tree").click()
    expect(page.get_by_text("turned\\u202eyek")).to_be_visible()
    page.get_by_role("button", name="Review changes").click()
    expect(page.get_by_text("There are no changes yet.")).to_be_visible()


def test_a_clock_that_is_off_does_not_tell_of_another_day(reviewer_page: Page, name: str) -> None:
    page = reviewer_page
    page.clock.install(time=datetime.now(UTC) + timedelta(days=3))
    page.goto(f"/conversations/{name}/")
    said = page.locator(".page-subtitle time")
    expect(said).to_have_attribute("title", re.compile(r"\d"))
    assert "day" not in said.inner_text()
