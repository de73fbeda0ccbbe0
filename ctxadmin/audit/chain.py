"""The hashes of entries and anchors, for writers and verifiers."""

import hashlib
from collections.abc import Iterable
from datetime import datetime
from typing import Final

from ctxadmin.audit.keys import AuditKey
from ctxadmin.audit.models import AuditEntry
from ctxadmin.lib import clock
from ctxadmin.lib.json_bytes import canonical

FIRST_HASH: Final = "0" * 64


def reason_digest(salt: str, text: str) -> str:
    """Returns the digest of a reason in an entry: SHA-256 in hex of the salt and the text."""
    return hashlib.sha256(f"{salt}:{text}".encode()).hexdigest()


def entry_hash(entry: AuditEntry, before: str, key: AuditKey) -> str:
    """HMAC in hex over an entry and the hash of the entry before it."""
    content = {
        **_content(entry, before),
        "key": entry.key_name,
        "reason_digest": entry.reason_digest,
    }
    return key.hash_of(canonical(content))


def unkeyed_hash(entry: AuditEntry, before: str, reason: str) -> str:
    """The hash that release 0.1.0 gave an entry: SHA-256 in hex, with the reason itself."""
    content = {**_content(entry, before), "reason": reason}
    return hashlib.sha256(canonical(content)).hexdigest()


def _content(entry: AuditEntry, before: str) -> dict[str, object]:
    return {
        "before": before,
        "stream": entry.stream,
        "seq": entry.seq,
        "workspace": entry.workspace,
        "at": clock.iso(entry.at),
        "actor": [entry.actor_kind, entry.actor_id, entry.actor_name],
        "action": entry.action,
        "object": [entry.object_type, entry.object_id],
        "versions": [entry.version_before, entry.version_after],
        "detail": bytes(entry.detail).decode(),
        "request": [entry.request_id, entry.address],
    }


def heads_digest(heads: Iterable[tuple[int, int, str, int]]) -> str:
    """SHA-256 in hex of anchored heads (stream, seq, hash, unkeyed), in the order of streams."""
    digest = hashlib.sha256()
    for head in heads:
        digest.update(canonical(head) + b"\n")
    return digest.hexdigest()


def anchor_hash(
    before: str, number: int, at: datetime, streams: int, digest: str, key: AuditKey
) -> str:
    """HMAC in hex over an anchor and the hash of the anchor before it."""
    content = {
        "before": before,
        "anchor": number,
        "at": clock.iso(at),
        "streams": streams,
        "digest": digest,
        "key": key.name,
    }
    return key.hash_of(canonical(content))
