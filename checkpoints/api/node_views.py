"""The endpoints of nodes: enter one, complete one."""

from typing import ClassVar

from django.db import Error, connection
from django.http import HttpResponse
from rest_framework.request import Request

from checkpoints import entering
from checkpoints.api.answers import CompletedAnswer, EnteredAnswer
from checkpoints.api.endpoints import ExecutionEndpoint, json_answer, node_in
from checkpoints.api.schemas import EnterNode
from checkpoints.domain.commands import CompleteNode
from checkpoints.services import completing
from ctxadmin.http.described import IF_MATCH, described
from ctxadmin.http.problems import of_database
from ctxadmin.identity.roles import Action
from ctxadmin.lib.caller_presence import finished_for_nobody
from ctxadmin.lib.json_bytes import dumps


class Enter(ExecutionEndpoint):
    keep_answers: ClassVar[bool] = False  # a read

    @described(
        "Enter a node",
        body=EnterNode,
        answer=EnteredAnswer,
        errors=("incompatible_context", "out_of_range"),
    )
    def post(self, request: Request, conversation_id: str, node_id: str) -> HttpResponse:
        """What the node sees of the state and the messages; a read, in any status."""
        body = self.body(EnterNode)
        seen = entering.enter(
            self.actor, conversation_id, node_in(node_id), edges=body.edges, explain=body.explain
        )
        return json_answer(seen)


class Complete(ExecutionEndpoint):
    @described(
        "Complete a node",
        body=CompleteNode,
        answer=CompletedAnswer,
        status=201,
        also=(200,),
        headers=(IF_MATCH,),
        errors=("invalid_state", "version_conflict", "duplicate", "type_mismatch"),
        needs=Action.NODE_COMPLETE,
        or_needs=Action.NODE_FORCE,
    )
    def post(self, request: Request, conversation_id: str, node_id: str) -> HttpResponse:
        """The result of a node is kept; the answer tells which edges are taken.

        The same checkpoint id and body again get the same answer, with 200. A node of a workflow
        is completed while it is ready only: else `invalid_state` names the `ready_nodes`. With
        `force`, for which the scope `review` or `admin` is needed, it is completed all the same.
        """
        command = self.command(CompleteNode)
        done = completing.complete(self.actor, conversation_id, node_in(node_id), command)
        answer = done.answer
        if command.enter_next:
            entered = self._entered_next(conversation_id, done)
            answer = answer[:-1] + b',"entered":' + entered + b"}"
        return json_answer(answer, 200 if done.again else 201)

    def _entered_next(self, conversation_id: str, done: completing.Completed) -> bytes:
        """What the next node sees; if that cannot be read, why.

        The completion is committed by now, and to answer with the error would deny it - unless
        it is part of a transaction that keeps this answer, too.
        """
        try:
            with finished_for_nobody():
                return entering.entered_next(
                    self.actor, conversation_id, done.execution, done.version
                )
        except Error as error:
            refusal = None if connection.in_atomic_block else of_database(error)
            if refusal is None:
                raise
            detail = "The node is completed. What the next one sees could not be read: enter it."
            problem = {"code": refusal.code, "detail": detail}
            return dumps({"node_id": None, "version": done.version, "problem": problem})
