"""Conditions: small boolean expressions over a prompt context, compiled when written."""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Final

from pydantic import JsonValue

from ctxadmin.lib.errors import FieldProblem, ValidationFailed
from ctxadmin.lib.sentence import say
from workflows.domain.conditions.parser import (
    AllOf,
    AnyOf,
    ComparedValues,
    Constant,
    Expression,
    Lookup,
    MemberPath,
    MethodCall,
    Not,
    parse_condition,
)
from workflows.domain.conditions.tokens import SyntaxFault
from workflows.domain.conditions.values import METHODS, RELATIONS, is_true, same, walk

Names = Mapping[str, JsonValue]
Read = Callable[[Names, Names], JsonValue]
Test = Callable[[Names, Names], bool]

FIGURES: Final = frozenset({"tokens", "messages", "turns", "last_role"})
"""What ``context.NAME`` says of the visible messages where no variable or metadata has the name."""

_CACHED: Final = 4096
_ABSENT: Final[JsonValue] = []  # told by identity: no value of a context is this list


def figure_key(name: str) -> str:
    """Returns the metadata key under which a condition finds a figure."""
    return f"\0context.{name}"


class Condition:
    """A compiled condition; evaluating it reads only the names in it.

    ``evaluate(variables, metadata)`` is its truth by JavaScript's rules, ``value(variables,
    metadata)`` the value of the expression: ``a || 'x'`` is the value of ``a`` or ``"x"``. Both are
    total: they never raise. ``calls`` counts its method calls, the only parts whose cost depends on
    the values. ``figures`` are those of FIGURES that it can read. Source: semantics 2.7.
    """

    __slots__ = ("_names", "calls", "evaluate", "expression", "figures", "text", "value")

    def __init__(self, text: str, expression: Expression) -> None:
        self.text = text
        self.expression = expression
        self.evaluate: Test = _test(expression)
        self.value: Read = _read(expression)
        parts = list(_parts(expression))
        self._names = frozenset(".".join(each.names) for each in parts if isinstance(each, Lookup))
        self.figures = FIGURES.intersection(
            each.names[0] for each in parts if isinstance(each, Lookup) and each.root == "context"
        )
        self.calls = sum(isinstance(each, MethodCall) for each in parts)

    def __repr__(self) -> str:
        return f"Condition({self.text!r})"

    def names(self) -> frozenset[str]:
        """Returns the dotted names in it, as written after ``context`` and the other roots."""
        return self._names

    def lookups(self) -> list[Lookup]:
        """Returns the names that it reads with their roots, each once, in order."""
        found = (part for part in _parts(self.expression) if isinstance(part, Lookup))
        return list({(each.root, each.names): each for each in found}.values())


def compile_condition(text: str, pointer: str = "") -> Condition:
    """Compiles a condition at ``pointer`` of the input; cached by text.

    Raises ValidationFailed; the problem's extra has line and column (from 1), start and end
    (offsets into the text, from 0) and a hint ("" without one). Source: semantics 2.7, architecture
    "Condition language".
    """
    try:
        return _compiled(text)
    except SyntaxFault as fault:
        problem = _problem(fault, text, pointer)
        raise ValidationFailed(problem.message, problems=[problem]) from None


def condition_problem(text: str, pointer: str) -> FieldProblem | None:
    """Returns the problem that ``compile_condition`` would raise, or None."""
    try:
        _compiled(text)
    except SyntaxFault as fault:
        return _problem(fault, text, pointer)
    return None


@lru_cache(maxsize=_CACHED)
def _compiled(text: str) -> Condition:
    return Condition(text, parse_condition(text))


def _problem(fault: SyntaxFault, text: str, pointer: str) -> FieldProblem:
    line = text.count("\n", 0, fault.start) + 1
    column = fault.start - text.rfind("\n", 0, fault.start)
    extra = (
        ("line", line),
        ("column", column),
        ("start", fault.start),
        ("end", fault.end),
        ("hint", fault.hint),
    )
    message = say(
        "line {line}, column {column}: {fault}", line=line, column=column, fault=fault.message
    )
    return FieldProblem(pointer, message, extra=extra)


def _parts(expression: Expression) -> Iterator[Expression]:
    """Yields the expression and all its parts."""
    yield expression
    match expression:
        case MemberPath(source=source) | Not(source=source):
            yield from _parts(source)
        case MethodCall(source=left, argument=right) | ComparedValues(left=left, right=right):
            yield from _parts(left)
            yield from _parts(right)
        case AllOf(parts=parts) | AnyOf(parts=parts):
            for part in parts:
                yield from _parts(part)


def _test(expression: Expression) -> Test:
    """Returns a closure that evaluates the truth of an expression."""
    match expression:
        case ComparedValues():
            return _compared(expression)
        case Not(source):
            test = _test(source)
            return lambda variables, metadata: not test(variables, metadata)
        case AllOf(parts):
            return _all(tuple(map(_test, parts)))
        case AnyOf(parts):
            return _any(tuple(map(_test, parts)))
    read = _read(expression)
    return lambda variables, metadata: is_true(read(variables, metadata))


def _all(tests: tuple[Test, ...]) -> Test:
    if len(tests) == 2:
        first, second = tests
        return lambda variables, metadata: (
            first(variables, metadata) and second(variables, metadata)
        )

    def all_hold(variables: Names, metadata: Names) -> bool:
        for test in tests:  # noqa: SIM110 all() with a generator costs twice as much
            if not test(variables, metadata):
                return False
        return True

    return all_hold


def _any(tests: tuple[Test, ...]) -> Test:
    def any_holds(variables: Names, metadata: Names) -> bool:
        for test in tests:  # noqa: SIM110 as above
            if test(variables, metadata):
                return True
        return False

    return any_holds


def _read(expression: Expression) -> Read:
    """Returns a closure that evaluates an expression."""
    match expression:
        case Constant(value):
            return lambda variables, metadata: value
        case Lookup():
            return _lookup(expression)
        case MemberPath(source, steps):
            read = _read(source)
            return lambda variables, metadata: walk(read(variables, metadata), steps)
        case MethodCall():
            return _call(expression)
        case AllOf(parts):
            return _chosen(tuple(map(_read, parts)), stop_at=False)
        case AnyOf(parts):
            return _chosen(tuple(map(_read, parts)), stop_at=True)
        case _:
            return _test(expression)


def _chosen(reads: tuple[Read, ...], *, stop_at: bool) -> Read:
    """Returns the first value whose truth is ``stop_at``, else the last."""

    def choose(variables: Names, metadata: Names) -> JsonValue:
        value: JsonValue = None
        for read in reads:
            value = read(variables, metadata)
            if is_true(value) is stop_at:
                break
        return value

    return choose


def _lookup(lookup: Lookup) -> Read:
    """Returns a closure for a name: the longest existing name wins, the rest is a path
    (semantics 2.7).
    """
    if lookup.root == "context" and len(lookup.names) == 1 and not lookup.steps:
        return _plain_lookup(lookup.names[0])
    find = _finder(lookup)
    figure = lookup.names[0] if lookup.names[0] in FIGURES else None
    key, steps = figure_key(lookup.names[0]), lookup.names[1:] + lookup.steps

    def of_variables(variables: Names, metadata: Names) -> JsonValue:
        value = find(variables)
        return None if value is _ABSENT else value

    def of_metadata(variables: Names, metadata: Names) -> JsonValue:
        value = find(metadata)
        return None if value is _ABSENT else value

    def of_both(variables: Names, metadata: Names) -> JsonValue:
        value = find(variables)
        if value is _ABSENT:
            value = find(metadata)
        if value is _ABSENT:
            return walk(metadata.get(key), steps) if figure else None
        return value

    return {"context": of_both, "variables": of_variables, "metadata": of_metadata}[lookup.root]


def _plain_lookup(name: str) -> Read:
    def read(variables: Names, metadata: Names) -> JsonValue:
        value = variables.get(name, _ABSENT)
        return metadata.get(name) if value is _ABSENT else value

    def read_figure(variables: Names, metadata: Names) -> JsonValue:
        value = variables.get(name, _ABSENT)
        if value is _ABSENT:
            value = metadata.get(name, _ABSENT)
        return metadata.get(key) if value is _ABSENT else value

    key = figure_key(name)
    return read_figure if name in FIGURES else read


def _finder(lookup: Lookup) -> Callable[[Names], JsonValue]:
    parts = lookup.names
    candidates = tuple(
        (".".join(parts[:count]), parts[count:] + lookup.steps)
        for count in range(len(parts), 0, -1)
    )

    def find(scope: Names) -> JsonValue:
        for name, steps in candidates:
            value = scope.get(name, _ABSENT)
            if value is not _ABSENT:
                return walk(value, steps) if steps else value
        return _ABSENT

    return find


def _call(call: MethodCall) -> Read:
    source, argument, method = _read(call.source), _read(call.argument), METHODS[call.method]
    return lambda variables, metadata: method(
        source(variables, metadata), argument(variables, metadata)
    )


def _compared(compared: ComparedValues) -> Test:
    """Returns a closure for a comparison, without a further call for a value with a constant."""
    read, other = _read(compared.left), compared.right
    if isinstance(compared.left, Constant) and compared.comparison in ("===", "!=="):
        read, other = _read(compared.right), compared.left
    if isinstance(other, Constant) and compared.comparison == "===":
        return _equals(read, other.value)
    right, holds = _read(compared.right), RELATIONS[compared.comparison]
    left = _read(compared.left)
    return lambda variables, metadata: holds(left(variables, metadata), right(variables, metadata))


def _equals(read: Read, constant: str | int | float | bool | None) -> Test:
    if constant is None or isinstance(constant, bool):
        return lambda variables, metadata: read(variables, metadata) is constant
    if isinstance(constant, str):
        return lambda variables, metadata: read(variables, metadata) == constant
    return lambda variables, metadata: same(read(variables, metadata), constant)
