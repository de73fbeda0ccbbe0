"""One execution inside an open transaction of its conversation, written as one version."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from checkpoints.domain.details import Details
from checkpoints.domain.execution import Transition
from checkpoints.domain.execution_json import dump
from checkpoints.domain.leases import NONE, Leases
from checkpoints.domain.pauses import Rules
from checkpoints.domain.reducers import MESSAGES
from checkpoints.domain.status import ENDED
from checkpoints.domain.timeline import WriteKind, is_notable
from checkpoints.domain.usage import ModelUsage
from checkpoints.models import Checkpoint, Execution
from checkpoints.store.details import insert_details
from checkpoints.store.executions import (
    CHECKPOINTS,
    EXECUTION_DETAILS,
    EXECUTIONS,
    as_domain,
    find_current,
    marking_of,
)
from checkpoints.store.pinned_workflow import PinnedVersion
from checkpoints.store.position import position_of, ready_of
from checkpoints.store.state import StoredChange
from checkpoints.store.usage import insert_usage, sum_of_usage, usage_row
from checkpoints.writing.state import Known, StateWriting
from checkpoints.writing.version_events import VersionWritten
from conversations.domain import pairing
from conversations.domain.message import MessageDraft
from conversations.writing.announcements import has_followers
from conversations.writing.cache import CacheKind
from conversations.writing.conversation import Writing
from ctxadmin.audit.record import AuditChange
from ctxadmin.identity.roles import Action
from ctxadmin.lib.ids import is_public_id
from ctxadmin.lib.json_bytes import dumps
from workflows.domain.running.routing import EdgeOutcome

_DECIDED: Final = (
    "version",
    "status",
    "node_id",
    "decided",
    "marking",
    "leases",
    "waiting_since",
    "deadline",
    "changed_at",
    "ended_at",
)
_EXECUTION: Final = CacheKind[Execution]("execution")
_STATE: Final = CacheKind[tuple[int, Known]]("state")  # of the execution with the number
_TOTALLED: Final = ("state_digest", "state_bytes", "state_keys", "executed_count", "history_count")


@dataclass(frozen=True, slots=True)
class VersionWrite:
    """The record of one version beyond its state changes; see Checkpoint."""

    kind: WriteKind
    move: str = ""
    saved_node: str = ""
    reason: str = ""
    checkpoint_id: str | None = None
    body_digest: bytes = b""
    answer: bytes = b""
    routing: tuple[EdgeOutcome, ...] = ()
    restored_from: int | None = None
    details: Details | None = None
    usage: ModelUsage | None = None


class ExecutionWriting:
    """What one transaction does to one execution, until ``record`` writes the next version.

    ``now`` is the execution as the rules know it, ``marking`` the positions of its workflow's
    tokens, ``leases`` the leased nodes, ``state`` its state and lists. All of them change in
    memory; ``record`` stores the changes, and the caller commits the conversation with ``commit``.
    Then ``changed_keys`` are those of the last written version.
    """

    def __init__(self, opened: Writing, row: Execution, pinned: PinnedVersion | None) -> None:
        self.opened = opened
        self.row = row
        self.pinned = pinned
        self.now = as_domain(row)
        self.marking = marking_of(row)
        self.leases = Leases.load(bytes(row.leases))
        self.state = StateWriting(row, _cached_state(opened, row))
        self.changed_keys: tuple[str, ...] = ()
        self._is_new = row._state.adding
        self._message_bytes = 0
        self._before = "" if self._is_new else str(self.now.version)
        self._view = _view_of(opened)

    @property
    def rules(self) -> Rules:
        """Returns the pause rules of the workflow's nodes, none for a free execution."""
        return {} if self.pinned is None else self.pinned.rules

    @property
    def ready(self) -> tuple[str, ...]:
        """Returns the nodes that are ready now."""
        return ready_of(self.now, self.pinned, self.marking)

    def append(self, drafts: Sequence[MessageDraft], pointers: Sequence[str], node_id: str) -> None:
        """Logs messages and shows them at the end of the view, as an append does."""
        if not drafts:
            return
        self._message_bytes += sum(len(draft.body) for draft in drafts)
        entries = pairing.place_drafts(drafts, self.opened.log, pointers)
        # A message names its node by an id of the contract; a free execution's may be any text.
        self.opened.append(entries, node_id=node_id if is_public_id(node_id) else "")

    def restore(self, to: Checkpoint) -> None:
        """Restores state, lists and tokens of an earlier version (semantics 3.9)."""
        self.state.restore(self.now.version, to)
        self.marking = marking_of(to)
        self.leases = NONE

    def record(self, decision: Transition, write: VersionWrite) -> None:
        """Writes the next version; the lock of the conversation's head excludes other writers."""
        changes = self.state.changes()
        self.now = decision.execution
        self.changed_keys = self.state.changed_keys
        if _view_of(self.opened) != self._view:
            self.changed_keys = (*self.changed_keys, MESSAGES)
        self._set_row()
        extra_fields: tuple[str, ...] = ()
        if is_notable(write.kind, self.now.status):  # in the very statement: it costs nothing
            self.row.to_tell, extra_fields = self.opened.at, ("to_tell",)
        if self._is_new:
            EXECUTIONS.insert([self.row])
            EXECUTION_DETAILS.insert([self.row.details])
        else:
            self._update((*_DECIDED, *_TOTALLED, *extra_fields))
        replaced = self.state.replaced
        written = self.state.store(self.now.version)
        self.opened.size += written
        self._insert_checkpoint(write, written + self._message_bytes, replaced)
        if has_followers():
            self.opened.parts.append(self._version_event(changes))
        head = self.opened.head
        head.checkpoint_bytes += written
        head.state_bytes = self.row.state_bytes
        head.status = self.row.status
        head.workflow = self.row.workflow or head.workflow
        self.opened.known.set(_EXECUTION, self.row)
        self.opened.known.set(_STATE, (self.row.number, self.state.known()))
        self._is_new, self._message_bytes = False, 0
        self._view = _view_of(self.opened)

    def _version_event(self, changes: Sequence[StoredChange]) -> VersionWritten:
        return VersionWritten(
            execution=self.row.number,
            public_id=self.row.public_id,
            version=self.now.version,
            ended=self.now.ended,
            is_new=self._is_new,
            changes=tuple(changes),
            changed_keys=self.changed_keys,
        )

    def note(self, decision: Transition) -> None:
        """Stores a decision that writes no version: a requested pause."""
        self.now = decision.execution
        self._set_row()
        self._update(("decided",))

    def store_leases(self) -> None:
        """Stores the leases; writes no version."""
        self.row.leases = self.leases.dump()
        self._update(("leases",))
        self.opened.known.set(_EXECUTION, self.row)

    def commit(self, action: Action, reason: str = "", **detail: object) -> None:
        """Commits the conversation with the single audit entry of this change."""
        head, row = self.opened.head, self.row
        change = AuditChange(
            action=action,
            object_type="execution",
            object_id=row.public_id,
            before=self._before,
            after=f"{row.version}.{head.current_revision}.{head.visible_count}",
            reason=reason,
            detail={
                "conversation": head.public_id,
                "status": row.status,
                # Of a free execution it may be any text, which must not outlive an erasure.
                "node": row.node_id if is_public_id(row.node_id) else "",
                "keys": len(self.changed_keys),
                "state": row.state_digest,
                **detail,
            },
        )
        self.opened.commit(change)

    def _set_row(self) -> None:
        row, now = self.row, self.now
        row.version, row.status = now.version, now.status.value
        row.node_id = position_of(now)[0] or ""
        row.decided = dump(now)
        row.marking = b"" if self.marking is None else dumps(self.marking.as_json())
        row.leases = self.leases.dump()
        row.waiting_since = now.pause.since if now.pause is not None else None
        row.deadline = now.pause.deadline if now.pause is not None else None
        totals = self.state.totals
        row.state_digest, row.state_bytes = totals.digest.hex(), totals.size
        row.state_keys = totals.keys
        row.executed_count = self.state.executed_count
        row.history_count = self.state.history_count
        row.changed_at = self.opened.at
        row.ended_at = self.opened.at if now.status in ENDED else None

    def _update(self, fields: Sequence[str]) -> None:
        where = {"conversation": self.row.conversation, "number": self.row.number}
        EXECUTIONS.change(where, {name: getattr(self.row, name) for name in fields})

    def _insert_checkpoint(self, write: VersionWrite, written: int, replaced: bytes) -> None:
        head, row = self.opened.head, self.row
        node_id, side = position_of(self.now)
        checkpoint = Checkpoint(
            conversation=row.conversation,
            execution=row.number,
            version=row.version,
            kind=write.kind.value,
            move=write.move,
            status=row.status,
            node_id=node_id or "",
            side=side.value,
            saved_node=write.saved_node,
            changed_keys=dumps(self.changed_keys),
            written_bytes=written,
            state_digest=row.state_digest,
            state_bytes=row.state_bytes,
            state_keys=row.state_keys,
            executed_count=row.executed_count,
            history_count=row.history_count,
            revision=head.current_revision,
            visible_count=head.visible_count,
            log_count=head.log_count,
            revision_count=head.revision_count,
            checkpoint_id=write.checkpoint_id,
            body_digest=write.body_digest.hex(),
            answer=write.answer,
            routing=dumps([step.as_json() for step in write.routing]),
            marking=row.marking,
            whole=replaced,
            restored_from=write.restored_from,
            change_seq=head.change_seq + 1,
            author=self.opened.actor.label,
            reason=write.reason,
            created_at=self.opened.at,
            details_sum=None if write.details is None else write.details.sum(row.version),
        )
        usage = None
        if write.usage is not None:
            usage = usage_row(row, checkpoint, write.usage)
            checkpoint.usage_sum = sum_of_usage(usage)
        CHECKPOINTS.insert([checkpoint])
        if usage is not None:
            insert_usage(usage)
        if write.details is not None:
            insert_details(checkpoint, write.details)


def current_of(opened: Writing) -> Execution | None:
    """Returns the latest execution of an open conversation, None if it never had one."""
    return opened.known.get(_EXECUTION) or find_current(opened.head.key)


def _cached_state(opened: Writing, row: Execution) -> Known | None:
    """Returns what this process has cached of the execution's state; None if nothing."""
    number, known = opened.known.get(_STATE) or (None, None)
    return known if number == row.number else None


def _view_of(opened: Writing) -> tuple[int, int]:
    """Returns a value that changes whenever the visible messages do."""
    return opened.head.current_revision, opened.head.visible_count
