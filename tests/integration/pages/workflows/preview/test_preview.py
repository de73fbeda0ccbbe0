"""What a node would see."""

import re

import pytest
from django.test import Client
from pydantic import JsonValue
from pytest_django import Settings

from tests.factories import assistant, conversation, system, user
from tests.integration.pages.workflows.designing import (
    made,
    opened,
    send,
    text,
)
from workflows.models import Workflow

pytestmark = pytest.mark.django_db


@pytest.fixture
def chat() -> None:
    messages = [system("Be kind."), user("one"), assistant("two"), user("three")]
    conversation(*messages, public_id="chat", metadata=b'{"tier": "gold"}')


def test_a_preview_shows_what_is_kept_and_dropped_and_why(
    designer: Client, small: Workflow, chat: None
) -> None:
    page = text(designer.get("/workflows/small/preview/?node=answer&conversation=chat"))
    assert "2 kept" in page
    assert "2 dropped" in page
    assert "Be kind." in page
    assert "input filter" in page
    assert "Tokens after" in page


def test_a_preview_starts_with_the_latest_conversation_of_the_workflow(
    designer: Client, small: Workflow
) -> None:
    conversation(user("hello"), public_id="other")
    assert 'id="seen"' not in text(designer.get("/workflows/small/preview/?node=answer"))
    conversation(user("about this"), public_id="own", workflow="small")
    page = text(designer.get("/workflows/small/preview/?node=answer"))
    assert 'id="seen"' in page
    assert 'value="own"' in page


def test_another_node_comes_with_its_own_edges(designer: Client, small: Workflow) -> None:
    asked = "?chosen=1&node=answer&edges_of=start&edges=gone"
    page = text(designer.get(f"/workflows/small/preview/{asked}"))
    assert re.search(r'id="edge-go"[^>]* checked', page)
    none = text(designer.get("/workflows/small/preview/?chosen=1&node=answer&edges_of=answer"))
    assert re.search(r'id="edge-go"(?![^>]* checked)', none)


def test_a_pasted_context_is_previewed_with_its_changes(designer: Client) -> None:
    made(
        "small",
        {
            "name": "T",
            "nodes": [
                {
                    "id": "a",
                    "type": "llm",
                    "context_type": "transform",
                    "context_filter": {
                        "rules": [
                            {"type": "transform", "pattern": "name", "transform": "uppercase"},
                            {"type": "exclude", "pattern": "secret"},
                        ]
                    },
                }
            ],
            "edges": [],
        },
    )
    sent = {
        "node": "a",
        "context": '{"variables": {"name": "ada", "secret": "hush"}}',
        "messages": "",
    }
    page = text(send(designer, "/workflows/small/preview/", sent))
    assert re.search(r"<del.*ada.*</del>.*<ins.*ADA.*</ins>", page, re.S)
    assert "hush" in page
    assert "1 changed" in page
    assert Workflow.objects.get().draft_version == 1


def test_a_preview_that_asks_for_too_much_work_says_what_took_it(
    designer: Client, small: Workflow, chat: None, settings: Settings
) -> None:
    settings.MAX_PREVIEW_WORK = 100
    answer = designer.get("/workflows/small/preview/?node=answer&conversation=chat")
    assert answer.status_code == 422
    assert text(answer).count("takes more work than the 100 units that one call may ask for") == 1


def test_a_join_tells_its_clashes(designer: Client) -> None:
    rename: JsonValue = {
        "type": "transform",
        "transform_rules": [{"pattern": "x", "transform": "uppercase"}],
    }
    made(
        "small",
        {
            "name": "J",
            "nodes": [
                {"id": "a", "type": "start"},
                {"id": "b", "type": "start"},
                {"id": "j", "type": "join"},
            ],
            "edges": [
                {"id": "one", "type": "sequence", "from": "a", "to": "j"},
                {
                    "id": "two",
                    "type": "sequence",
                    "from": "b",
                    "to": "j",
                    "context_filter": rename,
                },
            ],
        },
    )
    sent = {
        "node": "j",
        "chosen": "1",
        "edges": ["one", "two"],
        "context": '{"variables": {"x": "a"}}',
    }
    assert "two wins over one" in text(send(designer, "/workflows/small/preview/", sent))


def test_a_node_that_would_be_refused_says_what_it_lacks(designer: Client, small: Workflow) -> None:
    path = "/workflows/small/nodes/answer/"
    send(designer, path, opened(designer, path) | {"context_type": "llm_context"})
    sent = {"node": "answer", "context": "{}", "messages": "[]"}
    assert "would be refused" in text(send(designer, "/workflows/small/preview/", sent))


@pytest.mark.parametrize(
    "sent",
    [
        {"context": "{"},
        {"context": '{"variables": 3}'},
        {"messages": '{"role": "user"}'},
        {"messages": '[{"role": "robot", "content": "x"}]'},
        {"node": "gone"},
    ],
)
def test_a_preview_that_cannot_be_made_keeps_what_was_typed(
    designer: Client, small: Workflow, sent: dict[str, str]
) -> None:
    answer = send(designer, "/workflows/small/preview/", {"node": "answer", **sent})
    assert answer.status_code in (404, 422)
    if "context" in sent:
        assert "<textarea" in text(answer)


@pytest.mark.parametrize("query", ["conversation=gone", "conversation=chat&at=x"])
def test_a_conversation_that_is_not_there_is_named(
    designer: Client, small: Workflow, chat: None, query: str
) -> None:
    answer = designer.get(f"/workflows/small/preview/?node=answer&{query}")
    assert answer.status_code == 422
    assert "Preview not possible" in text(answer)
