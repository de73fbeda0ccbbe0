"""Documents that are saved nowhere, and what the graphical editor asks about them.

Each is sent as changes of the stored draft: all that is in this goes, all that is in it comes.
"""

import re
from typing import Any

import orjson
from django.test import Client
from pydantic import JsonValue

from ctxadmin.lib.json_bytes import dumps
from tests.integration.pages.workflows.designing import fields
from workflows.domain.document.draft_changes import keys_of
from workflows.models import Workflow

CALLS = ("panel", "read", "words", "costs", "sides", "preview")
START: dict[str, JsonValue] = {"id": "start", "type": "start"}
ANSWER: dict[str, JsonValue] = {
    "id": "answer",
    "type": "llm",
    "name": "Answer",
    "position": {"x": 320.5, "y": 40},
    "context_type": "filter_in",
    "context_filter": {
        "rules": [{"type": "include", "pattern": "prompt.*"}],
        "messages": [{"operation": "truncate", "truncate": {"keep_last": 2}}],
    },
    "config": {"template": "Be short.", "temperature": 0.2},
}
GO: dict[str, JsonValue] = {
    "id": "go",
    "type": "conditional",
    "from": "start",
    "to": "answer",
    "condition": "context.priority === 'high'",
    "context_filter": {
        "type": "pass_all",
        "messages": [
            {"operation": "truncate", "truncate": {"keep_last": 6}},
            {"operation": "filter", "filter": {"roles": ["system", "user", "assistant"]}},
        ],
    },
}


def document(*nodes: Any, edges: Any = (GO,), **more: Any) -> dict[str, Any]:
    listed = {"nodes": list(nodes or (START, ANSWER)), "edges": list(edges)}
    return {"name": "Small", **listed, "reducers": {"priority": "overwrite"}, **more}


def about(given: Any, slug: str = "small") -> dict[str, Any]:
    """What a call says of a document that the canvas has."""
    row = Workflow.objects.get(slug=slug)
    stored = orjson.loads(bytes(row.draft))
    changes: dict[str, Any] = {"name": given["name"], "reducers": given.get("reducers", {})}
    for name in ("nodes", "edges"):
        added = [{"at": at, "element": each} for at, each in enumerate(given[name])]
        removed = keys_of(each["id"] for each in stored[name])
        changes[name] = {"removed": removed, "added": added}
    return {"draft_version": row.draft_version, "changes": changes}


def ask(client: Client, call: str, body: Any, slug: str = "small") -> Any:
    """Ask about the ``document`` in a body, or send the body as it is."""
    if isinstance(body, dict) and "document" in body:
        body = {**body, **about(body["document"], slug)}
        del body["document"]
    data = body if isinstance(body, bytes) else dumps(body)
    path = f"/workflows/{slug}/editor/{call}/"
    return client.post(path, data, content_type="application/json")


def panel(client: Client, kind: str, name: str, given: Any = None) -> str:
    body = {"kind": kind, "id": name, "document": given or document()}
    answer = ask(client, "panel", body)
    assert answer.status_code == 200, answer.content
    return str(answer.content.decode())


def typed(client: Client, kind: str, name: str, given: Any = None) -> dict[str, Any]:
    """What a browser would send of the panel's form, its document filled in."""
    page = panel(client, kind, name, given).replace('id="panel-form"', 'id="element"')
    root = {"node": "node-", "edge": "edge-"}.get(kind, "")
    shown = re.sub(r'<input type="hidden" name="(kind|id)"[^>]*>', "", page)
    hidden = {"kind": kind, "id": name, "draft": draft_field(given)}
    return {f"{root}{key}": value for key, value in fields(shown).items()} | hidden


def draft_field(given: Any = None) -> str:
    """What a form of the panel is sent with."""
    return dumps(about(given or document())).decode()


def read(client: Client, sent: dict[str, Any]) -> Any:
    answer = client.post("/workflows/small/editor/read/", sent)
    assert answer.status_code == 200, answer.content
    return answer.json()


def preview(client: Client, **body: Any) -> Any:
    answer = ask(client, "preview", {"document": document(), "node": "answer", **body})
    assert answer.status_code == 200, answer.content
    return answer.json()
