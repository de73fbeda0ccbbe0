"""The endpoints of recalls: of one conversation, and their sums in a workspace."""

from datetime import date, timedelta
from typing import Final

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from conversations import recalls
from conversations.api.endpoints import ConversationEndpoint
from conversations.recalls import COLUMNS
from conversations.store import find_head
from ctxadmin.http.described import (
    PAGE,
    Answer,
    FromOne,
    FromZero,
    ListOf,
    Parameter,
    Time,
    described,
)
from ctxadmin.http.endpoint import Endpoint
from ctxadmin.http.pagination import PageRequest
from ctxadmin.lib import clock
from ctxadmin.lib.errors import ValidationFailed

_DAYS: Final = 30
_GROUP: Final = Parameter(
    "group",
    f"By what to sum, with commas between: {', '.join(COLUMNS)}; all in one sum without it.",
)
_SINCE: Final = Parameter(
    "since",
    "The first day that counts (`YYYY-MM-DD`, UTC); 30 days ago without it.",
    limits={"format": "date"},
)


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
    @described("Sum recalls", answer=ListOf[RecallSumAnswer], query=(_GROUP, _SINCE, *PAGE))
    def get(self, request: Request) -> Response:
        """Recalls by node, workflow or day: where they are many, too much is hidden.

        Erased conversations do not count any more.
        """
        query = request.query_params
        page = recalls.recall_sums(
            self.actor,
            _groups(query.get("group", "")),
            _since(query.get("since")),
            PageRequest.of(query),
        )
        return Response(page.as_json(page.items))


def _groups(text: str) -> list[str]:
    groups = [part for part in text.split(",") if part]
    if unknown := [each for each in groups if each not in COLUMNS]:
        known = ", ".join(COLUMNS)
        raise ValidationFailed.at("?group", f"{unknown[0][:64]!r} is unknown; known: {known}")
    return groups


def _since(text: str | None) -> date:
    if text is None:
        return clock.now().date() - timedelta(days=_DAYS)
    try:
        if len(text) != len("2026-11-24"):
            raise ValueError
        return date.fromisoformat(text)
    except ValueError:
        raise ValidationFailed.at("?since", "since must be a day, as in 2026-11-24.") from None
