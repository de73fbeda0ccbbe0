"""Tools that pause an execution and decide about a paused one."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated

from pydantic import Field

from ctxadmin_client import AsyncClient
from ctxadmin_client.answers import JsonObject
from ctxadmin_client.mcp.read_tools import ConversationId

_Version = Annotated[
    int,
    Field(ge=0, description="The `version` that read_execution returned; refused if it changed."),
]
_Reason = Annotated[str, Field(min_length=1, description="Why; people and the engine read it.")]


class DecisionTools:
    """Each method is one tool; the scopes of the token say which are allowed."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    def tools(self) -> Sequence[Callable[..., Awaitable[JsonObject]]]:
        return self.pause, self.resume, self.approve, self.reject

    async def pause(self, conversation_id: ConversationId, reason: _Reason) -> JsonObject:
        """Pause the execution, at once or after its current node (scope engine or review)."""
        return (await self._client.conversation(conversation_id).pause(reason=reason)).data

    async def resume(
        self, conversation_id: ConversationId, expected_version: _Version, reason: _Reason
    ) -> JsonObject:
        """Resume a paused execution without a decision (scope engine or review)."""
        conversation = self._client.conversation(conversation_id)
        return (await conversation.resume(expected_version=expected_version, reason=reason)).data

    async def approve(
        self, conversation_id: ConversationId, expected_version: _Version, reason: _Reason
    ) -> JsonObject:
        """Approve what a paused execution proposes, so that it goes on (scope review)."""
        conversation = self._client.conversation(conversation_id)
        return (await conversation.approve(expected_version=expected_version, reason=reason)).data

    async def reject(
        self, conversation_id: ConversationId, expected_version: _Version, reason: _Reason
    ) -> JsonObject:
        """Reject what a paused execution proposes (scope review)."""
        conversation = self._client.conversation(conversation_id)
        return (await conversation.reject(expected_version=expected_version, reason=reason)).data
