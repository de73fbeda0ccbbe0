"""The positions of nodes without one, and what auto layout saves."""

import re

import httpx
import pytest
from playwright.sync_api import Page, expect
from pydantic import JsonValue

from tests.e2e.conftest import OpenPage
from tests.e2e.editor.scenes import (
    CHAIN,
    CHAINED,
    EDGES,
    NODES,
    Make,
    card,
    draft,
    opened,
    saved,
    spots,
)


def test_a_large_graph_is_laid_out_in_one_step(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    nodes: list[JsonValue] = [
        {"id": f"n{n}", "type": "llm", "position": {"x": 0, "y": 0}} for n in range(30)
    ]
    edges: list[JsonValue] = [
        {"id": f"e{n}", "type": "sequence", "from": f"n{n // 2}", "to": f"n{n}"}
        for n in range(1, 30)
    ]
    slug = made(nodes, edges)
    page = opened(designer_page, slug)
    page.get_by_role("button", name="Auto layout").click()
    expect(page.get_by_role("button", name="Undo: Auto layout")).to_be_enabled()
    saved(page)
    places = [str(node["position"]) for node in draft(api, slug)["nodes"]]
    assert len(set(places)) == 30
    page.get_by_role("button", name="Undo: Auto layout").click()
    saved(page)
    assert draft(api, slug)["nodes"] == nodes


@pytest.mark.parametrize("role", ["designer", "viewer"])
def test_nodes_without_positions_open_in_layers_and_the_draft_stays_as_it_is(
    open_page: OpenPage, made: Make, api: httpx.Client, role: str
) -> None:
    slug = made(CHAIN, CHAINED)
    page = opened(open_page(role), slug)
    expect(page.locator(".flow-card")).to_have_count(9)
    stood = spots(page)
    assert len({x for x, _ in stood.values()}) == 1
    assert [y for _, y in stood.values()] == sorted({y for _, y in stood.values()})
    expect(card(page, "n8")).to_be_in_viewport(ratio=0.99)  # the frame hides the rest
    page.locator("summary", has_text="Export image").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG").click()
    picture = download.value.path().read_text()
    for x, y in stood.values():
        assert f'<rect x="{x:g}" y="{y:g}"' in picture
    if role == "designer":
        expect(page.get_by_role("button", name="Undo")).to_be_disabled()
        saved(page)
    page.reload()
    expect(page.locator(".flow-card")).to_have_count(9)
    assert spots(page) == stood
    assert api.get(f"workflows/{slug}").json()["draft_version"] == 1
    assert draft(api, slug)["nodes"] == CHAIN


def test_the_first_card_that_is_moved_leaves_the_others_where_they_were_seen(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made(CHAIN, CHAINED)
    page = opened(designer_page, slug)
    expect(page.locator(".flow-card")).to_have_count(9)
    stood = spots(page)
    card(page, "n4").click()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("button", name="Undo: Move 1 node")).to_be_enabled()
    saved(page)
    places = {str(node["id"]): node["position"] for node in draft(api, slug)["nodes"]}
    x, y = stood["n4"]
    assert places == {
        key: {"x": spot[0], "y": spot[1]} for key, spot in {**stood, "n4": (x, y + 10)}.items()
    }
    page.get_by_role("button", name="Undo").click()
    saved(page)
    assert draft(api, slug)["nodes"] == CHAIN


def test_nodes_that_have_positions_keep_them_beside_those_that_have_none(
    designer_page: Page, made: Make
) -> None:
    later: list[JsonValue] = [{"id": "check", "type": "tool"}, {"id": "tell", "type": "llm"}]
    edges: list[JsonValue] = [
        {"id": "a", "type": "sequence", "from": "ask", "to": "check"},
        {"id": "b", "type": "sequence", "from": "check", "to": "tell"},
    ]
    page = opened(designer_page, made([*NODES, *later], [*EDGES, *edges]))
    expect(page.locator(".flow-card")).to_have_count(4)
    stood = spots(page)
    assert (stood["ask"], stood["answer"]) == ((0, 0), (400, 0))
    assert 0 < stood["check"][0] < stood["tell"][0]
    assert stood["check"][1] >= 96


def test_a_node_that_comes_later_without_a_position_is_placed_and_not_saved(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made(NODES[:1], [])
    page = opened(designer_page, slug)
    edge: JsonValue = {"id": "more", "type": "sequence", "from": "ask", "to": "late"}
    document = {
        "name": "Drawn",
        "nodes": [*NODES[:1], {"id": "late", "type": "llm"}],
        "edges": [edge],
    }
    put = {"document": document, "expected_version": 1}
    api.put(f"workflows/{slug}/draft", json=put).raise_for_status()
    expect(card(page, "late")).to_have_attribute("style", re.compile(r"translate\(320px, 0px\)"))
    saved(page)
    assert api.get(f"workflows/{slug}").json()["draft_version"] == 2
