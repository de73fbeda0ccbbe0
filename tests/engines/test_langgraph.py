"""LangGraph keeps its checkpoints here: its own suite, and graphs with people."""

import ast
import json
from typing import Any

import pytest

from tests.engines.conftest import PROGRAMS, Engine

MODULES = (
    "langgraph_reviews",
    "langgraph_history",
    "langgraph_storage",
    "langgraph_workers",
    "langgraph_middleware",
)
SCENARIOS = [
    node.name
    for module in MODULES
    for node in ast.parse((PROGRAMS / f"{module}.py").read_text()).body
    if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
]


@pytest.fixture(scope="module")
def outcomes(engine: Engine) -> dict[str, Any]:
    """How each scenario ended; all of them are one process, which takes a second to begin."""
    found: dict[str, Any] = json.loads(engine("langgraph_scenarios"))
    return found


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_langgraph(outcomes: dict[str, Any], engine: Engine, scenario: str) -> None:
    if scenario not in outcomes:  # it is looked at a second time
        outcomes |= json.loads(engine("langgraph_scenarios", scenario))
    outcome = outcomes.pop(scenario)
    assert outcome is None, outcome


def test_langgraphs_own_suite_passes_with_a_token_of_an_engine(engine: Engine) -> None:
    reports = json.loads(engine("conformance"))
    assert reports.keys() == {"asyncio", "threads"}
    for report in reports.values():
        assert [each["failures"] for each in report.values()] == [[]] * 8
        assert sum(each["passed"] for each in report.values()) == 81
