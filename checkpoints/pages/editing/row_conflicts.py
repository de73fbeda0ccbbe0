"""What others applied to keys that a draft changes too, for the rows of these keys."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from urllib.parse import quote

from checkpoints.domain.merge import Conflict
from checkpoints.editing.state_form import Row, Theirs
from checkpoints.pages.editing.edit_request import Edit, authors_of
from checkpoints.pages.editing.summary import merge_edit
from checkpoints.pages.state.place_names import key_of
from checkpoints.pages.state.state_rows import whole_value
from checkpoints.reading.state_values import last_writes, values_of
from ctxadmin.lib.structural_diff import ABSENT, Value
from ctxadmin.lib.text_diff import common_start

_KEEPS = "keeps"
_SHOWN = 300  # characters of a value beside a row
_BEFORE_CHANGE = 60


def with_theirs(task: Edit, rows: Sequence[Row], names: Sequence[str]) -> list[Row]:
    """Returns the rows, those of ``names`` with what others applied there."""
    theirs = _their_changes(task, names) if names else {}
    return [replace(row, theirs=theirs.get(row.name)) for row in rows]


def is_kept(task: Edit, conflict: Conflict) -> bool:
    """Returns whether the form says *Keep mine* of a key, as the other side is now."""
    key = key_of(conflict.path)
    sent = task.request.POST.getlist(_KEEPS)
    return bool(sent) and _mark(key, last_writes(task.now, [key]).get(key, 0)) in sent


def _their_changes(task: Edit, names: Sequence[str]) -> Mapping[str, Theirs]:
    values, before = values_of(task.now, names), values_of(task.base, names)
    conflicts = {key_of(each.path) for each in merge_edit(task, task.now).merged.conflicts}
    versions = dict.fromkeys(names, 0) | last_writes(task.now, names)
    authors = authors_of(task.now, set(versions.values()))
    return {
        name: Theirs(
            value=_from_change_on(before.get(name, ABSENT), values.get(name, ABSENT)),
            gone=name not in values,
            author=authors.get(versions[name], ""),
            own=authors.get(versions[name]) == task.actor.label,
            version=versions[name],
            mark=_mark(name, versions[name]) if name in conflicts else "",
        )
        for name in names
    }


def _mark(name: str, version: int) -> str:
    return f"{version}:{quote(name, safe='')}"


def _from_change_on(before: Value, after: Value) -> str:
    """Returns a value as text; a long one from a little before what differs from the one before."""
    text = whole_value(after)
    if len(text) <= _SHOWN:
        return text
    start = max(common_start(whole_value(before), text) - _BEFORE_CHANGE, 0)
    shown = text[start : start + _SHOWN]
    ends = ("… " if start else "", " …" if start + len(shown) < len(text) else "")
    return f"{ends[0]}{shown}{ends[1]}"
