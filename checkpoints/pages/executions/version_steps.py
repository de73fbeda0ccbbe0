"""What happened to an execution between two versions that are compared."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from checkpoints.domain.timeline import WriteKind
from checkpoints.models import Execution
from checkpoints.pages import presenters
from checkpoints.pages.presenters import TimelineLine
from checkpoints.reading.version_range import versions_between
from checkpoints.store.snapshots import StoredSnapshot

_MOST_LINES: Final = 5
_DECISIONS: Final = frozenset({WriteKind.MOVE, WriteKind.UPDATE, WriteKind.RESTORE})


@dataclass(frozen=True, slots=True)
class VersionSteps:
    """The status of both versions and the writes between them, latest first.

    Of many writes ``lines`` has only decisions, edits and restores; ``more`` counts the others.
    """

    before: str
    after: str
    lines: Sequence[TimelineLine]
    more: int


def version_steps(row: Execution, first: StoredSnapshot, last: StoredSnapshot) -> VersionSteps:
    """Returns what led from one version to another; their order does not matter."""
    low = min(first.version, last.version)
    rows = versions_between(row, first.version, last.version)
    lines = presenters.version_lines(row, rows, last.pinned)
    steps = [each for each in zip(rows, lines, strict=True) if each[0].version > low]
    if len(steps) > _MOST_LINES:
        steps = [each for each in steps if each[0].kind in _DECISIONS][:_MOST_LINES]
    return VersionSteps(
        before=first.status.value,
        after=last.status.value,
        lines=[line for _row, line in steps],
        more=abs(last.version - first.version) - len(steps),
    )
