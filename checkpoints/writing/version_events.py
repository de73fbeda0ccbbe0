"""What one version of an execution wrote, for followers of committed changes."""

from collections.abc import Sequence
from dataclasses import dataclass

from checkpoints.store.state import StoredChange
from conversations.writing.announcements import RowChange


@dataclass(frozen=True, slots=True)
class VersionWritten(RowChange):
    """One version: its execution by number with the resulting status, and the changed keys.

    ``public_id`` is the id of the execution. ``ended`` is True if the execution ended with it,
    ``is_new`` if it began. ``changed_keys`` are the names of changed keys.
    """

    execution: int
    public_id: str
    version: int
    ended: bool
    is_new: bool
    changes: Sequence[StoredChange]
    changed_keys: Sequence[str] = ()
