"""Collects all errors of the input: the rest is checked as if the first errors were fixed."""

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeAlias, TypeVar

from pydantic import JsonValue

from ctxadmin.lib.contract import Contract, parse
from ctxadmin.lib.errors import ContextError, FieldProblem, ValidationFailed

ModelT = TypeVar("ModelT", bound=Contract)

# A wrong block is taken out at first, then what lacks it.
_TRIES: Final = 6

# By dotted path without list indices: what stands in for a member, or an item, that must be there.
StandIns: TypeAlias = Mapping[str, JsonValue]
Check: TypeAlias = Callable[[ModelT], Iterable[FieldProblem]]


def all_faults(
    contract: type[ModelT],
    value: JsonValue,
    stand_ins: StandIns,
    check: Check[ModelT],
) -> list[FieldProblem]:
    """Returns the errors of ``check``, also those hidden behind errors of the model.

    Items keep their places. Errors of a place, or of a part of it, are reported once.
    """
    value = copy.deepcopy(value)
    found: list[FieldProblem] = []
    for _try in range(_TRIES):
        model = _replaced(contract, value, stand_ins)
        if model is None:
            break
        reported = [each.pointer for each in found]
        new = [each for each in _problems(check, model) if not _is_reported(each.pointer, reported)]
        if not new:
            break
        found += new
        for problem in new:
            _replace(value, problem.pointer, stand_ins)
    return found


def _problems(check: Check[ModelT], model: ModelT) -> Sequence[FieldProblem]:
    try:
        return list(check(model))
    except ContextError as error:
        return error.problems or [FieldProblem("", error.detail, error.code)]


def _is_reported(pointer: str, reported: Iterable[str]) -> bool:
    return any(
        pointer == other or pointer.startswith(f"{other}/") or other.startswith(f"{pointer}/")
        for other in reported
    )


def _replaced(contract: type[ModelT], value: JsonValue, stand_ins: StandIns) -> ModelT | None:
    """Returns ``value`` as a model, its wrong parts removed or replaced.

    None if that does not help.
    """
    for _try in range(_TRIES):
        try:
            return parse(contract, value)
        except ValidationFailed as error:
            for problem in error.problems:
                _replace(value, problem.pointer, stand_ins)
    return None


def _replace(value: JsonValue, pointer: str, stand_ins: StandIns) -> None:
    """Replaces or removes what is wrong; removes what lacks a member without a stand-in."""
    steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
    while steps:
        path = ".".join(step for step in steps if not step.isdigit())
        here, last = _holder(value, steps), steps[-1]
        if isinstance(here, list) and last.isdigit() and int(last) < len(here):
            here[int(last)] = copy.deepcopy(stand_ins.get(path))
            return
        if isinstance(here, dict) and path in stand_ins:
            here[last] = copy.deepcopy(stand_ins[path])
            return
        if isinstance(here, dict) and last in here:
            del here[last]
            return
        steps.pop()


def _holder(value: JsonValue, steps: Sequence[str]) -> JsonValue:
    """Returns the parent of the last step; None if the path does not exist."""
    for step in steps[:-1]:
        if isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        elif isinstance(value, dict):
            value = value.get(step)
        else:
            return None
    return value
