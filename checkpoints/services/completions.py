"""Completes a node: records its result, applies its changes, and advances the workflow."""

from dataclasses import dataclass

from pydantic import BaseModel, JsonValue

from checkpoints.domain.commands import CompleteNode, output_key
from checkpoints.domain.status import TAKES_CHECKPOINTS, NodeStatus, require
from checkpoints.domain.timeline import HistoryEntry, WriteKind
from checkpoints.services import node_steps
from checkpoints.services.execution_start import open_or_start
from checkpoints.services.node_leases import require_ready
from checkpoints.services.preconditions import SentUpdate, check_expected, read_body
from checkpoints.services.repeated_saves import find_repeated
from checkpoints.writing.execution import ExecutionWriting, VersionWrite
from conversations.services.results import Applied
from conversations.services.use_cases import apply_operation_in
from conversations.writing.conversation import Writing, writing
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ContextError, FieldProblem, InvalidState, TypeMismatch
from ctxadmin.lib.json_bytes import dumps
from ctxadmin.lib.sentence import say
from ctxadmin.telemetry.metrics import write_repeated
from ctxadmin.telemetry.traces import note_model_usage, span


@dataclass(frozen=True, slots=True)
class Completed:
    """The answer to a completion as JSON bytes, without the context of the next node.

    ``execution`` and ``version`` are those that the completion wrote; ``again`` is True for a
    repeat.
    """

    answer: bytes
    execution: int
    version: int
    again: bool = False


@dataclass(frozen=True, slots=True)
class _Ended:
    """How a node ended: a failure, or the result of its operation, if it has one."""

    failure: str | None = None
    error: JsonValue = None
    applied: Applied | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    """The result of a node to record, parsed and hashed before any lock."""

    node_id: str
    command: CompleteNode
    sent: SentUpdate
    digest: bytes

    @classmethod
    def of(cls, node_id: str, command: CompleteNode) -> "Completion":
        """Parses the command; raises what messages and updates raise."""
        sent = read_body(command.update(node_id), command.messages)
        return cls(node_id, command, sent, command.body_digest(node_id))


def complete(actor: Actor, public_id: str, node_id: str, command: CompleteNode) -> Completed:
    """Records the result of a node (semantics 1.14, 3.5, 3.8, 3.14).

    A context processor runs its operation in the same transaction. If that fails, or the engine
    reports an error, messages and state stay unchanged, and history and checkpoint record the
    failure. Repeats and errors are as for ``checkpoint_saves.save``.
    """
    actor.require(_needed(command))
    new = Completion.of(node_id, command)
    try:
        with span("complete", messages=len(command.messages)), writing(actor, public_id) as opened:
            return complete_in(opened, new)
    except ContextError:
        before = find_repeated(actor, public_id, command.checkpoint_id, new.digest)
        if before is None:
            raise
        write_repeated("checkpoint")
        return Completed(bytes(before.answer), before.execution, before.version, again=True)


def complete_in(opened: Writing, new: Completion) -> Completed:
    """Applies ``complete`` within an open transaction.

    Repeats are not recognized here: the unique key of the checkpoint's id refuses them.
    """
    node_id, command = new.node_id, new.command
    opened.actor.require(_needed(command))
    if isinstance(usage := getattr(command, "usage", None), BaseModel):
        note_model_usage(usage.model_dump())
    run = open_or_start(opened)
    check_expected(run, command.expected_version)
    require(run.now.status, TAKES_CHECKPOINTS, say("A completion"))
    is_ready = _is_ready(run, node_id, command)
    if not command.force:
        run.leases.require(node_id, command.lease, opened.at)
    run.leases = run.leases.without(node_id)
    ended = _end(run, node_id, command)
    if ended.failure is None:
        _apply(run, node_id, new.sent)
    answer = _record(run, node_id, command, ended, new.digest)
    # The words of a failure are content: they stay out of the audit, which outlives erasure.
    action = Action.NODE_COMPLETE if is_ready else Action.NODE_FORCE
    run.commit(action, checkpoint=command.checkpoint_id)
    return Completed(answer, run.row.number, run.now.version)


def _needed(command: CompleteNode) -> Action:
    return Action.NODE_FORCE if command.force else Action.NODE_COMPLETE


def _is_ready(run: ExecutionWriting, node_id: str, command: CompleteNode) -> bool:
    """Returns False for a node that is not ready but forced; a free execution accepts any node.

    Raises NotFound if the workflow lacks the node, InvalidState unless it is ready or forced.
    """
    try:
        require_ready(run, node_id)
    except InvalidState:
        if not command.force:
            raise
        return False
    return True


def _end(run: ExecutionWriting, node_id: str, command: CompleteNode) -> _Ended:
    """Returns the reported result, or that of the operation of a context processor."""
    failure = command.result.failure()
    if failure is not None:
        return _Ended(failure, command.result.error)
    operation = run.pinned.plan.node(node_id).operation if run.pinned else None
    if operation is None:
        return _Ended()
    try:
        return _Ended(applied=apply_operation_in(run.opened, operation, node_id=node_id))
    except ContextError as error:
        if run.opened.changed:  # only a refusal that changed nothing is a failure of the node
            raise
        return _Ended(error.detail, {"code": error.code, "message": error.detail})


def _apply(run: ExecutionWriting, node_id: str, sent: SentUpdate) -> None:
    """Applies what was sent; the output is data, and its errors name its place."""
    output = output_key(node_id)
    try:
        sent.apply(run, node_id, literal=[output])
    except TypeMismatch as error:
        if error.key != output:
            raise
        problem = FieldProblem("/result/output", error.detail, error.code)
        raise TypeMismatch(error.detail, key=output, problems=[problem]) from None


def _record(
    run: ExecutionWriting, node_id: str, command: CompleteNode, ended: _Ended, digest: bytes
) -> bytes:
    """Writes the version; returns the answer, which is stored for repeats."""
    report = node_steps.EngineReport(failure=ended.failure, status=command.status)
    taken = node_steps.apply_step(run, node_id, report)
    node_status = taken.decision.node_status or NodeStatus.COMPLETED
    run.state.add_history([_entry(run, node_id, node_status, command, ended)])
    after = taken.decision.execution
    answer: dict[str, object] = {
        "version": after.version,
        "status": after.status.value,
        "node_status": node_status.value,
        "next": [step.as_json() for step in taken.routing],
        "pause_requested": after.pause_requested,
    }
    if ended.applied is not None:
        answer["operation"] = ended.applied.as_json()
    if ended.error is not None:
        answer["error"] = ended.error
    write = VersionWrite(
        WriteKind.COMPLETION,
        saved_node=node_id,
        reason=ended.failure or "",
        checkpoint_id=command.checkpoint_id,
        body_digest=digest,
        answer=dumps(answer),
        routing=taken.routing,
        usage=command.usage,
    )
    run.record(taken.decision, write)
    return write.answer


def _entry(
    run: ExecutionWriting,
    node_id: str,
    node_status: NodeStatus,
    command: CompleteNode,
    ended: _Ended,
) -> bytes:
    """Returns the entry for the execution history; a failure has its error."""
    result = command.result
    entry = HistoryEntry(
        node_id=node_id,
        status=node_status,
        checkpoint_id=command.checkpoint_id,
        version=run.now.version + 1,
        timestamp=run.opened.at,
        prompt=result.prompt,
        response=result.response,
        metadata=result.metadata,
    ).as_bytes()
    if ended.error is None:
        return entry
    return entry[:-1] + b',"error":' + dumps(ended.error) + b"}"
