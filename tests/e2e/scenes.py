"""Conversations and executions that several tests of pages start from, and steps on them."""

import itertools
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Any
from uuid import uuid4

import httpx
from playwright.sync_api import Page, expect

from tests.live_server import LiveServer
from tests.servers import wait_until

SLOW = 60_000  # milliseconds for what a server looks for every few seconds
SET_ROLE = """
update accounts_membership set role = ?
where user_id = (select id from accounts_user where username = ?)
"""
REVIEW = {"pause": "before", "pause_reason": "Read the draft before it goes out."}
NODES = ("write", "review", "send")
STATE = {"draft": "Dear customer, it is late.", "count": 3, "urgent": False, "facts": {"a": 1}}
MESSAGES = [
    {"role": "user", "content": "Where is my parcel?"},
    {"role": "assistant", "content": "I will look it up."},
]
Started = Callable[..., str]


def ok(answer: httpx.Response) -> Any:
    assert answer.is_success, answer.text
    return answer.json()


def save(api: httpx.Client, name: str, **body: Any) -> None:
    path = f"conversations/{name}/checkpoints/save-{uuid4().hex[:8]}"
    ok(api.put(path, json={"node_id": "plan", "state_data": {}, **body}))


def start_one(api: httpx.Client, *, paused: bool = True, review: Mapping[str, Any] = REVIEW) -> str:
    """Start an execution of a workflow that pauses before its second node; its conversation."""
    name = f"flow-{uuid4().hex[:8]}"
    nodes: list[dict[str, Any]] = [
        {"id": each, "type": "task", "name": each.title()} for each in NODES
    ]
    nodes[1] |= {"config": review}
    pairs = itertools.pairwise(NODES)
    edges = [{"id": f"{a}-{b}", "type": "sequence", "from": a, "to": b} for a, b in pairs]
    ok(api.post("workflows", json={"slug": name, "name": name}))
    document = {"name": name, "nodes": nodes, "edges": edges}
    draft = {"document": document, "expected_version": 0}
    ok(api.put(f"workflows/{name}/draft", json=draft))
    ok(api.post(f"workflows/{name}/publish", json={"expected_version": 1}))
    ok(api.post("conversations", json={"id": name, "title": name, "messages": MESSAGES}))
    ok(api.post(f"conversations/{name}/executions", json={"workflow": name}))
    if paused:
        complete(api, name, "write", state_data=STATE)
    return name


def complete(api: httpx.Client, name: str, node: str, **body: Any) -> None:
    body = {"checkpoint_id": f"{node}-{uuid4().hex[:8]}", **body}
    ok(api.post(f"conversations/{name}/nodes/{node}/complete", json=body))


def state(api: httpx.Client, name: str) -> dict[str, Any]:
    found: dict[str, Any] = ok(api.get(f"conversations/{name}/snapshot"))["state_data"]
    return found


def go(page: Page, path: str) -> Page:
    """Open a page and wait until it is notified of changes."""
    page.goto(path)
    live(page)
    return page


def seen(page: Page) -> None:
    """Waits until keys decide on what the page shows."""
    page.wait_for_load_state()
    loaded = "performance.getEntriesByType('navigation')[0].loadEventEnd"
    wait_until(lambda: page.evaluate(f"{loaded} > 0 && performance.now() - {loaded} > 700"))


def live(page: Page) -> None:
    expect(page.locator("#live-link")).to_have_attribute("data-live", "open")


def set_role(server: LiveServer, name: str, role: str) -> None:
    """As another process does it, of which the server hears when it looks."""
    with closing(sqlite3.connect(server.folder / "data" / "ctxadmin.sqlite3")) as database:
        changed = database.execute(SET_ROLE, (role, name)).rowcount
        database.commit()
    assert changed == 1
