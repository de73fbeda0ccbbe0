"""Merges what others applied into an open text, beside the input in it."""

from collections.abc import Sequence
from dataclasses import dataclass

from checkpoints.editing import draft_store, state_form
from checkpoints.editing.draft import Marks
from checkpoints.editing.state_form import Changes
from checkpoints.pages.editing.edit_request import Edit
from checkpoints.reading.state_values import heads_by_name, reducers_for, values_of
from checkpoints.store.snapshots import StoredSnapshot
from ctxadmin.lib.errors import ContextError
from ctxadmin.lib.structural_diff import ABSENT, Value, equal


@dataclass(frozen=True, slots=True)
class MergedText:
    """What others changed until ``version`` in keys without input, and its marks.

    A page sends the marks back, so these keys never count as typed. ``meets`` are the keys that
    both changed: there the text has the input.
    """

    version: int
    changes: Changes
    marks: Marks
    meets: Sequence[str]


def unmerged_text(base: StoredSnapshot) -> MergedText:
    return MergedText(base.version, {}, {}, ())


def merge_text(task: Edit) -> MergedText:
    """Merges what can be merged now; all of it remains a change against ``task.base``."""
    base, now = task.base, task.now
    held, then = heads_by_name(now), heads_by_name(base)
    newer = {name for name, each in held.items() if each.version > base.version}
    names = newer | (then.keys() - held.keys())
    before, after = values_of(base, names), values_of(now, names)
    mine = task.changes
    pages = {each.name for each in task.draft.entries.values()}
    reducers = reducers_for(base.row)
    taken: dict[str, Value] = {}
    meets: list[str] = []
    for name in sorted(names):
        theirs = after.get(name, ABSENT)
        if _same(theirs, before.get(name, ABSENT)):
            continue
        if name in pages:
            if name not in mine or not _same(theirs, mine[name]):
                meets.append(name)
            continue
        try:
            if theirs is not ABSENT:
                state_form.check_reducible(name, theirs, reducers)
        except ContextError:  # no page could say this of the key
            meets.append(name)
        else:
            taken[name] = theirs
    return MergedText(now.version, taken, draft_store.marks_of_changes(base, taken), meets)


def _same(one: Value, other: Value) -> bool:
    if one is ABSENT or other is ABSENT:
        return one is other
    return equal(one, other)
