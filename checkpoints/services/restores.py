"""Restores an earlier version of an execution as a new one."""

from dataclasses import dataclass

from checkpoints.domain import execution as rules
from checkpoints.domain.execution import RestorePoint
from checkpoints.domain.move_commands import RestoreCheckpoint
from checkpoints.domain.pauses import When
from checkpoints.domain.status import Status
from checkpoints.domain.timeline import WriteKind
from checkpoints.models import Checkpoint
from checkpoints.services.preconditions import open_current
from checkpoints.store.executions import find_checkpoint
from checkpoints.writing.execution import VersionWrite
from conversations.domain.revisions import Seen
from conversations.services.use_cases import check_seen
from conversations.store.conversation import find_revision
from conversations.writing.conversation import Writing, writing
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action


@dataclass(frozen=True, slots=True)
class Restored:
    """An execution after a restore."""

    version: int
    status: Status
    restored_from: int


def restore(
    actor: Actor,
    public_id: str,
    version: int,
    command: RestoreCheckpoint,
    *,
    execution: str | None = None,
) -> Restored:
    """Restores state, lists, tokens and view of a version; PAUSED there (semantics 3.9).

    Nothing is copied: rows refer to the earlier ones. Raises NotFound, VersionConflict, and
    InvalidState unless the execution is PAUSED or FAILED and, if one is named, ``execution``.
    """
    actor.require(Action.CHECKPOINT_RESTORE)
    reason = command.reason or ""
    with writing(actor, public_id) as opened:
        run = open_current(opened, command.expected_version, execution)
        check_seen(opened, Seen(command.expected_revision, command.expected_count))
        to = find_checkpoint(run.row.conversation, run.row.number, version)
        standing = RestorePoint(version, to.node_id or None, When(to.side), ())
        decision = rules.restore(run.now, standing, opened.at, reason)
        run.restore(to)
        show_messages_of(opened, to, reason or f"version {version} was restored")
        write = VersionWrite(WriteKind.RESTORE, reason=reason, restored_from=version)
        run.record(decision, write)
        run.commit(Action.CHECKPOINT_RESTORE, reason, restored_from=version)
    return Restored(run.now.version, run.now.status, version)


def show_messages_of(opened: Writing, to: Checkpoint, reason: str) -> None:
    """Shows the messages that were visible at a version.

    Its revision becomes the current one. If that revision has grown since, a new one branches off
    at the restored length, so that later messages are on another branch: a tool that runs again
    answers its call again.
    """
    head = opened.head
    if head.current_revision != to.revision:
        opened.move("restore", find_revision(head.key, to.revision), reason)
    if head.visible_count != to.visible_count:
        opened.reopen(opened.whole, to.visible_count, to.log_count, reason)
