"""The endpoints of nodes: enter, claim, release and complete one."""

from typing import ClassVar

from django.db import Error, connection
from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from checkpoints.api.answers import CompletedAnswer, EnteredAnswer, LeaseAnswer
from checkpoints.api.endpoints import ExecutionEndpoint, node_in
from checkpoints.api.schemas import EnterNode
from checkpoints.contexts import node_context
from checkpoints.contexts.known_view import KnownView
from checkpoints.domain.commands import ClaimNode, CompleteNode, ReleaseNode
from checkpoints.services import completions, node_leases
from conversations.api.endpoints import json_answer
from conversations.api.formats import FORMAT, IN_FORMAT, format_of
from conversations.domain.formats.formats import ProviderFormat
from conversations.domain.imports.append_reader import read_appended
from ctxadmin.http.described import IF_MATCH, described
from ctxadmin.http.problems import of_database
from ctxadmin.identity.roles import Action
from ctxadmin.lib.caller_presence import run_to_completion
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
        """Returns the context of the node. Changes nothing, and works in any status.

        With `known` - `revision` and `count` of an earlier answer for this node in this execution -
        `messages` has only new messages: the first `messages_from` of the earlier ones still
        precede them. If the view has changed otherwise, `messages_from` is 0 and `messages` has all
        of them.
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
        """Leases a ready node for `ttl` seconds, or renews the lease named by `lease`.

        Until the lease expires, only requests with this `lease` complete the node; others get
        `invalid_state` with `held_by` and `until`. An expired lease blocks nobody. No version is
        written.
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
        """Releases the lease, so that others can claim the node.

        A lease that has ended changes nothing.
        """
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

        The same checkpoint id and body get the same answer again, with 200. A node of a workflow
        can be completed only while it is ready; otherwise `invalid_state` names the `ready_nodes`.
        `force`, which needs the scope `review` or `admin`, completes it anyway. A claimed node is
        completed with its `lease`. With `format` the `messages`, and those of `entered`, are in the
        format of a provider.
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
        """Returns the context of the next node, or the reason why it cannot be read.

        The completion is committed already, so an error here must not deny it, unless the
        completion is part of a transaction that stores this answer too.
        """
        try:
            with run_to_completion():
                return node_context.enter_next(
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
