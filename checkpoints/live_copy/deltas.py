"""Derives the changes of a live copy from a committed change."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from checkpoints.domain.state import ChangeKind
from checkpoints.live_copy.port import UNTOUCHED, WHOLE, Delta, Grow, Part, Remove, SetValue
from checkpoints.store.state import EXECUTED, HISTORY, LISTS, StoredChange
from checkpoints.writing.version_events import VersionWritten
from conversations.models import Message
from conversations.reading.queries import stored_message
from conversations.writing.announcements import ChangeNotice

OF_LISTS: Final = {Part.HISTORY: HISTORY, Part.EXECUTED: EXECUTED}
_OTHER: Final = Delta(other=True)


def deltas_of(change: ChangeNotice) -> Mapping[Part, Delta]:
    """Returns what the change does to each part; for most of them nothing."""
    versions = change.parts_of(VersionWritten)
    found = {part: _of_versions(versions, part) for part in (Part.STATE, *OF_LISTS)}
    found[Part.MESSAGES] = _OTHER if change.shown is None else _of_messages(change.shown)
    return found


def _of_messages(shown: Sequence[Message]) -> Delta:
    if not shown:
        return UNTOUCHED
    messages = (stored_message(row, visible=True).as_bytes() for row in shown)
    return Delta([Grow(WHOLE, b"[" + b",".join(messages) + b"]")])


def _of_versions(versions: Sequence[VersionWritten], part: Part) -> Delta:
    """Returns what some versions do to a part of the execution."""
    cleared = False
    steps: list[SetValue | Grow | Remove] = []
    for version in versions:
        if version.is_new:
            cleared, steps = True, []
        changes = [
            written
            for written in version.changes
            if (written.key == OF_LISTS[part] if part in OF_LISTS else written.key not in LISTS)
        ]
        if any(written.kind is ChangeKind.SAME for written in changes):
            return _OTHER  # it went back: what it has now is in SQL only
        steps += _steps(changes)
    return Delta(steps, cleared=cleared) if steps or cleared else UNTOUCHED


def _steps(changes: Sequence[StoredChange]) -> Iterator[SetValue | Grow | Remove]:
    for written in changes:
        is_list = written.key in LISTS
        name = WHOLE if is_list else written.name
        if written.kind is ChangeKind.APPEND:
            yield Grow(name, written.value)
        elif written.kind is ChangeKind.SET:
            grows = is_list or (written.head is not None and written.head.count is not None)
            yield SetValue(name, written.value, grows=grows)
        elif written.kind is ChangeKind.GONE:
            yield Remove(name)
