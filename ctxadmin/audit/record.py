"""Writes audit entries."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Final

from django.db import transaction

from ctxadmin.audit.chain import FIRST_HASH, entry_hash, reason_digest
from ctxadmin.audit.keys import current_key
from ctxadmin.audit.models import AuditEntry, AuditReason
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib import clock
from ctxadmin.lib.json_bytes import dumps
from ctxadmin.storage.tables import Table
from ctxadmin.telemetry.metrics import change_committed

_ENTRIES: Final = Table(AuditEntry)
_REASONS: Final = Table(AuditReason)


@dataclass(frozen=True, slots=True)
class AuditChange:
    """The record of one change; ``detail`` has no message or state content.

    Typed text belongs in ``reason``, which is erased with its conversation.
    """

    action: Action
    object_type: str
    object_id: str
    before: str = ""
    after: str = ""
    reason: str = ""
    detail: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AuditMark:
    """The number of a stream's last entry and the hash of its chain there.

    Two marks are equal only after the same changes: also where a backup was restored and the same
    number belongs to another change, because the hash covers all entries with their times.
    """

    seq: int
    hash: str


def record(
    actor: Actor,
    change: AuditChange,
    *,
    stream: int,
    seq: int,
    before: str | None = None,
    at: datetime | None = None,
    size: int = 0,
) -> tuple[AuditMark, AuditMark]:
    """Appends entry ``seq`` to ``stream``, in the transaction of the change itself.

    The caller holds the lock of the row whose ``change_seq`` is ``seq``; the primary key refuses a
    second entry under the same number. ``before`` is the hash of the entry before, if the caller
    has it; ``at`` the moment of the change, now by default. Returns the marks before and after the
    change. ``size``, the bytes of messages and state that the change wrote, is for the metrics
    alone.
    """
    key = current_key()
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
        detail=dumps(dict(change.detail)),
        request_id=actor.request_id,
        address=actor.address,
        key_name=key.name,
    )
    if change.reason:
        row = AuditReason(stream=stream, seq=seq, salt=secrets.token_hex(16), text=change.reason)
        entry.reason_digest = reason_digest(row.salt, row.text)
        _REASONS.insert([row])
    mark = AuditMark(seq - 1, before or _hash_before(stream, seq))
    entry.hash = entry_hash(entry, mark.hash, key)
    _ENTRIES.insert([entry])
    transaction.on_commit(partial(change_committed, change.action.value, size))
    return mark, AuditMark(seq, entry.hash)


def delete_reasons(stream: int, before: int) -> None:
    """Deletes the typed reasons of a stream's entries before one, in an erasure's transaction.

    The entries keep salted digests, whose salt is deleted too; the chain stays valid.
    """
    AuditReason.objects.filter(stream=stream, seq__lt=before).delete()


def _hash_before(stream: int, seq: int) -> str:
    if seq == 1:
        return FIRST_HASH
    return AuditEntry.objects.values_list("hash", flat=True).get(pk=(stream, seq - 1))
