"""Entries that are one line of the audit: autosaves of a draft, and those of a bulk action."""

from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from ctxadmin.audit.models import AuditEntry
from ctxadmin.audit.queries import FoundEntry, Position
from ctxadmin.http.audit.entries import detail_of
from ctxadmin.identity.roles import Action
from ctxadmin.ui.audit.origins import Cause, Origin, cause_of

FoundRun = Sequence[FoundEntry]
FindAfter = Callable[[Position | None, int], Sequence[FoundEntry]]
FindOf = Callable[[Collection[Cause]], Mapping[Cause, Origin]]

# A longer pause between two autosaves begins a new line.
_PAUSE: Final = timedelta(minutes=30)
_MOST: Final = 500  # entries of one page


@dataclass(frozen=True, slots=True)
class FoundRuns:
    """Runs of entries, latest first; ``more`` follow. ``origins`` are those of their entries."""

    runs: Sequence[FoundRun]
    more: bool
    origins: Mapping[Cause, Origin]


def edits_draft(entry: AuditEntry) -> bool:
    """Returns True for a saved draft of a workflow, which the canvas saves by itself."""
    if entry.action != Action.WORKFLOW_CHANGE:
        return False
    detail = detail_of(entry.detail)
    return isinstance(detail, dict) and detail.get("what") == "draft"


def find_runs(
    find: FindAfter, find_origins: FindOf, after: Position | None, most: int
) -> FoundRuns:
    """Returns the next runs of entries.

    It reads on while long runs fill a page, up to ``_MOST`` entries: a longer run continues on the
    next page.
    """
    entries: list[FoundEntry] = []
    origins: dict[Cause, Origin] = {}
    while True:
        part = find(after, most + 1)
        entries += part[:most]
        origins |= find_origins({cause_of(each.entry) for each in part})
        runs = runs_of(entries, origins)
        more = len(part) > most
        if not more or len(runs) > most or len(entries) >= _MOST:
            return FoundRuns(runs[:most], more or len(runs) > most, origins)
        after = entries[-1].position


def runs_of(entries: Iterable[FoundEntry], origins: Container[Cause]) -> list[FoundRun]:
    """Returns entries that follow each other in time, in runs.

    A run are those of one editing of a draft, or of one action that is among the ``origins``.
    """
    runs: list[list[FoundEntry]] = []
    for each in entries:
        if runs and _continues(runs[-1][-1].entry, each.entry, origins):
            runs[-1].append(each)
        else:
            runs.append([each])
    return list[FoundRun](runs)


def _continues(later: AuditEntry, earlier: AuditEntry, origins: Container[Cause]) -> bool:
    cause = cause_of(later)
    if cause in origins:
        return (later.action, cause) == (earlier.action, cause_of(earlier))
    return (
        (later.stream, later.actor_kind, later.actor_id)
        == (earlier.stream, earlier.actor_kind, earlier.actor_id)
        and later.at - earlier.at <= _PAUSE
        and edits_draft(later)
        and edits_draft(earlier)
    )
