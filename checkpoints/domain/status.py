"""The statuses of an execution and the transitions between them (semantics 3.1)."""

from collections.abc import Mapping, Set
from enum import StrEnum
from typing import Final

from ctxadmin.lib.errors import InvalidState
from ctxadmin.lib.sentence import say


class Status(StrEnum):
    """The status of an execution; ``IDLE`` is a conversation without one (semantics 3.1)."""

    IDLE = "IDLE"
    PENDING = "PENDING"
    RUNNING = "RUNNING"
    PAUSED = "PAUSED"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


class NodeStatus(StrEnum):
    """The result of a node: the ``status`` of its history entry."""

    COMPLETED = "COMPLETED"
    FAILED = "FAILED"


MOVES: Final[Mapping[Status, frozenset[Status]]] = {
    Status.IDLE: frozenset({Status.PENDING}),
    Status.PENDING: frozenset({Status.RUNNING, Status.CANCELLED}),
    Status.RUNNING: frozenset({Status.PAUSED, Status.COMPLETED, Status.FAILED, Status.CANCELLED}),
    Status.PAUSED: frozenset({Status.RUNNING, Status.FAILED, Status.CANCELLED}),
    Status.FAILED: frozenset({Status.RUNNING}),
    Status.COMPLETED: frozenset(),
    Status.CANCELLED: frozenset(),
}
FINAL: Final = frozenset({Status.COMPLETED, Status.CANCELLED})
# A failed execution can be retried but not cancelled, so it must not block a new one.
ENDED: Final = FINAL | {Status.FAILED}
TAKES_CHECKPOINTS: Final = frozenset({Status.PENDING, Status.RUNNING})

_WAY_OUT: Final[Mapping[Status, str]] = {
    Status.IDLE: say("Start one first."),
    Status.PENDING: say("Its first checkpoint or a resume starts it."),
    Status.RUNNING: say("A pause stops it at its next checkpoint."),
    Status.PAUSED: say("Resume, approve or reject it first."),
    Status.COMPLETED: say("It has ended; fork it to continue from one of its checkpoints."),
    Status.FAILED: say("Resume it to try again, restore a checkpoint, or start a new one."),
    Status.CANCELLED: say("It has ended; fork it to continue from one of its checkpoints."),
}


def require(status: Status, allowed: Set[Status], what: str) -> None:
    """Raises InvalidState in a status that is not ``allowed``; the error says what to do first."""
    if status in allowed:
        return
    wanted = [status for status in Status if status in allowed]
    names = " or ".join(filter(None, [", ".join(wanted[:-1]), wanted[-1]]))
    message = say(
        "{what} needs an execution that is {names}; this one is {status}. {way_out}",
        what=what,
        names=names,
        status=status.value,
        way_out=_WAY_OUT[status],
    )
    raise InvalidState(message, status=status)
