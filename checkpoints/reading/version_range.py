"""The versions between two that are compared, and the two to compare first."""

from itertools import pairwise
from typing import Final

from checkpoints.models import Checkpoint, Execution
from checkpoints.store.executions import CHECKPOINTS, check_manifest

MOST_READ: Final = 50  # manifests of one comparison


def versions_between(row: Execution, before: int, after: int) -> list[Checkpoint]:
    """Returns the versions from one to another, both included, latest first.

    Of more than MOST_READ only the latest; the order of the two does not matter.
    """
    low, high = min(before, after), max(before, after)
    return _latest(row, high, min(high - low + 1, MOST_READ))


def latest_difference(row: Execution) -> tuple[int, int] | None:
    """Returns the latest two versions in a row whose state or messages differ.

    None if none of the MOST_READ latest differ. Versions that lost their state are passed over.
    """
    kept = [each for each in _latest(row, row.version, MOST_READ) if each.thinned_at is None]
    for later, earlier in pairwise(kept):
        if _content(later) != _content(earlier):
            return earlier.version, later.version
    return None


def _latest(row: Execution, version: int, limit: int) -> list[Checkpoint]:
    found = CHECKPOINTS.find_last(
        {"conversation": row.conversation, "execution": row.number},
        "version",
        below=version + 1,
        limit=limit,
        without=("answer", "marking", "routing"),
    )
    return [check_manifest(each) for each in found]


def _content(version: Checkpoint) -> tuple[str, int, int]:
    return version.state_digest, version.revision, version.visible_count
