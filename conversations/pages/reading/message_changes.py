"""Who changed a message, in words, for its page."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from conversations.models import Conversation, Move, Revision
from conversations.pages.batch_words import batch_words, pin_of
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

_NUMBER: Final = re.compile(r"#(\d+)")
_NEAR: Final = 20  # revisions before the later end of a move that can be pins
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

    ``node`` is the name of the node that wrote it, "" if none did. ``origin`` says in HTML which
    operation wrote it, with links to the messages that it replaced or sums up, and ``url`` shows
    its difference; both are "" if it was appended.
    """

    author: str
    node: str
    written_at: datetime
    origin: str
    url: str
    reason: str
    lines: Sequence[MessageChangeLine]
    is_complete: bool
    is_imported: bool


def changes_of(head: Conversation, index: int) -> MessageChanges:
    """Returns who wrote a message of the log and who changed it, with a bounded cost."""
    found: MessageHistory = history_of(head, index)
    written = found.message
    rows = [change.by for change in found.changes if isinstance(change.by, Revision)]
    moved = _moved_between(head, [each.by for each in found.changes if isinstance(each.by, Move)])
    origin = found.origin
    batches = batch_changes_of([*rows, *moved.values(), *([] if origin is None else [origin])])
    return MessageChanges(
        author=written.author,
        node=names_of_nodes(head, [written.node_id]).get(written.node_id, ""),
        written_at=written.created_at,
        origin="" if origin is None else _linked(head, batch_words(origin, batches), index),
        url="" if origin is None else _difference(head, origin),
        reason="" if origin is None else origin.reason,
        lines=[_line(head, change, batches, moved) for change in found.changes],
        is_complete=found.is_complete,
        is_imported=found.is_imported,
    )


def _linked(head: Conversation, words: Text, index: int) -> SafeString:
    """Returns the words of an operation with the numbers of other messages as links to them."""
    parts: list[str] = []
    for place, part in enumerate(_NUMBER.split(str(words))):
        if place % 2 and int(part) != index:
            url = reverse("conversations:message", args=[head.public_id, int(part)])
            parts.append(format_html('<a href="{}">#{}</a>', url, part))
        else:
            parts.append(f"#{part}" if place % 2 else part)
    return format_html_join("", "{}", ((part,) for part in parts))


def _difference(head: Conversation, row: Revision) -> str:
    versions = {"from": row.number if row.parent is None else row.parent, "to": row.number}
    return f"{reverse('conversations:diff', args=[head.public_id])}?{urlencode(versions)}"


def _moved_between(head: Conversation, moves: Sequence[Move]) -> Mapping[int, Revision]:
    """Returns the revisions that moves led from and to, by number, and those shortly before."""
    ends = [sorted((move.from_revision, move.to_revision)) for move in moves]
    if not ends:
        return {}
    numbers = {
        each for first, last in ends for each in (first, *range(max(first, last - _NEAR), last + 1))
    }
    rows = Revision.objects.filter(conversation=head.key, number__in=numbers)
    return {row.number: row for row in rows.defer("opened", "grown")}


def _words_of_move(
    move: Move, moved: Mapping[int, Revision], batches: Mapping[Place, BatchChange]
) -> Text:
    """Says of a move to the batch before, or back, that it undid or redid what that batch did."""
    before, after = moved.get(move.from_revision), moved.get(move.to_revision)
    if move.kind == "rollback":
        return _("Rolled back")
    if before is not None and (undone := _only_change(before, move.to_revision, moved)):
        return _("Undone: %(what)s") % {"what": batch_words(undone, batches)}
    if after is not None and (redone := _only_change(after, move.from_revision, moved)):
        return _("Redone: %(what)s") % {"what": batch_words(redone, batches)}
    return _("Restored a revision")


def _only_change(row: Revision, since: int, known: Mapping[int, Revision]) -> Revision | None:
    """Returns the one change of the view from a revision to ``row``, beside pins; None if there
    are several, or if the revision is not before it.
    """
    changes: list[Revision] = []
    here: Revision | None = row
    while here is not None and here.number > since:
        if pin_of(here) is None:
            changes.append(here)
        here = None if here.parent is None else known.get(here.parent)
    is_before = here is not None and here.number == since
    return changes[0] if is_before and len(changes) == 1 else None


def _line(
    head: Conversation,
    change: MessageChange,
    batches: Mapping[Place, BatchChange],
    moved: Mapping[int, Revision],
) -> MessageChangeLine:
    by = change.by
    if isinstance(by, Move):
        words = _words_of_move(by, moved, batches)
        versions = {"from": by.from_revision, "to": by.to_revision}
        url = f"{reverse('conversations:diff', args=[head.public_id])}?{urlencode(versions)}"
    else:
        pinned = change.effect in ("pinned", "unpinned")
        words = "" if pinned else batch_words(by, batches)
        url = _difference(head, by)
    return MessageChangeLine(
        effect=_EFFECTS[change.effect],
        by=words,
        author=change.author,
        reason=change.reason,
        at=change.at,
        url=url,
    )
