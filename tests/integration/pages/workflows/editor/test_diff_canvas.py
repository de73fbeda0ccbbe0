"""Two versions on the canvas: marks on what differs, and what differs in the panel."""

import re
from typing import Any

import orjson
import pytest
from django.test import Client

from ctxadmin.identity.roles import Role, Scope
from tests.factories import engine, signed_in
from tests.integration.checkpoints.flows import edge, node, publish
from workflows.domain.document import graph
from workflows.services import use_cases

pytestmark = pytest.mark.django_db

PAGE = "/workflows/small/diff/1/draft/"


@pytest.fixture
def reader() -> Client:
    """Version 1 has ask, answer, old and moved; the draft another answer, new, and no old."""
    spot = {"x": 0, "y": 0}
    ask, moved = node("ask", "start"), node("moved", position=spot)
    publish(
        "small",
        [ask, node("answer", "llm", name="Answer"), node("old"), moved],
        [edge("ask", "answer"), edge("answer", "old"), edge("ask", "moved")],
    )
    after = [
        ask,
        node("answer", "llm", name="Reply"),
        {**moved, "position": {"x": 9, "y": 9}},
        node("new"),
    ]
    document = {
        "name": "small",
        "nodes": after,
        "edges": [edge("ask", "answer"), edge("answer", "new"), edge("ask", "moved")],
    }
    use_cases.save_draft(engine(Scope.DESIGN), "small", graph.read(document), 1)
    return signed_in(Role.VIEWER)


def page(client: Client, path: str) -> str:
    answer = client.get(PAGE + path)
    assert answer.status_code == 200
    return str(answer.content.decode())


def setup_of(client: Client) -> Any:
    found = re.search(r'<script id="editor-setup"[^>]*>(.*?)</script>', page(client, "canvas/"))
    assert found is not None
    return orjson.loads(found[1])


def test_what_both_have_is_drawn_with_marks_on_what_differs(reader: Client) -> None:
    setup = setup_of(reader)
    names = [each["id"] for each in setup["document"]["nodes"]]
    assert names == ["ask", "answer", "moved", "new", "old"]
    marks = setup["watched"]["marks"]
    assert marks["nodes"] == {
        "answer": ["changed", "changed"],
        "old": ["removed", "removed"],
        "new": ["added", "new"],
    }
    assert marks["edges"] == {"answer-old": ["removed", "removed"], "answer-new": ["added", "new"]}
    assert marks["said"] == "5 elements differ: 2 new, 2 removed, 1 changed"
    assert setup["may_change"] is False


def test_the_panel_says_what_differs_in_an_element_and_in_all(reader: Client) -> None:
    shown = page(reader, "panel/?node=answer")
    assert ">Reply</h2>" in shown
    assert '<span class="diff-field">name</span>' in shown
    assert ">old" not in shown
    assert "No difference" in page(reader, "panel/?node=ask")
    everywhere = page(reader, "panel/")
    assert f'<a href="{PAGE}canvas/?node=old">old</a>' in everywhere
    assert f'<a href="{PAGE}canvas/?edge=answer-new">Reply → new</a>' in everywhere
    assert "position" not in everywhere
    assert "1 card was moved" in everywhere


def test_the_list_and_the_canvas_lead_to_each_other(reader: Client) -> None:
    listed = reader.get("/workflows/small/diff/?from=1&to=draft").content.decode()
    assert f'href="{PAGE}canvas/"' in listed
    assert 'href="/workflows/small/diff/?from=1&amp;to=draft"' in page(reader, "canvas/")


def test_of_equal_documents_nothing_is_marked(reader: Client) -> None:
    path = "/workflows/small/diff/1/1/"
    assert "Both are the same" in reader.get(path + "canvas/").content.decode()
    assert "Both are the same." in reader.get(path + "panel/").content.decode()


@pytest.mark.parametrize("path", ["canvas/", "panel/", "panel/?node=answer"])
def test_what_is_not_there_is_refused(reader: Client, path: str) -> None:
    assert reader.get(f"/workflows/small/diff/7/draft/{path}").status_code == 404
    assert reader.get(f"/workflows/small/diff/x/draft/{path}").status_code in (404, 422)
    assert reader.get(f"/workflows/none/diff/1/draft/{path}").status_code == 404
    stranger = signed_in(Role.ADMIN, "elsewhere")
    assert stranger.get(PAGE + path).status_code == 404


def test_the_page_of_the_list_has_the_same_marks_on_cards_that_lead_to_it(reader: Client) -> None:
    list_page = reader.get("/workflows/small/diff/?from=1&to=draft").content.decode()
    assert f'data-drawn="{PAGE}drawn/"' in list_page
    drawn = reader.get(f"{PAGE}drawn/").json()["drawn"]
    assert drawn["marks"] == setup_of(reader)["watched"]["marks"]
    assert drawn["again"] == ""
    assert drawn["marks"]["nodes"] == {
        "answer": ["changed", "changed"],
        "new": ["added", "new"],
        "old": ["removed", "removed"],
    }
    assert drawn["links"]["nodes"] == {
        "ask": "#differences",
        "answer": "#change-node-answer",
        "moved": "#differences",
        "new": "#change-node-new",
        "old": "#change-node-old",
    }
    assert drawn["links"]["edges"]["answer-new"] == "#change-edge-answer-new"
    assert 'id="change-edge-answer-new"' in list_page


def test_the_panel_leads_from_change_to_change(reader: Client) -> None:
    steps = [panel_steps(page(reader, f"panel/{asked}")) for asked in ("", "?node=answer")]
    first, second = steps
    assert first["prev"] is None
    assert second["at"] == "Change 1 of 5"
    assert first["next"] == f"{PAGE}canvas/?node=answer"
    seen, here = [], first
    while (way := here["next"]) is not None:
        seen.append(way.partition("?")[2])
        here = panel_steps(page(reader, f"panel/?{seen[-1]}"))
    assert len(seen) == 5
    assert here["at"] == "Change 5 of 5"
    assert here["prev"] == f"{PAGE}canvas/?{seen[-2]}"


def panel_steps(html: str) -> dict[str, str | None]:
    links = {rel: re.search(rf'href="([^"]*)" rel="{rel}"', html) for rel in ("prev", "next")}
    at = re.search(r"Change \d+ of \d+", html)
    return {name: found and found[1] for name, found in links.items()} | {"at": at and at[0]}
