"""What one version of an execution wrote, as those are told who follow committed changes."""

from collections.abc import Sequence
from dataclasses import dataclass

from checkpoints.state_store import StoredChange


@dataclass(frozen=True, slots=True)
class VersionWritten:
    """One version: its execution by number and how that stands since, and what it did to keys.

    ``public_id`` is its id. ``ended`` tells that the execution has ended with it; ``is_new`` that
    it began. ``changed_keys`` are the names that the write tells of.
    """

    execution: int
    public_id: str
    version: int
    ended: bool
    is_new: bool
    changes: Sequence[StoredChange]
    changed_keys: Sequence[str] = ()
