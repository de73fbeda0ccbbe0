"""Every link of every page leads somewhere, for every role, also over odd data."""

from collections import Counter, deque
from html.parser import HTMLParser
from urllib.parse import parse_qsl, urljoin, urlsplit

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import Resolver404, resolve

from ctxadmin.identity.roles import Role
from tests.factories import Api, calls, conversation, result, signed_in, user

# The same pages on each database: those whose statements differ have tests of their own.
pytestmark = pytest.mark.django_db(transaction=True)

ODD = (
    "<script>alert(1)</script>",
    "‮ right to left \u200b zero width \x07 bell",
    "🦊" * 20,
    "a" * 300,
    "../../etc?x=1&y=%00#frag",
)
# How many pages of one address with the same names in the query each role opens. An admin sees what
# all others see.
OF_ONE_KIND = {Role.ADMIN: 3}


class Links(HTMLParser):
    """The targets of links and of forms that are got."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        target = named.get("href") if tag == "a" else named.get("hx-get")
        if target:
            self.found.append(target)


def odd_data() -> None:
    """Conversations, executions and a workflow that look as nobody expects."""
    api = Api()
    for number, text in enumerate(ODD):
        name = f"odd-{number}"
        conversation(
            user(text), calls(text[:40]), result(text[:40], "[1"), public_id=name, title=text
        )
        api.post(f"/conversations/{name}/operations", {"operation": "clear", "reason": text})
        state = {text[:150]: {"deep": [[[text]]]}}
        saved = api.put(
            f"/conversations/{name}/checkpoints/c1",
            {"node_id": text[:60], "state_data": state, "status": "PAUSED"},
        )
        assert saved.status_code == 201, saved.content
    api.post("/conversations", {"id": "empty"})
    api.post("/workflows", {"slug": "odd", "name": ODD[0], "description": ODD[1]})
    nodes = [{"id": f"n{n}", "type": ODD[2][:9], "name": ODD[n % 3][:90]} for n in range(30)]
    edges = [
        {"id": f"e{n}", "type": "sequence", "from": f"n{n}", "to": f"n{(n * 7) % 30}"}
        for n in range(30)
    ]
    document = {"name": ODD[0], "nodes": nodes, "edges": edges}
    answer = api.put("/workflows/odd/draft", {"expected_version": 0, "document": document})
    assert answer.status_code == 200, answer.content


def kind_of(path: str) -> object:
    """The kind of a page; a path that leads nowhere is one of its own."""
    parts = urlsplit(path)
    try:
        return resolve(parts.path).route, tuple(sorted(dict(parse_qsl(parts.query))))
    except Resolver404:
        return path


def crawl(client: Client, most: int) -> dict[str, int]:
    """The status of so many pages of every kind that can be reached, by path."""
    seen: dict[str, int] = {}
    kinds: Counter[object] = Counter()
    waiting = deque(["/"])
    while waiting:
        path = waiting.popleft()
        if path in seen or kinds[kind_of(path)] == most:
            continue
        kinds[kind_of(path)] += 1
        answer = client.get(path)
        seen[path] = answer.status_code
        if answer.status_code != 200 or "html" not in answer["Content-Type"]:
            continue
        links = Links()
        links.feed(answer.content.decode())
        for target in links.found:
            parts = urlsplit(urljoin(f"http://testserver{path}", target))
            if parts.netloc == "testserver" and not parts.path.startswith(("/static/", "/api/")):
                waiting.append(f"{parts.path}?{parts.query}" if parts.query else parts.path)
    return seen


def test_every_link_leads_to_a_page() -> None:
    call_command("seed_demo")
    odd_data()
    for role in Role:
        found = crawl(signed_in(role), OF_ONE_KIND.get(role, 1))
        assert len(found) > 50
        wrong = {path: status for path, status in found.items() if status not in (200, 204, 302)}
        assert wrong == {}, role
