"""The reducers, which combine an update of a state key with its old value."""

import math
from collections.abc import Callable, Collection, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from pydantic import JsonValue

from checkpoints.domain.mismatches import Wanted, mismatch
from ctxadmin.lib.contract import did_you_mean
from ctxadmin.lib.errors import FieldProblem, OutOfRange, ValidationFailed
from ctxadmin.lib.sentence import say
from workflows.domain.selection.patterns import matcher, pattern_fault

MESSAGES: Final = "messages"
HISTORY: Final = "execution_history"
_LEAST_INTEGER: Final = -(2**63)
_GREATEST_INTEGER: Final = 2**64 - 1


class Reducer(StrEnum):
    """The kinds of reducers (semantics 3.2); all but overwrite ignore null."""

    APPEND = "append"
    OVERWRITE = "overwrite"
    MERGE = "merge"
    INCREMENT = "increment"
    ADD_BY_ID = "add_by_id"
    MAX = "max"


def reduce(reducer: Reducer, key: str, old: JsonValue, new: JsonValue) -> JsonValue:
    """Returns the value of ``key`` after the update ``new``; ``old`` is None without a value.

    Pure: changes neither argument; the result can share parts with both. Raises TypeMismatch naming
    the key, and OutOfRange if a sum does not fit into JSON numbers.
    """
    if new is None and reducer is not Reducer.OVERWRITE:
        return old
    return _REDUCE[reducer](key, old, new)


def _overwrite(key: str, old: JsonValue, new: JsonValue) -> JsonValue:
    return new


def _append(key: str, old: JsonValue, new: JsonValue) -> JsonValue:
    return [*_list(key, Reducer.APPEND, old), *_list(key, Reducer.APPEND, new, update=True)]


def _merge(key: str, old: JsonValue, new: JsonValue) -> JsonValue:
    before = {} if old is None else old
    if not isinstance(before, dict):
        raise mismatch(key, Reducer.MERGE, Wanted.OBJECT, before)
    if not isinstance(new, dict):
        raise mismatch(key, Reducer.MERGE, Wanted.OBJECT, new, update=True)
    return before | new


def _increment(key: str, old: JsonValue, new: JsonValue) -> JsonValue:
    before = 0 if old is None else _number(key, Reducer.INCREMENT, old)
    total = before + _number(key, Reducer.INCREMENT, new, update=True)
    fits = (
        _LEAST_INTEGER <= total <= _GREATEST_INTEGER
        if isinstance(total, int)
        else math.isfinite(total)
    )
    if not fits:
        message = say("The sum for the key {key} is too large for a JSON number.", key=repr(key))
        raise OutOfRange(message, problems=[FieldProblem("", message, "out_of_range")])
    return total


def _max(key: str, old: JsonValue, new: JsonValue) -> JsonValue:
    after = _number(key, Reducer.MAX, new, update=True)
    if old is None:
        return after
    before = _number(key, Reducer.MAX, old)
    return after if after > before else before


def _add_by_id(key: str, old: JsonValue, new: JsonValue) -> JsonValue:
    """Adds one object or a list of them; each replaces the element with its id or is appended."""
    result = list(_list(key, Reducer.ADD_BY_ID, old))
    places: dict[str | int, int] = {}
    for place, element in enumerate(result):
        known = _id_of(element)
        if known is not None:
            places.setdefault(known, place)
    added = [new] if isinstance(new, dict) else _list(key, Reducer.ADD_BY_ID, new, update=True)
    for element in added:
        given = _id_of(element)
        if given is None:
            raise mismatch(key, Reducer.ADD_BY_ID, Wanted.ELEMENTS_WITH_ID, element, update=True)
        place = places.setdefault(given, len(result))
        result[place : place + 1] = [element]
    return result


_REDUCE: Final[Mapping[Reducer, Callable[[str, JsonValue, JsonValue], JsonValue]]] = {
    Reducer.APPEND: _append,
    Reducer.OVERWRITE: _overwrite,
    Reducer.MERGE: _merge,
    Reducer.INCREMENT: _increment,
    Reducer.ADD_BY_ID: _add_by_id,
    Reducer.MAX: _max,
}


def _list(key: str, reducer: Reducer, value: JsonValue, *, update: bool = False) -> list[JsonValue]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise mismatch(key, reducer, Wanted.LIST, value, update=update)
    return value


def _number(key: str, reducer: Reducer, value: JsonValue, *, update: bool = False) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise mismatch(key, reducer, Wanted.NUMBER, value, update=update)
    return value


def _id_of(element: JsonValue) -> str | int | None:
    given = element.get("id") if isinstance(element, dict) else None
    return given if isinstance(given, str | int) and not isinstance(given, bool) else None


class ReducerTable:
    """Finds the reducer of a key: by its exact name, then by a pattern, then by the default
    rules.

    Of several matching patterns the one with the most literal characters wins; then the one with
    fewer stars, then the first in alphabetical order, so that the order of definition does not
    matter. ``messages`` and ``execution_history`` always append. Source: semantics 3.2.
    """

    __slots__ = ("_names", "_patterns")

    def __init__(self, reducers: Mapping[str, Reducer] = MappingProxyType({})) -> None:
        self._names = {name: each for name, each in reducers.items() if "*" not in name}
        patterns = sorted((name for name in reducers if "*" in name), key=_rank)
        self._patterns = tuple((name, matcher(name), reducers[name]) for name in patterns)

    @classmethod
    def of(cls, reducers: Mapping[str, str], pointer: str = "/reducers") -> "ReducerTable":
        """Builds the table of a document or a start command.

        Raises ValidationFailed with a problem for each wrong name, pattern or reducer.
        """
        problems: list[FieldProblem] = []
        for name, reducer in reducers.items():
            fault = _fault(name, reducer)
            if fault is not None:
                step = name.replace("~", "~0").replace("/", "~1")
                problems.append(FieldProblem(f"{pointer}/{step}", fault))
        if problems:
            raise ValidationFailed(problems[0].message, problems=problems)
        return cls({name: Reducer(reducer) for name, reducer in reducers.items()})

    @property
    def names(self) -> Collection[str]:
        """Returns the keys that are named without a pattern."""
        return self._names.keys()

    def for_key(self, key: str) -> Reducer:
        """Returns the reducer of a state key."""
        if key in (MESSAGES, HISTORY):
            return Reducer.APPEND
        named = self._names.get(key)
        if named is not None:
            return named
        for _, matches, reducer in self._patterns:
            if matches(key):
                return reducer
        return Reducer.OVERWRITE  # the default of `*_output` and of all the rest

    def as_json(self) -> dict[str, str]:
        """Returns JSON that ``of`` reads."""
        names = {name: str(reducer) for name, reducer in self._names.items()}
        return names | {name: str(reducer) for name, _, reducer in self._patterns}


def _rank(pattern: str) -> tuple[int, int, str]:
    stars = pattern.count("*")
    return (stars - len(pattern), stars, pattern)


def _fault(name: str, reducer: str) -> str | None:
    known = [each.value for each in Reducer]
    if reducer not in known:
        return did_you_mean(say("unknown reducer {name}", name=repr(reducer)), reducer, known)
    if name in (MESSAGES, HISTORY) and reducer != Reducer.APPEND:
        return say("{name} always appends", name=name)
    return pattern_fault(name) if "*" in name else None
