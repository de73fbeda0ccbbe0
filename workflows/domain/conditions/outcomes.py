"""Comparisons of the figures of a context that have the same outcome whatever the context is."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil, floor, inf
from typing import Final

from ctxadmin.lib.sentence import Sentence, say
from workflows.domain.conditions.parser import (
    AllOf,
    AnyOf,
    ComparedValues,
    Comparison,
    Constant,
    Expression,
    Lookup,
    MemberPath,
    MethodCall,
    Not,
)
from workflows.domain.conditions.values import RELATIONS

_NUMBERS: Final = ("tokens", "messages", "turns")
_ROLES: Final = ("system", "user", "assistant", "tool")
_MIRRORED: Final[dict[Comparison, Comparison]] = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Outcome:
    """A comparison of ``figure`` that is always true or never, in words."""

    figure: str
    message: str


def fixed_outcomes(expression: Expression) -> Iterator[Outcome]:
    """Yields the comparisons of figures in an expression with only one outcome (semantics 2.7)."""
    match expression:
        case ComparedValues():
            yield from _of_comparison(expression)
        case AllOf(parts):
            found = [outcome for part in parts for outcome in fixed_outcomes(part)]
            yield from found or _contradictions(parts)
        case AnyOf(parts):
            for part in parts:
                yield from fixed_outcomes(part)
        case Not(source=source) | MemberPath(source=source):
            yield from fixed_outcomes(source)
        case MethodCall(source=source, argument=argument):
            yield from fixed_outcomes(source)
            yield from fixed_outcomes(argument)


@dataclass(frozen=True, slots=True)
class _Test:
    """A figure beside a constant."""

    figure: str
    comparison: Comparison
    value: str | int | float | bool | None

    @property
    def is_number(self) -> bool:
        return isinstance(self.value, int | float) and not isinstance(self.value, bool)


def _of_comparison(compared: ComparedValues) -> Iterator[Outcome]:
    test = _read(compared)
    if test is None:
        return
    outcomes = _outcomes(test)
    if len(outcomes) == 1:
        yield Outcome(test.figure, _message(test, is_true=True in outcomes))


def _outcomes(test: _Test) -> set[bool]:
    """Returns which outcomes there are for the values that the figure can have."""
    holds = RELATIONS[test.comparison]
    if test.figure == "last_role":
        return {holds(role, test.value) for role in (*_ROLES, None)}
    if not test.is_number:
        return {holds(0, test.value)}
    if test.comparison == "!==":
        return {not each for each in _outcomes(replace(test, comparison="==="))}
    low, high = _bounds(test)
    return {low <= high, low <= 0 and high == inf}


def _message(test: _Test, *, is_true: bool) -> Sentence:
    name = f"context.{test.figure}"
    if test.figure == "last_role":
        if is_true:
            return say(
                "{name} is system, user, assistant, tool or null: this is always true", name=name
            )
        return say("{name} is system, user, assistant, tool or null: this is never true", name=name)
    if not test.is_number:
        if is_true:
            return say("{name} is a number, so this is always true", name=name)
        return say("{name} is a number, so this is never true", name=name)
    if is_true:
        return say("{name} is a whole number from 0, so this is always true", name=name)
    return say("{name} is a whole number from 0, so this is never true", name=name)


def _contradictions(parts: tuple[Expression, ...]) -> Iterator[Outcome]:
    """Yields the figures of which no number meets all parts."""
    tests = [test for part in parts if isinstance(part, ComparedValues) and (test := _read(part))]
    for figure in _NUMBERS:
        ranges = [_bounds(each) for each in tests if each.figure == figure and each.is_number]
        if len(ranges) > 1 and max(low for low, _ in ranges) > min(high for _, high in ranges):
            told = say("no number meets all that is asked of {name}", name=f"context.{figure}")
            yield Outcome(figure, told)


def _bounds(test: _Test) -> tuple[float, float]:
    """Returns the least and the largest whole number from 0 that meets a test of a number."""
    value = float(test.value or 0)
    match test.comparison:
        case "===":
            return (value, value) if value >= 0 and value.is_integer() else (1, 0)
        case ">":
            return max(0, floor(value) + 1), inf
        case ">=":
            return max(0, ceil(value)), inf
        case "<":
            return 0, ceil(value) - 1
        case "<=":
            return 0, floor(value)
    return 0, inf


def _read(compared: ComparedValues) -> _Test | None:
    """Returns the comparison of a figure with a constant, None if it is another one."""
    left, right, comparison = compared.left, compared.right, compared.comparison
    if isinstance(left, Constant):
        left, right, comparison = right, left, _MIRRORED.get(comparison, comparison)
    if not isinstance(left, Lookup) or not isinstance(right, Constant):
        return None
    if left.root != "context" or len(left.names) != 1 or left.steps:
        return None
    name = left.names[0]
    return _Test(name, comparison, right.value) if name in (*_NUMBERS, "last_role") else None
