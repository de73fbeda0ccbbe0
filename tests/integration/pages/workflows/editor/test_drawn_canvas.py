"""The canvas on the pages of a workflow and of a version, and graphs too large to draw."""

import pytest

from ctxadmin.identity.roles import Role
from tests.factories import signed_in
from tests.integration.checkpoints.flows import edge, node, publish
from workflows.pages.editor import canvas, drawn_canvas

pytestmark = pytest.mark.django_db

NODES = [node("ask", "start", name="Ask"), node("answer", "llm")]


@pytest.fixture(autouse=True)
def published() -> None:
    publish("small", NODES, [edge("ask", "answer")])


def test_the_cards_of_a_draft_lead_to_the_forms_for_who_may_change_it() -> None:
    client = signed_in(Role.DESIGNER)
    assert 'data-drawn="/workflows/small/drawn/"' in client.get("/workflows/small/").text
    drawn = client.get("/workflows/small/drawn/").json()["drawn"]
    assert drawn["links"]["nodes"]["ask"] == "/workflows/small/nodes/ask/"
    assert drawn["words"]["nodes"].keys() == {"ask", "answer"}
    assert signed_in(Role.VIEWER).get("/workflows/small/drawn/").json()["drawn"]["links"][
        "nodes"
    ] == {"ask": "#node-ask", "answer": "#node-answer"}


def test_the_cards_of_a_version_lead_to_its_outline() -> None:
    client = signed_in(Role.DESIGNER)
    address = "/workflows/small/drawn/?version=1"
    assert f'data-drawn="{address}"' in client.get("/workflows/small/versions/1/").text
    drawn = client.get(address).json()["drawn"]
    assert drawn["links"]["nodes"]["ask"] == "#node-ask"
    assert client.get("/workflows/small/drawn/?version=7").status_code == 404


def test_a_graph_too_large_for_a_page_has_no_canvas_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawn_canvas, "MOST_DRAWN", 1)
    assert signed_in(Role.VIEWER).get("/workflows/small/drawn/").status_code == 404


@pytest.mark.parametrize(
    ("address", "label", "way"),
    [
        ("editor/", "Open the workflow", "/workflows/small/"),
        ("diff/1/draft/canvas/", "As a list", "/workflows/small/diff/?from=1&amp;to=draft"),
    ],
)
def test_a_graph_too_large_to_draw_leads_to_what_its_link_says(
    monkeypatch: pytest.MonkeyPatch, address: str, label: str, way: str
) -> None:
    monkeypatch.setattr(canvas, "MOST_DRAWN", 1)
    page = signed_in(Role.DESIGNER).get(f"/workflows/small/{address}").text
    assert "This graph is too large to draw" in page
    assert f'href="{way}">{label}</a>' in page
