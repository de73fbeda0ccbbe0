"""Values in conditions: truth, equality, order, paths, methods; nothing raises.

Numbers, texts and truth follow JavaScript. Where JavaScript would convert or throw, this does not:
values of different types have no order, objects and arrays are never equal, a method that a value
lacks returns null, and ``length`` and ``[0]`` count characters, not UTF-16 units.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from itertools import compress, repeat
from types import MappingProxyType
from typing import Final, TypeGuard

from pydantic import JsonValue

Relation = Callable[[JsonValue, JsonValue], bool]
_Number = int | float


def is_true(value: JsonValue) -> bool:
    """Returns False for null, false, 0 and the empty text.

    True for all else, also ``[]`` and ``{}``.
    """
    return bool(value) or isinstance(value, (list, dict))


def _is_number(value: JsonValue) -> TypeGuard[_Number]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def same(left: JsonValue, right: JsonValue) -> bool:
    """Compares strictly; ``1 === 1.0`` is true, ``1 === true`` is false."""
    if isinstance(left, str):
        return isinstance(right, str) and left == right
    if left is None or isinstance(left, bool):
        return left is right
    return _is_number(left) and _is_number(right) and left == right


def different(left: JsonValue, right: JsonValue) -> bool:
    """Returns the opposite of ``same``."""
    return not same(left, right)


def _relation(
    of_texts: Callable[[str, str], bool], of_numbers: Callable[[_Number, _Number], bool]
) -> Relation:
    def holds(left: JsonValue, right: JsonValue) -> bool:
        if isinstance(left, str):
            return isinstance(right, str) and of_texts(left, right)
        return _is_number(left) and _is_number(right) and of_numbers(left, right)

    return holds


RELATIONS: Final[Mapping[str, Relation]] = MappingProxyType(
    {
        "===": same,
        "!==": different,
        "<": _relation(operator.lt, operator.lt),
        "<=": _relation(operator.le, operator.le),
        ">": _relation(operator.gt, operator.gt),
        ">=": _relation(operator.ge, operator.ge),
    }
)


def walk(value: JsonValue, steps: Sequence[str | int]) -> JsonValue:
    """Returns the value at the end of a path into a value, null if there is none."""
    for step in steps:
        if isinstance(value, dict):
            value = value.get(str(step))
        elif isinstance(value, (list, str)):
            value = _element(value, step)
        else:
            return None
    return value


def _element(value: list[JsonValue] | str, step: str | int) -> JsonValue:
    if step == "length":
        return len(value)
    if isinstance(step, int) and 0 <= step < len(value):
        return value[step]
    return None


def includes(value: JsonValue, part: JsonValue) -> JsonValue:
    """Returns whether a text contains a text, or an array an element that is the ``same``."""
    if isinstance(value, str):
        return isinstance(part, str) and part in value
    if not isinstance(value, list):
        return None
    if isinstance(part, (list, dict)) or part not in value:
        return False
    if isinstance(part, bool):
        return any(map(operator.is_, value, repeat(part)))
    if not _is_number(part):
        return True  # what equals a text is a text, what equals null is null
    # What equals a number may be a boolean. Loops in C: a hostile array has 5,000,000 elements.
    return part in compress(value, map(operator.is_not, map(type, value), repeat(bool)))


def starts_with(value: JsonValue, part: JsonValue) -> JsonValue:
    """Returns whether a text begins with a text."""
    if not isinstance(value, str):
        return None
    return isinstance(part, str) and value.startswith(part)


def ends_with(value: JsonValue, part: JsonValue) -> JsonValue:
    """Returns whether a text ends with a text."""
    if not isinstance(value, str):
        return None
    return isinstance(part, str) and value.endswith(part)


METHODS: Final[Mapping[str, Callable[[JsonValue, JsonValue], JsonValue]]] = MappingProxyType(
    {"includes": includes, "startsWith": starts_with, "endsWith": ends_with}
)
