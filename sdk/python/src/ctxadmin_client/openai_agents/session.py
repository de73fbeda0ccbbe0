"""The session: stores the memory of an agent in a conversation."""

from typing import Any, Final, cast

from agents import SessionSettings, TResponseInputItem
from agents.memory.session import SessionABC

from ctxadmin_client import AsyncClient, NotFound
from ctxadmin_client.calls import Call, new_key, path
from ctxadmin_client.openai_agents.items import from_stored, to_stored

_PAGE: Final = 1_000


class CtxAdminSession(SessionABC):
    """Stores the items of a session as visible messages of the conversation ``session_id``.

    The agent gets the visible messages: what people hide, replace or roll back there has effect.
    ``pop_item`` and ``clear_session`` hide; the log keeps everything until the conversation is
    erased. A token with the scope ``engine`` is enough.
    """

    def __init__(
        self,
        session_id: str,
        client: AsyncClient,
        *,
        session_settings: SessionSettings | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings or SessionSettings()
        self._client = client
        self._conversation = client.conversation(session_id)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Returns all items, or the last ``limit`` of them, oldest first."""
        settings = self.session_settings
        most = limit if limit is not None or settings is None else settings.limit
        if most is not None and most <= 0:
            return []
        found: list[TResponseInputItem] = []
        where = path("conversations", self.session_id, "messages")
        query = {"order": "desc", "limit": min(most or _PAGE, _PAGE)}
        try:
            async for stored in self._client.listed(where, query):
                found.append(cast(TResponseInputItem, from_stored(stored)))
                if most is not None and len(found) == most:
                    break
        except NotFound:
            return []
        return found[::-1]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Appends items; creates the conversation if there is none."""
        if not items:
            return
        stored = [to_stored(cast(dict[str, Any], item)) for item in items]
        try:
            await self._conversation.append(*stored)
        except NotFound:
            await self._client.ensure(self.session_id)
            await self._conversation.append(*stored)

    async def pop_item(self) -> TResponseInputItem | None:
        """Hides and returns the last item; no two callers get the same one."""
        try:
            popped = await self._conversation.pop()
        except NotFound:
            return None
        return cast(TResponseInputItem, from_stored(popped[0])) if popped else None

    async def clear_session(self) -> None:
        """Hides all items; a person can show them again."""
        where = path("conversations", self.session_id, "operations")
        body = {"operation": "truncate", "truncate": {"keep_last": 0}, "reason": "Cleared"}
        try:
            await self._client.transport.send(Call("POST", where, body=body, key=new_key()))
        except NotFound:
            return
