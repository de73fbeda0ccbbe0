"""Who changed a message, in words, for its page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from conversations.models import Conversation, Move, Revision
from conversations.pages.batch_words import batch_words
from conversations.reading.batch_changes import BatchChange, Place
from conversations.reading.batch_changes import changes_of as batch_changes_of
from conversations.reading.message_history import (
    Effect,
    MessageChange,
    MessageHistory,
    history_of,
)
from conversations.reading.node_names import names_of_nodes
from ctxadmin.ui.components import Text

_EFFECTS: Final[Mapping[Effect, Text]] = {
    "hid": gettext_lazy("Hidden"),
    "showed": gettext_lazy("Visible again"),
    "summarized": gettext_lazy("Summarized"),
    "pinned": gettext_lazy("Pinned"),
    "unpinned": gettext_lazy("Unpinned"),
}


@dataclass(frozen=True, slots=True)
class MessageChangeLine:
    """One change of a message; ``by`` says by what, ``url`` shows its difference."""

    effect: Text
    by: Text
    author: str
    reason: str
    at: datetime
    url: str


@dataclass(frozen=True, slots=True)
class MessageChanges:
    """The card *Who changed this*: who wrote the message, and its changes, latest first.

    ``node`` is the name of the node that wrote it, "" if none did.
    """

    author: str
    node: str
    written_at: datetime
    lines: Sequence[MessageChangeLine]
    is_complete: bool
    is_imported: bool


def changes_of(head: Conversation, index: int) -> MessageChanges:
    """Returns who wrote a message of the log and who changed it, with a bounded cost."""
    found: MessageHistory = history_of(head, index)
    written = found.message
    rows = [change.by for change in found.changes if isinstance(change.by, Revision)]
    batches = batch_changes_of(rows)
    return MessageChanges(
        author=written.author,
        node=names_of_nodes(head, [written.node_id]).get(written.node_id, ""),
        written_at=written.created_at,
        lines=[_line(head, change, batches) for change in found.changes],
        is_complete=found.is_complete,
        is_imported=found.is_imported,
    )


def _line(
    head: Conversation, change: MessageChange, batches: Mapping[Place, BatchChange]
) -> MessageChangeLine:
    by = change.by
    if isinstance(by, Move):
        words: Text = _("Rolled back") if by.kind == "rollback" else _("Restored a revision")
        versions = {"from": by.from_revision, "to": by.to_revision}
    else:
        pinned = change.effect in ("pinned", "unpinned")
        words = "" if pinned else batch_words(by, batches)
        versions = {"from": by.number if by.parent is None else by.parent, "to": by.number}
    return MessageChangeLine(
        effect=_EFFECTS[change.effect],
        by=words,
        author=change.author,
        reason=change.reason,
        at=change.at,
        url=f"{reverse('conversations:diff', args=[head.public_id])}?{urlencode(versions)}",
    )
