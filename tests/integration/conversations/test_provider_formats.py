"""Messages in the formats of providers, by REST: lists, nodes that are entered, previews."""

from typing import Any

import pytest

from conversations.domain.formats.formats import FORMATS
from conversations.reading import provider_views
from tests.factories import calls, conversation, result, system, user
from tests.integration.checkpoints.flows import Run, node, ok, publish, refused
from tests.openapi import CheckedApi

pytestmark = pytest.mark.django_db

CHAT = (system("s"), user("q"), calls("a"), result("a"))


@pytest.fixture
def run() -> Run:
    return Run(CheckedApi(), conversation(*CHAT))


def test_a_view_is_answered_as_a_provider_takes_it(run: Run) -> None:
    found = ok(run.get("messages?format=anthropic"))
    assert found["format"] == "anthropic"
    assert found["system"] == [{"type": "text", "text": "s"}]
    assert [each["role"] for each in found["messages"]] == ["user", "assistant", "user"]
    assert found["warnings"] == []
    assert "system" not in ok(run.get("messages?format=openai"))


def test_our_own_format_is_the_list_with_its_pages(run: Run) -> None:
    plain = ok(run.get("messages?limit=2"))
    assert ok(run.get("messages?format=ctxadmin&limit=2")) == plain
    assert plain["next"]


def test_only_what_is_visible_is_written_and_what_is_split_is_reported(run: Run) -> None:
    keep = {"operation": "truncate", "truncate": {"keep_last": 1}}
    ok(run.post("operations", keep))
    found = ok(run.get("messages?format=openai"))
    assert [each["role"] for each in found["messages"]] == ["tool"]
    assert [(each["code"], each["indices"]) for each in found["warnings"]] == [
        ("orphan_result", [3])
    ]
    before = ok(run.get("messages?format=openai&view=revision:0"))
    assert [each["role"] for each in before["messages"]] == ["system", "user", "assistant", "tool"]


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("format=gemini", "?format"),
        ("format=openai&limit=2", "?limit"),
        ("format=openai&cursor=x", "?cursor"),
        ("format=openai&view=all", "?view"),
    ],
)
def test_what_a_format_cannot_be_asked_for_is_refused(run: Run, query: str, pointer: str) -> None:
    refused(run.get(f"messages?{query}"), 422, "validation", pointer)


def test_more_than_a_format_is_written_for_is_refused(
    run: Run, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    monkeypatch.setattr(provider_views, "MOST_MESSAGES", 3)
    assert refused(run.get("messages?format=openai"), 413, "too_large")["limit"] == 3
    refused(run.post("nodes/n/enter?format=openai"), 413, "too_large")
    monkeypatch.undo()
    settings.MAX_BODY_BYTES = 100
    assert refused(run.get("messages?format=openai"), 413, "too_large")["limit"] == 100


@pytest.mark.parametrize("name", FORMATS)
def test_a_node_is_entered_with_what_it_sees_in_the_format(name: str) -> None:
    keeps = {"messages": [{"operation": "truncate", "truncate": {"keep_last": 3}}]}
    loud = {
        "rules": [
            {"type": "transform", "pattern": "user", "transform": "uppercase", "target": "messages"}
        ]
    }
    publish(
        "w", [node("ask", "llm", context_type="pass_through", context_filter=[keeps, loud])], []
    )
    run = Run.start("w", CheckedApi(), state={"messages": list(CHAT)})
    found = ok(run.post(f"nodes/ask/enter?format={name}"))
    assert found["format"] == name
    assert ("system" in found) == (name == "anthropic")
    assert "Q" in str(found["messages"])
    assert found["context"]["variables"] == {}
    assert "'s'" not in str(found["messages"])


def test_warnings_of_a_format_stand_beside_those_of_filters(run: Run) -> None:
    ok(run.append({**user("r"), "name": "ada"}))
    found = ok(run.post("nodes/n/enter?format=anthropic"))
    assert [(each["code"], each["step"], each["indices"]) for each in found["warnings"]] == [
        ("field_left_out", "format", [4])
    ]


def test_a_node_is_previewed_in_a_format() -> None:
    api = CheckedApi()
    publish("w", [node("ask", "llm")], [])
    body = {"node": "ask", "messages": list(CHAT), "context": {}}
    found = ok(api.post("/workflows/w/preview?format=anthropic", body))
    assert (found["format"], found["system"]) == ("anthropic", [{"type": "text", "text": "s"}])
    assert [each["role"] for each in found["messages"]] == ["user", "assistant", "user"]
    plain = ok(api.post("/workflows/w/preview", body))
    assert (plain["format"], plain["system"]) == ("ctxadmin", None)
    assert [each["index"] for each in plain["messages"]] == [0, 1, 2, 3]
    assert plain["tokens_after"] == found["tokens_after"]
