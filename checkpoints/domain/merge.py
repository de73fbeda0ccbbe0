"""The three-way merge of two edits that began at the same state."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeGuard

from pydantic import JsonValue

from checkpoints.domain.merge_order import merged_order
from checkpoints.domain.reducers import Reducer, ReducerTable, reduce
from ctxadmin.lib.errors import NotFound, OutOfRange
from ctxadmin.lib.sentence import say
from ctxadmin.lib.structural_diff import ABSENT, Value, equal, identities, pointer

_IDENTITY: Final = "id"


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two edits of one place that cannot both stand.

    ``path`` is a JSON pointer into the merged value, which has there what ``base`` has.
    ``offer`` is what the key's reducer would make of both edits, ABSENT if it makes nothing.
    """

    path: str
    base: Value
    mine: Value
    theirs: Value
    offer: Value = ABSENT


@dataclass(frozen=True, slots=True)
class Merged:
    """All edits that go together, and the conflicts that somebody has to decide."""

    value: Value
    conflicts: tuple[Conflict, ...] = ()


@dataclass(frozen=True, slots=True)
class MergedState:
    """The merge of a whole state; the paths of its conflicts begin with the key."""

    state: Mapping[str, JsonValue]
    conflicts: tuple[Conflict, ...] = ()


def merge_values(
    base: Value,
    mine: Value,
    theirs: Value,
    *,
    reducer: Reducer = Reducer.OVERWRITE,
    path: str = "",
) -> Merged:
    """Merge two edits of one key; ABSENT stands for a key that is not there.

    Only one of the two changed something: that counts. Objects merge key by key, lists of
    objects with their own ids item by item. Both changed a plain value or list, one removed
    what the other changed, the types parted, both sorted a list: a conflict. Which of the two
    is mine makes no difference but in the names and in the order of an append that is offered.
    """
    conflicts: list[Conflict] = []
    value = _merged(path, base, mine, theirs, conflicts)
    if len(conflicts) == 1 and conflicts[0].path == path:
        offer = _offer(reducer, base, mine, theirs)
        conflicts = [Conflict(path, base, mine, theirs, offer)]
    return Merged(value, tuple(conflicts))


def merge_states(
    base: Mapping[str, JsonValue],
    mine: Mapping[str, JsonValue],
    theirs: Mapping[str, JsonValue],
    reducers: ReducerTable,
) -> MergedState:
    """Merge two edits of a state key by key."""
    state: dict[str, JsonValue] = {}
    conflicts: list[Conflict] = []
    for key in dict.fromkeys((*theirs, *mine, *base)):
        merged = merge_values(
            base.get(key, ABSENT),
            mine.get(key, ABSENT),
            theirs.get(key, ABSENT),
            reducer=reducers.for_key(key),
            path=pointer("", key),
        )
        conflicts += merged.conflicts
        if merged.value is not ABSENT:
            state[key] = merged.value
    return MergedState(state, tuple(conflicts))


def resolve(merged: Value, decided: Mapping[str, Value]) -> Value:
    """The merged value with what was decided at the paths of its conflicts.

    ABSENT removes what is there. Raises NotFound for a path that leads nowhere.
    """
    # From the last path to the first, so that what is removed moves no place yet to come.
    for path in sorted(decided, key=_place, reverse=True):
        steps = [step.replace("~1", "/").replace("~0", "~") for step in path.split("/")[1:]]
        merged = _with(merged, steps, decided[path], path)
    return merged


def _merged(path: str, base: Value, mine: Value, theirs: Value, conflicts: list[Conflict]) -> Value:
    if _same(mine, theirs) or _same(base, theirs):
        return mine
    if _same(base, mine):
        return theirs
    if isinstance(mine, dict) and isinstance(theirs, dict):
        start = {} if base is ABSENT else base
        if isinstance(start, dict):
            return _merged_objects(path, start, mine, theirs, conflicts)
    if isinstance(mine, list) and isinstance(theirs, list):
        start = [] if base is ABSENT else base
        if isinstance(start, list):
            items = _merged_lists(path, start, mine, theirs, conflicts)
            if items is not None:
                return items
    conflicts.append(Conflict(path, base, mine, theirs))
    return base


def _same(left: Value, right: Value) -> bool:
    if left is ABSENT or right is ABSENT:
        return left is right
    return equal(left, right)


def _merged_objects(
    path: str,
    base: dict[str, JsonValue],
    mine: dict[str, JsonValue],
    theirs: dict[str, JsonValue],
    conflicts: list[Conflict],
) -> JsonValue:
    result: dict[str, JsonValue] = {}
    for key in dict.fromkeys((*theirs, *mine, *base)):
        value = _merged(
            pointer(path, key),
            base.get(key, ABSENT),
            mine.get(key, ABSENT),
            theirs.get(key, ABSENT),
            conflicts,
        )
        if value is not ABSENT:
            result[key] = value
    return result


def _merged_lists(
    path: str,
    base: list[JsonValue],
    mine: list[JsonValue],
    theirs: list[JsonValue],
    conflicts: list[Conflict],
) -> JsonValue | None:
    """The merge by id, or None if some item has none or both sides sorted the list."""
    bases, mines, others = _by_id(base), _by_id(mine), _by_id(theirs)
    if bases is None or mines is None or others is None:
        return None
    kept = {each for each in {**mines, **others} if _stays(each, bases, mines, others)}
    order = merged_order([*bases], [*mines], [*others], kept)
    if order is None:
        return None
    result: list[JsonValue] = []
    for index, each in enumerate(order):
        value = _merged(
            pointer(path, index),
            bases.get(each, ABSENT),
            mines.get(each, ABSENT),
            others.get(each, ABSENT),
            conflicts,
        )
        if value is not ABSENT:
            result.append(value)
    return result


def _by_id(items: list[JsonValue]) -> dict[str | int, JsonValue] | None:
    ids = identities(items, _IDENTITY)
    return None if ids is None else dict(zip(ids, items, strict=True))


def _stays(
    each: str | int,
    base: Mapping[str | int, JsonValue],
    mine: Mapping[str | int, JsonValue],
    theirs: Mapping[str | int, JsonValue],
) -> bool:
    """False for an item that one side removed and the other left as it was."""
    if each not in base or (each in mine and each in theirs):
        return True
    return not _same(base[each], mine[each] if each in mine else theirs[each])


def _offer(reducer: Reducer, base: Value, mine: Value, theirs: Value) -> Value:
    """What the reducer makes of both edits, if it has something to say about such values."""
    start = None if base is ABSENT else base
    if reducer is Reducer.APPEND:
        return _both_appended([] if start is None else start, mine, theirs)
    if not (_is_number(mine) and _is_number(theirs)):
        return ABSENT
    try:
        if reducer is Reducer.MAX:
            return reduce(reducer, "", theirs, mine)
        if reducer is Reducer.INCREMENT and (start is None or _is_number(start)):
            return reduce(reducer, "", theirs, mine - (start or 0))
    except OutOfRange:
        pass
    return ABSENT


def _both_appended(base: JsonValue, mine: Value, theirs: Value) -> Value:
    """One side's list and behind it what the other added to the base."""
    if isinstance(base, list) and isinstance(mine, list) and isinstance(theirs, list):
        for added, whole in ((mine, theirs), (theirs, mine)):
            if equal(added[: len(base)], base):
                return [*whole, *added[len(base) :]]
    return ABSENT


def _is_number(value: Value) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _place(path: str) -> list[tuple[int, str]]:
    """A key that sorts the paths of list items by their index: 9 before 10."""
    return [(len(step) if step.isdecimal() else 0, step) for step in path.split("/")]


def _with(value: Value, steps: list[str], decided: Value, path: str) -> Value:
    """A copy of ``value`` with ``decided`` at the end of the steps."""
    if not steps:
        return decided
    step, rest = steps[0], steps[1:]
    if isinstance(value, dict) and (step in value or not rest):
        inner = _with(value.get(step, ABSENT), rest, decided, path)
        if inner is ABSENT:
            return {key: each for key, each in value.items() if key != step}
        return {**value, step: inner}
    if isinstance(value, list) and step.isdecimal() and int(step) < len(value):
        index = int(step)
        inner = _with(value[index], rest, decided, path)
        return [*value[:index], *([] if inner is ABSENT else [inner]), *value[index + 1 :]]
    raise NotFound(say("There is no value at {path} of the merged value.", path=repr(path)))
