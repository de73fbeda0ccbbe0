"""An edge that is followed over 60,000 tokens: drawn, typed in a form, and written as YAML."""

from typing import Any

import pytest
from django.test import Client
from pydantic import JsonValue

from ctxadmin.identity.roles import Role
from tests.factories import person
from tests.integration.pages.workflows.designing import made, text
from tests.integration.pages.workflows.unsaved import ask, panel, read, typed
from workflows.services import use_cases

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small")]

CUT: dict[str, JsonValue] = {
    "operation": "budget",
    "budget": {"max_tokens": 60_000, "target_tokens": 30_000},
    "pairing": "keep",
}
LONG = "context.tokens > 60000"


def edge(name: str, source: str, target: str, condition: str | None = None) -> dict[str, Any]:
    kind = "sequence" if condition is None else "conditional"
    own = {} if condition is None else {"condition": condition}
    return {"id": name, "type": kind, "from": source, "to": target, **own}


def document() -> dict[str, Any]:
    return {
        "name": "Small",
        "nodes": [
            {"id": "start", "type": "start"},
            {"id": "ask", "type": "decision"},
            {"id": "compact", "type": "context_processor", "config": CUT},
            {"id": "answer", "type": "llm"},
        ],
        "edges": [
            edge("begin", "start", "ask"),
            edge("long", "ask", "compact", LONG),
            edge("short", "ask", "answer", "!(context.tokens > 60000)"),
            edge("cut", "compact", "answer"),
        ],
    }


def problems(told: Any) -> list[str]:
    return [each["message"] for each in told["problems"] if each["severity"] != "note"]


def test_the_canvas_shows_the_condition_on_the_edge_and_finds_nothing_wrong(
    designer: Client,
) -> None:
    told = ask(designer, "words", {"document": document()}).json()
    assert told["edges"]["long"]["condition"] == "if tokens > 60000"
    assert told["nodes"]["compact"]["filter"] == ["over 60,000 tokens cut to 30,000"]
    assert problems(told) == []


def test_the_form_of_the_edge_offers_the_figures_and_reads_them_back(designer: Client) -> None:
    given = document()
    assert "context.tokens" in panel(designer, "edge", "long", given)
    said = read(designer, typed(designer, "edge", "long", given))
    assert said["errors"] == []
    assert said["element"]["condition"] == LONG


def test_yaml_has_the_edge_and_the_workflow_is_published_with_it(designer: Client) -> None:
    made("long", document())
    yaml = text(designer.get("/workflows/long/yaml/"))
    assert LONG in yaml
    assert use_cases.publish(person(Role.DESIGNER), "long", 1).version == 1
