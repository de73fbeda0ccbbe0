"""The values of a state by key, read from its rows at a moment."""

from collections.abc import Collection

from pydantic import JsonValue

from checkpoints.domain.opaque import value_of
from checkpoints.domain.reducers import ReducerTable
from checkpoints.models import Execution
from checkpoints.store.pinned_workflow import reducers_of
from checkpoints.store.snapshots import StoredSnapshot
from checkpoints.store.state import LISTS, StoredKey, digest_of_name


def reducers_for(row: Execution | None) -> ReducerTable:
    """Returns the reducers of an execution."""
    return ReducerTable() if row is None else reducers_of(bytes(row.reducers))


def heads_by_name(moment: StoredSnapshot) -> dict[str, StoredKey]:
    """Returns the heads of all keys at a moment, by name; reads no value."""
    return {each.name: each for key, each in moment.heads().items() if key not in LISTS}


def last_writes(moment: StoredSnapshot, names: Collection[str]) -> dict[str, int]:
    """Returns the versions at which keys last changed, also those of keys that were deleted."""
    held = heads_by_name(moment)
    written = {name: held[name].version for name in names if name in held}
    missing = [digest_of_name(name) for name in names if name not in held]
    if moment.rows is None or not missing:
        return written
    gone = moment.rows.current_heads(missing).values()
    return written | {each.name: each.version for each in gone if each.version <= moment.version}


def values_of(moment: StoredSnapshot, names: Collection[str]) -> dict[str, JsonValue]:
    """Returns the values of those of the named keys that existed."""
    if moment.rows is None or not names:
        return {}
    wanted = [each for name, each in heads_by_name(moment).items() if name in names]
    values = moment.rows.values(wanted, moment.version)
    return {each.name: value_of(values[each.key]) for each in wanted}


def all_values(moment: StoredSnapshot) -> dict[str, JsonValue]:
    """Returns the whole state at a moment."""
    return values_of(moment, heads_by_name(moment).keys())
