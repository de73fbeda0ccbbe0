"""Filters by origin over the stored log: nodes, times and comments."""

from datetime import timedelta
from typing import Any

import pytest

from conversations.domain.configs import read_operation
from conversations.models import Message
from ctxadmin.accounts.services import default_workspace
from tests.factories import assistant, conversation, result, user
from tests.integration.checkpoints.flows import Run, ok, refused
from tests.openapi import CheckedApi
from workflows.pages.drawing.summaries import operation_label

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    default_workspace()
    call: dict[str, Any] = {"id": "c", "type": "function", "function": {"name": "search"}}
    return Run(
        CheckedApi(),
        conversation(
            user("go"),
            {"role": "assistant", "content": None, "tool_calls": [call]},
            result("c", "found"),
            {**assistant("done"), "node_id": "answer"},
        ),
    )


def hidden(run: Run, **block: Any) -> Any:
    body = {"operation": "filter", "filter": block, "dry_run": True}
    return ok(run.post("operations", body))["hidden"]


def test_nodes_and_tools_are_those_of_the_log(run: Run) -> None:
    assert hidden(run, nodes=["answer"]) == [[0, 3]]
    assert hidden(run, tools=["search"]) == [[0, 1], [3, 4]]
    assert hidden(run, tools=["refund"]) == [[0, 4]]
    assert hidden(run, larger_than=0) == []


def test_minutes_count_back_from_the_latest_visible_message(run: Run) -> None:
    rows = Message.objects.filter(conversation=run.head.key)
    newest = rows.get(index=3).created_at
    rows.filter(index=0).update(created_at=newest - timedelta(minutes=10))
    rows.filter(index=1).update(created_at=newest - timedelta(minutes=5))
    rows.update(sum=None)  # they are older than the sums
    assert hidden(run, newer_than={"minutes": 7}) == [[0, 1]]
    assert hidden(run, older_than={"minutes": 5}) == [[1, 4]]
    assert hidden(run, older_than={"minutes": 4}) == [[2, 4]]


def test_messages_with_a_comment_are_found(run: Run) -> None:
    ok(run.post("comments", {"message": 2, "text": "look"}))
    assert hidden(run, has=["comment"]) == [[0, 2], [3, 4]]


def test_the_operation_is_recorded_with_its_origin(run: Run) -> None:
    block = {"tools": ["search"], "newer_than": {"turns": 1}}
    ok(run.post("operations", {"operation": "filter", "filter": block}))
    last = ok(run.get("batches"))["results"][-1]
    assert last["config"] == {"operation": "filter", "filter": block}


def test_an_age_without_a_measure_is_refused_at_its_place(run: Run) -> None:
    body = {"operation": "filter", "filter": {"older_than": {}}}
    refused(run.post("operations", body), 422, "validation", "/filter/older_than")


def test_the_canvas_says_it_in_words() -> None:
    block: dict[str, Any] = {"roles": ["tool"], "tools": ["search"], "newer_than": {"turns": 3}}
    config = read_operation({"operation": "filter", "filter": block})
    words = operation_label(config)
    assert words == "only tool, only of the tools search, only newer than 3 turns"
