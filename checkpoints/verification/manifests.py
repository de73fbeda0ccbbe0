"""Verifies the manifests of versions against each other, the log, and the audit."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

import msgspec
import orjson
from django.db.models import Sum
from django.db.models.functions import Length

from checkpoints.domain.reducers import MESSAGES
from checkpoints.domain.timeline import WriteKind
from checkpoints.models import Checkpoint, Execution, StateKey, StateValue
from checkpoints.store.executions import manifest_fault
from checkpoints.store.state import LISTS
from conversations.models import Conversation, Message
from conversations.store.verification import DataFault, report_errors
from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ContextError
from ctxadmin.lib.ids import is_public_id
from workflows.domain.running.routing import Marking

_BLOCK: Final = 500
_MOVES: Final = ("resume", "approve", "reject", "cancel")
_SAVES: Final = (WriteKind.CHECKPOINT.value, WriteKind.COMPLETION.value)
# What the last version of a change is, by what the audit calls the change.
_KINDS: Final = {
    Action.CHECKPOINT_SAVE.value: (WriteKind.CHECKPOINT.value, ""),
    Action.NODE_COMPLETE.value: (WriteKind.COMPLETION.value, ""),
    Action.NODE_FORCE.value: (WriteKind.COMPLETION.value, ""),
    Action.SNAPSHOT_UPDATE.value: (WriteKind.UPDATE.value, ""),
    Action.CHECKPOINT_RESTORE.value: (WriteKind.RESTORE.value, ""),
    Action.EXECUTION_START.value: (WriteKind.START.value, ""),
    **{f"execution.{move}": (WriteKind.MOVE.value, move) for move in _MOVES},
}
_LINE: Final = frozenset({"conversation.archive", "conversation.unarchive"})


class _EdgeDecision(msgspec.Struct):
    """One decision on an edge, as a manifest lists it."""

    edge: str
    to: str
    passes: bool


_ROUTING: Final = msgspec.json.Decoder(list[_EdgeDecision])
_WHOLE: Final = msgspec.json.Decoder(list[tuple[str, int, str, bool]])


@dataclass(frozen=True, slots=True)
class RecordedChange:
    """One change of an execution in the audit."""

    action: str
    author: str
    at: datetime
    execution: str
    after: str
    detail: Mapping[str, Any]


@dataclass(slots=True)
class Records:
    """The changes of a conversation's executions by number, and whether it was archived last."""

    by_seq: dict[int, RecordedChange] = field(default_factory=dict)
    archived: bool = False


def records_of(head: Conversation) -> Records:
    """Returns the audit of a conversation, read once; its chain is verified elsewhere."""
    found = Records()
    entries = AuditEntry.objects.filter(stream=head.key).order_by("seq")
    columns = ("seq", "action", "actor_kind", "actor_name", "at", "object_type", "object_id")
    for seq, action, kind, name, at, type_, object_id, after, data in entries.values_list(
        *columns, "version_after", "detail"
    ).iterator(_BLOCK):
        try:
            detail = orjson.loads(bytes(data))
        except ValueError:  # the chain tells that it was changed
            continue
        if action in _LINE or detail.get("unarchived"):
            found.archived = action == Action.CONVERSATION_ARCHIVE.value
        if type_ == "execution":
            author = f"{kind}:{name}"
            found.by_seq[seq] = RecordedChange(action, author, at, object_id, after, detail)
    return found


def verify_manifests(head: Conversation, row: Execution, records: Records) -> Iterator[DataFault]:
    """Verifies every version of an execution."""
    own = Checkpoint.objects.filter(conversation=row.conversation, execution=row.number)
    contents = _Contents(row)
    before: Checkpoint | None = None
    for each in own.order_by("version").iterator(_BLOCK):
        what = f"execution {row.number}: version {each.version}"
        checks = (
            _verify_itself(head, row, each),
            _verify_order(before, each),
            _verify_written(head, contents, before, each),
            _verify_record(row, each, records),
        )
        for check in checks:
            yield from report_errors(what, (DataFault(what, text) for text in check))
        before = each


def _verify_itself(head: Conversation, row: Execution, each: Checkpoint) -> Iterator[str]:
    if each.version > row.version:
        yield f"is after the latest, {row.version}"
    if not 0 <= each.revision < each.revision_count <= head.revision_count:
        yield f"names revision {each.revision}, which does not exist"
    if each.log_count > head.log_count or each.visible_count > each.log_count:
        yield "counts more messages than were logged"
    if min(each.visible_count, each.executed_count, each.history_count) < 0:
        yield "has a negative count"
    fault = manifest_fault(each)
    if fault:
        yield fault
    if (each.kind == WriteKind.START.value) != (each.version == 0):
        yield f"has the kind {each.kind} of another version"
    if each.move not in (_MOVES if each.kind == WriteKind.MOVE.value else ("",)):
        yield "has an unknown move"
    if (each.kind == WriteKind.RESTORE.value) != (each.restored_from is not None):
        yield "does not say which version was restored"
    if bool(each.saved_node) != (each.kind in _SAVES):
        yield "does not say which node was saved"
    if each.deleted and (each.thinned_at is None or each.details_sum is not None):
        yield "was deleted, but not whole"
    if (each.checkpoint_id is not None) != bool(each.answer):
        yield "has no answer for a repeat of the save"
    try:
        _ROUTING.decode(bytes(each.routing))
        _WHOLE.decode(bytes(each.whole) or b"[]")
        if each.marking:
            Marking.from_json(orjson.loads(bytes(each.marking)))
        bytes.fromhex(each.body_digest)
        answer = orjson.loads(bytes(each.answer) or b"{}")
    except (ValueError, ContextError):
        yield "cannot be read"
        return
    if not isinstance(answer, dict) or answer.get("version", each.version) != each.version:
        yield "has the answer of another version"


def _verify_order(before: Checkpoint | None, each: Checkpoint) -> Iterator[str]:
    if before is None:
        return
    if each.change_seq < before.change_seq:
        yield f"has change {each.change_seq}, before that of version {before.version}"
    if each.created_at < before.created_at:
        yield f"is older than version {before.version}"
    if each.log_count < before.log_count or each.revision_count < before.revision_count:
        yield f"counts less than version {before.version}"


def _verify_written(
    head: Conversation, contents: "_Contents", before: Checkpoint | None, each: Checkpoint
) -> Iterator[str]:
    """Verifies the keys and bytes of a version with state, from its values."""
    if each.thinned_at is not None:
        return
    keys = set(orjson.loads(bytes(each.changed_keys))) - {MESSAGES}
    if keys != contents.names[each.version]:
        yield "has changed keys that do not match its values"
    size = contents.sizes[each.version]
    logged = 0
    if each.written_bytes != size:  # then messages came along; others may have come before it
        since = before.log_count if before is not None else 0
        new = Message.objects.filter(conversation=head.key, index__gte=since)
        new = new.filter(index__lt=each.log_count)
        logged = new.aggregate(n=Sum(Length("body")))["n"] or 0
    if not size <= each.written_bytes <= size + logged:
        yield f"says {each.written_bytes} written bytes, its values have {size}"


def _verify_record(row: Execution, each: Checkpoint, records: Records) -> Iterator[str]:
    if each.change_seq < 1:  # copied by a fork; the audit of the source has it
        if not row.origin_execution:
            yield f"has change {each.change_seq}, which does not exist"
        return
    recorded = records.by_seq.get(each.change_seq)
    if recorded is None:
        yield f"has change {each.change_seq}, which is not a change of an execution"
        return
    differences = [
        ("author", each.author, recorded.author),
        ("created_at", each.created_at, recorded.at),
        ("execution", row.public_id, recorded.execution),
    ]
    after = f"{each.version}.{each.revision}.{each.visible_count}"
    detail = recorded.detail
    if recorded.after.partition(".")[0] == str(each.version):  # the last version of the change
        differences += [
            ("kind", (each.kind, each.move), _KINDS.get(recorded.action)),
            ("version", after, recorded.after),
            ("status", each.status, detail.get("status")),
            ("state_digest", each.state_digest, detail.get("state")),
            ("changed_keys", _count(each), detail.get("keys")),
        ]
        if detail.get("checkpoint") is not None or each.checkpoint_id is not None:
            differences.append(("checkpoint_id", each.checkpoint_id, detail.get("checkpoint")))
        if "node" in detail:
            node = each.node_id if is_public_id(each.node_id) else ""
            differences.append(("node_id", node, detail["node"]))
    differing = [
        name for name, ours, theirs in differences if ours != theirs and theirs is not None
    ]
    if differing:
        yield f"differs from the audit in: {', '.join(differing)}"


def _count(each: Checkpoint) -> int:
    return len(orjson.loads(bytes(each.changed_keys)))


class _Contents:
    """For each version, the names of its state keys and the bytes of the values that it wrote."""

    def __init__(self, row: Execution) -> None:
        where = {"conversation": row.conversation, "execution": row.number}
        names = dict(StateKey.objects.filter(**where).values_list("key", "name"))
        self.names: dict[int, set[str]] = defaultdict(set)
        self.sizes: dict[int, int] = defaultdict(int)
        rows = StateValue.objects.filter(**where).order_by().annotate(n=Length("value"))
        for key, version, size in rows.values_list("key", "version", "n").iterator(_BLOCK):
            self.sizes[version] += size
            if key not in LISTS:
                self.names[version].add(names.get(key, key))
