"""A designer has an engine told, a person says what to learn of, and their browser tells it."""

from uuid import uuid4

import httpx
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import OpenPage
from tests.live_server import LiveServer


def paused(api: httpx.Client) -> str:
    """A conversation whose execution was just paused."""
    name = f"told-{uuid4().hex[:8]}"
    api.post("conversations", json={"id": name}).raise_for_status()
    body = {"node_id": "a", "state_data": {}, "status": "PAUSED"}
    api.put(f"conversations/{name}/checkpoints/c1", json=body).raise_for_status()
    return name


def make_webhook(page: Page, address: str) -> str:
    """By the pages; its name."""
    name = f"engine-{uuid4().hex[:8]}"
    page.goto("/notifications/")
    page.get_by_role("link", name="Webhooks").click()
    page.get_by_role("link", name="New webhook").first.click()
    expect(page.get_by_label("Name")).to_be_visible()
    page.get_by_label("Name").fill(name)
    page.get_by_label("Address").fill(address)
    page.get_by_label("Paused for any reason").check()
    page.get_by_role("button", name="Create webhook").click()
    return name


def test_a_designer_makes_tries_and_removes_a_webhook(
    open_page: OpenPage, api: httpx.Client
) -> None:
    page = open_page("designer")
    name = make_webhook(page, "https://nowhere.invalid/hook")
    expect(page.get_by_text("whsec_")).to_be_visible()
    page.get_by_role("link", name="Done").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    expect(page.get_by_text("whsec_")).to_have_count(0)
    page.get_by_role("button", name="Send a test").click()
    told = paused(api)
    deliveries = page.locator("tbody tr")
    expect(listed(page, told)).to_be_visible()
    expect(deliveries.first).to_contain_text("Paused for any reason")
    page.get_by_role("button", name="Pause", exact=True).click()
    expect(page.get_by_text("Paused: deliveries are queued")).to_be_visible()
    page.get_by_role("link", name="Remove").click()
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_text(f"Webhook {name} removed.")).to_be_visible()


def listed(page: Page, told: str) -> Locator:
    """The link to a conversation in the list, which the sender writes a moment later."""
    link = page.get_by_role("link", name=told)
    for _ in range(60):
        if link.count():
            break
        page.wait_for_timeout(500)
        page.reload()
    return link


def test_a_private_address_is_refused_at_its_field(open_page: OpenPage, tolerate: object) -> None:
    page = open_page("designer")
    tolerate("status of 422")  # type: ignore[operator]
    make_webhook(page, "http://169.254.169.254/latest/")
    field = page.get_by_label("Address")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_value("http://169.254.169.254/latest/")


def test_a_browser_tells_what_its_reader_asked_for(
    open_page: OpenPage, api: httpx.Client, server: LiveServer
) -> None:
    page = open_page("reviewer")
    page.context.grant_permissions(["notifications"], origin=server.url)
    page.add_init_script(
        """
        window.told = [];
        window.Notification = class extends EventTarget {
          static permission = "granted";
          static requestPermission = async () => "granted";
          constructor(said, more) { super(); window.told.push([said, more.tag]); }
        };
        """
    )
    page.goto("/notifications/")
    box = page.get_by_label("Browser: Paused for any reason")
    box.check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    expect(box).to_be_checked()
    allow = page.get_by_role("button", name="Notify me in this browser")
    with page.expect_response("**/notifications/news/"):
        allow.click()
    expect(allow).to_have_attribute("aria-pressed", "true")
    paused(api)
    page.wait_for_function("() => localStorage.getItem('notify-after')")
    for _ in range(60):
        with page.expect_response("**/notifications/news/**"):
            page.goto("/")  # every page asks when it comes
        if page.evaluate("window.told.length"):
            break
        page.wait_for_timeout(500)
    told = page.evaluate("window.told")
    assert told[0][0] == "Paused for any reason"
    with page.expect_response("**/notifications/news/**"):
        page.goto("/reviews/")
    assert told[0] not in page.evaluate("window.told")
    page.get_by_role("link", name="Notify me").click()
    page.get_by_label("Browser: Paused for any reason").uncheck()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()


def test_a_review_is_assigned_to_a_colleague(open_page: OpenPage, api: httpx.Client) -> None:
    page = open_page("admin", width=360)
    page.goto(f"/executions/{paused(api)}/")
    page.get_by_role("link", name="Assign").click()
    page.get_by_label("Reviewer").select_option("reviewer")
    page.get_by_role("button", name="Assign").click()
    expect(page.get_by_text("Assigned to reviewer.")).to_be_visible()
    expect(page.get_by_text("Claimed by reviewer")).to_be_visible()
