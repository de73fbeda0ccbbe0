"""A recorded conversation, as a backtest replays it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

import orjson

from conversations.domain.memory import MemoryLog
from conversations.domain.message import Entry, MessageDraft, read_logged
from conversations.domain.pairing import place_drafts
from conversations.domain.runs import Runs
from conversations.domain.tokens import tokens_of_message, tokens_of_text
from ctxadmin.lib.json_bytes import dumps


class RecordedMessage(NamedTuple):
    """A logged message: its JSON, its tokens, the log index of the call that it answers, the id
    of the node that wrote it ("" if none is known), and the id of the message.
    """

    body: bytes
    tokens: int
    call: int | None = None
    node: str = ""
    message_id: str = ""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A conversation by its log.

    ``tools`` is the text of its tool description, ``tool_tokens`` are those of the tool schemas
    that every call sends before its messages. ``seen`` is what was visible at the call of each
    assistant message, by its log index; None if that was not recorded.
    """

    name: str
    messages: Sequence[RecordedMessage]
    tools: str | None = None
    tool_tokens: int = 0
    metadata: bytes = b"{}"
    seen: Mapping[int, Runs] | None = None

    @classmethod
    def of_drafts(
        cls,
        name: str,
        drafts: Sequence[MessageDraft],
        *,
        tools: str | None = None,
        schemas: object = None,
    ) -> "Recorded":
        """Builds a conversation of messages that are in no log.

        ``schemas`` are tool schemas as JSON.
        """
        entries = place_drafts(drafts, MemoryLog()) if drafts else ()
        sent = tokens_of_text(dumps(schemas).decode()) if schemas else 0
        return cls(name, [_recorded(entry) for entry in entries], tools, sent)

    def entries(self) -> Iterable[Entry]:
        """Returns the messages as entries of a log, in order."""
        for index, message in enumerate(self.messages):
            draft = read_logged(orjson.loads(message.body))
            if message.message_id:
                draft = replace(draft, message_id=message.message_id)
            yield Entry(index, draft, message.call)


def _recorded(entry: Entry) -> RecordedMessage:
    draft = entry.draft
    tokens = tokens_of_message(draft)
    return RecordedMessage(
        draft.body, tokens, entry.call_index, draft.node_id or "", draft.message_id or ""
    )


def log_upto(recorded: Recorded, count: int) -> MemoryLog:
    """Returns the log as it was when it had ``count`` messages."""
    log = MemoryLog(tools=recorded.tools)
    log.append(
        list(islice(recorded.entries(), count)),
        tokens=[message.tokens for message in recorded.messages[:count]],
    )
    return log
