"""Measures first visits in Chromium: what pages weigh, how long they are white over a slow line."""

from typing import Final

import httpx
from playwright.sync_api import CDPSession, Page

from bench.browser import browsing
from bench.canvas import make_workflow
from bench.desk import message
from bench.table import Row
from tests.live_server import LiveServer

# A slow mobile line: 50 KB/s down, 20 KB/s up, 400 ms for an answer.
_LINE: Final = {
    "offline": False,
    "latency": 400,
    "downloadThroughput": 50 * 1024,
    "uploadThroughput": 20 * 1024,
}
_PAINTED: Final = """() => performance.getEntriesByName("first-contentful-paint")[0].startTime"""
_MESSAGES: Final = 40
_NODES: Final = 12


def rows() -> list[Row]:
    """Weighs pages without a cache, and times their first paint with and without one."""
    with browsing("designer") as (server, page):
        _write(server)
        make_workflow(server, _NODES)
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        found: list[Row] = []
        for name, path in (
            ("the overview", "/"),
            ("a conversation", "/conversations/weighed/"),
            ("the editor", f"/workflows/canvas-{_NODES}/editor/"),
        ):
            session.send("Network.setCacheDisabled", {"cacheDisabled": True})
            found.append(Row(f"{name}: a first visit", _weight(page, session, path), "KB"))
            session.send("Network.emulateNetworkConditions", _LINE)
            found.append(Row(f"{name}: painted over a slow line", _painted(page, path), "s"))
            session.send("Network.setCacheDisabled", {"cacheDisabled": False})
            page.goto(path, wait_until="load")
            found.append(Row(f"{name}: painted there again", _painted(page, path), "s"))
            fast = _LINE | {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
            session.send("Network.emulateNetworkConditions", fast)
        return found


def _write(server: LiveServer) -> None:
    headers = {"Authorization": f"Bearer {server.make_token('engine')}"}
    with httpx.Client(base_url=f"{server.url}/api/v1/", headers=headers, timeout=60) as api:
        api.post("conversations", json={"id": "weighed"}).raise_for_status()
        body = {"messages": [message(at) for at in range(_MESSAGES)]}
        api.post("conversations/weighed/messages", json=body).raise_for_status()


def _weight(page: Page, session: CDPSession, path: str) -> float:
    sizes: list[float] = []
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    page.goto(path, wait_until="networkidle")
    return sum(sizes) / 1024


def _painted(page: Page, path: str) -> float:
    page.goto(path, wait_until="load")
    milliseconds: float = page.evaluate(_PAINTED)
    return milliseconds / 1000
