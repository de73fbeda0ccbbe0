"""Warnings of conditions that read what nothing writes, or that have only one outcome."""

from typing import Any

import pytest

from workflows.domain.checks.problems import Problem, check, refuse_unpublishable
from workflows.domain.document.graph import read


def problems(condition: str, **document: Any) -> list[Problem]:
    """The warnings of an edge with this condition, from ``plan`` to ``send``."""
    edge = {"id": "e", "type": "conditional", "from": "plan", "to": "send"}
    nodes = [{"id": "plan", "type": "llm"}, {"id": "send", "type": "tool"}]
    edges = [{**edge, "condition": condition}]
    return check(read({"name": "w", "nodes": nodes, "edges": edges, **document}))


def test_a_name_that_nothing_writes_is_warned_of_and_can_be_published() -> None:
    (problem,) = listed = problems("context.ready === true")
    assert (problem.pointer, problem.code) == ("/edges/0/condition", "unwritten_name")
    assert (problem.severity, problem.edge) == ("warning", "e")
    assert problem.message == (
        "nothing in this workflow writes 'ready': give it a reducer if an engine or the initial "
        "state writes it, or write metadata['ready'] if it is metadata"
    )
    refuse_unpublishable(listed)


def test_a_misspelled_name_is_told_what_it_may_mean() -> None:
    (output,) = problems("context.plann_output === 'x'")
    (figure,) = problems("context.token > 60000")
    assert str(output.message).endswith("; did you mean context.plan_output?")
    assert str(figure.message).endswith("; did you mean context.tokens?")


def test_the_first_names_alone_are_compared_with_others() -> None:
    edge = {"type": "conditional", "from": "plan", "to": "send"}
    edges = [{**edge, "id": f"e{n}", "condition": f"context.plann_{n} === 1"} for n in range(30)]
    nodes = [{"id": "plan", "type": "llm"}, {"id": "send", "type": "tool"}]
    reducers = {f"plan_{n}": "overwrite" for n in range(30)}
    found = check(read({"name": "w", "nodes": nodes, "edges": edges, "reducers": reducers}))
    told = [str(each.message) for each in found if each.code == "unwritten_name"]
    assert ["did you mean" in each for each in told] == [True] * 20 + [False] * 10


def test_a_name_is_reported_without_the_length_that_is_asked_of_it() -> None:
    (problem,) = problems("variables.missing.length > 0")
    assert str(problem.message).startswith("nothing in this workflow writes 'missing':")


def test_advice_keeps_the_path_behind_a_name() -> None:
    (unknown,) = problems("context.missing.lengthh > 0")
    assert unknown.message == (
        "nothing in this workflow writes 'missing' or 'missing.lengthh': give it a reducer if an "
        "engine or the initial state writes it, or write metadata['missing'].lengthh if it is "
        "metadata"
    )
    (length,) = problems("context.missing.length > 0")
    assert "write metadata['missing'].length if" in length.message
    (verdict,) = problems("context.plann_output.verdict === 'x'")
    assert str(verdict.message).endswith("; did you mean context.plan_output.verdict?")
    (counted,) = problems("context.plann_output.length > 0")
    assert str(counted.message).endswith("; did you mean context.plan_output.length?")


@pytest.mark.parametrize(
    "condition",
    [
        "context.plan_output === 'x'",
        "context.plan_output.verdict === 'x'",
        "variables['send_output'] === null",
        "context.tokens > 60000 && context.messages > 3 || context.turns > 2",
        "context.last_role === 'tool'",
        "metadata['team'] === 'x' || metadata.any === 1",
        "context.fact.order.status === 'sent'",
        "context.missing.length > 0",
        "true",
    ],
)
def test_outputs_reducers_figures_and_metadata_are_known(condition: str) -> None:
    assert problems(condition, reducers={"fact.*": "merge", "missing": "overwrite"}) == []


def test_a_figure_is_no_variable() -> None:
    (problem,) = problems("variables.tokens > 60000")
    assert problem.code == "unwritten_name"


def test_the_new_name_of_a_transform_is_written() -> None:
    renamed = {"type": "transform", "transform_rules": [{"pattern": "a", "rename": "b"}]}
    edges = [
        {"id": "e", "type": "sequence", "from": "plan", "to": "send", "context_filter": renamed}
    ]
    rule = {"type": "exclude", "pattern": "x", "condition": "context.b === 1"}
    nodes = [
        {"id": "plan", "type": "llm"},
        {"id": "send", "type": "tool", "context_filter": {"rules": [rule]}},
    ]
    assert problems("true", nodes=nodes, edges=edges) == []


def test_conditions_of_filters_and_of_their_rules_are_reported_in_their_place() -> None:
    rule = {"type": "exclude", "pattern": "x", "condition": "context.a === 1"}
    nodes = [
        {"id": "plan", "type": "llm", "context_filter": [{"rules": []}, {"rules": [rule]}]},
        {"id": "send", "type": "tool", "outgoing_filter": {"filterRules": [rule]}},
    ]
    own = {"type": "conditional", "condition": "context.b === 1"}
    edges = [{"id": "e", "type": "sequence", "from": "plan", "to": "send", "context_filter": own}]
    found = [
        (each.pointer, each.node, each.edge) for each in problems("", nodes=nodes, edges=edges)
    ]
    assert found == [
        ("/nodes/0/context_filter/1/rules/0/condition", "plan", None),
        ("/nodes/1/outgoing_filter/filterRules/0/condition", "send", None),
        ("/edges/0/context_filter/condition", None, "e"),
    ]


def test_a_condition_that_does_not_compile_is_only_reported_as_an_error() -> None:
    assert [each.code for each in problems("context.ready ===")] == ["bad_condition"]


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ("context.tokens > '60000'", "is a number, so this is never true"),
        ("context.tokens === '60000'", "is a number, so this is never true"),
        ("context.turns !== 'x'", "is a number, so this is always true"),
        ("context.messages === null", "is a number, so this is never true"),
        ("context.tokens < 0", "is a whole number from 0, so this is never true"),
        ("0 > context.tokens", "is a whole number from 0, so this is never true"),
        ("context.turns === 1.5", "is a whole number from 0, so this is never true"),
        ("context.messages >= 0", "is a whole number from 0, so this is always true"),
        ("!(context.tokens <= -1)", "is a whole number from 0, so this is never true"),
        ("context.last_role === 'developer'", "tool or null: this is never true"),
        ("context.last_role !== 'Tool'", "tool or null: this is always true"),
        ("context.last_role > 3", "tool or null: this is never true"),
        (
            "context.tokens > 60000 && context.tokens < 40000",
            "no number meets all that is asked of context.tokens",
        ),
        (
            "context.turns > 2 && context.turns < 3 && context.tokens > 5",
            "no number meets all that is asked of context.turns",
        ),
    ],
)
def test_a_comparison_with_one_outcome_is_warned_of(condition: str, told: str) -> None:
    (problem,) = problems(condition)
    assert (problem.code, problem.severity) == ("fixed_condition", "warning")
    assert str(problem.message).endswith(told)


@pytest.mark.parametrize(
    "condition",
    [
        "context.tokens > 0",
        "context.tokens < 1",
        "context.tokens <= 0",
        "context.tokens !== 0",
        "context.tokens === 0 || context.tokens > 60000",
        "context.tokens > 40000 && context.tokens <= 60000",
        "context.turns >= 2.5 && context.turns < 3.5",
        "context.last_role === null",
        "context.last_role === 'user' && context.messages > 1",
        "context.last_role.startsWith('dev')",
        "context.last_role < 'b'",
        "context.tokens > context.messages",
    ],
)
def test_a_comparison_that_can_be_both_is_not(condition: str) -> None:
    assert problems(condition) == []


def test_a_variable_with_the_name_of_a_figure_can_be_anything() -> None:
    assert problems("context.tokens === 'many'", reducers={"tokens": "overwrite"}) == []
