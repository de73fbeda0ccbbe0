"""Deleting, publishing, comparing and restoring."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from ctxadmin.identity.roles import Role
from tests.factories import person, signed_in
from tests.integration.checkpoints.flows import Run
from tests.integration.pages.workflows.designing import (
    draft,
    made,
    node,
    send,
    text,
    theirs,
)
from workflows.domain.document import graph
from workflows.models import Workflow, WorkflowVersion
from workflows.services import use_cases

pytestmark = pytest.mark.django_db


def seen_on(client: Client, path: str) -> dict[str, str]:
    found = re.search(r'name="seen" value="([^"]*)"', text(client.get(path)))
    assert found
    return {"seen": found[1]}


def test_deleting_a_node_names_the_edges_that_go_with_it(designer: Client, small: Workflow) -> None:
    path = "/workflows/small/nodes/answer/delete/"
    page = text(designer.get(path))
    assert "Delete the node “Answer”" in page
    assert "start → Answer" in page
    assert send(designer, path, seen_on(designer, path)).status_code == 302
    assert [each.id for each in draft().nodes] == ["start"]
    assert draft().edges == ()


def test_deleting_an_edge_keeps_its_nodes(designer: Client, small: Workflow) -> None:
    path = "/workflows/small/edges/go/delete/"
    assert "Delete the edge “start → Answer”" in text(designer.get(path))
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
    assert "Someone else changed the draft" in text(answer)
    assert len(draft().edges) == 1


def test_publishing_asks_and_then_keeps_the_version(designer: Client, small: Workflow) -> None:
    page = text(designer.get("/workflows/small/publish/"))
    assert "never changes" in page
    sent = {"draft_version": "1", "note": "The first"}
    answer = send(designer, "/workflows/small/publish/", sent)
    assert answer["Location"] == "/workflows/small/versions/1/"
    assert WorkflowVersion.objects.get().note == "The first"
    assert "The first" in text(designer.get("/workflows/small/versions/"))
    assert "already published" in text(designer.get("/workflows/small/publish/"))
    version = text(designer.get("/workflows/small/versions/1/"))
    assert 'href="#node-answer"' in version
    assert "/nodes/answer/" not in version


@pytest.mark.parametrize("sheet", ["", "?sheet=1"])
def test_a_note_that_is_too_long_is_refused_whole_and_stays_in_its_field(
    designer: Client, small: Workflow, sheet: str
) -> None:
    path = f"/workflows/small/publish/{sheet}"
    assert "maxlength" not in text(designer.get(path)).partition('id="note"')[2].partition(">")[0]
    note = "n" * 10_000 + "the end"
    answer = send(designer, path, {"draft_version": "1", "note": note})
    assert answer.status_code == 422
    assert "This must have at most 10000 characters" in text(answer)
    assert f">{note}</textarea>" in text(answer)
    assert not WorkflowVersion.objects.exists()


def test_an_end_of_a_line_counts_as_one_character_of_a_note(
    designer: Client, small: Workflow
) -> None:
    sent = {"draft_version": "1", "note": "n\r\n" * 4_998 + "end"}
    assert send(designer, "/workflows/small/publish/", sent).status_code == 302
    assert WorkflowVersion.objects.get().note == "n\n" * 4_998 + "end"


def test_a_draft_with_errors_is_not_published(designer: Client) -> None:
    made("small", {"name": "Empty", "nodes": [], "edges": []})
    page = text(designer.get("/workflows/small/publish/"))
    assert "cannot be published yet" in page
    answer = send(designer, "/workflows/small/publish/", {"draft_version": "1"})
    assert answer.status_code == 422
    assert WorkflowVersion.objects.count() == 0


def test_a_canvas_gets_the_part_that_publishes_and_the_version_as_json(
    designer: Client, small: Workflow
) -> None:
    url = "/workflows/small/publish/?sheet=1"
    sheet = designer.get(url).content.decode()
    assert "<html" not in sheet
    assert 'name="draft_version" value="1"' in sheet
    assert "data-close" in sheet
    stale = send(designer, url, {"draft_version": "0", "note": "kept"})
    assert stale.status_code == 409
    assert "<html" not in stale.content.decode()
    assert "Someone else changed the draft" in text(stale)
    assert "kept" in text(stale)
    answer = send(designer, url, {"draft_version": "1", "note": "First"})
    assert answer.json() == {"version": 1, "url": "/workflows/small/versions/1/"}
    small.refresh_from_db()
    assert small.published_version == 1


def test_publishing_another_draft_than_was_seen_is_a_conflict(
    designer: Client, small: Workflow
) -> None:
    theirs(draft().model_copy(update={"name": "New"}))
    answer = send(designer, "/workflows/small/publish/", {"draft_version": "1", "note": "kept"})
    assert answer.status_code == 409
    assert "kept" in text(answer)
    assert WorkflowVersion.objects.count() == 0


def test_a_version_is_compared_and_restored(designer: Client, small: Workflow) -> None:
    use_cases.publish(person(Role.DESIGNER), "small", 1)
    theirs(draft().model_copy(update={"nodes": draft().nodes[:1], "edges": ()}))
    page = text(designer.get("/workflows/small/diff/?from=1&to=draft"))
    way = "/workflows/small/diff/1/draft/canvas/?node=answer"
    assert 'id="change-node-answer"><th' in page.replace("\n", "").replace("  ", "")
    assert f'<a href="{way}">Answer</a>' in page
    path = "/workflows/small/versions/1/restore/"
    assert "Answer" in text(designer.get(path))
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
    assert "slug becomes available" in text(designer.get(path))
    assert send(designer, path, {"changes": "0"}).status_code == 409
    assert send(designer, path, {"changes": "1"}).status_code == 302
    assert designer.get("/workflows/small/").status_code == 404


# --- What was run, and a difference that is drawn ---------------------------------------------


def test_each_version_tells_how_often_it_was_run(designer: Client, small: Workflow) -> None:
    use_cases.publish(person(Role.DESIGNER), "small", 1)
    rename("Other")
    use_cases.publish(person(Role.DESIGNER), "small", 2)
    for version in (1, 1, 2):
        Run.start("small", version=version)
    page = text(designer.get("/workflows/small/versions/"))
    assert re.findall(r'data-label="Executions">(\d+)<', page) == ["1", "2"]


def test_the_list_of_versions_asks_once_for_all_counts(designer: Client, small: Workflow) -> None:
    use_cases.publish(person(Role.DESIGNER), "small", 1)
    with CaptureQueriesContext(connection) as few:
        designer.get("/workflows/small/versions/")
    for seen in range(1, 6):
        rename(f"Name {seen}")
        use_cases.publish(person(Role.DESIGNER), "small", seen + 1)
    with CaptureQueriesContext(connection) as many:
        designer.get("/workflows/small/versions/")
    assert len(many) == len(few) <= 8


def change(make: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Save a changed draft of ``small``."""
    row = Workflow.objects.get(slug="small")
    document = graph.read(make(graph.dump(draft())))
    use_cases.save_draft(person(Role.DESIGNER), "small", document, row.draft_version)


def rename(name: str) -> None:
    change(lambda document: {**document, "name": name})


def drawn(client: Client, query: str = "") -> str:
    page = text(client.get(f"/workflows/small/diff/{query}"))
    return page[page.index('<svg class="graph"') : page.rindex("</svg>")]


def test_what_was_added_removed_and_changed_is_marked_by_sign_and_word(
    designer: Client, small: Workflow
) -> None:
    use_cases.publish(person(Role.DESIGNER), "small", 1)

    def other(document: dict[str, Any]) -> dict[str, Any]:
        start = {**document["nodes"][0], "name": "Begin"}
        new = {"id": "fresh", "type": "tool"}
        way = {"id": "way", "type": "sequence", "from": "start", "to": "fresh"}
        return {**document, "nodes": [start, new], "edges": [way]}

    change(other)
    svg = drawn(designer, "?from=1&to=draft")
    for name, mark, word in (
        ("fresh", "added", ", new"),
        ("answer", "removed", ", removed"),
        ("start", "changed", ", changed"),
    ):
        assert re.search(rf'graph-{mark}"[^>]*aria-label="[^"]*node {name}[^"]*{word}', svg), name
    assert re.search(r'graph-added"[^>]*aria-label="[^"]*Edge from [^"]*, new', svg)
    assert re.search(r'graph-removed"[^>]*aria-label="[^"]*Edge from [^"]*, removed', svg)
    assert "+ new" in svg
    assert "− removed" in svg
    back = drawn(designer, "?from=draft&to=1")
    assert re.search(r'graph-removed"[^>]*aria-label="[^"]*node fresh', back)


def moved(x: int) -> Callable[[dict[str, Any]], dict[str, Any]]:
    def move(document: dict[str, Any]) -> dict[str, Any]:
        nodes = [{**each, "position": {"x": x, "y": 2}} for each in document["nodes"]]
        return {**document, "nodes": nodes}

    return move


def test_cards_that_were_only_moved_are_no_change_of_the_flow(
    designer: Client, small: Workflow
) -> None:
    use_cases.publish(person(Role.DESIGNER), "small", 1)
    change(moved(1))
    page = text(designer.get("/workflows/small/diff/?from=1&to=draft"))
    assert "Nothing in the flow differs" in page
    assert "Cards were moved; the flow does not depend on it." in page
    assert "position" not in page
    assert "graph-legend" not in page
    sheet = text(designer.get("/workflows/small/publish/?sheet=1"))
    assert "Changes since version 1: only moved cards" in sheet
    assert "position" not in sheet
    assert "already published" not in sheet


def test_moved_cards_are_said_apart_from_what_changed(designer: Client, small: Workflow) -> None:
    change(moved(1))
    use_cases.publish(person(Role.DESIGNER), "small", 2)
    rename("Other")
    change(moved(2))
    page = text(designer.get("/workflows/small/diff/?from=1&to=draft"))
    assert "1 element differs" in page
    assert "2 cards were moved; the flow does not depend on it." in page
    assert "Changes since version 1: the workflow itself" in text(
        designer.get("/workflows/small/publish/?sheet=1")
    )
    assert "2 cards were moved" in text(designer.get("/workflows/small/versions/1/restore/"))


def test_what_changed_in_a_version_is_one_click_away(designer: Client, small: Workflow) -> None:
    use_cases.publish(person(Role.DESIGNER), "small", 1)
    rename("Other")
    listed = text(designer.get("/workflows/small/versions/"))
    assert re.findall(r'value="(\w+)" selected', listed) == ["1", "draft"]
    use_cases.publish(person(Role.DESIGNER), "small", 2)
    way = 'href="/workflows/small/diff/?from=1&amp;to=2"'
    listed = text(designer.get("/workflows/small/versions/"))
    assert listed.count(way) == 1
    assert re.findall(r'value="(\w+)" selected', listed) == ["1", "2"]
    assert way in text(designer.get("/workflows/small/versions/2/"))
    assert "What changed" not in text(designer.get("/workflows/small/versions/1/"))
    # A draft that equals the latest version is not what is asked for.
    assert "From version 1 to version 2" in text(designer.get("/workflows/small/diff/"))
    rename("Third")
    assert "From version 2 to the draft" in text(designer.get("/workflows/small/diff/"))


def test_a_version_is_restored_from_its_difference_by_those_who_may(
    designer: Client, small: Workflow
) -> None:
    use_cases.publish(person(Role.DESIGNER), "small", 1)
    rename("Other")
    path = 'href="/workflows/small/versions/1/restore/"'
    assert path in text(designer.get("/workflows/small/diff/?from=1&to=draft"))
    assert path not in text(designer.get("/workflows/small/diff/?from=draft&to=1"))
    viewer = signed_in(Role.VIEWER)
    assert path not in text(viewer.get("/workflows/small/diff/?from=1&to=draft"))


UNREADABLE = [
    ("Sup\x07port", "A name has no control characters"),
    ("\u202e\u200b", "only invisible characters"),
    ("   ", "A name has letters or digits"),
]


@pytest.mark.parametrize(("name", "said"), UNREADABLE)
def test_a_name_that_nobody_can_read_is_refused_where_people_type_it(
    designer: Client, small: Workflow, name: str, said: str
) -> None:
    seen = str(Workflow.objects.get().change_seq)
    for path, more in (("small/edit/", {"changes": seen}), ("+new/", {})):
        answer = send(designer, f"/workflows/{path}", {"name": name, **more})
        assert answer.status_code == 422, path
        assert said in text(answer), path
    assert [each.name for each in Workflow.objects.all()] == [small.name]


@pytest.mark.parametrize("name", ["订单", "🚲", "👩\u200d🔧"])
def test_names_need_no_latin_letters(designer: Client, small: Workflow, name: str) -> None:
    seen = str(Workflow.objects.get().change_seq)
    sent = {"name": name, "changes": seen}
    assert send(designer, "/workflows/small/edit/", sent).status_code == 302
    assert Workflow.objects.get().name == name
    sent = {"name": name}
    assert send(designer, "/workflows/+new/", sent).status_code == 302
