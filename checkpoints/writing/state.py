"""The state of one execution and its lists, changed in memory until a version is stored."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, TypeAlias

import orjson
from django.conf import settings
from pydantic import JsonValue

from checkpoints.domain.execution import ExecutedChange
from checkpoints.domain.opaque import is_opaque, value_of
from checkpoints.domain.reducers import Reducer
from checkpoints.domain.state import (
    ChangeKind,
    KeyHead,
    StateChange,
    StateTotals,
    apply_update,
    join_list,
    restore_heads,
)
from checkpoints.models import Checkpoint, Execution
from checkpoints.store.pinned_workflow import reducers_of
from checkpoints.store.state import (
    EMPTY_LIST,
    EXECUTED,
    HISTORY,
    LISTS,
    StateRows,
    StoredChange,
    StoredKey,
    changed_state,
    digest_of_name,
    list_growth,
    list_replacement,
    same_list,
)
from ctxadmin.lib.errors import FieldProblem, TypeMismatch
from ctxadmin.lib.json_bytes import dumps
from ctxadmin.lib.sentence import say
from ctxadmin.lib.structural_diff import pointer as pointer_to

_MOST_KEYS: Final = 2000  # heads of one state that are remembered; some hundred bytes each
_BLIND: Final = (Reducer.OVERWRITE, Reducer.APPEND)  # these need no old value
# What a process knows of the newest state: heads by digest, and which keys it looked up.
Known: TypeAlias = tuple[dict[str, StoredKey], set[str]]


class StateWriting:
    """The changes of a state, of ``executed_node_ids`` and of ``execution_history``.

    ``totals`` and both counts are those after the changes so far, ``changed_keys`` are the state
    keys among them. ``replaced`` is JSON of the decisions on record where the executed ids were
    replaced, else empty.
    """

    def __init__(self, row: Execution, known: Known | None) -> None:
        self.rows = StateRows(row.conversation, row.number)
        self.totals = StateTotals(bytes.fromhex(row.state_digest), row.state_bytes, row.state_keys)
        self.executed_count = row.executed_count
        self.history_count = row.history_count
        self.changed_keys: tuple[str, ...] = ()
        self.replaced = b""
        self._reducers = reducers_of(bytes(row.reducers))
        self._is_new = row._state.adding
        self._held, self._loaded = known or ({}, set())
        self._pending: dict[str, StoredChange] = {}
        self._history: list[bytes] = []
        self._executed: list[str] | None = None

    def change(
        self,
        update: Mapping[str, bytes],
        *,
        pointer: str = "/state_data",
        literal: Collection[str] = (),
    ) -> None:
        """Applies an update through the reducers; raises what ``state.apply_update`` raises."""
        keys = {name: digest_of_name(name) for name in update}
        self._load(keys.values())
        heads: dict[str, KeyHead] = {}
        for name, key in keys.items():
            held = self._held.get(key)
            if held is not None and held.head is not None:
                heads[name] = held.head
        change = apply_update(
            update,
            totals=self.totals,
            heads=heads,
            current=self._current(heads),
            reducers=self._reducers,
            limit=settings.MAX_STATE_BYTES,
            pointer=pointer,
            literal=literal,
        )
        self._add_change(change, self._held)

    def values_after(self, names: Collection[str]) -> dict[str, JsonValue]:
        """Returns the values of some state keys with the changes so far.

        Missing ones are omitted.
        """
        keys = {digest_of_name(name): name for name in names}
        self._load(keys)
        stored = [
            held
            for key in keys
            if (held := self._held.get(key)) is not None
            and (key not in self._pending or self._pending[key].kind is ChangeKind.APPEND)
        ]
        found = self.rows.values(stored) if stored else {}
        for key in keys.keys() & self._pending.keys():
            written = self._pending[key]
            if written.kind is ChangeKind.SET:
                found[key] = written.value
            elif written.kind is ChangeKind.APPEND:
                found[key] = join_list([found[key], written.value])
        return {keys[key]: value_of(value) for key, value in found.items()}

    def refuse_opaque(self, names: Collection[str]) -> None:
        """Raises TypeMismatch if any of the stored values of these keys is opaque (semantics
        3.16).
        """
        keys = {digest_of_name(name): name for name in names}
        self._load(keys)
        stored = [self._held[key] for key in keys if key in self._held]
        for key, value in (self.rows.values(stored) if stored else {}).items():
            if is_opaque(value):
                where = pointer_to("/state_data", keys[key])
                message = say("This value is opaque: only a checkpoint of its engine replaces it.")
                problem = FieldProblem(where, message, TypeMismatch.code)
                raise TypeMismatch(message, key=keys[key], problems=[problem])

    def executed(self) -> list[str]:
        """Returns the executed node ids before this write."""
        if self._executed is None:
            self._load(())
            held = self._held.get(EXECUTED)
            found = self.rows.values([held]) if held is not None else {}
            self._executed = orjson.loads(found.get(EXECUTED, EMPTY_LIST))
        return self._executed

    def add_history(self, entries: Sequence[bytes]) -> None:
        """Appends entries to the execution history."""
        self._history += entries
        self.history_count += len(entries)

    def add_executed(self, done: ExecutedChange, known: bytes = EMPTY_LIST) -> None:
        """Applies the change of the executed node ids.

        ``known`` is JSON of the decisions on record, stored if the ids are replaced.
        """
        added, whole = done.added, done.whole
        if whole is not None:
            before = self.executed()
            if list(whole[: len(before)]) != before:
                self._load(())
                names = [dumps(name) for name in whole]
                self._pend([list_replacement(EXECUTED, names, self._held.get(EXECUTED))])
                self.executed_count = len(whole)
                self.replaced = known
                return
            added = whole[len(before) :]
        if added:
            self._load(())
            names = [dumps(name) for name in added]
            self._pend(list_growth(EXECUTED, names, self._held.get(EXECUTED)))
            self.executed_count += len(added)

    def restore(self, version: int, to: Checkpoint) -> None:
        """Restores everything of an earlier version; ``version`` is the current one."""
        now, former = self.rows.heads_at(version), self.rows.heads_at(to.version)
        self._add_change(restore_heads(_state_heads(now), _state_heads(former)), now, former)
        for name in LISTS:
            self._pend(same_list(name, now.get(name), former.get(name)))
        self.executed_count = to.executed_count
        self.history_count = to.history_count

    def changes(self) -> Sequence[StoredChange]:
        """Returns all changes since the last version, in stored form."""
        if self._history:
            self._load(())
            self._pend(list_growth(HISTORY, self._history, self._held.get(HISTORY)))
            self._history = []
        return tuple(self._pending.values())

    def store(self, version: int) -> int:
        """Stores the changes as a version and starts over; returns the bytes of values."""
        changes = self.changes()
        size = self.rows.write(version, changes)
        for change in changes:
            self._held[change.key] = change.head_at(version)
            self._loaded.add(change.key)
        self._pending, self.changed_keys, self.replaced = {}, (), b""
        self._executed, self._is_new = None, False
        return size

    def known(self) -> Known:
        """Returns what the next write of this process can use without a query."""
        if len(self._loaded) > _MOST_KEYS:
            self._held, self._loaded = {}, set()
        return self._held, self._loaded

    def _add_change(
        self,
        change: StateChange,
        held: Mapping[str, StoredKey],
        former: Mapping[str, StoredKey] | None = None,
    ) -> None:
        self._pend(changed_state(change.changes, held, former))
        self.totals = change.totals
        self.changed_keys = change.changed_keys

    def _load(self, keys: Collection[str]) -> None:
        """Reads the heads of those keys, and of the lists, that were not read yet."""
        missing = {*keys, *LISTS} - self._loaded
        if missing and not self._is_new:
            self._held.update(self.rows.current_heads(sorted(missing)))
        self._loaded |= missing

    def _current(self, heads: Mapping[str, KeyHead]) -> Callable[[str], bytes]:
        """Returns a reader of values; those that a reducer will need are read at once."""
        asked = [name for name in heads if self._reducers.for_key(name) not in _BLIND]
        values: dict[str, bytes] = {}

        def read_values(names: Sequence[str]) -> None:
            held = [self._held[digest_of_name(name)] for name in names]
            found = self.rows.values(held)
            values.update((name, found[digest_of_name(name)]) for name in names)

        def current(name: str) -> bytes:
            if name not in values:
                read_values(asked if name in asked else [name])
            return values[name]

        return current

    def _pend(self, changes: Sequence[StoredChange]) -> None:
        self._pending.update((change.key, change) for change in changes)


def _state_heads(held: Mapping[str, StoredKey]) -> dict[str, KeyHead]:
    return {
        each.name: each.head
        for each in held.values()
        if each.key not in LISTS and each.head is not None
    }
