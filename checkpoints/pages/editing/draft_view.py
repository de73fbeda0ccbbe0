"""The pending changes of a draft for a page: each change, and its alternatives."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from checkpoints.editing import state_form
from checkpoints.editing.draft import DraftEntry, StateDraft
from checkpoints.editing.entries import row_of
from checkpoints.pages.state.state_rows import state_rows
from checkpoints.reading.state_values import reducers_for, values_of
from checkpoints.store.snapshots import StoredSnapshot
from ctxadmin.lib.structural_diff import diff
from ctxadmin.ui.components import DiffRow


@dataclass(frozen=True, slots=True)
class DraftLine:
    """One pending change: its effect on the base state, or its problem."""

    name: str
    sent_name: str
    rows: Sequence[DiffRow]
    problem: str
    mark: str


@dataclass(frozen=True, slots=True)
class DraftView:
    """The pending changes above the form; ``newer`` is the current version if it differs.

    ``others`` are alternatives typed on another page of the same person, ``texts`` the marks of
    whole states that cannot be parsed yet.
    """

    lines: Sequence[DraftLine]
    others: Sequence[DraftLine]
    texts: Sequence[str]
    changed_at: datetime | None
    newer: int | None

    @property
    def count(self) -> int:
        return len(self.lines) + len(self.others) + len(self.texts)


def draft_view_of(draft: StateDraft, base: StoredSnapshot, now: StoredSnapshot) -> DraftView | None:
    """Returns the pending changes for a page, None if there are none."""
    if not draft:
        return None
    return DraftView(
        lines=list(_lines(draft, draft.entries.values(), base)),
        others=list(_lines(draft, draft.others, base)),
        texts=[each.mark for each in draft.texts],
        changed_at=draft.changed_at,
        newer=now.version if now.version != base.version else None,
    )


def _lines(
    draft: StateDraft, entries: Iterable[DraftEntry], base: StoredSnapshot
) -> Iterator[DraftLine]:
    found, reducers = values_of(base, draft.names), reducers_for(base.row)
    for each in entries:
        row = row_of(each)
        before = {name: value for name, value in found.items() if name == row.name}
        read = state_form.read_rows([row], before, reducers)
        after = state_form.with_changes(before, read.changes)
        differs = state_rows(diff(dict(before), after), after) if read.valid else []
        yield DraftLine(row.name, row.sent_name, differs, row.problem, each.mark)
