"""The endpoints of nodes: enter one, complete one."""

from typing import ClassVar

from django.db import Error, connection
from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from checkpoints import node_context
from checkpoints.api.answers import CompletedAnswer, EnteredAnswer, LeaseAnswer
from checkpoints.api.endpoints import ExecutionEndpoint, node_in
from checkpoints.api.schemas import EnterNode
from checkpoints.domain.commands import ClaimNode, CompleteNode, ReleaseNode
from checkpoints.known_view import KnownView
from checkpoints.services import completions, node_leases
from conversations.api.endpoints import json_answer
from conversations.api.formats import FORMAT, IN_FORMAT, format_of
from conversations.domain.formats.formats import ProviderFormat
from conversations.domain.imports.append_reader import read_appended
from ctxadmin.http.described import IF_MATCH, described
from ctxadmin.http.problems import of_database
from ctxadmin.identity.roles import Action
from ctxadmin.lib.caller_presence import finished_for_nobody
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.json_bytes import dumps
from ctxadmin.lib.sentence import say


class Enter(ExecutionEndpoint):
    keep_answers: ClassVar[bool] = False  # a read

    @described(
        "Enter a node",
        body=EnterNode,
        answer=EnteredAnswer,
        query=(FORMAT,),
        errors=("incompatible_context", "out_of_range"),
    )
    def post(self, request: Request, conversation_id: str, node_id: str) -> HttpResponse:
        """The context of the node. Changes nothing, and works in any status.

        With `known` - `revision` and `count` of an earlier answer for this node in this execution -
        only `messages` that are new: the first `messages_from` of the earlier ones stay in front of
        them. If the view is another one, `messages_from` is 0 and `messages` are all.
        """
        body = self.body(EnterNode)
        provider = format_of(self)
        if provider is not None and body.known is not None:
            raise ValidationFailed.at("/known", say("known is for the format ctxadmin only"))
        known = None
        if body.known is not None:
            known = KnownView(body.known.revision, body.known.count)
        seen = node_context.enter(
            self.actor,
            conversation_id,
            node_in(node_id),
            edges=body.edges,
            explain=body.explain,
            provider=provider,
            known=known,
        )
        return json_answer(seen)


class Claim(ExecutionEndpoint):
    @described(
        "Claim a node",
        body=ClaimNode,
        answer=LeaseAnswer,
        errors=("invalid_state",),
        needs=Action.NODE_CLAIM,
    )
    def post(self, request: Request, conversation_id: str, node_id: str) -> Response:
        """A lease of a ready node for `ttl` seconds, or one prolonged that is named by `lease`.

        While it holds, the node is completed with this `lease` only; others get `invalid_state`
        with `held_by` and `until`. A lease that ran out binds nobody. No version is written.
        """
        lease = node_leases.claim(
            self.actor, conversation_id, node_in(node_id), self.body(ClaimNode)
        )
        return LeaseAnswer.of(lease).response()


class Release(ExecutionEndpoint):
    @described(
        "Release a node",
        body=ReleaseNode,
        errors=("invalid_state",),
        needs=Action.NODE_RELEASE,
    )
    def post(self, request: Request, conversation_id: str, node_id: str) -> HttpResponse:
        """Others may claim the node at once; a lease that has ended changes nothing."""
        node_leases.release(self.actor, conversation_id, node_in(node_id), self.body(ReleaseNode))
        return HttpResponse(status=204)


class Complete(ExecutionEndpoint):
    @described(
        "Complete a node",
        body=CompleteNode,
        answer=CompletedAnswer,
        status=201,
        also=(200,),
        query=(IN_FORMAT,),
        headers=(IF_MATCH,),
        errors=("invalid_state", "version_conflict", "duplicate", "type_mismatch"),
        needs=Action.NODE_COMPLETE,
        or_needs=Action.NODE_FORCE,
    )
    def post(self, request: Request, conversation_id: str, node_id: str) -> HttpResponse:
        """Stores the result of a node; the answer says which edges are taken.

        The same checkpoint id and body again get the same answer, with 200. A node of a workflow
        is completed while it is ready only: else `invalid_state` names the `ready_nodes`. With
        `force`, for which the scope `review` or `admin` is needed, it is completed all the same.
        A node that was claimed is completed with its `lease`. With `format` the `messages` are
        those of a provider, and so are those of `entered`.
        """
        command, provider = self.command(CompleteNode), format_of(self)
        if provider is not None:
            chat = read_appended(command.messages, provider).messages
            command = command.model_copy(update={"messages": chat})
        done = completions.complete(self.actor, conversation_id, node_in(node_id), command)
        answer = done.answer
        if command.enter_next:
            entered = self._entered_next(conversation_id, done, provider)
            answer = answer[:-1] + b',"entered":' + entered + b"}"
        return json_answer(answer, 200 if done.again else 201)

    def _entered_next(
        self, conversation_id: str, done: completions.Completed, provider: ProviderFormat | None
    ) -> bytes:
        """What the next node sees; if that cannot be read, why.

        The completion is committed by now, and to answer with the error would deny it - unless
        it is part of a transaction that keeps this answer, too.
        """
        try:
            with finished_for_nobody():
                return node_context.entered_next(
                    self.actor, conversation_id, done.execution, done.version, provider
                )
        except Error as error:
            refusal = None if connection.in_atomic_block else of_database(error)
            if refusal is None:
                raise
            detail = (
                "The node is completed, but the context of the next one could not be read: enter "
                "that node."
            )
            problem = {"code": refusal.code, "detail": detail}
            return dumps({"node_id": None, "version": done.version, "problem": problem})
