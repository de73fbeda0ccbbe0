"""Warnings of conditions with one outcome: no context ever contradicts them (semantics 2.7)."""

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from tests.examples import examples
from workflows.domain.conditions.condition import compile_condition, figure_key
from workflows.domain.conditions.outcomes import fixed_outcomes

NUMBERS = ("tokens", "messages", "turns")
ROLES = ("system", "user", "assistant", "tool")
COMPARISONS = st.sampled_from(["===", "!==", "<", "<=", ">", ">="])
CONSTANTS = st.sampled_from(
    ["0", "1", "2", "3", "1.5", "-1", "null", "true", "'2'", "''", "'user'", "'developer'"]
)


@st.composite
def comparisons(draw: st.DrawFn) -> str:
    sides = [f"context.{draw(st.sampled_from([*NUMBERS, 'last_role']))}", draw(CONSTANTS)]
    left, right = draw(st.permutations(sides))
    return f"{left} {draw(COMPARISONS)} {right}"


CONTEXTS = st.fixed_dictionaries(
    {figure_key(name): st.integers(0, 4) for name in NUMBERS}
    | {figure_key("last_role"): st.sampled_from([*ROLES, None])}
)


@settings(max_examples=examples(400))
@given(st.lists(comparisons(), min_size=1, max_size=3), st.lists(CONTEXTS, min_size=1, max_size=30))
def test_no_context_contradicts_what_is_warned_of(
    parts: list[str], contexts: list[dict[str, JsonValue]]
) -> None:
    condition = compile_condition(" && ".join(parts))
    told = [str(outcome.message) for outcome in fixed_outcomes(condition.expression)]
    found = {condition.evaluate({}, context) for context in contexts}
    if any("never" in message or "no number" in message for message in told):
        assert found == {False}
    elif len(parts) == 1 and told:
        assert found == {True}


@settings(max_examples=examples(200))
@given(comparisons())
def test_every_comparison_with_one_outcome_is_warned_of(text: str) -> None:
    condition = compile_condition(text)
    contexts: list[dict[str, JsonValue]] = [
        {figure_key("last_role"): role, **{figure_key(name): number for name in NUMBERS}}
        for role in (*ROLES, None)
        for number in range(5)
    ]
    outcomes = {condition.evaluate({}, context) for context in contexts}
    warned = list(fixed_outcomes(condition.expression))
    assert bool(warned) == (len(outcomes) == 1), (text, outcomes)
