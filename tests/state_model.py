"""The model of an execution's state: values in memory, for comparing what is stored with them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import orjson
from pydantic import JsonValue

from checkpoints.domain.reducers import ReducerTable
from checkpoints.domain.state import ChangeKind, apply_update, head_of, join_list, totals_of
from ctxadmin.lib.json_bytes import dumps


@dataclass(frozen=True, slots=True)
class WholeState:
    """Keys, their values as JSON bytes, and the reducers; every change gives a new one."""

    values: Mapping[str, bytes] = field(default_factory=dict)
    reducers: ReducerTable = field(default_factory=ReducerTable)

    def merge(self, update: Mapping[str, JsonValue]) -> "WholeState":
        """The state after an update through the reducers; see ``state.apply_update``."""
        heads = {key: head_of(self.values[key], self.reducers.for_key(key)) for key in self.values}
        change = apply_update(
            {key: dumps(value) for key, value in update.items()},
            totals=totals_of(heads),
            heads=heads,
            current=self.values.__getitem__,
            reducers=self.reducers,
        )
        values = dict(self.values)
        for each in change.changes:
            if each.kind is ChangeKind.GONE:
                del values[each.key]
            elif each.kind is ChangeKind.SET:
                values[each.key] = each.value
            elif each.kind is ChangeKind.APPEND:
                values[each.key] = join_list([values[each.key], each.value])
        return replace(self, values=values)

    def snapshot(self) -> dict[str, JsonValue]:
        """All keys and values."""
        return {key: orjson.loads(value) for key, value in self.values.items()}

    def restore(self, data: Mapping[str, JsonValue]) -> "WholeState":
        """Exactly these keys and values, and the same reducers."""
        return replace(self, values={key: dumps(value) for key, value in data.items()})
