"""Rebases an edit from an older state onto a newer one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from checkpoints.domain.merge import Conflict, merge_states
from checkpoints.domain.reducers import ReducerTable
from ctxadmin.lib.structural_diff import ABSENT, Value, equal


@dataclass(frozen=True, slots=True)
class Rebased:
    """The edit as changes of the newer state; conflicting places keep the newer value.

    A key that both changed in the same way is no longer a change.
    """

    changes: Mapping[str, Value]
    conflicts: tuple[Conflict, ...] = ()


def rebase(
    base: Mapping[str, JsonValue],
    changes: Mapping[str, Value],
    theirs: Mapping[str, JsonValue],
    reducers: ReducerTable,
) -> Rebased:
    """Rebases ``changes`` of the state ``base`` onto ``theirs``.

    Both have at least the changed keys.
    """
    mine = {name: value for name, value in base.items() if name not in changes}
    mine |= {name: value for name, value in changes.items() if value is not ABSENT}
    before = {name: base[name] for name in changes if name in base}
    now = {name: theirs[name] for name in changes if name in theirs}
    merged = merge_states(before, {n: v for n, v in mine.items() if n in changes}, now, reducers)
    return Rebased(changes_between(now, merged.state, changes), merged.conflicts)


def changes_between(
    before: Mapping[str, JsonValue], after: Mapping[str, JsonValue], names: Iterable[str]
) -> dict[str, Value]:
    """Returns the changes that lead from one state to another in some keys; ABSENT deletes."""
    changes: dict[str, Value] = {}
    for name in names:
        one, other = before.get(name, ABSENT), after.get(name, ABSENT)
        if one is ABSENT or other is ABSENT:
            if one is not other:
                changes[name] = other
        elif not equal(one, other):
            changes[name] = other
    return changes
