"""Budgets on pages: the operation of a person, its preview and its record (semantics 4.1)."""

import re

import pytest
from django.test import Client
from pydantic import JsonValue

from tests.factories import assistant, calls, conversation, result, system, user
from tests.integration.pages.test_operation_previews import apply, previewed, text, visible
from tests.integration.pages.workflows.designing import made

pytestmark = pytest.mark.django_db

LONG = "a sentence of a few words " * 20


def looked_up() -> None:
    """Three calls with long results."""
    turns = [each for name in "abc" for each in (calls(name), result(name, LONG))]
    conversation(system("Be kind."), user("go"), *turns, assistant("so"), public_id="chat")


def budget(most: str, target: str, **fields: str) -> dict[str, str]:
    """The fields of the form, with what its boxes say in the beginning."""
    own = {"drop": "oldest", "keep_turn_start": "on", "keep_first": "0", "keep_system": "on"}
    given = {**own, "max_tokens": most, "target_tokens": target, **fields}
    block = {f"budget-{name}": value for name, value in given.items()}
    return {"operation": "budget", "pairing": "keep", **block}


def results(most: str, target: str, **fields: str) -> dict[str, str]:
    return budget(most, target, drop="tool_results", keep_last_results="1", **fields)


def test_a_budget_is_previewed_applied_and_on_record(reviewer: Client) -> None:
    looked_up()
    page = previewed(reviewer, **budget("300", "200"))
    assert "The system message will be hidden" not in page
    assert "#2–#3" in page
    apply(reviewer, page, **budget("300", "200"))
    assert visible() == [0, 1, 4, 5, 6, 7, 8]
    batches = text(reviewer.get("/conversations/chat/batches/"))
    assert "Cut to 200 tokens where there were over 300" in batches


def test_results_to_be_emptied_are_shown_as_changed(reviewer: Client) -> None:
    looked_up()
    fields = results("300", "200", placeholder="gone")
    page = previewed(reviewer, **fields)
    assert len(re.findall(r'class="change change-(edited|changed|replaced)', page)) == 2
    assert "gone" in page
    apply(reviewer, page, **fields)
    assert visible() == [0, 1, 2, 9, 4, 10, 6, 7, 8]
    assert "gone" in text(reviewer.get("/conversations/chat/"))


def test_an_empty_placeholder_is_one(reviewer: Client) -> None:
    looked_up()
    page = previewed(reviewer, **results("300", "200", placeholder=""))
    assert "[result removed to save space]" not in page[: page.index("<form")]


def test_a_budget_that_cannot_be_met_says_by_how_much_in_the_readers_language(
    reviewer: Client,
) -> None:
    looked_up()
    page = previewed(reviewer, **budget("20", "10", keep_first="9"))
    assert re.search(r"\d+ tokens remain, \d+ more than “Cut when over”", page)
    reviewer.defaults["HTTP_ACCEPT_LANGUAGE"] = "zh-CN"
    page = previewed(reviewer, **budget("20", "10", keep_first="9"))
    assert re.search(r"“超过[^”]*”[^<]*其余内容都必须保留", page)


def test_a_target_above_the_maximum_is_reported_at_its_field(reviewer: Client) -> None:
    looked_up()
    page = previewed(reviewer, **budget("100", "200"))
    assert "This must be less than “Cut when over”." in page
    assert visible() == list(range(9))


def test_only_the_fields_of_what_goes_first_count(reviewer: Client) -> None:
    """A box that is hidden by now says nothing: else the contract would refuse it."""
    looked_up()
    fields = budget("300", "200", drop="oldest_turns", placeholder="x", keep_last_results="7")
    assert "Fix 1 field" not in previewed(reviewer, **fields)


def test_a_context_preview_shows_what_a_budget_does_to_each_message(designer: Client) -> None:
    looked_up()
    block: JsonValue = {
        "max_tokens": 300,
        "target_tokens": 200,
        "drop": "tool_results",
        "keep_last_results": 1,
        "placeholder": "gone for good",
    }
    filters: JsonValue = {"messages": [{"operation": "budget", "budget": block}]}
    nodes: JsonValue = [{"id": "a", "type": "task", "context_filter": filters}]
    made("small", {"name": "small", "nodes": nodes, "edges": []})
    path = "/workflows/small/preview/?node=a&conversation=chat"
    page = text(designer.get(path))
    assert "2 changed" in page
    assert "gone for good" in page
    assert "emptied by “over 300 tokens, cut to 200”" in page
    designer.defaults["HTTP_ACCEPT_LANGUAGE"] = "zh-CN"
    assert "超过 300 个 token 时截断到 200" in text(designer.get(path))
