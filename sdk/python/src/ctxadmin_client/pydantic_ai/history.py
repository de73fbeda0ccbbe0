"""The message history of an agent: the visible messages of a conversation."""

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter

from ctxadmin_client import AsyncClient, NotFound
from ctxadmin_client.calls import Call, new_key, path
from ctxadmin_client.pydantic_ai.parts import from_stored, to_stored


class CtxAdminMessageHistory:
    """Keeps the messages of an agent's runs in the conversation ``conversation_id``.

    What people hide, replace or roll back there is what the agent gets. A token with the scope
    ``engine`` is enough.
    """

    def __init__(self, conversation_id: str, client: AsyncClient) -> None:
        self.conversation_id = conversation_id
        self._client = client
        self._conversation = client.conversation(conversation_id)

    async def load(self) -> list[ModelMessage]:
        """The history for ``message_history``; empty if there is no conversation yet."""
        try:
            stored = [each async for each in self._conversation.messages()]
        except NotFound:
            return []
        # By way of JSON text, since only there bytes are base64.
        return ModelMessagesTypeAdapter.validate_json(json.dumps(from_stored(stored)))

    async def add(self, messages: Sequence[ModelMessage]) -> None:
        """Append what a run added, all or none; the first ones make the conversation."""
        dumped: Any = ModelMessagesTypeAdapter.dump_python([*messages], mode="json")
        stored = to_stored(dumped)
        if not stored:
            return
        try:
            await self._conversation.append(*stored)
        except NotFound:
            await self._client.ensure(self.conversation_id)
            await self._conversation.append(*stored)

    async def clear(self) -> None:
        """Hide all messages; a person can bring them back."""
        where = path("conversations", self.conversation_id, "operations")
        body = {"operation": "truncate", "truncate": {"keep_last": 0}, "reason": "Cleared"}
        with suppress(NotFound):
            await self._client.transport.send(Call("POST", where, body=body, key=new_key()))
