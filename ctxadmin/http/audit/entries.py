"""An entry of the audit as the contract shows it."""

import orjson
from pydantic import Field, JsonValue

from ctxadmin.audit.queries import FoundEntry
from ctxadmin.http.described import Answer, FromOne, Time
from ctxadmin.lib import clock


class AuditEntryAnswer(Answer):
    """One entry of the audit: who did what, when, why and from where."""

    at: Time = Field(description="When it was done (ISO 8601, UTC).")
    actor_kind: str = Field(
        description="`person`, `token` or `system`, a part of the server.", examples=["person"]
    )
    actor_name: str = Field(description="Who did it.", examples=["anna"])
    actor_id: str = Field(description="Id of the person or token.", examples=["1"])
    action: str = Field(description="What was done.", examples=["batch.rollback"])
    object_type: str = Field(description="Kind of the object.", examples=["conversation"])
    object_id: str = Field(description="Id of the object.", examples=["support-1"])
    before: str = Field(
        description="Its version before: of a conversation `revision.count`, of an execution "
        "`version.revision.count`, of a workflow that of its draft; empty if there was none.",
        examples=["1.5"],
    )
    after: str = Field(description="Its version after, in the same form.", examples=["0.11"])
    reason: str | None = Field(
        description="The reason as typed; null without one, or after the conversation was erased.",
        examples=["The summary lost the order number."],
    )
    address: str = Field(description="The caller's address.", examples=["203.0.113.5"])
    request_id: str = Field(description="Id of the request.", examples=["req_1"])
    detail: JsonValue = Field(
        description="Ids, counts and digests of the change, never content.",
        examples=[{"batch": 0, "revision": 0}],
    )
    stream: str = Field(
        description="The chain of the entry, a whole number in text.",
        examples=["250183762583552000"],
    )
    seq: FromOne = Field(description="Number of the entry in its chain.", examples=[7])
    reason_digest: str = Field(
        description="SHA-256 of salt and reason; empty without a reason.", examples=[""]
    )
    key_name: str = Field(description="Name of the key of its hash.", examples=["5f0e6a1b"])
    hash: str = Field(
        description="HMAC-SHA256 of the entry and of the hash before it in the chain.",
        examples=["9c2f" * 16],
    )


def entry_json(found: FoundEntry) -> dict[str, object]:
    """Returns the fields of an AuditEntryAnswer."""
    entry = found.entry
    return {
        "at": clock.iso(entry.at),
        "actor_kind": entry.actor_kind,
        "actor_name": entry.actor_name,
        "actor_id": entry.actor_id,
        "action": entry.action,
        "object_type": entry.object_type,
        "object_id": entry.object_id,
        "before": entry.version_before,
        "after": entry.version_after,
        "reason": found.reason.text if found.reason is not None else None,
        "address": entry.address,
        "request_id": entry.request_id,
        "detail": detail_of(entry.detail),
        "stream": str(entry.stream),
        "seq": entry.seq,
        "reason_digest": entry.reason_digest,
        "key_name": entry.key_name,
        "hash": entry.hash,
    }


def detail_of(data: bytes | memoryview) -> JsonValue:
    """Returns the detail of an entry; damaged bytes as text, because they hide no others."""
    try:
        found: JsonValue = orjson.loads(bytes(data))
    except orjson.JSONDecodeError:
        return bytes(data).decode(errors="replace")
    return found
