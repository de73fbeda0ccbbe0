"""The endpoints that change the view of a conversation, and list its changes."""

from typing import Protocol, TypeVar

from rest_framework.request import Request
from rest_framework.response import Response

from conversations.api.answers import AppliedAnswer, BatchesAnswer, ChangeAnswer
from conversations.api.endpoints import ConversationEndpoint
from conversations.api.schemas import Guarded, OpenBatch, Operate, Restore, Rollback
from conversations.domain import legacy
from conversations.domain.configs import read_operation
from conversations.domain.diff import ViewDifference
from conversations.domain.revisions import Seen
from conversations.reading import queries
from conversations.services import use_cases
from conversations.services.results import Applied
from conversations.store.conversation import find_head
from ctxadmin.http.described import FROM_ZERO, IF_MATCH, PAGE, ListOf, Parameter, described
from ctxadmin.http.endpoints.pagination import Page, PageRequest, page_of, position_after
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.sentence import say

_REFUSALS = ("version_conflict", "invalid_state")
_WhatT = TypeVar("_WhatT", contravariant=True)


class _Change(Protocol[_WhatT]):
    """A service that changes the view, or computes the change in a dry run."""

    def __call__(
        self,
        actor: Actor,
        public_id: str,
        what: _WhatT,
        /,
        *,
        reason: str | None,
        seen: Seen,
        dry_run: bool,
    ) -> Applied: ...


class ViewChange(ConversationEndpoint):
    """An endpoint whose body has the view that was seen, the reason, and whether it is a dry
    run.
    """

    def change(self, service: _Change[_WhatT], what: _WhatT, body: Guarded) -> Applied:
        return service(
            self.actor,
            self.kwargs["conversation_id"],
            what,
            reason=body.reason,
            seen=self.expected_view(body),
            dry_run=body.dry_run,
        )


class Operations(ViewChange):
    @described(
        "Apply an operation",
        body=Operate,
        answer=AppliedAnswer,
        headers=(IF_MATCH,),
        errors=(*_REFUSALS, "out_of_range", "duplicate"),
        needs=Action.MESSAGES_OPERATE,
    )
    def post(self, request: Request, conversation_id: str) -> Response:
        if legacy.is_version_1(request.data):
            read_operation(request.data)
        body = self.body(Operate)
        applied = self.change(use_cases.apply_operation, body, body)
        return Response(applied.as_json())


class Batches(ViewChange):
    @described(
        "List batches",
        answer=BatchesAnswer,
        query=(Parameter("all", "`true` for every revision, rollback and restore.", bool), *PAGE),
    )
    def get(self, request: Request, conversation_id: str) -> Response:
        head = find_head(self.actor.workspace, conversation_id)
        asked = PageRequest.of(request.query_params)
        everything = self.query_flag("all")
        rows = queries.all_revisions(head) if everything else queries.branch_of(head)
        start = position_after(asked)
        page = page_of(
            [row for row in rows if row.number >= start][: asked.limit + 1],
            asked,
            lambda row: (row.number,),
        )
        answer = page.as_json(
            [queries.revision_json(row, with_parent=everything) for row in page.items]
        )
        answer["current_revision"] = head.current_revision
        if everything:
            answer["moves"] = [queries.move_json(move) for move in queries.moves_of(head)]
        return Response(answer)

    @described(
        "Open a batch",
        body=OpenBatch,
        answer=AppliedAnswer,
        status=201,
        also=(200,),
        headers=(IF_MATCH,),
        errors=(*_REFUSALS, "out_of_range"),
        needs=Action.BATCH_OPEN,
    )
    def post(self, request: Request, conversation_id: str) -> Response:
        body = self.body(OpenBatch)
        applied = self.change(use_cases.open_batch, body.boundary, body)
        return Response(applied.as_json(), status=200 if body.dry_run else 201)


class RollbackTo(ViewChange):
    @described(
        "Roll back to a batch",
        body=Rollback,
        answer=AppliedAnswer,
        headers=(IF_MATCH,),
        errors=_REFUSALS,
        needs=Action.BATCH_ROLLBACK,
    )
    def post(self, request: Request, conversation_id: str) -> Response:
        body = self.body(Rollback)
        applied = self.change(use_cases.rollback, body.batch, body)
        return Response(applied.as_json())


class RestoreRevision(ViewChange):
    @described(
        "Restore a revision",
        body=Restore,
        answer=AppliedAnswer,
        headers=(IF_MATCH,),
        errors=_REFUSALS,
        needs=Action.REVISION_RESTORE,
    )
    def post(self, request: Request, conversation_id: str) -> Response:
        body = self.body(Restore)
        applied = self.change(use_cases.restore, body.revision, body)
        return Response(applied.as_json())


class Diff(ConversationEndpoint):
    @described(
        "Compare two revisions",
        answer=ListOf[ChangeAnswer],
        query=(
            Parameter("from", "The number of a revision.", int, True, limits=FROM_ZERO),
            Parameter("to", "The number of a revision.", int, True, limits=FROM_ZERO),
            *PAGE,
        ),
    )
    def get(self, request: Request, conversation_id: str) -> Response:
        before, after = self.query_int("from"), self.query_int("to")
        if before is None or after is None:
            raise ValidationFailed.at("?from", say("from and to must be the numbers of revisions."))
        changes = queries.diff_of(self.actor, conversation_id, before, after)
        asked = PageRequest.of(request.query_params)
        start = position_after(asked)
        part = list(enumerate(changes))[start : start + asked.limit + 1]
        page: Page[tuple[int, ViewDifference]] = page_of(part, asked, lambda item: (item[0],))
        return Response(page.as_json([queries.change_json(change) for _, change in page.items]))
