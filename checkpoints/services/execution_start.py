"""Starts an execution: pinned to a published workflow, or free."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from checkpoints.domain.commands import StartExecution
from checkpoints.domain.execution import new_execution
from checkpoints.domain.execution_json import dump
from checkpoints.domain.reducers import ReducerTable
from checkpoints.domain.state import EMPTY
from checkpoints.domain.status import Status
from checkpoints.domain.timeline import WriteKind
from checkpoints.models import Execution, ExecutionDetails
from checkpoints.services.preconditions import SentUpdate, read_body
from checkpoints.store.pinned_workflow import (
    PinnedVersion,
    find_published,
    of_conversation,
    pinned_version,
)
from checkpoints.writing.execution import ExecutionWriting, VersionWrite, current_of
from conversations.domain.revisions import UNSEEN, Seen
from conversations.services.use_cases import check_seen
from conversations.writing.conversation import Writing, writing
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import InvalidState, ValidationFailed, VersionConflict
from ctxadmin.lib.ids import new_public_id
from ctxadmin.lib.json_bytes import canonical, dumps
from ctxadmin.lib.sentence import say
from workflows.domain.running.routing import Marking


@dataclass(frozen=True, slots=True)
class Started:
    """A new execution at version 0."""

    execution: str
    status: Status
    version: int
    ready_nodes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NewExecution:
    """The initial data of an execution; ``metadata`` is JSON bytes of an object."""

    pinned: PinnedVersion | None = None
    reducers: Mapping[str, str] = field(default_factory=dict)
    metadata: bytes = b"{}"
    sent: SentUpdate | None = None
    start: bool = True


def start(
    actor: Actor,
    public_id: str,
    command: StartExecution,
    *,
    seen: Seen = UNSEEN,
    expected: int | None = None,
) -> Started:
    """Starts an execution; raises InvalidState until the previous one has ended.

    Raises VersionConflict if the view is not the one that was ``seen``, or the previous execution
    is at another version than ``expected``; a conversation without one is at 0. Without
    ``workflow`` it runs the latest published version of the conversation's workflow, or, without
    one, any node that its engine names.
    """
    actor.require(Action.EXECUTION_START)
    ReducerTable.of(command.reducers)
    sent = read_body(command.initial_state(), pointer="/state", is_initial=True)
    with writing(actor, public_id) as opened:
        check_seen(opened, seen)
        last = current_of(opened)
        _require_version(0 if last is None else last.version, expected)
        if last is not None:
            _require_ended(last)
        new = NewExecution(
            pinned=_chosen(opened, command),
            reducers=command.reducers,
            metadata=dumps(command.metadata),
            sent=sent,
            start=command.start,
        )
        run = start_in(opened, new, last)
        run.commit(Action.EXECUTION_START, workflow=run.row.workflow)
    return Started(run.row.public_id, run.now.status, run.now.version, run.ready)


def open_or_start(opened: Writing, *, starts_new: bool = False) -> ExecutionWriting:
    """Returns the current execution, or a new PENDING one in a conversation without any.

    ``starts_new`` also starts one if the current one has ended.
    """
    row = current_of(opened)
    if row is not None and not (starts_new and row.ended_at is not None):
        return ExecutionWriting(opened, row, pinned_version(row))
    pinned = of_conversation(opened.head.workspace, opened.head.workflow)
    return start_in(opened, NewExecution(pinned=pinned, start=False), row)


def start_in(opened: Writing, new: NewExecution, last: Execution | None) -> ExecutionWriting:
    """Writes version 0 within an open transaction; the caller commits."""
    pinned = new.pinned
    ready: tuple[str, ...] = ()
    marking = None
    if pinned is not None:
        marking = Marking.at_start(pinned.graph)
        ready = marking.ready(pinned.graph)
    decision = new_execution(
        opened.at, start=new.start, ready=ready, rules=pinned.rules if pinned else None
    )
    row = _new_row(opened, new, 1 if last is None else last.number + 1)
    row.decided = dump(decision.execution)
    row.marking = b"" if marking is None else dumps(marking.as_json())
    run = ExecutionWriting(opened, row, pinned)
    if new.sent is not None:
        new.sent.apply(run, "", pointer="/state")
    run.record(decision, VersionWrite(WriteKind.START))
    return run


def _new_row(opened: Writing, new: NewExecution, number: int) -> Execution:
    head, workflow = opened.head, new.pinned.workflow if new.pinned else None
    reducers = dict(new.reducers)
    if workflow is not None:
        reducers = {**workflow.document.reducers, **reducers}
    row = Execution(
        conversation=head.key,
        number=number,
        public_id=new_public_id("exec"),
        workspace=head.workspace,
        workflow=workflow.slug if workflow else "",
        workflow_key=workflow.key if workflow else None,
        workflow_version=workflow.version if workflow else None,
        reducers=canonical(reducers),
        state_digest=EMPTY.digest.hex(),
        state_bytes=EMPTY.size,
        state_keys=EMPTY.keys,
        author=opened.actor.label,
        created_at=opened.at,
    )
    row.details = ExecutionDetails(
        conversation=row.conversation, number=number, metadata=new.metadata
    )
    return row


def _require_version(actual: int, expected: int | None) -> None:
    if expected not in (None, actual):
        message = say(
            "The execution is at version {current}, not {expected}.",
            current=actual,
            expected=expected,
        )
        raise VersionConflict(message, expected=expected, actual=actual, changed_keys=())


def _require_ended(last: Execution) -> None:
    if last.ended_at is None:
        message = say(
            "The execution {public_id} of this conversation has not ended yet.",
            public_id=last.public_id,
        )
        raise InvalidState(message, status=last.status)


def _chosen(opened: Writing, command: StartExecution) -> PinnedVersion | None:
    """Returns the version to run: the named one, else the latest of the conversation's workflow."""
    head = opened.head
    if command.workflow is not None:
        return find_published(head.workspace, command.workflow, command.version)
    if command.version is None:
        return of_conversation(head.workspace, head.workflow)
    if not head.workflow:
        raise ValidationFailed.at("/version", say("a version needs its workflow"))
    return find_published(head.workspace, head.workflow, command.version)
