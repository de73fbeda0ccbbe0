"""The endpoints that change the status of an execution: pause, resume, cancel, approve, reject."""

from collections.abc import Callable
from typing import Any, TypeVar

from rest_framework.request import Request
from rest_framework.response import Response

from checkpoints.api.answers import MovedAnswer
from checkpoints.api.endpoints import ExecutionEndpoint
from checkpoints.domain.move_commands import MoveExecution
from checkpoints.services import status_changes
from ctxadmin.http.described import IF_MATCH, described
from ctxadmin.identity.roles import Action

_Call = TypeVar("_Call", bound=Callable[..., Any])


def _described(summary: str, needs: Action) -> Callable[[_Call], _Call]:
    """Describes a call that changes the status; the five differ in their words and rights."""
    return described(
        summary,
        body=MoveExecution,
        answer=MovedAnswer,
        headers=(IF_MATCH,),
        errors=("invalid_state", "version_conflict"),
        needs=needs,
    )


class _StatusChange(ExecutionEndpoint):
    def moved(self, conversation_id: str, move: status_changes.MoveService) -> Response:
        found = move(self.actor, conversation_id, self.command(MoveExecution))
        return MovedAnswer.of(found).response()


class Pause(_StatusChange):
    @_described("Ask for a pause", Action.EXECUTION_PAUSE)
    def post(self, request: Request, conversation_id: str) -> Response:
        """Requests a pause, which takes effect with the next checkpoint.

        A second request changes nothing.
        """
        return self.moved(conversation_id, status_changes.pause)


class Resume(_StatusChange):
    @_described("Resume an execution", Action.EXECUTION_RESUME)
    def post(self, request: Request, conversation_id: str) -> Response:
        """Continues after a pause, retries after a failure, or starts a pending execution."""
        return self.moved(conversation_id, status_changes.resume)


class Cancel(_StatusChange):
    @_described("Cancel an execution", Action.EXECUTION_CANCEL)
    def post(self, request: Request, conversation_id: str) -> Response:
        """Cancels the execution. It cannot be resumed."""
        return self.moved(conversation_id, status_changes.cancel)


class Approve(_StatusChange):
    @_described("Approve a paused execution", Action.EXECUTION_APPROVE)
    def post(self, request: Request, conversation_id: str) -> Response:
        """Approves: the execution continues, and the approval is recorded."""
        return self.moved(conversation_id, status_changes.approve)


class Reject(_StatusChange):
    @_described("Reject a paused execution", Action.EXECUTION_REJECT)
    def post(self, request: Request, conversation_id: str) -> Response:
        """Rejects: the execution fails with the reason."""
        return self.moved(conversation_id, status_changes.reject)
