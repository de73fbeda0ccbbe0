"""Compares the live copy of a conversation with SQL, byte for byte, and rebuilds it."""

from enum import StrEnum

from checkpoints.live_copy import current
from checkpoints.live_copy.contents import Values, contents_of, parts_in_sql
from checkpoints.live_copy.marks import mark_of
from checkpoints.live_copy.port import ALL_PARTS
from checkpoints.store.snapshots import current_snapshot
from conversations.models import Conversation


class Verdict(StrEnum):
    """The result of a comparison.

    BEHIND: parts are missing or at an older change, and the next read repairs that. WRONG: a part
    at the latest change has other content than SQL, or is damaged. BUSY: it changed meanwhile.
    """

    SAME = "same"
    BEHIND = "behind"
    WRONG = "wrong"
    BUSY = "busy"


def verify(head: Conversation) -> Verdict:
    """Compares what the copy would answer now with what SQL answers."""
    moment = current_snapshot(head)
    marked = mark_of(moment)
    if marked is None:
        return Verdict.BUSY
    parts = [part for part in ALL_PARTS if part in marked.parts]
    found = current.copy().read(head.key, marked.mark, parts)
    held, read = found.parts, parts_in_sql(moment, parts)
    if found.damaged or any(_joined(held[part]) != _joined(read[part]) for part in held):
        return Verdict.WRONG
    return Verdict.SAME if len(held) == len(parts) else Verdict.BEHIND


def rebuild(head: Conversation) -> None:
    """Drops the copy of a conversation and writes it again from SQL."""
    current.copy().drop(head.key)
    contents_of(current_snapshot(head), ALL_PARTS)


def _joined(values: Values) -> dict[str, bytes]:
    """Joins values; a list without elements equals a missing one."""
    joined = {name: b"".join(value.pieces) for name, value in values.items()}
    return {name: value for name, value in joined.items() if value != b"[]"}
