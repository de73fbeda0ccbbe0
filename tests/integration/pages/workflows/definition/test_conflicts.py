"""Two designers at once."""

import pytest
from django.test import Client

from tests.integration.pages.workflows.designing import (
    SMALL,
    draft,
    fields,
    made,
    node,
    opened,
    send,
    text,
    theirs,
)
from workflows.domain.document.graph import Node
from workflows.models import Workflow

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_a_conflict_shows_what_the_other_did_and_keeps_what_was_typed(
    designer: Client, small: Workflow
) -> None:
    path = "/workflows/small/nodes/answer/"
    mine = opened(designer, path) | {"name": "My new name"}
    nodes = (*draft().nodes, Node(id="theirs", type="tool"))
    theirs(draft().model_copy(update={"nodes": nodes}))
    answer = send(designer, path, mine)
    assert answer.status_code == 409
    page = text(answer)
    assert ">theirs</span>" in page
    assert "My new name" in page
    assert node("answer").name == "Answer"
    assert send(designer, path, dict(fields(page))).status_code == 302
    assert node("answer").name == "My new name"
    assert node("theirs")


def test_a_conflict_about_the_same_node_says_so(designer: Client, small: Workflow) -> None:
    path = "/workflows/small/nodes/answer/"
    mine = opened(designer, path)
    start, answer = draft().nodes
    changed = answer.model_copy(update={"name": "Theirs"})
    theirs(draft().model_copy(update={"nodes": (start, changed)}))
    page = text(send(designer, path, mine))
    assert "the same element" in page


def test_a_node_that_was_deleted_meanwhile_comes_back_when_saved_again(
    designer: Client, small: Workflow
) -> None:
    path = "/workflows/small/nodes/answer/"
    mine = opened(designer, path)
    theirs(draft().model_copy(update={"nodes": draft().nodes[:1], "edges": ()}))
    page = text(send(designer, path, mine))
    assert send(designer, path, dict(fields(page))).status_code == 302
    assert node("answer").name == "Answer"


def test_a_form_without_what_was_seen_is_refused(designer: Client, small: Workflow) -> None:
    path = "/workflows/small/nodes/answer/"
    for seen in ("", "nonsense"):
        answer = send(designer, path, opened(designer, path) | {"seen": seen, "name": "X"})
        assert answer.status_code == 422
    assert node("answer").name == "Answer"


def test_what_was_seen_of_another_workflow_does_not_count(
    designer: Client, small: Workflow
) -> None:
    made("other", SMALL)
    seen = opened(designer, "/workflows/other/nodes/answer/")
    assert send(designer, "/workflows/small/nodes/answer/", seen).status_code == 422
