"""The three-way merge of two edits that began at the same state."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeGuard

import orjson
from pydantic import JsonValue

from checkpoints.domain.merge_order import merged_order
from checkpoints.domain.reducers import Reducer, ReducerTable, reduce
from ctxadmin.lib.errors import NotFound, OutOfRange
from ctxadmin.lib.sentence import say
from ctxadmin.lib.structural_diff import ABSENT, Value, equal, identities, pointer

_IDENTITY: Final = "id"


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two edits of one place that contradict each other.

    ``path`` is a JSON pointer into the merged value, which has the value of ``base`` there.
    ``offer`` is what the key's reducer would make of both edits, ABSENT if there is none.
    """

    path: str
    base: Value
    mine: Value
    theirs: Value
    offer: Value = ABSENT


@dataclass(frozen=True, slots=True)
class Merged:
    """All edits that merge, and the conflicts that a person has to resolve."""

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
    """Merges two edits of one key; ABSENT stands for a missing key.

    If only one edit changed something, that edit wins. Objects merge key by key, lists of objects
    item by item: with ids by these, without them as long as nothing was added, removed or moved. It
    is a conflict if both changed a plain value or list, if one removed
    what the other changed, if the types differ, or if both sorted a list. Swapping mine and theirs
    changes only names and the order of an offered append.
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
    """Merges two edits of a state key by key."""
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
    """Returns the merged value with the decisions at the paths of its conflicts.

    ABSENT removes the value. Raises NotFound for a path that does not exist.
    """
    # From the last path to the first, so that what is removed moves no place yet to come.
    for path in sorted(decided, key=_path_order, reverse=True):
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
    """Merges two lists of objects; returns None if they are none, or both sides sorted them."""
    bases, mines, others = _by_id(base), _by_id(mine), _by_id(theirs)
    if bases is None or mines is None or others is None:
        if not (_is_in_place(base, mine) and _is_in_place(base, theirs)):
            return None
        items = enumerate(zip(base, mine, theirs, strict=True))
        found = [_merged(pointer(path, at), *sides, conflicts) for at, sides in items]
        return [each for each in found if each is not ABSENT]  # none is: no item is missing
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


def _is_in_place(base: list[JsonValue], side: list[JsonValue]) -> bool:
    """Returns whether each object of a list is the one that stood there, changed or not."""
    if len(base) != len(side) or not all(isinstance(each, dict) for each in (*base, *side)):
        return False
    known = {_written(each) for each in base}
    pairs = zip(base, side, strict=True)
    return all(_same(was, now) or _written(now) not in known for was, now in pairs)


def _written(value: JsonValue) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def _stays(
    each: str | int,
    base: Mapping[str | int, JsonValue],
    mine: Mapping[str | int, JsonValue],
    theirs: Mapping[str | int, JsonValue],
) -> bool:
    """Returns False for an item that one side removed and the other left unchanged."""
    if each not in base or (each in mine and each in theirs):
        return True
    return not _same(base[each], mine[each] if each in mine else theirs[each])


def _offer(reducer: Reducer, base: Value, mine: Value, theirs: Value) -> Value:
    """Returns what the reducer makes of both edits, ABSENT if it does not apply to such values."""
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
    """Returns one side's list followed by what the other side appended to the base."""
    if isinstance(base, list) and isinstance(mine, list) and isinstance(theirs, list):
        for added, whole in ((mine, theirs), (theirs, mine)):
            if equal(added[: len(base)], base):
                return [*whole, *added[len(base) :]]
    return ABSENT


def _is_number(value: Value) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _path_order(path: str) -> list[tuple[int, str]]:
    """Returns a sort key that orders paths of list items by index: 9 before 10."""
    return [(len(step) if step.isdecimal() else 0, step) for step in path.split("/")]


def _with(value: Value, steps: list[str], decided: Value, path: str) -> Value:
    """Returns a copy of ``value`` with ``decided`` at the end of the steps."""
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
