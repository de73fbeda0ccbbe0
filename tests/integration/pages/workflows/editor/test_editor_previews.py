"""What a node would see of a document that is not saved."""

import re
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from tests.factories import assistant, calls, conversation, result, system, user
from tests.integration.pages.workflows.unsaved import ANSWER, START, ask, document, preview

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small")]


def test_a_preview_shows_what_the_document_of_the_browser_lets_through(designer: Client) -> None:
    chat = conversation(system("Be kind."), user("one"), assistant("two"), user("three"))
    other: dict[str, Any] = {
        **ANSWER,
        "context_type": "pass_through",
        "context_filter": {"messages": [{"operation": "truncate", "truncate": {"keep_last": 1}}]},
    }
    told = preview(designer, document=document(START, other), conversation=chat.public_id)
    assert told["tokens_after"] < told["tokens_before"]
    assert "three" in told["html"]
    assert told["html"].count("seen-dropped") == 3
    assert told["line"].startswith("1 of 4 messages")
    whole, left = told["tokens_before"], told["tokens_after"]
    assert f"{left} of {whole} tokens" in told["line"]
    assert told["lacks"] == "The system message will be hidden: #0."
    assert told["cached_prefix_lost"] == told["tokens_before"]


def test_a_pasted_context_is_previewed(designer: Client) -> None:
    context = {"variables": {"prompt.tone": "kind", "secret": "x"}, "history": [], "metadata": {}}
    told = preview(designer, context=context, messages=[user("hello")])
    assert "prompt.tone" in told["html"]
    assert told["line"].startswith("1 of 1 messages · 1 of 2 variables")
    assert re.search(r'seen-dropped">\s*<th scope="row"><code translate="no">secret', told["html"])
    assert told["problems"] == []


def test_a_preview_tells_whether_tool_pairs_are_whole(designer: Client) -> None:
    chat = conversation(user("a"), calls("c1"), result("c1"), assistant("b"))
    plain = {"id": "answer", "type": "llm"}
    whole = preview(
        designer, document=document(START, plain, edges=()), conversation=chat.public_id
    )
    assert "complete" in whole["html"]
    assert whole["lacks"] == ""
    cut = {
        **plain,
        "context_filter": {
            "messages": [{"operation": "truncate", "truncate": {"keep_last": 2}, "pairing": "warn"}]
        },
    }
    split = preview(designer, document=document(START, cut, edges=()), conversation=chat.public_id)
    assert "incomplete" in split["html"]
    assert split["lacks"] == "The node would be refused"
    assert split["problems"][0]["code"] == "incompatible_context"


def test_a_preview_that_asks_for_too_much_work_is_refused(
    designer: Client, settings: Settings
) -> None:
    settings.MAX_PREVIEW_WORK = 100
    body = {"document": document(), "node": "answer", "messages": [user("hello")]}
    refused = ask(designer, "preview", body)
    assert (refused.status_code, refused.json()["code"]) == (413, "too_large")
    assert "takes more work than the 100 units" in refused.json()["detail"]


def test_a_path_shows_every_step_from_the_start(designer: Client) -> None:
    between = {"id": "between", "type": "tool", "context_type": "isolate"}
    edges = [
        {"id": "a", "type": "sequence", "from": "start", "to": "between"},
        {"id": "b", "type": "sequence", "from": "between", "to": "answer"},
    ]
    given = document(START, between, ANSWER, edges=edges)
    told = preview(designer, document=given, path=True, messages=[user("x")])
    assert [(each["node"], each["edge"]) for each in told["steps"]] == [
        ("start", ""),
        ("between", "a"),
        ("answer", "b"),
    ]
    assert told["html"].count("<details") >= 3
    last = preview(designer, document=given, path=True, edges=["b"], messages=[user("x")])
    assert [each["node"] for each in last["steps"]] == ["start", "between", "answer"]


def test_a_node_that_nothing_leads_to_has_no_path(designer: Client) -> None:
    given = document(START, ANSWER, edges=())
    answer = ask(designer, "preview", {"document": given, "node": "answer", "path": True})
    assert answer.status_code == 422
    assert "No path leads" in answer.json()["detail"]


def test_a_broken_element_elsewhere_does_not_hinder_a_preview(designer: Client) -> None:
    broken = {"id": "broken", "type": "llm", "position": 7}
    wrong = {"id": "wrong", "type": "llm", "context_filter": {"rules": [{"type": "nonsense"}]}}
    told = preview(designer, document=document(broken, wrong, START, ANSWER), messages=[user("hi")])
    assert "hi" in told["html"]


@pytest.mark.parametrize(
    "node",
    [
        {"id": "answer", "type": "llm", "position": 7},
        {"id": "answer", "type": "llm", "context_filter": {"rules": [{"type": "nonsense"}]}},
    ],
)
def test_a_broken_node_itself_gets_a_clear_word(designer: Client, node: Any) -> None:
    answer = ask(designer, "preview", {"document": document(START, node), "node": "answer"})
    assert answer.status_code == 422
    assert answer.json()["errors"]


@pytest.mark.parametrize(
    ("wrong", "field", "input_name"),
    [
        ({"config": {"pause": "sometimes"}}, "Review", "node-pause"),
        ({"context_type": 7}, "Context type", "node-context_type"),
    ],
)
def test_a_preview_that_is_refused_names_the_node_and_the_field(
    designer: Client, wrong: Any, field: str, input_name: str
) -> None:
    broken = {"id": "broken", "type": "llm", "position": 7}
    node = {"id": "answer", "type": "llm", "name": "Draft", **wrong}
    body = {"document": document(START, node, broken), "node": "answer", "messages": [user("hi")]}
    problem = ask(designer, "preview", body).json()["errors"][0]
    assert (problem["node"], problem["element"], problem["field"]) == ("answer", "Draft", field)
    assert problem["input"] == input_name


def test_a_conversation_and_a_context_together_are_refused(designer: Client) -> None:
    body = {
        "document": document(),
        "node": "answer",
        "conversation": "chat",
        "messages": [user("x")],
    }
    assert ask(designer, "preview", body).status_code == 422
    assert (
        ask(designer, "preview", {"document": document(), "node": "answer", "at": 1}).status_code
        == 422
    )


def test_a_preview_names_its_conversation(designer: Client) -> None:
    chat = conversation(user("Where is my lamp?"))
    assert preview(designer, conversation=chat.public_id)["title"] == "Where is my lamp?"
    assert preview(designer, messages=[user("hi")])["title"] == ""
