"""The map of an execution: names of one size, and of a large workflow the part around the node."""

import re

import pytest
from django.test import Client

from ctxadmin.identity.roles import Role
from tests.factories import signed_in
from tests.integration.checkpoints.flows import Run, chain, edge, node, ok, publish

pytestmark = [pytest.mark.django_db, pytest.mark.only("sqlite")]


@pytest.fixture
def viewer() -> Client:
    return signed_in(Role.VIEWER)


def map_of(viewer: Client, run: Run) -> str:
    html = str(viewer.get(f"/executions/{run.head.public_id}/").content.decode())
    return html.split('class="map"')[1].split("</svg>")[0]


def size_of(drawn: str) -> tuple[float, float, float]:
    """Pixels for each unit, and the upper and lower end of what is drawn, in units."""
    (box, width) = re.findall(r'viewBox="([^"]+)" width="(\d+)"', drawn)[0]
    _left, top, wide, high = map(float, box.split())
    return int(width) / wide, top, top + high


def test_names_have_the_same_size_in_a_small_and_in_a_large_map(viewer: Client) -> None:
    chain("small", "a", "b")
    chain("large", *(f"n{number}" for number in range(40)))
    small, large = (size_of(map_of(viewer, Run.start(name))) for name in ("small", "large"))
    assert small[0] == pytest.approx(large[0], rel=0.01)


def test_of_a_large_workflow_the_nodes_around_the_current_one_are_in_sight(
    viewer: Client,
) -> None:
    names = [f"n{number}" for number in range(40)]
    chain("large", *names)
    run = Run.start("large")
    for name in names[:30]:
        ok(run.complete(name))
    drawn = map_of(viewer, run)
    (y,) = re.findall(r'map-node-current" transform="translate\(\S+ (\S+)\)"', drawn)
    _scale, top, bottom = size_of(drawn)
    assert top < float(y) < bottom
    assert bottom - top < 1_500


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("Send", ["Send"]),
        ("A question arrives", ["A question", "arrives"]),
        ("Klassifizierungsergebnisse prüfen", ["Klassifizier", "ungsergebni…"]),
        ("回复草稿由客服人员复核", ["回复草稿由客", "服人员复核"]),
    ],
)
def test_a_name_has_up_to_two_lines(viewer: Client, name: str, lines: list[str]) -> None:
    publish("line", [node("a", name=name)], [])
    drawn = map_of(viewer, Run.start("line"))
    assert re.findall(r">([^<]+)</text>", drawn) == lines


def test_how_often_a_node_ran_stands_behind_its_name(viewer: Client) -> None:
    nodes = [node("begin"), node("plan", name="Plan the look-up"), node("look")]
    edges = [edge("begin", "plan"), edge("plan", "look"), edge("look", "plan")]
    publish("round", nodes, edges)
    run = Run.start("round")
    for number, name in enumerate(("begin", "plan", "look", "plan")):
        ok(run.complete(name, f"step-{number}"))
    assert "look-up ×2</text>" in map_of(viewer, run)
