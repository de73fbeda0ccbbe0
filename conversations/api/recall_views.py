"""The endpoints of recalls: of one conversation, and their sums in a workspace."""

from typing import Final

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from conversations.api.endpoints import ConversationEndpoint
from conversations.services import recalls
from conversations.services.recalls import COLUMNS
from conversations.store.conversation import find_head
from ctxadmin.http.described import (
    PAGE,
    Answer,
    FromOne,
    FromZero,
    ListOf,
    Time,
    described,
)
from ctxadmin.http.endpoints.endpoint import Endpoint
from ctxadmin.http.endpoints.pagination import PageRequest
from ctxadmin.http.endpoints.sum_parameters import SINCE, group_parameter, groups_of, since_of

_GROUP: Final = group_parameter(COLUMNS)


class RecallAnswer(Answer):
    """How often engines recalled one message for one node."""

    index: FromZero = Field(description="Index in the message log, counted from 0.", examples=[3])
    node: str | None = Field(
        description="Node that asked; null if it was not named.", examples=["draft"]
    )
    recalls: FromOne = Field(description="How often it was recalled.", examples=[2])
    last_at: Time = Field(description="When it was recalled last (ISO 8601, UTC).")


class RecallSumAnswer(Answer):
    """The recalls of one group; fields that name the group only if it was asked for."""

    day: str | None = Field(None, description="Day in UTC.", examples=["2026-11-24"])
    workflow: str | None = Field(
        None,
        description="Slug of the conversation's workflow; null without one.",
        examples=["support"],
    )
    node: str | None = Field(
        None, description="Node that asked; null if it was not named.", examples=["draft"]
    )
    recalls: FromZero = Field(description="How often messages were recalled.", examples=[2])


class RecallsOfConversation(ConversationEndpoint):
    @described("List recalls", answer=ListOf[RecallAnswer], query=PAGE)
    def get(self, request: Request, conversation_id: str) -> Response:
        """Hidden messages that engines read in full, by message and node, in log order.

        Copies and forks begin without any.
        """
        head = find_head(self.actor.workspace, conversation_id)
        page = recalls.recalls_of(head, PageRequest.of(request.query_params))
        return Response(page.as_json(page.items))


class RecallSums(Endpoint):
    @described("Sum recalls", answer=ListOf[RecallSumAnswer], query=(_GROUP, SINCE, *PAGE))
    def get(self, request: Request) -> Response:
        """Recalls by node, workflow or day: where they are many, too much is hidden.

        Erased conversations do not count any more.
        """
        query = request.query_params
        page = recalls.recall_sums(
            self.actor,
            groups_of(query, COLUMNS),
            since_of(query),
            PageRequest.of(query),
        )
        return Response(page.as_json(page.items))
