"""The first steps of every write: the current execution, the expected version, new messages."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import orjson
from pydantic import JsonValue

from checkpoints.domain.directives import Update, split_update
from checkpoints.domain.expected_version import require_version
from checkpoints.domain.reducers import MESSAGES
from checkpoints.models import Checkpoint, Execution
from checkpoints.store.pinned_workflow import pinned_version
from checkpoints.writing.execution import ExecutionWriting, current_of
from conversations.domain.configs import OperationConfig, read_operation
from conversations.domain.message import MessageDraft, read_message
from conversations.services.use_cases import apply_operation_in
from conversations.writing.conversation import Writing
from ctxadmin.lib.errors import ContextError, InvalidState
from ctxadmin.lib.sentence import say


@dataclass(frozen=True, slots=True)
class NewMessages:
    """Messages to append, each with its place in the input for errors."""

    drafts: tuple[MessageDraft, ...] = ()
    pointers: tuple[str, ...] = field(default=())

    def __add__(self, other: "NewMessages") -> "NewMessages":
        return NewMessages(self.drafts + other.drafts, self.pointers + other.pointers)


@dataclass(frozen=True, slots=True)
class SentUpdate:
    """The contents of a write: update of the state, history entries, messages."""

    update: Update
    messages: NewMessages
    opaque: Mapping[str, bytes] = field(default_factory=dict)

    def with_opaque(self, opaque: Mapping[str, bytes]) -> "SentUpdate":
        """Returns the update with values that are stored as they are."""
        return replace(self, opaque=opaque) if opaque else self

    def apply(
        self,
        run: ExecutionWriting,
        node_id: str,
        *,
        pointer: str = "/state_data",
        literal: Sequence[str] = (),
    ) -> None:
        """Changes state and history of an execution and appends the messages.

        The state comes first because it only reads: everything is read before anything is written.
        """
        state = {**self.update.state, **self.opaque}
        if state:
            run.state.change(state, pointer=pointer, literal=literal)
        run.state.add_history(self.update.history)
        run.append(self.messages.drafts, self.messages.pointers, node_id)


def read_body(
    state_data: Mapping[str, bytes],
    messages: Sequence[JsonValue] = (),
    *,
    pointer: str = "/state_data",
    is_initial: bool = False,
) -> SentUpdate:
    """Returns the contents of a body; raises what messages and updates raise.

    Messages of the state's key ``messages`` come before those of the body's own list.
    """
    update = split_update(state_data, pointer, is_initial=is_initial)
    kept = (orjson.loads(message) for message in update.messages)
    return SentUpdate(update, _read(kept, f"{pointer}/messages") + _read(messages, "/messages"))


def _read(messages: Iterable[JsonValue], pointer: str) -> NewMessages:
    listed = list(messages)
    pointers = tuple(f"{pointer}/{place}" for place in range(len(listed)))
    drafts = map(read_message, listed, pointers)
    return NewMessages(tuple(drafts), pointers)


def open_current(
    opened: Writing, expected: int | None, seen: str | None = None
) -> ExecutionWriting:
    """Returns the current execution of an open conversation.

    Raises InvalidState without one or if it is not the one ``seen``, VersionConflict if it is not
    at ``expected``.
    """
    row = current_of(opened)
    if row is None:
        message = say("This conversation has no execution; start one first.")
        raise InvalidState(message, status="IDLE")
    require_execution(row, seen)
    run = ExecutionWriting(opened, row, pinned_version(row))
    check_expected(run, expected)
    return run


def require_execution(row: Execution, seen: str | None) -> None:
    """Raises InvalidState unless this is the execution that was seen; None accepts any.

    The versions of a new execution begin at 0 again, so a version number does not suffice.
    """
    if seen not in (None, row.public_id):
        message = say("Another execution has started; review it first.")
        raise InvalidState(message, status=row.status)


def check_expected(run: ExecutionWriting, expected: int | None) -> None:
    """Raises VersionConflict with the keys changed since, unless the writer saw this version."""
    require_version(run.now, expected, lambda version: keys_changed_since(run, version))


def keys_changed_since(run: ExecutionWriting, version: int) -> list[str]:
    """Returns the state keys that changed after a version, ``messages`` last if the view did."""
    names = run.state.rows.names_changed_since(version)
    row, head = run.row, run.opened.head
    then = Checkpoint.objects.filter(
        conversation=row.conversation, execution=row.number, version=version
    ).values_list("revision", "visible_count")
    if then.first() not in (None, (head.current_revision, head.visible_count)):
        names.append(MESSAGES)
    return names


def read_operations(listed: Sequence[JsonValue]) -> tuple[OperationConfig, ...]:
    """Parses the operations of a body; errors name the place."""
    return tuple(read_operation(data, f"/operations/{place}") for place, data in enumerate(listed))


def apply_operations(
    opened: Writing, operations: Sequence[OperationConfig], reason: str | None = None
) -> None:
    """Applies operations to the view in order; errors name the place of the operation."""
    for place, config in enumerate(operations):
        try:
            apply_operation_in(opened, config, reason=reason)
        except ContextError as error:
            error.problems = tuple(
                replace(problem, pointer=f"/operations/{place}{problem.pointer}")
                for problem in error.problems
            )
            raise
