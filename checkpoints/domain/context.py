"""The state of one execution as a value in memory, with its reducers."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

import orjson
from pydantic import JsonValue

from checkpoints.domain.reducers import DEFAULT_REDUCERS, ReducerTable, kind_of
from checkpoints.domain.state import (
    MAX_STATE_BYTES,
    ChangeKind,
    StateChange,
    apply_update,
    head_of,
    join_list,
    totals_of,
)
from ctxadmin.lib.errors import NotFound, TypeMismatch
from ctxadmin.lib.json_bytes import dumps

ValueT = TypeVar("ValueT", bool, int, float, str, list[JsonValue], dict[str, JsonValue])


@dataclass(frozen=True, slots=True)
class ExecutionContext:
    """Keys, their values as JSON bytes, and the reducers by which they are merged.

    Every change gives a new context. Values come out as fresh copies, so that nobody who holds
    one can change the state.
    """

    values: Mapping[str, bytes] = field(default_factory=dict)
    reducers: ReducerTable = DEFAULT_REDUCERS
    limit: int = MAX_STATE_BYTES

    def get(self, key: str, type_: type[ValueT]) -> ValueT:
        """The value of ``key``, which must be of that JSON type.

        Raises NotFound, and TypeMismatch; true is no number.
        """
        if key not in self.values:
            raise NotFound(f"The state has no key {key!r}.")
        value: object = orjson.loads(self.values[key])
        if type_ is float and type(value) is int:
            value = float(value)
        if isinstance(value, type_) and (type_ is bool or not isinstance(value, bool)):
            return value
        found = kind_of(orjson.loads(self.values[key]))
        raise TypeMismatch(f"The key {key!r} has {found}, not {kind_of(type_())}.", key=key)

    def put(self, key: str, value: JsonValue) -> "ExecutionContext":
        """The context in which ``value`` took the place of what ``key`` had."""
        return self.merge({key: {"$replace": value}})

    def merge(self, update: Mapping[str, JsonValue]) -> "ExecutionContext":
        """The context after an update through the reducers; see ``state.apply_update``."""
        change = self.change({key: dumps(value) for key, value in update.items()})
        values = dict(self.values)
        for each in change.changes:
            if each.kind is ChangeKind.GONE:
                del values[each.key]
            elif each.kind is ChangeKind.SET:
                values[each.key] = each.value
            elif each.kind is ChangeKind.APPEND:
                values[each.key] = join_list([values[each.key], each.value])
        return replace(self, values=values)

    def change(self, update: Mapping[str, bytes]) -> StateChange:
        """What an update would change, as the store writes it."""
        heads = {key: head_of(self.values[key], self.reducers.for_key(key)) for key in self.values}
        return apply_update(
            update,
            totals=totals_of(heads),
            heads=heads,
            current=self.values.__getitem__,
            reducers=self.reducers,
            limit=self.limit,
        )

    def snapshot(self) -> dict[str, JsonValue]:
        """A deep copy of all keys and values."""
        return {key: orjson.loads(value) for key, value in self.values.items()}

    def restore(self, data: Mapping[str, JsonValue]) -> "ExecutionContext":
        """The context with exactly these keys and values, and the same reducers."""
        return replace(self, values={key: dumps(value) for key, value in data.items()})
