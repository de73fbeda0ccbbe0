"""Every template to start from is a workflow that could be published as it is."""

from typing import get_args

import pytest

from workflows.domain import yaml_io
from workflows.domain.plan import Plan
from workflows.domain.problems import check
from workflows.starters import STARTERS, StarterName, starter


@pytest.mark.parametrize("name", STARTERS)
def test_a_template_has_no_problems(name: StarterName) -> None:
    document = starter(name, "Mine")
    assert [each for each in check(document) if each.severity != "note"] == []
    assert document.name == "Mine"


@pytest.mark.parametrize("name", STARTERS)
def test_every_part_of_a_template_compiles(name: StarterName) -> None:
    plan = Plan(starter(name, "Mine"))
    for node in plan.graph.nodes:
        plan.node(node)
    for edge in plan.graph.edges:
        plan.edge(edge)


@pytest.mark.parametrize("name", STARTERS)
def test_a_template_leaves_as_yaml_and_comes_back(name: StarterName) -> None:
    document = starter(name, "Mine")
    assert yaml_io.load(yaml_io.dump(document)) == document


def test_every_name_has_a_template() -> None:
    assert tuple(STARTERS) == get_args(StarterName)
