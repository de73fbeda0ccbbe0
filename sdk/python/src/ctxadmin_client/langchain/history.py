"""The history of a chat: the visible messages of a conversation."""

from collections.abc import Sequence
from contextlib import suppress

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import BaseMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from ctxadmin_client import Client, Duplicate, NotFound
from ctxadmin_client.answers import JsonObject
from ctxadmin_client.langchain.messages import from_stored, log_id, to_stored


class CtxAdminChatHistory(BaseChatMessageHistory):
    """Keeps the messages of a chat in the conversation ``session_id``.

    What people hide, replace or roll back there is what the chat gets. ``clear`` hides; the log
    keeps everything until the conversation is erased.
    """

    def __init__(self, session_id: str, client: Client) -> None:
        self.session_id = session_id
        self._client = client
        self._conversation = client.conversation(session_id)
        self._serde = JsonPlusSerializer()

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]
        """The visible messages, all pages of them; none if there is no conversation yet."""
        try:
            return [from_stored(each, self._serde) for each in self._conversation.messages()]
        except NotFound:
            return []

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Append messages, all or none; the first ones make the conversation."""
        if not messages:
            return
        try:
            self._append([to_stored(each, self._serde, log_id(each)) for each in messages])
        except Duplicate:  # a message that was there before, such as one that was hidden
            self._append([to_stored(each, self._serde, None) for each in messages])

    def _append(self, stored: Sequence[JsonObject]) -> None:
        try:
            self._conversation.append(*stored)
        except NotFound:
            self._client.ensure(self.session_id)
            self._conversation.append(*stored)

    def clear(self) -> None:
        """Hide all messages; a person can bring them back."""
        with suppress(NotFound):
            self._conversation.operate("truncate", truncate={"keep_last": 0}, reason="Cleared")
