"""Searches by the Python client: page by page, with the filters that were given."""

import httpx
from ctxadmin_client import Client


def test_hits_come_page_by_page() -> None:
    asked: list[dict[str, str]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(dict(request.url.params))
        last = "cursor" in asked[-1]
        return httpx.Response(
            200,
            json={"results": [{"index": int(last)}], "next": None if last else "c", "behind": 0},
        )

    http = httpx.Client(transport=httpx.MockTransport(answer))
    with Client("http://ctx.example", "t", http=http) as client:
        found = list(client.search("refund", in_="message", tool="look_up", archived=True))
    assert found == [{"index": 0}, {"index": 1}]
    filters = {"q": "refund", "in": "message", "tool": "look_up", "archived": "true"}
    assert asked == [filters, {**filters, "cursor": "c"}]
