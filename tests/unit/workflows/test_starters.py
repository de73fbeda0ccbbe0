"""Every template to start from is a workflow that could be published as it is."""

from typing import get_args

import pytest

from tests.factories import assistant, calls, drafts, result, system, user
from workflows.domain.backtests.element_policies import element_policies, full_history
from workflows.domain.backtests.presets import RATIOS
from workflows.domain.backtests.recorded import Recorded
from workflows.domain.backtests.replay import replay
from workflows.domain.backtests.sampling import calls_of, sums_by_node
from workflows.domain.checks.problems import check
from workflows.domain.document import yaml_io
from workflows.domain.running.plan import Plan
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


WORDS = "The saddle and the bell are in stock, and both can be sent today. " * 30


def long_session() -> Recorded:
    """200 questions, each with a look-up and an answer: 200,000 tokens, more than any budget."""
    said = [system("Be kind.")]
    for turn in range(200):
        call = f"c{turn}"
        said += [user(WORDS), calls(call), result(call, WORDS), assistant(WORDS)]
    return Recorded.of_drafts("long", drafts(*said))


@pytest.mark.parametrize("name", STARTERS)
def test_no_policy_of_a_template_costs_more_than_the_full_history(name: StarterName) -> None:
    policies = element_policies(Plan(starter(name, "Mine")))
    assert policies
    rows = [full_history(), *(each.policy for each in policies)]
    full, *sums = sums_by_node(replay(long_session(), rows), len(rows))
    for policy, each in zip(policies, sums, strict=True):
        cost, whole = calls_of(each, ""), calls_of(full, "")
        assert (policy.id, cost.invalid, cost.failed) == (policy.id, 0, 0)
        for price in RATIOS.values():
            assert cost.cost(price) <= whole.cost(price), policy.id


def test_every_name_has_a_template() -> None:
    assert tuple(STARTERS) == get_args(StarterName)
