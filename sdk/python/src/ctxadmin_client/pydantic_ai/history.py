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
    """Stores the messages of an agent's runs in the conversation ``conversation_id``.

    The agent gets the visible messages: what people hide, replace or roll back there has effect. A
    token with the scope ``engine`` is enough.
    """

    def __init__(self, conversation_id: str, client: AsyncClient) -> None:
        self.conversation_id = conversation_id
        self._client = client
        self._conversation = client.conversation(conversation_id)

    async def load(self) -> list[ModelMessage]:
        """Returns the history for ``message_history``; empty if there is no conversation yet."""
        try:
            stored = [each async for each in self._conversation.messages()]
        except NotFound:
            return []
        # Through JSON text, because only there bytes become base64.
        return ModelMessagesTypeAdapter.validate_json(json.dumps(from_stored(stored)))

    async def add(self, messages: Sequence[ModelMessage]) -> None:
        """Appends the new messages of a run, all or none; creates the conversation if needed."""
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
        """Hides all messages; a person can show them again."""
        where = path("conversations", self.conversation_id, "operations")
        body = {"operation": "truncate", "truncate": {"keep_last": 0}, "reason": "Cleared"}
        with suppress(NotFound):
            await self._client.transport.send(Call("POST", where, body=body, key=new_key()))
