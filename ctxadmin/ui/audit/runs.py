"""Autosaves of one draft by one person as one line of the audit."""

from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from typing import Final

from ctxadmin.audit.models import AuditEntry
from ctxadmin.audit.queries import FoundEntry, Position
from ctxadmin.http.audit.entries import detail_of
from ctxadmin.identity.roles import Action

FoundRun = Sequence[FoundEntry]
FindAfter = Callable[[Position | None, int], Sequence[FoundEntry]]

# A longer pause between two autosaves begins a new line.
_PAUSE: Final = timedelta(minutes=30)
_MOST: Final = 500  # entries of one page


def edits_draft(entry: AuditEntry) -> bool:
    """Returns True for a saved draft of a workflow, which the canvas saves by itself."""
    if entry.action != Action.WORKFLOW_CHANGE:
        return False
    detail = detail_of(entry.detail)
    return isinstance(detail, dict) and detail.get("what") == "draft"


def find_runs(
    find: FindAfter, after: Position | None, most: int
) -> tuple[Sequence[FoundRun], bool]:
    """Returns the next runs of entries, latest first, and whether there are more.

    It reads on while autosaves fill a page, up to ``_MOST`` entries: a longer run continues on the
    next page.
    """
    entries: list[FoundEntry] = []
    while True:
        part = find(after, most + 1)
        entries += part[:most]
        runs = runs_of(entries)
        more = len(part) > most
        if not more or len(runs) > most or len(entries) >= _MOST:
            return runs[:most], more or len(runs) > most
        after = entries[-1].position


def runs_of(entries: Iterable[FoundEntry]) -> list[FoundRun]:
    """Returns entries that follow each other in time, those of one editing of a draft together."""
    runs: list[list[FoundEntry]] = []
    for each in entries:
        if runs and _continues(runs[-1][-1].entry, each.entry):
            runs[-1].append(each)
        else:
            runs.append([each])
    return list[FoundRun](runs)


def _continues(later: AuditEntry, earlier: AuditEntry) -> bool:
    return (
        (later.stream, later.actor_kind, later.actor_id)
        == (earlier.stream, earlier.actor_kind, earlier.actor_id)
        and later.at - earlier.at <= _PAUSE
        and edits_draft(later)
        and edits_draft(earlier)
    )
