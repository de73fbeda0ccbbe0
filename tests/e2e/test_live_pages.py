"""Several browsers at once: a change by one appears at the others, people see each other."""

import itertools
import random
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.scenes import go, live, ok, save
from tests.live_server import LiveServer


@pytest.fixture
def name(api: httpx.Client) -> str:
    """A conversation with a free execution that is paused after its node ``plan``."""
    made = f"live-{uuid4().hex[:8]}"
    message = {"role": "user", "content": "Where is my parcel?"}
    ok(api.post("conversations", json={"id": made, "title": made, "messages": [message]}))
    save(api, made, status="PAUSED", state_data={"plan": "ask", "count": 1})
    return made


def change(api: httpx.Client, name: str, **state: Any) -> None:
    ok(api.patch(f"conversations/{name}/snapshot", json={"node_id": "plan", "state_data": state}))


def append(api: httpx.Client, name: str, text: str) -> None:
    message = {"role": "assistant", "content": text}
    ok(api.post(f"conversations/{name}/messages", json={"messages": [message]}))


def test_what_one_reviewer_applies_appears_at_two_others(
    open_page: OpenPage, api: httpx.Client, name: str
) -> None:
    writer = go(open_page("reviewer"), f"/executions/{name}/state/")
    reader = go(open_page("viewer"), f"/executions/{name}/")
    editor = go(open_page("designer"), f"/executions/{name}/state/")
    editor.get_by_label("count", exact=True).fill("7")
    expect(reader.get_by_text("designer edits count")).to_be_visible()
    expect(writer.locator(".live-busy")).to_have_text("designer edits this")

    writer.get_by_label("plan", exact=True).fill("ask Anna")
    writer.get_by_role("button", name="Review changes").click()
    writer.get_by_role("button", name="Apply").click()
    expect(reader.get_by_text("ask Anna").first).to_be_visible()
    expect(reader.get_by_role("link", name="version 2").first).to_be_visible()
    expect(editor.get_by_text("reviewer changed plan (version 2)")).to_be_visible()
    expect(editor.get_by_label("count", exact=True)).to_have_value("7")

    editor.get_by_role("button", name="Review changes").click()
    editor.get_by_role("button", name="Apply").click()
    expect(editor.get_by_text("1 key changed")).to_be_visible()
    state = ok(api.get(f"conversations/{name}/snapshot"))["state_data"]
    assert (state["plan"], state["count"]) == ("ask Anna", 7)


def test_a_reason_that_is_being_typed_outlives_what_happens_meanwhile(
    reviewer_page: Page, api: httpx.Client, name: str
) -> None:
    go(reviewer_page, f"/executions/{name}/")
    reason = reviewer_page.get_by_label("Reason")
    reason.fill("because")
    change(api, name, plan="another plan")
    expect(reviewer_page.get_by_text("another plan").first).to_be_visible()
    expect(reason).to_have_value("because")
    expect(reason).to_be_focused()


def test_conversation_workflow_and_overview_move_by_themselves(
    open_page: OpenPage, api: httpx.Client, name: str
) -> None:
    talk = go(open_page("viewer"), f"/conversations/{name}/")
    append(api, name, "It is in Ghent.")
    expect(talk.get_by_text("It is in Ghent.", exact=True)).to_be_visible()
    ok(api.post(f"conversations/{name}/operations", json={"operation": "clear", "clear": {}}))
    expect(talk.get_by_role("heading", name="No visible messages")).to_be_visible()
    ok(api.post(f"conversations/{name}/rollback", json={"batch": 0}))
    expect(talk.get_by_text("It is in Ghent.", exact=True)).to_be_visible()

    overview = go(open_page("viewer"), "/")
    made = f"live-{uuid4().hex[:8]}"
    ok(api.post("conversations", json={"id": made, "title": f"Title of {made}"}))
    expect(overview.get_by_text(f"Title of {made}")).to_be_visible()

    ok(api.post("workflows", json={"slug": made, "name": made}))
    flow = go(open_page("viewer"), f"/workflows/{made}/")
    node = {"id": "begin", "type": "start", "name": "Begin here"}
    draft = {"document": {"name": made, "nodes": [node], "edges": []}, "expected_version": 0}
    ok(api.put(f"workflows/{made}/draft", json=draft))
    expect(flow.locator("#page-content")).to_contain_text("Begin here")


def test_only_the_stretches_in_sight_are_loaded(viewer_page: Page, api: httpx.Client) -> None:
    made = f"long-{uuid4().hex[:8]}"
    messages = [{"role": "user", "content": f"number {place}"} for place in range(1_000)]
    ok(api.post("conversations", json={"id": made, "messages": messages}))
    go(viewer_page, f"/conversations/{made}/")
    viewer_page.locator("#s500").scroll_into_view_if_needed()
    expect(viewer_page.locator("#s500 .message")).to_have_count(50)
    viewer_page.wait_for_load_state("networkidle")
    loaded = viewer_page.locator(".message-section:has(.message)")
    assert loaded.count() <= 4, "one that is loaded must not draw others into sight"
    waiting = viewer_page.locator(".message-section-waiting")
    expect(waiting).to_have_count(20 - loaded.count())


def test_stretches_that_a_reader_loaded_stay_and_the_last_one_grows(
    viewer_page: Page, api: httpx.Client
) -> None:
    made = f"long-{uuid4().hex[:8]}"
    messages = [{"role": "user", "content": f"number {place}"} for place in range(120)]
    ok(api.post("conversations", json={"id": made, "messages": messages}))
    go(viewer_page, f"/conversations/{made}/")
    for section, message in (("#s50", "number 60"), ("#s100", "number 119")):
        viewer_page.locator(section).scroll_into_view_if_needed()
        expect(viewer_page.locator("article").get_by_text(message, exact=True)).to_be_visible()
    append(api, made, "one more")
    expect(viewer_page.get_by_text("one more", exact=True)).to_be_attached()
    for message in ("number 0", "number 60", "number 119"):
        expect(viewer_page.locator("article").get_by_text(message, exact=True)).to_be_attached()


@pytest.mark.parametrize("seed", [1, 2])
def test_a_page_that_loses_and_shuffles_frames_is_like_a_fresh_one(
    open_page: OpenPage, api: httpx.Client, name: str, seed: int
) -> None:
    """Snapshot and events are the fresh snapshot; the last frame arrives."""
    chance = random.Random(seed)
    page = open_page("reviewer")
    sent: list[WebSocketRoute] = []

    def between(route: WebSocketRoute) -> None:
        server = route.connect_to_server()
        held: list[str | bytes] = []
        sent.append(route)

        def pass_on(message: str | bytes) -> None:
            held.append(message)
            if '"type":"changed"' not in str(message) or "the last" in str(message):
                while held:
                    route.send(held.pop(0))
                return
            chance.shuffle(held)
            if chance.random() < 0.4:
                held.pop()
            elif held and chance.random() < 0.7:
                route.send(held.pop())

        server.on_message(pass_on)

    page.route_web_socket("**/ws/**", between)
    go(page, f"/executions/{name}/")
    for number in itertools.count(2):
        change(api, name, plan=f"plan {number}", count=number)
        if number == 12:
            break
    change(api, name, **{"the last": True})
    expect(page.get_by_text("the last", exact=True).first).to_be_visible()
    fresh = open_page("reviewer")
    fresh.goto(f"/executions/{name}/")
    expected = fresh.locator("#page-content").inner_text()
    expect(page.locator("#page-content")).to_have_text(expected, use_inner_text=True)
    assert sent


def test_without_sockets_a_running_execution_still_moves(
    open_page: OpenPage, api: httpx.Client
) -> None:
    made = f"poll-{uuid4().hex[:8]}"
    ok(api.post("conversations", json={"id": made}))
    save(api, made, state_data={"plan": "first"})
    page = open_page("reviewer")
    page.route_web_socket("**/ws/**", lambda route: route.close(code=1013))
    page.goto(f"/executions/{made}/")
    save(api, made, state_data={"plan": "second"}, status="PAUSED")
    expect(page.get_by_text("second").first).to_be_visible()
    expect(page.get_by_role("button", name="Approve")).to_be_visible()


def test_a_page_says_that_the_connection_is_lost_and_catches_up_after_a_restart(
    reviewer_page: Page,
    api: httpx.Client,
    server: LiveServer,
    name: str,
    tolerate: Callable[[str], None],
) -> None:
    page = go(reviewer_page, f"/executions/{name}/")
    tolerate("WebSocket connection to|ERR_CONNECTION_REFUSED")
    server.stop()
    try:
        expect(page.get_by_text("Connection lost, reconnecting")).to_be_visible()
    finally:
        server.start()
    change(api, name, plan="after the restart")
    expect(page.get_by_text("after the restart").first).to_be_visible()
    expect(page.get_by_text("Connection lost, reconnecting")).to_be_hidden()
    live(page)


def test_who_is_here_covers_no_tool_of_a_conversation_on_a_phone(
    open_page: OpenPage, api: httpx.Client, name: str
) -> None:
    for number in range(20):
        append(api, name, f"Answer {number}.")
    go(open_page("viewer"), f"/conversations/{name}/")
    page = go(open_page("reviewer", width=390), f"/conversations/{name}/")
    people = page.locator(".live-people")
    expect(people).to_contain_text("viewer")
    for way in (0, 2000):
        page.evaluate(f"scrollTo(0, {way})")
        page.get_by_role("link", name="Latest message").click(trial=True)
        page.get_by_title("Filter messages").click(trial=True)
