"""Writing and verifying audit entries."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Final

from django.db import transaction

from ctxadmin.accounts.actor import Actor
from ctxadmin.accounts.roles import Action
from ctxadmin.audit.models import AuditEntry
from ctxadmin.lib import clock
from ctxadmin.lib.json_bytes import canonical, dumps
from ctxadmin.observe.metrics import change_committed
from ctxadmin.web.tables import Table

FIRST_HASH: Final = "0" * 64
_ENTRIES: Final = Table(AuditEntry)


@dataclass(frozen=True, slots=True)
class Change:
    """What is put on record about one change; ``detail`` holds no message or state content."""

    action: Action
    object_type: str
    object_id: str
    before: str = ""
    after: str = ""
    reason: str = ""
    detail: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AuditMark:
    """Where a stream stands: the number of its last entry and the hash of its chain there.

    Two marks are equal only after the same changes: also where a backup was put back and the
    same number belongs to another change, as the hash covers all entries with their times.
    """

    seq: int
    hash: str


def record(
    actor: Actor,
    change: Change,
    *,
    stream: int,
    seq: int,
    before: str | None = None,
    at: datetime | None = None,
    size: int = 0,
) -> tuple[AuditMark, AuditMark]:
    """Append entry ``seq`` to ``stream``, in the transaction of the change itself.

    The caller holds the lock of the row whose ``change_seq`` is ``seq``; the primary key
    refuses a second entry under the same number. ``before`` is the hash of the entry before, for
    a caller who keeps it; ``at`` the moment of the change, now by default. The marks
    before and after the change are returned. ``size``, the bytes of messages and state that the
    change wrote, is for the metrics alone.
    """
    entry = AuditEntry(
        stream=stream,
        seq=seq,
        workspace=actor.workspace,
        at=at or clock.now(),
        actor_kind=actor.kind,
        actor_id=actor.id,
        actor_name=actor.name,
        action=change.action.value,
        object_type=change.object_type,
        object_id=change.object_id,
        version_before=change.before,
        version_after=change.after,
        reason=change.reason,
        detail=dumps(dict(change.detail)),
        request_id=actor.request_id,
        address=actor.address,
    )
    mark = AuditMark(seq - 1, before or _hash_before(stream, seq))
    entry.hash = entry_hash(entry, mark.hash)
    _ENTRIES.insert([entry])
    transaction.on_commit(partial(change_committed, change.action.value, size))
    return mark, AuditMark(seq, entry.hash)


def _hash_before(stream: int, seq: int) -> str:
    if seq == 1:
        return FIRST_HASH
    return AuditEntry.objects.values_list("hash", flat=True).get(pk=(stream, seq - 1))


def entry_hash(entry: AuditEntry, before: str) -> str:
    """SHA-256 in hex over the entry's content and the hash of the entry before it."""
    content = {
        "before": before,
        "stream": entry.stream,
        "seq": entry.seq,
        "workspace": entry.workspace,
        "at": _instant(entry.at),
        "actor": [entry.actor_kind, entry.actor_id, entry.actor_name],
        "action": entry.action,
        "object": [entry.object_type, entry.object_id],
        "versions": [entry.version_before, entry.version_after],
        "reason": entry.reason,
        "detail": bytes(entry.detail).decode(),
        "request": [entry.request_id, entry.address],
    }
    return hashlib.sha256(canonical(content)).hexdigest()


def _instant(moment: datetime) -> str:
    return clock.iso(moment)


def first_break(entries: Iterable[AuditEntry]) -> int | None:
    """The number of the first entry of one stream whose chain does not hold, or None."""
    before, expected = FIRST_HASH, 1
    for entry in entries:
        if entry.seq != expected or entry.hash != entry_hash(entry, before):
            return expected
        before, expected = entry.hash, expected + 1
    return None
