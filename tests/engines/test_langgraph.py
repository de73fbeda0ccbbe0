"""LangGraph keeps its checkpoints here: its own suite, graphs with people, and sudden deaths."""

import ast
import json
from typing import Any

import httpx
import pytest

from tests.engines.conftest import PROGRAMS, Engine
from tests.live_server import LiveServer

SCENARIOS = [
    node.name
    for node in ast.parse((PROGRAMS / "langgraph_scenarios.py").read_text()).body
    if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
]


@pytest.fixture(scope="module")
def told(engine: Engine) -> dict[str, Any]:
    """How each scenario ended; all of them are one process, which takes a second to begin."""
    found: dict[str, Any] = json.loads(engine("langgraph_scenarios"))
    return found


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_langgraph(told: dict[str, Any], scenario: str) -> None:
    assert told[scenario] is None, told[scenario]


def test_langgraphs_own_suite_passes_with_a_token_of_an_engine(engine: Engine) -> None:
    reports = json.loads(engine("conformance"))
    assert reports.keys() == {"asyncio", "threads"}
    for report in reports.values():
        assert [each["failures"] for each in report.values()] == [[]] * 8
        assert sum(each["passed"] for each in report.values()) == 81


MOST_MOMENTS = 64
SAID = ["Where is my parcel?", "I look it up.", "in Lyon", "It is in Lyon."]


def test_a_graph_that_dies_between_any_two_calls_loses_nothing_and_does_nothing_twice(
    engine: Engine, server: LiveServer
) -> None:
    died = engine("kill_langgraph", "killed", *map(str, range(MOST_MOMENTS))).split()
    assert 20 < len(died) < MOST_MOMENTS  # the last ones are behind the end
    headers = {"Authorization": f"Bearer {server.token('engine')}"}
    with httpx.Client(base_url=f"{server.url}/api/v1/conversations/", headers=headers) as api:
        for moment in range(MOST_MOMENTS):
            snapshot = api.get(f"killed-{moment}/snapshot").json()
            state = snapshot["state_data"]
            log = api.get(f"killed-{moment}/messages?view=all").json()["results"]
            assert (moment, snapshot["status"]) == (moment, "COMPLETED")
            assert (state["sent"], state["drafted"]) == (SAID[-1], 1), moment
            assert [each["content"] for each in state["messages"]] == SAID, moment
            assert [each["content"] for each in log] == SAID, moment
