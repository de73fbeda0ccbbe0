"""The graph and the outline of a workflow."""

import re

import pytest
from django.test import Client
from pydantic import JsonValue

from demo.workflows import WORKFLOWS
from tests.factories import conversation, user
from tests.integration.pages.workflows.designing import (
    made,
    text,
)
from workflows.domain.document import graph
from workflows.models import Workflow
from workflows.pages.drawing.svg import draw

pytestmark = pytest.mark.django_db


def test_the_graph_and_the_outline_lead_to_the_forms(designer: Client, small: Workflow) -> None:
    page = text(designer.get("/workflows/small/"))
    assert page.count('href="/workflows/small/nodes/answer/"') == 2
    assert page.count('href="/workflows/small/edges/go/"') == 2
    assert "last 2; only prompt.*" in page
    assert 'id="node-answer"' in page


def test_a_drawing_has_no_styles_and_no_scripts(designer: Client, small: Workflow) -> None:
    page = text(designer.get("/workflows/small/"))
    svg = page[page.index('<svg class="graph"') : page.index("</svg>", page.index("graph-card"))]
    assert "style=" not in svg
    assert "<script" not in svg


def test_problems_lead_to_what_has_them(designer: Client) -> None:
    made(
        "small",
        {
            "name": "Wrong",
            "nodes": [{"id": "a", "type": "llm", "context_type": "nothing_like_it"}],
            "edges": [
                {"id": "e", "type": "conditional", "from": "a", "to": "a", "condition": "a ==="},
                {"id": "f", "type": "sequence", "from": "a", "to": "gone"},
            ],
        },
    )
    page = text(designer.get("/workflows/small/"))
    assert "column" in page
    assert "graph-fault" in page
    assert "There is no node" in page


def test_an_edge_with_a_warning_is_not_drawn_as_one_with_an_error(designer: Client) -> None:
    ends = {"type": "conditional", "from": "a", "to": "b"}
    conditions = {"wrong": "a ===", "never": "context.tokens < 0", "fine": "context.tokens > 0"}
    edges: list[JsonValue] = [
        {"id": name, "condition": text, **ends} for name, text in conditions.items()
    ]
    nodes: JsonValue = [{"id": "a", "type": "llm"}, {"id": "b", "type": "llm"}]
    made("small", {"name": "Three", "nodes": nodes, "edges": edges})
    page = text(designer.get("/workflows/small/"))
    assert (page.count("graph-edge-faulty"), page.count("graph-edge-warned")) == (1, 1)


@pytest.mark.parametrize("slug", WORKFLOWS)
def test_the_demo_is_drawn_with_every_node_and_edge(designer: Client, slug: str) -> None:
    document = graph.read(WORKFLOWS[slug])
    made(slug, WORKFLOWS[slug])
    page = text(designer.get(f"/workflows/{slug}/"))
    assert page.count('class="graph-card"') == len(document.nodes)
    assert page.count("graph-line graph-line-") == len(document.edges)


@pytest.mark.parametrize(
    ("shape", "down"), [("chain", True), ("two branches", True), ("star", False)]
)
def test_a_drawing_leads_down_as_on_the_canvas_unless_that_is_wider(shape: str, down: bool) -> None:
    between = {"chain": 1, "two branches": 2, "star": 9}[shape]
    names = [f"n{n}" for n in range(between)]
    document = graph.read(
        {
            "name": shape,
            "nodes": [
                {"id": "first", "type": "start"},
                *({"id": each, "type": "llm"} for each in names),
                {"id": "last", "type": "end"},
            ],
            "edges": [
                edge
                for each in names
                for edge in (
                    {"id": f"to-{each}", "type": "sequence", "from": "first", "to": each},
                    {"id": f"of-{each}", "type": "sequence", "from": each, "to": "last"},
                )
            ],
        }
    )
    drawing = draw(document)
    assert drawing is not None
    spots = {card.id: (card.x, card.y) for card in drawing.cards}
    axis = 1 if down else 0
    assert spots["first"][axis] < spots["n0"][axis] < spots["last"][axis]
    assert drawing.width < 1_100


def test_hostile_texts_are_shown_as_texts(designer: Client) -> None:
    hostile = "<script>alert(1)</script>"
    made(
        "small",
        {
            "name": hostile,
            "nodes": [
                {"id": "a", "type": hostile, "name": hostile, "description": hostile},
                {"id": "b", "type": "llm", "config": {"template": hostile, hostile: hostile}},
            ],
            "edges": [
                {"id": "e", "type": hostile, "from": "a", "to": "b", "condition": f"'{hostile}'"}
            ],
            "reducers": {hostile: hostile},
        },
    )
    conversation(user(hostile), public_id="chat")
    for path in (
        "",
        "nodes/a/",
        "nodes/b/",
        "edges/e/",
        "reducers/",
        "nodes/a/delete/",
        "publish/",
        "preview/?node=b&chosen=1&conversation=chat",
        "preview/?node=b&chosen=1&conversation=<script>alert(1)",
    ):
        assert "<script>alert" not in text(designer.get(f"/workflows/small/{path}"))
    assert "<script>alert" not in text(designer.get("/workflows/"))


def test_names_cannot_turn_the_text_of_a_page_around(designer: Client) -> None:
    turned = "safe \u202egnp.exe"
    nodes: list[JsonValue] = [
        {"id": "a", "type": "start", "name": turned},
        {"id": "b", "type": "llm", "name": turned},
    ]
    edges: list[JsonValue] = [{"id": "e", "type": "sequence", "from": "a", "to": "b"}]
    made("small", {"name": turned, "nodes": nodes, "edges": edges})
    conversation(user("hi"), public_id="chat")
    for path in ("", "edges/e/", "publish/", "preview/?node=b&chosen=1&conversation=chat"):
        page = text(designer.get(f"/workflows/small/{path}"))
        shown = re.sub(r'="[^"]*"', "", page)
        assert "\u202e" not in shown, path
        assert "U+202E" in shown, path


def test_a_workflow_that_is_too_large_to_draw_has_its_outline(designer: Client) -> None:
    nodes: list[JsonValue] = [{"id": f"n{place}", "type": "tool"} for place in range(1001)]
    made("large", {"name": "Large", "nodes": nodes, "edges": []})
    page = text(designer.get("/workflows/large/"))
    assert "too large to draw" in page
    assert 'id="node-n299"' in page
    assert 'id="node-n300"' not in page
    following = re.search(r'href="(\?cursor=[^"]*)"', page)
    assert following
    assert 'id="node-n300"' in text(designer.get(f"/workflows/large/{following[1]}"))
