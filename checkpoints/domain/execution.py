"""The rules of executions: pure functions from an execution and a command to the next one."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from checkpoints.domain.pauses import (
    AUTOMATIC,
    Approval,
    Pause,
    PauseRequest,
    PauseRule,
    Rules,
    TimeoutOutcome,
    When,
    nodes_to_review,
    pause_by_rule,
)
from checkpoints.domain.status import ENDED, TAKES_CHECKPOINTS, NodeStatus, Status, require
from ctxadmin.lib.errors import InvalidState, ValidationFailed
from ctxadmin.lib.sentence import say

_RESUMABLE: Final = frozenset({Status.PENDING, Status.PAUSED, Status.FAILED})
_CANCELLABLE: Final = frozenset({Status.PENDING, Status.RUNNING, Status.PAUSED})
_RESTORABLE: Final = frozenset({Status.PAUSED, Status.FAILED})


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an execution FAILED: the node, if there is one, and a sentence."""

    node_id: str | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Execution:
    """An execution between two writes.

    ``version`` rises by 1 with every write. ``node_id`` is the paused node or that of the last
    checkpoint. ``pause`` is set exactly while PAUSED, ``failure`` exactly while FAILED,
    ``pause_request`` only while RUNNING. ``passed`` are the unused approvals. ``resumed_at`` is the
    node at which the last resume continued - the one it named, was paused before, or had failed -
    until the next checkpoint. A free execution has no workflow, so that is all it knows of ready
    nodes.
    """

    status: Status
    version: int = 0
    node_id: str | None = None
    pause: Pause | None = None
    pause_request: PauseRequest | None = None
    failure: Failure | None = None
    passed: tuple[Approval, ...] = ()
    resumed_at: str | None = None

    @property
    def pause_requested(self) -> bool:
        """Returns True from the request for a pause until the checkpoint that applies it."""
        return self.pause_request is not None

    @property
    def ended(self) -> bool:
        """Returns True if the conversation can start another execution."""
        return self.status in ENDED


@dataclass(frozen=True, slots=True)
class ExecutedChange:
    """The change of the executed node ids: ``added`` to the end, or ``whole`` instead."""

    added: tuple[str, ...] = ()
    whole: tuple[str, ...] | None = None

    def apply_to(self, executed: Sequence[str]) -> tuple[str, ...]:
        """Returns the executed node ids after the change; a node can occur twice."""
        return (*executed, *self.added) if self.whole is None else self.whole


@dataclass(frozen=True, slots=True)
class Transition:
    """The execution after a command, and what the store must know of the transition.

    ``through`` are the statuses on the way, first to last; each step is in MOVES, except for the
    restore of a FAILED execution (semantics 3.9). ``writes`` is False if no version is written, as
    for the request of a pause.
    """

    execution: Execution
    through: tuple[Status, ...]
    done: ExecutedChange = field(default_factory=ExecutedChange)
    node_status: NodeStatus | None = None
    writes: bool = True


@dataclass(frozen=True, slots=True)
class Step:
    """The checkpoint or completion of one node.

    ``failure`` is a sentence if the node failed; ``error_edges`` is True if the workflow continues
    along error edges. ``status`` and ``executed`` are what the engine sent, if it did. ``ready``
    are the nodes that are ready afterwards, none for a free execution. ``nothing_left``: a workflow
    without a ready node, which completes the execution unless the engine sent another status.
    ``hold`` is a pause before a node, requested by the engine; the saved node then does not count
    as executed, because it may be that very node.
    """

    node_id: str
    at: datetime
    failure: str | None = None
    error_edges: bool = False
    status: Status | None = None
    executed: tuple[str, ...] | None = None
    ready: tuple[str, ...] = ()
    nothing_left: bool = False
    hold: Pause | None = None


@dataclass(frozen=True, slots=True)
class StatusMove:
    """A resume, approve, reject or cancel.

    ``node_id`` must be the paused (or failed) node if given; ``from_node`` is for resume only.
    ``ready`` are the nodes that are ready when the execution continues.
    """

    at: datetime
    node_id: str | None = None
    from_node: str | None = None
    reason: str = ""
    ready: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RestorePoint:
    """The state of an execution at a version, as the target of restore and fork."""

    version: int
    node_id: str | None
    when: When
    executed: tuple[str, ...]


def new_execution(
    at: datetime, *, start: bool = True, ready: Sequence[str] = (), rules: Rules | None = None
) -> Transition:
    """Returns a new execution at version 0: PENDING, or RUNNING, or PAUSED before a ready node."""
    execution = Execution(Status.PENDING)
    through = (Status.IDLE, Status.PENDING)
    if not start:
        return Transition(execution, through)
    return _with_pause_before(
        _to(Transition(execution, through), Status.RUNNING), ready, rules or {}, at
    )


def advance(execution: Execution, step: Step, rules: Rules | None = None) -> Transition:
    """Applies the checkpoint or completion of a node (semantics 3.1, 3.4, 3.8).

    A failure without error edges fails the execution, whatever else was sent, except CANCELLED. A
    sent FAILED means that the node failed. Then apply, in this order: a sent end; a pause that was
    sent, requested, or configured after this node; the end of the workflow; a pause before a ready
    node. Raises InvalidState.
    """
    require(execution.status, TAKES_CHECKPOINTS, say("A checkpoint"))
    if step.status in (Status.PENDING, Status.IDLE):
        raise InvalidState(
            say("An execution never goes back to {status}.", status=step.status),
            status=execution.status,
        )
    rules = rules or {}
    through = (*_started(execution), Status.RUNNING)
    failed = step.failure is not None or step.status is Status.FAILED
    continues = not failed or (step.error_edges and step.status is not Status.FAILED)
    added = (step.node_id,) if continues and step.hold is None else ()
    running = Execution(
        Status.RUNNING,
        execution.version + 1,
        step.node_id,
        passed=_unused(execution.passed, step.node_id) if continues else execution.passed,
    )
    decision = Transition(
        running,
        through,
        ExecutedChange(added) if step.executed is None else ExecutedChange(whole=step.executed),
        NodeStatus.FAILED if failed else NodeStatus.COMPLETED,
    )
    end = _end(step, continues=continues)
    if end is not None:
        failure = Failure(step.node_id, step.failure or "") if end is Status.FAILED else None
        return _to(decision, end, failure=failure)
    pause = _pause_after(execution, step, None if failed else rules.get(step.node_id))
    if pause is not None:
        return _to(decision, Status.PAUSED, pause=pause)
    if step.nothing_left and step.status is None:
        return _to(decision, Status.COMPLETED)
    return _with_pause_before(decision, step.ready, rules, step.at)


def ask_pause(execution: Execution, at: datetime, reason: str = "") -> Transition:
    """Requests a pause at the next checkpoint.

    Writes no version; a second request changes nothing.
    """
    require(execution.status, {Status.RUNNING}, say("A pause"))
    if execution.pause_request is None:
        execution = replace(execution, pause_request=PauseRequest(reason, at))
    return Transition(execution, (execution.status,), writes=False)


def resume(execution: Execution, move: StatusMove, rules: Rules | None = None) -> Transition:
    """Continues after a pause, retries a failure, or starts a pending execution.

    With ``from_node`` that node runs next. There is no second pause before the paused node, or
    before ``from_node``, at this occurrence; another ready node that needs review pauses at once.
    """
    require(execution.status, _RESUMABLE, say("A resume"))
    return _continue(execution, move, rules or {}, approved=False)


def approve(execution: Execution, move: StatusMove, rules: Rules | None = None) -> Transition:
    """Continues a paused execution and records the approval."""
    require(execution.status, {Status.PAUSED}, say("An approval"))
    _no_jump(move)
    return _continue(execution, move, rules or {}, approved=True)


def reject(execution: Execution, move: StatusMove) -> Transition:
    """Fails a paused execution with the reason."""
    require(execution.status, {Status.PAUSED}, say("A rejection"))
    _no_jump(move)
    _at_its_node(execution, move.node_id)
    failure = Failure(execution.node_id, move.reason)
    return _to(_next(execution), Status.FAILED, failure=failure)


def cancel(execution: Execution, move: StatusMove) -> Transition:
    """Ends an execution permanently."""
    require(execution.status, _CANCELLABLE, say("A cancellation"))
    _no_jump(move)
    _at_its_node(execution, move.node_id)
    return _to(_next(execution), Status.CANCELLED)


def time_out(
    execution: Execution, at: datetime, *, ready: tuple[str, ...] = (), rules: Rules | None = None
) -> Transition | None:
    """Applies the outcome of a pause after its deadline; returns None before it."""
    pause = execution.pause
    if pause is None or pause.deadline is None or pause.deadline > at:
        return None
    reason = str(AUTOMATIC[pause.outcome or TimeoutOutcome.REJECT])
    move = StatusMove(at, reason=reason, ready=ready)
    if pause.outcome is TimeoutOutcome.APPROVE:
        return approve(execution, move, rules)
    return (cancel if pause.outcome is TimeoutOutcome.CANCEL else reject)(execution, move)


def update(execution: Execution, node_id: str) -> Transition:
    """Edits the state of a paused execution, at the paused node only (semantics 3.7)."""
    require(execution.status, {Status.PAUSED}, say("An update of the snapshot"))
    if execution.pause is not None and execution.pause.node_id is not None:
        _at_its_node(execution, node_id)
    return Transition(replace(execution, version=execution.version + 1), (Status.PAUSED,))


def restore(execution: Execution, to: RestorePoint, at: datetime, reason: str = "") -> Transition:
    """Restores an earlier version as a new one, PAUSED there (semantics 3.9)."""
    require(execution.status, _RESTORABLE, say("A restore"))
    restored = replace(fork(to, at, reason), version=execution.version + 1)
    through = dict.fromkeys((execution.status, Status.PAUSED))
    return Transition(restored, tuple(through), ExecutedChange(whole=to.executed))


def fork(of: RestorePoint, at: datetime, reason: str = "") -> Execution:
    """Returns the execution of a new conversation that continues ``of``: PAUSED at its version."""
    pause = Pause(of.node_id, of.when, reason, at)
    return Execution(Status.PAUSED, of.version, of.node_id, pause)


def _at_its_node(execution: Execution, node_id: str | None) -> None:
    stands = execution.pause or execution.failure
    here = stands.node_id if stands is not None else None
    if node_id is None or node_id == here:
        return
    if here is None:
        text = say("The execution is not paused at a node, not at {wanted}.", wanted=repr(node_id))
    else:
        text = say(
            "The execution is at node {node}, not at {wanted}.",
            node=repr(here),
            wanted=repr(node_id),
        )
    raise InvalidState(text, status=execution.status)


def _no_jump(move: StatusMove) -> None:
    if move.from_node is not None:
        raise ValidationFailed.at(
            "/from_node", say("only a resume can name the node to continue from")
        )


def _started(execution: Execution) -> tuple[Status, ...]:
    return (Status.PENDING,) if execution.status is Status.PENDING else ()


def _next(execution: Execution) -> Transition:
    """Returns the next version in the same status."""
    cleared = replace(
        execution, version=execution.version + 1, pause=None, pause_request=None, failure=None
    )
    return Transition(cleared, (execution.status,))


def _to(
    decision: Transition,
    status: Status,
    *,
    pause: Pause | None = None,
    failure: Failure | None = None,
) -> Transition:
    execution = replace(decision.execution, status=status, pause=pause, failure=failure)
    if pause is not None:
        execution = replace(execution, node_id=pause.node_id)
    return replace(decision, execution=execution, through=(*decision.through, status))


def _unused(passed: tuple[Approval, ...], node_id: str) -> tuple[Approval, ...]:
    return tuple(each for each in passed if each.node_id != node_id)


def _end(step: Step, *, continues: bool) -> Status | None:
    if step.status is Status.CANCELLED:
        return Status.CANCELLED
    if not continues:
        return Status.FAILED
    return Status.COMPLETED if step.status is Status.COMPLETED else None


def _pause_after(execution: Execution, step: Step, rule: PauseRule | None) -> Pause | None:
    if rule is not None and rule.when is When.AFTER:
        return pause_by_rule(step.node_id, rule, step.at)
    if step.hold is not None:
        return step.hold
    asked = execution.pause_request
    if asked is None and step.status is not Status.PAUSED:
        return None
    return Pause(step.node_id, When.AFTER, asked.reason if asked else "", step.at)


def _continue(
    execution: Execution, move: StatusMove, rules: Rules, *, approved: bool
) -> Transition:
    _at_its_node(execution, move.node_id)
    pause, failure = execution.pause, execution.failure
    waiting = pause.node_id if pause is not None and pause.when is When.BEFORE else None
    decision = _to(_next(execution), Status.RUNNING)
    going = replace(
        decision.execution,
        resumed_at=move.from_node or waiting or (failure.node_id if failure else None),
    )
    node = move.from_node or waiting
    if node is not None:
        approval = Approval(node, execution.version + 1, approved)
        going = replace(going, passed=(*_unused(execution.passed, node), approval))
    return _with_pause_before(replace(decision, execution=going), move.ready, rules, move.at)


def _with_pause_before(
    decision: Transition, ready: Sequence[str], rules: Rules, at: datetime
) -> Transition:
    """Returns the decision, paused before the first ready node that needs review if there is
    one.
    """
    waiting = nodes_to_review(ready, rules, decision.execution.passed)
    if not waiting:
        return decision
    return _to(decision, Status.PAUSED, pause=pause_by_rule(waiting[0], rules[waiting[0]], at))
