"""Changes the status of an execution: pause, resume, cancel, approve, reject."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from checkpoints.domain import execution as rules
from checkpoints.domain.execution import StatusMove, Transition
from checkpoints.domain.move_commands import MoveExecution
from checkpoints.domain.pauses import When
from checkpoints.domain.status import Status
from checkpoints.domain.timeline import WriteKind
from checkpoints.services.preconditions import open_current
from checkpoints.store.position import (
    position_of,
    ready_nodes,
    requires_review_before,
    waits_for_review,
)
from checkpoints.writing.execution import ExecutionWriting, VersionWrite
from conversations.domain.revisions import Seen
from conversations.services.use_cases import check_seen
from conversations.writing.conversation import writing
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import Forbidden
from ctxadmin.lib.sentence import say

Decide = Callable[[ExecutionWriting, StatusMove], Transition]


@dataclass(frozen=True, slots=True)
class Moved:
    """An execution after a status change."""

    status: Status
    version: int
    ready_nodes: tuple[str, ...]
    pause_requested: bool


class MoveService(Protocol):
    """Changes the status of the named ``execution``, or of the latest if none is named.

    All methods raise NotFound, VersionConflict, and InvalidState if the status does not allow it or
    the execution is no longer the latest.
    """

    def __call__(
        self, actor: Actor, public_id: str, command: MoveExecution, *, execution: str | None = None
    ) -> Moved: ...


def pause(
    actor: Actor, public_id: str, command: MoveExecution, *, execution: str | None = None
) -> Moved:
    """Requests a pause at the next checkpoint; writes no version.

    A second request changes nothing. Raises InvalidState unless it is RUNNING.
    """
    actor.require(Action.EXECUTION_PAUSE)
    with writing(actor, public_id) as opened:
        run = open_current(opened, command.expected_version, execution)
        check_seen(opened, Seen(command.expected_revision, command.expected_count))
        before = run.now
        decision = rules.ask_pause(before, opened.at, command.reason or "")
        if decision.execution != before:
            run.note(decision)
            run.commit(Action.EXECUTION_PAUSE, command.reason or "")
    return _moved(run)


def resume(
    actor: Actor, public_id: str, command: MoveExecution, *, execution: str | None = None
) -> Moved:
    """Continues after a pause, retries a failure, or starts a pending execution (semantics 3.8).

    Without the right to approve, an actor can neither resume an execution that waits for review,
    nor jump to a node that needs review before it runs.
    """
    actor.require(Action.EXECUTION_RESUME)

    def decide(run: ExecutionWriting, move: StatusMove) -> Transition:
        gated = waits_for_review(run.now, run.pinned) or requires_review_before(
            move.from_node, run.pinned
        )
        if gated and not actor.may(Action.EXECUTION_APPROVE):
            raise Forbidden(
                say("This execution waits for review; a reviewer has to approve or reject it.")
            )
        return rules.resume(run.now, move, run.rules)

    return _move(actor, public_id, command, execution, Action.EXECUTION_RESUME, decide)


def approve(
    actor: Actor, public_id: str, command: MoveExecution, *, execution: str | None = None
) -> Moved:
    """Continues a paused execution and records the approval."""
    actor.require(Action.EXECUTION_APPROVE)

    def decide(run: ExecutionWriting, move: StatusMove) -> Transition:
        return rules.approve(run.now, move, run.rules)

    return _move(actor, public_id, command, execution, Action.EXECUTION_APPROVE, decide)


def reject(
    actor: Actor, public_id: str, command: MoveExecution, *, execution: str | None = None
) -> Moved:
    """Fails a paused execution with the reason."""
    actor.require(Action.EXECUTION_REJECT)
    return _move(
        actor,
        public_id,
        command,
        execution,
        Action.EXECUTION_REJECT,
        lambda run, move: rules.reject(run.now, move),
    )


def cancel(
    actor: Actor, public_id: str, command: MoveExecution, *, execution: str | None = None
) -> Moved:
    """Ends an execution permanently."""
    actor.require(Action.EXECUTION_CANCEL)
    return _move(
        actor,
        public_id,
        command,
        execution,
        Action.EXECUTION_CANCEL,
        lambda run, move: rules.cancel(run.now, move),
    )


def _move(
    actor: Actor,
    public_id: str,
    command: MoveExecution,
    execution: str | None,
    action: Action,
    decide: Decide,
) -> Moved:
    with writing(actor, public_id) as opened:
        run = open_current(opened, command.expected_version, execution)
        check_seen(opened, Seen(command.expected_revision, command.expected_count))
        if command.from_node is not None:
            _redirect(run, command.from_node)
        reason = command.reason or ""
        move = StatusMove(
            opened.at, command.node_id, command.from_node, reason, ready=nodes_ready_after(run)
        )
        record_move(run, decide(run, move), action, reason)
    return _moved(run)


def record_move(run: ExecutionWriting, decision: Transition, action: Action, reason: str) -> None:
    """Writes the version of a status change and commits it."""
    move = action.value.rpartition(".")[2]
    run.record(_or_completed(run, decision), VersionWrite(WriteKind.MOVE, move=move, reason=reason))
    run.commit(action, reason)


def nodes_ready_after(run: ExecutionWriting) -> tuple[str, ...]:
    """Returns the nodes that are ready if the execution continues now."""
    node_id, when = position_of(run.now)
    return ready_nodes(Status.RUNNING, node_id, when, run.pinned, run.marking)


def _redirect(run: ExecutionWriting, to: str) -> None:
    """Makes a workflow continue at another node; raises NotFound if it lacks the node."""
    if run.pinned is None or run.marking is None:
        return
    node_id, when = position_of(run.now)
    completed = run.now.status is Status.PAUSED and when is When.AFTER
    run.marking = run.marking.redirect(run.pinned.graph, node_id or "", to, completed=completed)


def _or_completed(run: ExecutionWriting, decision: Transition) -> Transition:
    """Completes the execution if it was paused after its last node and now continues."""
    after = decision.execution
    if after.status is not Status.RUNNING or run.pinned is None or nodes_ready_after(run):
        return decision
    return replace(
        decision,
        execution=replace(after, status=Status.COMPLETED),
        through=(*decision.through, Status.COMPLETED),
    )


def _moved(run: ExecutionWriting) -> Moved:
    now = run.now
    return Moved(now.status, now.version, run.ready, now.pause_requested)
