"""What is typed and not applied yet, as a page shows it: each change, and what is beside it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from checkpoints.moments import Moment
from checkpoints.pages import adding_up, state_form, values
from checkpoints.pages.adding_up import Typed
from checkpoints.pages.state_form import Row
from checkpoints.pages.state_rows import state_rows
from ctxadmin.lib.structural_diff import diff
from ctxadmin.ui.components import DiffRow


@dataclass(frozen=True, slots=True)
class Line:
    """One pending change: what it does to the state that was seen, or what is wrong with it."""

    name: str
    sent_name: str
    rows: Sequence[DiffRow]
    problem: str
    mark: str


@dataclass(frozen=True, slots=True)
class PendingView:
    """The pending changes above the form; ``newer`` is the version of now if it is another.

    ``others`` were typed on another page of the person than what stands, ``texts`` are the marks
    of whole states that cannot be read yet.
    """

    lines: Sequence[Line]
    others: Sequence[Line]
    texts: Sequence[str]
    changed_at: datetime | None
    newer: int | None


def view_of(typed: Typed, base: Moment, now: Moment) -> PendingView | None:
    """The pending changes for a page, None if there are none."""
    if not typed:
        return None
    return PendingView(
        lines=list(_lines(typed, typed.rows, base)),
        others=list(_lines(typed, typed.others, base)),
        texts=[each.mark for each in typed.texts],
        changed_at=typed.changed_at,
        newer=now.version if now.version != base.version else None,
    )


def _lines(typed: Typed, rows: Sequence[Row], base: Moment) -> Iterator[Line]:
    found = values.values_of(base, typed.names)
    reducers = values.reducers_for(base.row)
    mark_of = adding_up.marker(found, reducers)
    for row in rows:
        before = {name: value for name, value in found.items() if name == row.name}
        read = state_form.read_rows([replace(row)], before, reducers)
        after = state_form.with_changes(before, read.changes)
        differs = state_rows(diff(dict(before), after)) if read.valid else []
        problem = "" if read.valid else read.rows[0].problem
        yield Line(row.name, row.sent_name, differs, problem, mark_of(row))
