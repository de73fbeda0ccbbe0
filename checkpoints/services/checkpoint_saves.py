"""Saves a checkpoint after a node."""

from dataclasses import dataclass
from datetime import datetime

from checkpoints.domain.commands import SaveCheckpoint
from checkpoints.domain.details import Details
from checkpoints.domain.pauses import Pause, When
from checkpoints.domain.status import TAKES_CHECKPOINTS, require
from checkpoints.domain.timeline import WriteKind
from checkpoints.services import node_steps
from checkpoints.services.execution_start import open_or_start
from checkpoints.services.preconditions import (
    SentUpdate,
    apply_operations,
    check_expected,
    read_body,
    read_operations,
)
from checkpoints.services.repeated_saves import find_repeated
from checkpoints.writing.execution import VersionWrite
from conversations.domain.configs import OperationConfig
from conversations.writing.conversation import Writing, writing
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ContextError
from ctxadmin.lib.json_bytes import dumps
from ctxadmin.lib.sentence import say
from ctxadmin.telemetry.metrics import write_repeated
from ctxadmin.telemetry.traces import span


@dataclass(frozen=True, slots=True)
class SaveResult:
    """The answer to a save as JSON bytes; ``again`` if the save was repeated."""

    answer: bytes
    again: bool = False


@dataclass(frozen=True, slots=True)
class CheckpointSave:
    """A checkpoint to save, parsed and hashed before any lock."""

    checkpoint_id: str
    command: SaveCheckpoint
    sent: SentUpdate
    digest: bytes
    details: Details | None = None
    operations: tuple[OperationConfig, ...] = ()

    @classmethod
    def of(cls, checkpoint_id: str, command: SaveCheckpoint) -> "CheckpointSave":
        """Parses the command; raises what messages and updates raise."""
        sent = read_body(command.update(), command.messages).with_opaque(command.opaque_update())
        operations = read_operations(command.operations)
        digest = command.body_digest()
        return cls(checkpoint_id, command, sent, digest, command.details(), operations)

    def requested_pause(self, at: datetime) -> Pause | None:
        """Returns the pause before a node that the engine requests."""
        node = self.command.pause_before
        if node is None:
            return None
        return Pause(node, When.BEFORE, self.command.pause_reason or "", at)


def save(actor: Actor, public_id: str, checkpoint_id: str, command: SaveCheckpoint) -> SaveResult:
    """Saves a checkpoint; a conversation without an execution gets one (semantics 3.3, 3.4).

    The same id with the same body is a repeat and gets the same answer, whatever the version and
    status are by now. Raises Duplicate, VersionConflict, InvalidState, NotFound for a node that the
    workflow lacks, and what the reducers raise.
    """
    actor.require(Action.CHECKPOINT_SAVE)
    new = CheckpointSave.of(checkpoint_id, command)
    try:
        with span("save", messages=len(command.messages)), writing(actor, public_id) as opened:
            return SaveResult(save_in(opened, new))
    except ContextError:
        before = find_repeated(actor, public_id, checkpoint_id, new.digest)
        if before is None:
            raise
        write_repeated("checkpoint")
        return SaveResult(bytes(before.answer), again=True)


def save_in(opened: Writing, new: CheckpointSave) -> bytes:
    """Applies ``save`` within an open transaction; returns the answer.

    Repeats are not recognized here: the unique key of the checkpoint's id refuses them.
    """
    opened.actor.require(Action.CHECKPOINT_SAVE)
    command = new.command
    run = open_or_start(opened, starts_new=command.new_execution)
    check_expected(run, command.expected_version)
    require(run.now.status, TAKES_CHECKPOINTS, say("A checkpoint"))
    if run.pinned is not None:
        run.pinned.require_node(command.node_id)
        if command.pause_before is not None:
            run.pinned.require_node(command.pause_before)
    apply_operations(opened, new.operations)
    new.sent.apply(run, command.node_id)
    executed = command.executed_node_ids
    report = node_steps.EngineReport(
        status=command.status,
        executed=None if executed is None else tuple(executed),
        hold=new.requested_pause(opened.at),
    )
    taken = node_steps.apply_step(run, command.node_id, report)
    after = taken.decision.execution
    answer = dumps({"version": after.version, "status": after.status.value})
    write = VersionWrite(
        WriteKind.CHECKPOINT,
        saved_node=command.node_id,
        checkpoint_id=new.checkpoint_id,
        body_digest=new.digest,
        answer=answer,
        routing=taken.routing,
        details=new.details,
    )
    run.record(taken.decision, write)
    run.commit(Action.CHECKPOINT_SAVE, checkpoint=new.checkpoint_id)
    return answer
