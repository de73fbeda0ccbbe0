"""The row of a message that is logged now."""

from datetime import datetime
from typing import Final

from conversations.domain.message import Entry
from conversations.models import Conversation, Message
from conversations.store.message_rows import sum_of_message
from conversations.store.tool_links import call_digest
from ctxadmin.storage.tables import Table

_MESSAGES: Final = Table(Message)


def row_of_entry(
    entry: Entry,
    head: Conversation,
    *,
    revision: int,
    node_id: str,
    tokens: int,
    author: str,
    at: datetime,
) -> Message:
    """The row of an entry that is logged now; the head's log ends with its tokens."""
    draft = entry.draft
    row = _MESSAGES.new(
        {
            "conversation": head.key,
            "index": entry.index,
            "message_id": draft.message_id,
            "role": draft.role,
            "answers": None if draft.answers is None else call_digest(draft.answers),
            "call_index": entry.call_index,
            "tokens": tokens,
            "tokens_reported": draft.reported_tokens is not None,
            "tokens_upto": head.log_tokens,
            "revision": revision,
            "node_id": draft.node_id or node_id,
            "author": author,
            "created_at": at,
            "body": draft.body,
        }
    )
    row.sum = sum_of_message(row)
    return row
