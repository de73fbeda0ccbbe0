"""Deleting, publishing, comparing and restoring."""

import re

import pytest
from django.test import Client

from ctxadmin.accounts.roles import Role
from tests.factories import person
from tests.integration.pages.workflows.designing import (
    draft,
    made,
    node,
    send,
    text,
    theirs,
)
from workflows import services
from workflows.models import Workflow, WorkflowVersion

pytestmark = pytest.mark.django_db


def seen_on(client: Client, path: str) -> dict[str, str]:
    found = re.search(r'name="seen" value="([^"]*)"', text(client.get(path)))
    assert found
    return {"seen": found[1]}


def test_deleting_a_node_names_the_edges_that_go_with_it(designer: Client, small: Workflow) -> None:
    path = "/workflows/small/nodes/answer/delete/"
    assert "start → answer" in text(designer.get(path))
    assert send(designer, path, seen_on(designer, path)).status_code == 302
    assert [each.id for each in draft().nodes] == ["start"]
    assert draft().edges == ()


def test_deleting_an_edge_keeps_its_nodes(designer: Client, small: Workflow) -> None:
    path = "/workflows/small/edges/go/delete/"
    assert send(designer, path, seen_on(designer, path)).status_code == 302
    assert (len(draft().nodes), len(draft().edges)) == (2, 0)
    assert designer.get(path).status_code == 404


def test_a_deletion_of_another_draft_than_was_seen_is_a_conflict(
    designer: Client, small: Workflow
) -> None:
    path = "/workflows/small/edges/go/delete/"
    seen = seen_on(designer, path)
    theirs(draft().model_copy(update={"name": "New"}))
    answer = send(designer, path, seen)
    assert answer.status_code == 409
    assert "Somebody else changed the draft" in text(answer)
    assert len(draft().edges) == 1


def test_publishing_asks_and_then_keeps_the_version(designer: Client, small: Workflow) -> None:
    page = text(designer.get("/workflows/small/publish/"))
    assert "never changes" in page
    sent = {"draft_version": "1", "note": "The first"}
    answer = send(designer, "/workflows/small/publish/", sent)
    assert answer["Location"] == "/workflows/small/versions/1/"
    assert WorkflowVersion.objects.get().note == "The first"
    assert "The first" in text(designer.get("/workflows/small/versions/"))
    assert "published already" in text(designer.get("/workflows/small/publish/"))
    version = text(designer.get("/workflows/small/versions/1/"))
    assert 'href="#node-answer"' in version
    assert "/nodes/answer/" not in version


def test_a_draft_with_errors_is_not_published(designer: Client) -> None:
    made("small", {"name": "Empty", "nodes": [], "edges": []})
    page = text(designer.get("/workflows/small/publish/"))
    assert "cannot be published yet" in page
    answer = send(designer, "/workflows/small/publish/", {"draft_version": "1"})
    assert answer.status_code == 422
    assert WorkflowVersion.objects.count() == 0


def test_publishing_another_draft_than_was_seen_is_a_conflict(
    designer: Client, small: Workflow
) -> None:
    theirs(draft().model_copy(update={"name": "New"}))
    answer = send(designer, "/workflows/small/publish/", {"draft_version": "1", "note": "kept"})
    assert answer.status_code == 409
    assert "kept" in text(answer)
    assert WorkflowVersion.objects.count() == 0


def test_a_version_is_compared_and_restored(designer: Client, small: Workflow) -> None:
    services.publish(person(Role.DESIGNER), "small", 1)
    theirs(draft().model_copy(update={"nodes": draft().nodes[:1], "edges": ()}))
    page = text(designer.get("/workflows/small/diff/?from=1&to=draft"))
    assert "node answer" in page
    path = "/workflows/small/versions/1/restore/"
    assert "node answer" in text(designer.get(path))
    assert send(designer, path, seen_on(designer, path)).status_code == 302
    assert node("answer")


@pytest.mark.parametrize("query", ["from=9&to=draft", "from=x", "to=-1"])
def test_a_difference_of_what_is_not_there_is_refused(
    designer: Client, small: Workflow, query: str
) -> None:
    assert designer.get(f"/workflows/small/diff/?{query}").status_code in (404, 422)


def test_name_and_description_are_edited(designer: Client, small: Workflow) -> None:
    sent = {"name": "New name", "description": "", "changes": "1"}
    assert send(designer, "/workflows/small/edit/", sent).status_code == 302
    assert Workflow.objects.get().name == "New name"
    stale = send(designer, "/workflows/small/edit/", sent | {"name": "Other"})
    assert stale.status_code == 409
    assert "Other" in text(stale)


def test_a_workflow_is_deleted_after_being_asked(designer: Client, small: Workflow) -> None:
    path = "/workflows/small/delete/"
    assert "slug is free" in text(designer.get(path))
    assert send(designer, path, {"changes": "0"}).status_code == 409
    assert send(designer, path, {"changes": "1"}).status_code == 302
    assert designer.get("/workflows/small/").status_code == 404
