"""The live copy of this process, and how it follows committed changes."""

from collections.abc import Mapping, Sequence

from django.conf import settings

from checkpoints.domain.status import ENDED, Status
from checkpoints.live_copy.deltas import deltas_of
from checkpoints.live_copy.port import CopyChange, LiveCopy, NoLiveCopy, Part
from conversations.writing.announcements import ChangeNotice

_current: LiveCopy = NoLiveCopy()


def copy() -> LiveCopy:
    """Returns the copy to read from; it is empty unless the settings name a Redis."""
    return _current


def set_current(chosen: LiveCopy) -> None:
    """Sets the copy that this process reads and writes."""
    global _current
    _current = chosen


def follow_changes(changes: Sequence[ChangeNotice]) -> None:
    """Applies committed changes to the copy; a new conversation has no copy yet."""
    if not _current.is_enabled:
        return
    _current.apply_changes(
        [
            CopyChange(
                each.head.key,
                each.before,
                each.after,
                deltas_of(each),
                seconds_of(Status(each.head.status)),
            )
            for each in changes
            if each.before.seq
        ]
    )


def seconds_of(status: Status) -> Mapping[Part, int]:
    """Returns the seconds after which parts expire, counted from each save.

    0 for never (semantics 3.10).
    """
    kept = settings.LIVE_CHECKPOINT_SECONDS
    if status is not Status.IDLE and status not in ENDED:
        kept = 0
    found = dict.fromkeys(Part, kept)
    if status in ENDED:
        found[Part.EXECUTED] = settings.LIVE_EXECUTION_SECONDS
    return found
