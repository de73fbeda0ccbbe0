"""Conditions that are checked and evaluated without storing anything."""

from typing import Any

import pytest

from tests.factories import Api
from tests.openapi import CheckedApi
from tests.problems import assert_problem

pytestmark = pytest.mark.django_db


@pytest.fixture
def api(db: None) -> CheckedApi:
    """A token without any scope."""
    return CheckedApi([])


def check(api: Api, text: Any, context: Any = None) -> Any:
    return api.post("/conditions/check", {"text": text, "context": context})


def test_a_condition_without_a_context_is_only_checked(api: CheckedApi) -> None:
    shown = check(api, "context.priority === 'high' && !context.done").json()
    assert shown == {"ok": True, "names": ["done", "priority"]}


@pytest.mark.parametrize(
    ("text", "value", "holds"),
    [
        ("context.relevant === true", True, True),
        ("context.llm.model == 'm'", True, True),
        ("context.nothing", None, False),
        ("context.name || 'unknown'", "unknown", True),
        ("metadata['owner'] !== 'anna'", False, False),
        ("variables['llm.model'].length > 1", False, False),
    ],
)
def test_a_condition_with_a_context_is_evaluated(
    api: CheckedApi, text: str, value: Any, holds: bool
) -> None:
    context = {"variables": {"relevant": True, "llm.model": "m"}, "metadata": {"owner": "anna"}}
    shown = check(api, text, context).json()
    assert (shown["ok"], shown["value"], shown["holds"]) == (True, value, holds)


def test_a_fault_of_a_condition_names_line_and_column(api: CheckedApi) -> None:
    answer = check(api, "context.a === 1 &&\n  context.b = 2")
    error = assert_problem(answer, 422, "validation", "/text")
    assert (error["line"], error["column"]) == (2, 13)
    assert error["hint"]
    whole = answer.json()
    assert {name: whole[name] for name in ("line", "column", "start", "end", "hint")} == {
        name: error[name] for name in ("line", "column", "start", "end", "hint")
    }


@pytest.mark.parametrize(
    "text",
    ["", "x" * 2001, "(" * 500, "a.constructor('x')()"],
    ids=["empty", "long", "deep", "a call"],
)
def test_a_hostile_condition_is_refused(api: CheckedApi, text: str) -> None:
    assert_problem(check(api, text), 422, "validation", "/text")


def test_a_condition_must_be_a_text(api: CheckedApi) -> None:
    assert_problem(check(api, 3), 422, "validation", "/text")
    assert_problem(api.post("/conditions/check", {}), 422, "validation", "/text")
    assert_problem(check(api, "a", {"variables": 1}), 422, "validation", "/context/variables")
