"""Workflows and forms as the tests of their pages send and read them."""

import re
from typing import Any

from django.test import Client
from pydantic import JsonValue

from ctxadmin.identity.roles import Role
from tests.factories import person
from workflows.domain.document import graph
from workflows.domain.document.graph import Document, Edge, Node
from workflows.models import Workflow
from workflows.services import use_cases
from workflows.store.definitions import definition

SMALL: dict[str, JsonValue] = {
    "name": "Small",
    "nodes": [
        {"id": "start", "type": "start"},
        {
            "id": "answer",
            "type": "llm",
            "name": "Answer",
            "context_type": "filter_in",
            "context_filter": {
                "rules": [{"type": "include", "pattern": "prompt.*"}],
                "messages": [{"operation": "truncate", "truncate": {"keep_last": 2}}],
            },
            "config": {"template": "Be short.", "timeout": 20, "temperature": 0.2},
        },
    ],
    "edges": [{"id": "go", "type": "sequence", "from": "start", "to": "answer"}],
}


def made(slug: str, document: JsonValue, workspace: str = "default") -> Workflow:
    read = graph.read(document)
    return use_cases.import_document(person(Role.DESIGNER, workspace), read, slug, None).workflow


def text(answer: Any) -> str:
    return str(answer.content.decode())


def draft(slug: str = "small") -> Document:
    return definition(bytes(Workflow.objects.get(slug=slug).draft)).document


def node(name: str) -> Node:
    return next(each for each in draft().nodes if each.id == name)


def edge(name: str) -> Edge:
    return next(each for each in draft().edges if each.id == name)


def fields(page: str) -> dict[str, str | list[str]]:
    """What a browser would send back of the page's form, none of its buttons pressed."""
    found: dict[str, str | list[str]] = {}
    form = page[page.index('id="element"') :]
    form = form[: form.index("</form>")]
    for tag in re.findall(r"<input[^>]*>", form):
        name = re.search(r'name="([^"]*)"', tag)
        box = 'type="checkbox"' in tag
        if name and ("checked" in tag or not (box or 'type="radio"' in tag)):
            value = re.search(r'value="([^"]*)"', tag)
            text = _plain(value[1]) if value else "on" if box else ""
            before = found.get(name[1]) if box else None
            found[name[1]] = [*_listed(before), text] if before else text
    for name, body in re.findall(r'<textarea[^>]*name="([^"]*)"[^>]*>(.*?)</textarea>', form, re.S):
        found[name] = _plain(body.removeprefix("\n"))
    for name, body in re.findall(r'<select[^>]*name="([^"]*)"[^>]*>(.*?)</select>', form, re.S):
        chosen = re.search(r'<option value="([^"]*)" selected', body)
        found[name] = _plain(chosen[1]) if chosen else ""
    return {re.sub("^(node|edge)-", "", name): value for name, value in found.items()}


def _listed(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def _plain(html: str) -> str:
    for entity, sign in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#x27;", "'")):
        html = html.replace(entity, sign)
    return html.replace("&amp;", "&")


def opened(client: Client, path: str) -> dict[str, Any]:
    return dict(fields(text(client.get(path))))


def send(client: Client, path: str, data: dict[str, Any] | None = None) -> Any:
    """Post a form; those of nodes and edges have a root before each name."""
    root = root_of(path)
    own = {"seen", "force", "csrfmiddlewaretoken"}
    sent = {name if name in own else f"{root}{name}": value for name, value in (data or {}).items()}
    if root and "_rows" in (data or {}):
        sent[f"{root}_rows"] = sent[f"{root}_rows"].replace(":", f":{root}", 1)
    return client.post(path, sent)


def root_of(path: str) -> str:
    found = re.search(r"/(?:add-)?(node|edge)s?/(?!.*delete)", path)
    return f"{found[1]}-" if found else ""


def theirs(document: Document) -> None:
    use_cases.save_draft(person(Role.DESIGNER), "small", document, 1)
