"""Comparing the live copy of a conversation with SQL, byte for byte, and writing it again."""

from enum import StrEnum

from checkpoints.live_copy import current
from checkpoints.live_copy.contents import Values, contents_of, parts_in_sql
from checkpoints.live_copy.marks import mark_of
from checkpoints.live_copy.port import ALL_PARTS
from checkpoints.snapshots import current_snapshot
from conversations.models import Conversation


class Verdict(StrEnum):
    """What a comparison says of a conversation's copy.

    BEHIND: parts are missing or stand at another change, and the next read mends that. WRONG: a
    part stands at the newest change with other content than SQL, or is damaged. BUSY: it changed
    meanwhile.
    """

    SAME = "same"
    BEHIND = "behind"
    WRONG = "wrong"
    BUSY = "busy"


def verify(head: Conversation) -> Verdict:
    """Compare what the copy would answer now with what SQL answers."""
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
    """Drop what the copy has of a conversation and write it again from SQL."""
    current.copy().drop(head.key)
    contents_of(current_snapshot(head), ALL_PARTS)


def _joined(values: Values) -> dict[str, bytes]:
    """A list without elements is as good as none."""
    joined = {name: b"".join(value.pieces) for name, value in values.items()}
    return {name: value for name, value in joined.items() if value != b"[]"}
