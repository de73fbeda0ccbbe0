"""The execution and conversation at one version, read as one consistent whole."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import orjson
from pydantic import JsonValue

from checkpoints.domain.pauses import Pause, When
from checkpoints.domain.state import totals_of
from checkpoints.domain.status import Status
from checkpoints.models import Checkpoint, Execution
from checkpoints.store.executions import (
    as_domain,
    find_checkpoint,
    find_current_with_counts,
    marking_of,
)
from checkpoints.store.pinned_workflow import PinnedVersion, of_conversation, pinned_version
from checkpoints.store.position import position_of, ready_nodes
from checkpoints.store.state import EXECUTED, HISTORY, LISTS, StateRows, StoredKey
from conversations.domain.view import View
from conversations.models import Conversation
from conversations.store.conversation import find_revision, metadata_of_head, view_of
from conversations.store.damage import ALTERED
from conversations.store.sql_log import SqlLog
from ctxadmin.lib.errors import NotFound
from ctxadmin.lib.sentence import say
from workflows.domain.running.routing import Marking


@dataclass(frozen=True, slots=True)
class StoredSnapshot:
    """One version of an execution with the messages that were visible then.

    The data of a version never change, so all reads of one snapshot are consistent, whoever writes
    meanwhile. ``row`` is None for a conversation without an execution, whose ``version`` is 0.
    ``manifest`` is the row with the totals of the state.
    """

    head: Conversation
    row: Execution | None
    pinned: PinnedVersion | None
    version: int
    status: Status
    node_id: str | None
    when: When
    marking: Marking | None
    revision: int
    visible_count: int
    log_count: int
    at: datetime
    pause_requested: bool = False
    pause: Pause | None = None
    manifest: Execution | Checkpoint | None = None

    @property
    def ready(self) -> tuple[str, ...]:
        """Returns the nodes that were ready."""
        return ready_nodes(self.status, self.node_id, self.when, self.pinned, self.marking)

    @property
    def rows(self) -> StateRows | None:
        """Returns the state rows, None without an execution."""
        return None if self.row is None else StateRows(self.row.conversation, self.row.number)

    @property
    def log(self) -> SqlLog:
        """Returns the log as of the revision."""
        return SqlLog(self.head, self.log_count, self.revision)

    def view(self) -> View:
        """Returns the messages visible then; the revision can have grown since."""
        view = view_of(find_revision(self.head.key, self.revision))
        return view.slice(0, self.visible_count)

    def heads(self) -> dict[str, StoredKey]:
        """Returns the heads of all keys and lists by digest; raises Damaged if any is missing."""
        rows, manifest = self.rows, self.manifest
        if rows is None or manifest is None:
            return {}
        held = rows.heads_at(self.version)
        heads = {
            each.name: each.head
            for key, each in held.items()
            if key not in LISTS and each.head is not None
        }
        lists = {EXECUTED: manifest.executed_count, HISTORY: manifest.history_count}
        missing = [name for name, count in lists.items() if count and name not in held]
        totals = totals_of(heads)
        found = (totals.digest.hex(), totals.size, totals.keys)
        if found != (manifest.state_digest, manifest.state_bytes, manifest.state_keys):
            missing.append(f"keys of version {self.version}")
        if missing:  # the newest may have been overtaken and deleted since the moment was found
            find_checkpoint(rows.conversation, rows.execution, self.version)
            raise rows.damaged(missing[0], missing[0], ALTERED)
        return held

    def require_whole(self) -> None:
        """Raises NotFound if an earlier version was thinned or deleted since it was found.

        Call it after its values are read, which takes several statements. The latest version is
        never thinned, and a version that was the latest a moment ago and reads whole is unchanged:
        ``held`` and the values detect anything missing.
        """
        if self.row is not None and self.version < self.row.version:
            find_checkpoint(self.row.conversation, self.row.number, self.version)

    def metadata(self) -> Mapping[str, JsonValue]:
        """Returns the metadata of a context."""
        return metadata_of(self.head, self.row)


def metadata_of(head: Conversation, row: Execution | None) -> Mapping[str, JsonValue]:
    """Returns the conversation's metadata, overlaid by the execution's (semantics 2.1)."""
    both: dict[str, JsonValue] = orjson.loads(metadata_of_head(head))
    if row is not None:
        both |= orjson.loads(bytes(row.details.metadata))
    return both


def current_snapshot(head: Conversation, *, with_details: bool = False) -> StoredSnapshot:
    """Returns the latest version of a conversation's current execution, and the current view.

    Reads the execution together with the counts of the conversation, in one statement, because
    ``head`` may have been read before another write. Its details are read along or on demand.
    """
    found = find_current_with_counts(head.key, with_details=with_details)
    if found is None:
        return _without_execution(head)
    row, counts = found
    now = as_domain(row)
    node_id, when = position_of(now)
    return StoredSnapshot(
        head=head,
        row=row,
        pinned=pinned_version(row),
        version=now.version,
        status=now.status,
        node_id=node_id,
        when=when,
        marking=marking_of(row),
        revision=counts.revision,
        visible_count=counts.visible,
        log_count=counts.log,
        at=row.changed_at,
        pause_requested=now.pause_requested,
        pause=now.pause,
        manifest=row,
    )


def _without_execution(head: Conversation) -> StoredSnapshot:
    pinned = of_conversation(head.workspace, head.workflow)
    return StoredSnapshot(
        head=head,
        row=None,
        pinned=pinned,
        version=0,
        status=Status.IDLE,
        node_id=None,
        when=When.AFTER,
        marking=Marking.at_start(pinned.graph) if pinned else None,
        revision=head.current_revision,
        visible_count=head.visible_count,
        log_count=head.log_count,
        at=head.updated_at,
    )


def snapshot_at(head: Conversation, row: Execution | None, version: int) -> StoredSnapshot:
    """Returns a version of an execution right after its write; raises NotFound without one."""
    if row is None:
        raise NotFound(say("This conversation has no execution."))
    checkpoint = find_checkpoint(row.conversation, row.number, version)
    return snapshot_of(head, row, checkpoint)


def snapshot_of(head: Conversation, row: Execution, checkpoint: Checkpoint) -> StoredSnapshot:
    """Returns the snapshot of a checkpoint's manifest."""
    return StoredSnapshot(
        head=head,
        row=row,
        pinned=pinned_version(row),
        version=checkpoint.version,
        status=Status(checkpoint.status),
        node_id=checkpoint.node_id or None,
        when=When(checkpoint.side),
        marking=marking_of(checkpoint),
        revision=checkpoint.revision,
        visible_count=checkpoint.visible_count,
        log_count=checkpoint.log_count,
        at=checkpoint.created_at,
        manifest=checkpoint,
    )
