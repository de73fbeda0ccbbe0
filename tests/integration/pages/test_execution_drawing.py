"""The canvas on the page of an execution: room for it, its data, and how it learns of a step."""

from typing import Any

import pytest
from django.test import Client

from ctxadmin.identity.roles import Role
from tests.factories import signed_in
from tests.integration.checkpoints.flows import Run, chain, ok
from workflows.pages.drawing import room

pytestmark = [pytest.mark.django_db, pytest.mark.only("sqlite")]


@pytest.fixture
def viewer() -> Client:
    return signed_in(Role.VIEWER)


@pytest.fixture
def run() -> Run:
    chain("line", "a", "b", "c")
    return Run.start("line")


def drawn(client: Client, run: Run) -> Any:
    return client.get(f"/executions/{run.head.public_id}/drawn/").json()


def page(client: Client, run: Run) -> str:
    return str(client.get(f"/executions/{run.head.public_id}/").content.decode())


def test_the_page_keeps_room_for_the_canvas_and_lists_the_nodes_for_who_has_no_scripts(
    viewer: Client, run: Run
) -> None:
    html = page(viewer, run)
    assert f'data-drawn="/executions/{run.head.public_id}/drawn/"' in html
    # Two gaps between three cards, one below the other.
    assert '<svg class="graph-room" viewBox="0 0 276 484" width="276" height="484"' in html
    assert html.count('class="node-step') == 4  # the list and its three nodes


def test_its_data_are_the_marks_of_now_and_cards_that_lead_to_the_canvas(
    viewer: Client, run: Run
) -> None:
    ok(run.complete("a"))
    found = drawn(viewer, run)
    marks = found["drawn"]["marks"]
    assert {name: mark[0] for name, mark in marks["nodes"].items()} == {
        "a": "done",
        "b": "ready",
        "c": "open",
    }
    canvas = f"/executions/{run.head.public_id}/canvas/"
    assert found["drawn"]["links"]["nodes"]["b"] == f"{canvas}?node=b"
    assert found["drawn"]["again"] == f"{canvas}marks/"
    assert viewer.get(found["drawn"]["again"]).json() == {
        "execution": found["execution"],
        "marks": marks,
    }


def test_a_step_needs_no_drawing_again_but_the_marks(viewer: Client, run: Run) -> None:
    before = drawn(viewer, run)
    ok(run.complete("a"))
    after = drawn(viewer, run)
    assert after["drawn"].pop("marks") != before["drawn"].pop("marks")
    assert after == before


def test_a_workflow_too_large_to_draw_has_its_list_alone(
    viewer: Client, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "MOST_DRAWN", 2)
    html = page(viewer, run)
    assert "data-drawn" not in html
    assert "build/graph.js" not in html
    assert 'class="node-step' in html


def test_a_free_execution_has_no_canvas(viewer: Client) -> None:
    run = Run.start()
    assert "data-drawn" not in page(viewer, run)
    assert viewer.get(f"/executions/{run.head.public_id}/drawn/").status_code == 404
