"""Finds who changed a message: who wrote it, and each change that hid, showed or pinned it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

import orjson

from conversations.domain.view import View
from conversations.domain.view_patch import apply_patch
from conversations.models import Conversation, Message, Move, Revision
from conversations.store.conversation import find_revision, view_of
from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.roles import Action
from ctxadmin.lib.json_bytes import is_object

MOST: Final = 200  # revisions, and moves, that are looked at
_APPENDED: Final = ("start", "append", "batch")  # operations that write no message
Effect = Literal["hid", "showed", "summarized", "pinned", "unpinned"]


@dataclass(frozen=True, slots=True)
class MessageChange:
    """One change of a message: its effect, and the revision or the move that had it."""

    effect: Effect
    by: Revision | Move
    author: str
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True)
class MessageHistory:
    """A message as it was written, and its changes, latest first.

    ``origin`` is the revision whose operation wrote it: a replacement, a summary, an inserted
    message, a note about hidden ones; None if it was appended. ``is_complete`` unless there were
    more than MOST revisions or moves since it was written. ``is_imported`` tells that its author
    brought it in with a file.
    """

    message: Message
    origin: Revision | None
    changes: Sequence[MessageChange]
    is_complete: bool
    is_imported: bool


def history_of(head: Conversation, index: int) -> MessageHistory:
    """Returns the history of a message of the log, with a bounded number of queries and rows."""
    fields = ("index", "author", "node_id", "created_at", "revision", "role", "conversation")
    message = Message.objects.only(*fields).get(conversation=head.key, index=index)
    later = Revision.objects.filter(conversation=head.key, number__gte=message.revision)
    rows = list(later.order_by("-number")[: MOST + 1])
    since = Move.objects.filter(conversation=head.key, created_at__gte=message.created_at)
    moves = list(since.order_by("-seq")[: MOST + 1])
    views = _views(list(reversed(rows[:MOST])))
    found = [
        *_by_revisions(rows[:MOST], views, index),
        *_by_moves(moves[:MOST], views, message),
    ]
    found.sort(key=lambda change: change.at, reverse=True)
    is_complete = max(len(rows), len(moves)) <= MOST
    origin = _origin(message, rows[:MOST], views)
    return MessageHistory(message, origin, found, is_complete, _is_imported(head, message))


def _origin(
    message: Message, rows: Sequence[Revision], views: Mapping[int, View]
) -> Revision | None:
    """Returns the revision that was opened with the message, which nobody had appended."""
    row = next((each for each in reversed(rows) if each.number == message.revision), None)
    if row is None:  # there were too many since
        row = find_revision(message.conversation, message.revision)
    if row.parent is None or row.operation in _APPENDED:
        return None
    view = views[row.number] if row.number in views else view_of(row)
    came_later = bool(row.grown) and message.index in View.decode(bytes(row.grown))
    return row if message.index in view and not came_later else None


def _is_imported(head: Conversation, message: Message) -> bool:
    """Returns whether the conversation began with an import of this message by its author.

    In the file of an export messages have the authors that they had there.
    """
    first = AuditEntry.objects.filter(stream=head.key).order_by("seq").first()
    if first is None or first.action != Action.CONVERSATION_IMPORT:
        return False
    count: int = orjson.loads(bytes(first.detail))["messages"]
    return message.index < count and message.author == f"{first.actor_kind}:{first.actor_name}"


def _views(rows: Sequence[Revision]) -> Mapping[int, View]:
    """Returns the views of revisions, each from its parent's where that is among them."""
    opened: dict[int, View] = {}
    for row in rows:
        base = opened.get(row.parent) if row.patches and row.parent is not None else None
        if base is None:
            opened[row.number] = view_of(row)
            continue
        view = apply_patch(base, bytes(row.opened))
        opened[row.number] = view.concat(View.decode(bytes(row.grown))) if row.grown else view
    return opened


def _by_revisions(
    rows: Sequence[Revision], views: Mapping[int, View], index: int
) -> Iterator[MessageChange]:
    for row in rows:
        effect = _effect(row, views, index)
        if effect is not None:
            yield MessageChange(effect, row, row.author, row.reason, row.created_at)


def _effect(row: Revision, views: Mapping[int, View], index: int) -> Effect | None:
    pin = _block(row, "pin") if row.operation == "append" else None
    if pin is not None and pin.get("index") == index:
        return "pinned" if pin.get("pinned") else "unpinned"
    base = views.get(row.parent) if row.parent is not None else None
    if base is None or (row.branched_at is not None and index >= row.branched_at):
        return None
    was, is_shown = index in base, index in views[row.number]
    if was and not is_shown:
        return "summarized" if row.operation == "summarize" else "hid"
    # A message that the operation wrote is not in the view before, and nobody had hidden it.
    return "showed" if is_shown and not was and index < _log_before(row, index) else None


def _log_before(row: Revision, index: int) -> int:
    """Returns a bound of the log before an operation: the message that it wrote is not below."""
    for name in ("insert", "replace", "summarize"):
        block = _block(row, name) or {}
        several = block.get("messages")
        written = several[0] if isinstance(several, list) and several else block.get("message")
        if isinstance(written, dict) and isinstance(written.get("index"), int):
            return int(written["index"])
    return index + 1


def _by_moves(
    rows: Sequence[Move], views: Mapping[int, View], message: Message
) -> Iterator[MessageChange]:
    def shows(revision: int) -> bool | None:
        if revision < message.revision:  # the message was not there yet
            return False
        return message.index in views[revision] if revision in views else None

    for row in rows:
        before, after = shows(row.from_revision), shows(row.to_revision)
        if before is None or after is None or before == after:
            continue
        effect: Effect = "showed" if after else "hid"
        yield MessageChange(effect, row, row.author, row.reason, row.created_at)


def _block(row: Revision, name: str) -> dict[str, object] | None:
    config = bytes(row.config)
    found = orjson.loads(config).get(name) if is_object(config) else None
    return found if isinstance(found, dict) else None
