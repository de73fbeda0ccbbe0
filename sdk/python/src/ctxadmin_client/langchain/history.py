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
    """Stores the messages of a chat in the conversation ``session_id``.

    The chat gets the visible messages: what people hide, replace or roll back there has effect.
    ``clear`` hides; the log keeps everything until the conversation is erased.
    """

    def __init__(self, session_id: str, client: Client) -> None:
        self.session_id = session_id
        self._client = client
        self._conversation = client.conversation(session_id)
        self._serde = JsonPlusSerializer()

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]
        """Returns all visible messages; none if there is no conversation yet."""
        try:
            return [from_stored(each, self._serde) for each in self._conversation.messages()]
        except NotFound:
            return []

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Appends messages, all or none; creates the conversation if there is none.

        A visible message with the same id and content is not appended again: messages with ids can
        be added again after a crash.
        """
        try:
            self._append([to_stored(each, self._serde, log_id(each)) for each in messages])
        except Duplicate:
            self._append(self._unknown(messages))

    def _unknown(self, messages: Sequence[BaseMessage]) -> list[JsonObject]:
        """Returns the messages to append; if a hidden or changed one has the id, with a new id."""
        logged = {str(each["id"]): each for each in self._conversation.messages("all")}
        visible = [from_stored(each, self._serde) for each in logged.values() if each["visible"]]
        named = [(each, log_id(each)) for each in messages if each not in visible or not each.id]
        return [
            to_stored(each, self._serde, None if name in logged else name) for each, name in named
        ]

    def _append(self, stored: Sequence[JsonObject]) -> None:
        if not stored:
            return
        try:
            self._conversation.append(*stored)
        except NotFound:
            self._client.ensure(self.session_id)
            self._conversation.append(*stored)

    def clear(self) -> None:
        """Hides all messages; a person can show them again."""
        with suppress(NotFound):
            self._conversation.operate("truncate", truncate={"keep_last": 0}, reason="Cleared")
