"""Marks: which parts of a live copy are current for a moment."""

from collections.abc import Set
from dataclasses import dataclass
from typing import Final

from django.db import connection

from checkpoints.live_copy.port import Part
from checkpoints.store.snapshots import StoredSnapshot
from ctxadmin.audit.record import AuditMark

_OF_EXECUTION: Final = frozenset({Part.STATE, Part.HISTORY, Part.EXECUTED})
_NONE: Final[Set[Part]] = frozenset()
# Every change sets the head: so one statement tells the newest change and what is newest with it.
_NOW: Final = """SELECT h.change_seq, h.audit_hash,
h.current_revision, h.visible_count, e.number, e.version
FROM conversations_conversation h
LEFT JOIN checkpoints_execution e ON e.conversation = h.`key` AND e.number = (
SELECT MAX(number) FROM checkpoints_execution WHERE conversation = h.`key`)
WHERE h.`key` = %s"""


@dataclass(frozen=True, slots=True)
class Marked:
    """The latest mark of a conversation, and the parts of a moment that it covers."""

    mark: AuditMark
    parts: Set[Part]


def mark_of(moment: StoredSnapshot) -> Marked | None:
    """Returns the mark under which a live copy has parts of this moment; None without one."""
    row = _read_mark(moment.head.key)
    if row is None:
        return None
    seq, digest, revision, visible_count, number, version = row
    own = (moment.row.number, moment.version) if moment.row is not None else None
    parts = _OF_EXECUTION if own == (number, version) else _NONE
    if (moment.revision, moment.visible_count) == (revision, visible_count):
        parts = parts | {Part.MESSAGES}
    return Marked(AuditMark(seq, digest), parts) if parts else None


def current_mark(conversation: int) -> AuditMark | None:
    """Returns the latest mark of a conversation; None if it no longer exists."""
    row = _read_mark(conversation)
    return None if row is None else AuditMark(row[0], row[1])


def _read_mark(conversation: int) -> tuple[int, str, int, int, int | None, int | None] | None:
    sql = _NOW.replace("`", '"') if connection.vendor == "sqlite" else _NOW
    with connection.cursor() as cursor:
        cursor.execute(sql, [conversation])
        found: tuple[int, str, int, int, int | None, int | None] | None = cursor.fetchone()
    return found
