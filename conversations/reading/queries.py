"""Reads conversations: lists, messages, batches, differences."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain
from operator import attrgetter

import orjson
from django.db.models import F, Q

from conversations.domain import diff
from conversations.domain.bodies import StoredMessage, message_bytes
from conversations.domain.view import View
from conversations.models import (
    Conversation,
    ConversationQuerySet,
    Message,
    Move,
    Revision,
)
from conversations.store.conversation import (
    as_revision,
    find_head,
    find_revision,
    lineage,
    metadata_of_head,
    path_between,
    refuse_short_counts,
    view_of,
)
from conversations.store.damage import ALTERED, damaged
from conversations.store.message_rows import MessageRow, check_rows, iso_of, message_rows
from conversations.store.revision_sums import check_parent
from conversations.workspace.matching import ConversationFilter, matching
from ctxadmin.http.endpoints.pagination import Page, PageRequest, foreign_cursor, page_of
from ctxadmin.identity.actor import Actor
from ctxadmin.lib import clock
from ctxadmin.lib.errors import ContextError, ValidationFailed
from ctxadmin.lib.json_bytes import is_object
from ctxadmin.lib.sentence import say


@dataclass(frozen=True, slots=True)
class MessageWindow:
    """Messages of a view from a position on, in the order of the view.

    ``view_count`` is the length of the whole view, ``positions`` those of the messages.
    """

    messages: Sequence[StoredMessage]
    positions: Sequence[int]
    view_count: int
    revision: int


def listed_json(head: Conversation) -> dict[str, object]:
    """Returns ``conversation_json`` for a list, without metadata if they are damaged.

    So it hides no others. The damage is logged and counted; a read of the conversation alone is
    refused.
    """
    try:
        return conversation_json(head)
    except ContextError:
        head.details.metadata = b"{}"
        return conversation_json(head)


def conversation_json(head: Conversation) -> dict[str, object]:
    """Returns a conversation as the contract shows it (rest.md, "Conversations")."""
    return {
        "id": head.public_id,
        "title": head.title,
        "workflow": head.workflow or None,
        "status": head.status,
        "current_batch": head.current_batch,
        "current_revision": head.current_revision,
        "message_count": head.log_count,
        "visible_count": head.visible_count,
        "tokens": head.visible_tokens,
        "metadata": orjson.Fragment(metadata_of_head(head)),
        "tools": head.details.tools or None,
        "archived": head.archived,
        "message_bytes": head.log_bytes,
        "state_bytes": head.state_bytes,
        "checkpoint_bytes": head.checkpoint_bytes,
        "created_at": clock.iso(head.created_at),
        "updated_at": clock.iso(head.updated_at),
    }


def list_conversations(
    actor: Actor, wanted: ConversationFilter, request: PageRequest
) -> Page[Conversation]:
    """Lists conversations, latest change first."""
    archived = (False, True) if wanted.archived is None else (wanted.archived,)
    # Each in the order of an index; as one query SQLite would sort them all.
    parts = [_latest(actor, replace(wanted, archived=each), request) for each in archived]
    order = attrgetter("updated_at", "key")
    found = sorted(chain(*parts), key=order, reverse=True)[: request.limit + 1]
    page = page_of(found, request, lambda head: (_microseconds(head.updated_at), head.key))
    # One whose id is damaged cannot be named, and hides no others; ``verify`` finds it.
    return Page([head for head in page.items if head.public_id], page.next)


def _latest(actor: Actor, wanted: ConversationFilter, request: PageRequest) -> ConversationQuerySet:
    rows = matching(actor, wanted)
    if request.after:
        at, key = _newest_after(request.after)
        rows = rows.filter(Q(updated_at__lt=at) | Q(updated_at=at, key__lt=key))
    return rows.order_by("-updated_at", "-key")[: request.limit + 1]


def largest_conversations(
    actor: Actor, wanted: ConversationFilter, most: int
) -> list[Conversation]:
    """Lists the ``most`` conversations with the most stored bytes, largest first.

    No index has their sizes: each append would have to move its conversation in it. So all heads
    are read (56 ms for 100,000 in SQLite), and there are no further pages.
    """
    rows = matching(actor, wanted).order_by(-(F("log_bytes") + F("checkpoint_bytes")), "-key")
    return [head for head in rows[:most] if head.public_id]


def _newest_after(after: tuple[int | str, ...]) -> tuple[datetime, int]:
    match after:
        case (int() as at, int() as key) if abs(at) < 10**17:
            return datetime.fromtimestamp(at / 10**6, UTC), key
    raise foreign_cursor()


def _microseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 10**6)


def shown_revision(head: Conversation, which: str) -> Revision:
    """Returns the row that ``current`` or ``revision:N`` names."""
    if which == "current":
        return find_revision(head.key, head.current_revision)
    kind, _, number = which.partition(":")
    if kind != "revision" or not number.isascii() or not number.isdigit() or len(number) > 9:
        raise ValidationFailed.at("?view", say("view must be current, all or revision:N."))
    return find_revision(head.key, int(number))


def visible_window(
    head: Conversation, row: Revision, start: int, limit: int, *, count: int | None = None
) -> MessageWindow:
    """Returns ``limit`` messages of a revision's view from position ``start`` on.

    ``count`` goes back to when the view had so many: a view that others were opened from, or that
    is current, only ever grew at its end.
    """
    view = view_of(row)
    if count is not None:
        view = view.slice(0, count)
    part = view.slice(start, start + limit)
    messages = _in_order(head.key, part, shown=view)
    return MessageWindow(messages, range(start, start + len(part)), len(view), row.number)


def log_window(head: Conversation, start: int, limit: int) -> MessageWindow:
    """Returns ``limit`` messages of the log from ``start`` on, ``visible`` by the current view."""
    row = find_revision(head.key, head.current_revision)
    stop = min(start + limit, head.log_count)
    if stop == head.log_count:
        refuse_short_counts(head.key)
    messages = _in_order(head.key, View([(start, stop)] if start < stop else []), view_of(row))
    return MessageWindow(messages, range(start, stop), head.log_count, row.number)


def messages_at(head: Conversation, indices: Iterable[int], shown: View) -> list[StoredMessage]:
    """Returns the messages at some log indices, ascending."""
    return _in_order(head.key, View.of_indices(sorted(set(indices))), shown)


def messages_of(head: Conversation, part: View, shown: View) -> list[StoredMessage]:
    """The messages of a view in its order, visible as they are in another one."""
    return _in_order(head.key, part, shown)


def hidden_messages(head: Conversation, part: View) -> list[StoredMessage]:
    """Returns the messages of a view in order, all of them hidden by now."""
    return _in_order(head.key, part, shown=View())


def find_call(head: Conversation, index: int) -> int | None:
    """Returns the log index of the message whose call a tool result answers, if there is one."""
    rows = Message.objects.filter(conversation=head.key, index=index)
    return rows.values_list("call_index", flat=True).first()


def results_of(head: Conversation, indices: Iterable[int]) -> dict[tuple[int, str], int]:
    """Returns the places of tool results: ``(index, call id)`` -> log index.

    The first one, if a call has several.
    """
    rows = Message.objects.filter(conversation=head.key, call_index__in=list(indices))
    # Sorted here: asked for an order, MariaDB may read the whole log in it to find these few.
    newest_first = sorted(rows, key=attrgetter("index"), reverse=True)
    found = {
        (row.call_index or 0, row.index): orjson.loads(bytes(row.body))
        for row in check_rows(newest_first)
    }
    return {(call, str(body.get("tool_call_id"))): index for (call, index), body in found.items()}


def visible_json(conversation: int, view: View) -> list[bytes]:
    """Yields the messages of a view in order, each as JSON, all visible."""
    rows = message_rows(conversation, view)
    return [
        message_bytes(
            index,
            message_id or f"log-{index}",
            tokens,
            node_id,
            author,
            iso_of(created_at),
            bytes(body),
            visible=True,
            estimated=not reported,
        )
        for index, message_id, _, body, tokens, reported, node_id, author, created_at, *_ in map(
            rows.__getitem__, view
        )
    ]


def _in_order(conversation: int, wanted: View, shown: View) -> list[StoredMessage]:
    """Returns the messages of ``wanted`` in its order."""
    rows = message_rows(conversation, wanted)
    return [_stored(rows[index], visible=index in shown) for index in wanted]


def stored_message(row: Message, *, visible: bool) -> StoredMessage:
    """Returns a row as the value for an answer."""
    return StoredMessage(
        index=row.index,
        message_id=row.message_id or f"log-{row.index}",
        role=row.role,
        body=bytes(row.body),
        visible=visible,
        tokens=row.tokens,
        estimated=not row.tokens_reported,
        node_id=row.node_id,
        author=row.author,
        created_at=row.created_at,
        call_index=row.call_index,
    )


def _stored(row: MessageRow, *, visible: bool) -> StoredMessage:
    index, message_id, role, body, tokens, reported, node_id, author, created_at, call, _ = row
    return StoredMessage(
        index=index,
        message_id=message_id or f"log-{index}",
        role=role,
        body=bytes(body),
        visible=visible,
        tokens=tokens,
        estimated=not reported,
        node_id=node_id,
        author=author,
        created_at=datetime.fromisoformat(created_at).replace(tzinfo=UTC),
        call_index=call,
    )


def branch_of(head: Conversation) -> list[Revision]:
    """Returns the revisions from the first to the current one, without their views."""
    return list(reversed(lineage(head.key, head.current_revision)))


def all_revisions(head: Conversation) -> list[Revision]:
    """Returns every revision ever opened, oldest first, without their views."""
    rows = Revision.objects.filter(conversation=head.key).defer("opened", "grown")
    return [check_parent(row) for row in rows.order_by("number")]


def newest_revisions(head: Conversation, most: int) -> list[Revision]:
    """Returns the latest revisions, oldest first, without their views."""
    rows = Revision.objects.filter(conversation=head.key).defer("opened", "grown")
    return [check_parent(row) for row in reversed(rows.order_by("-number")[:most])]


def moves_of(head: Conversation) -> list[Move]:
    """Returns every rollback and restore, oldest first."""
    return list(Move.objects.filter(conversation=head.key).order_by("seq"))


def revision_json(row: Revision, *, with_parent: bool = False) -> dict[str, object]:
    """Returns a batch as the contract lists it; Damaged if its configuration cannot be read."""
    shown: dict[str, object] = {
        "number": row.batch,
        "revision": row.number,
        "operation": row.operation,
        "config": orjson.Fragment(_config_of(row)),
        "boundary": row.boundary,
        "visible_count": row.visible_count,
        "tokens": row.tokens,
        "author": row.author,
        "reason": row.reason or None,
        "created_at": clock.iso(row.created_at),
    }
    return shown | {"parent": row.parent} if with_parent else shown


def _config_of(row: Revision) -> bytes:
    config = bytes(row.config)
    if not is_object(config):
        raise damaged(row.conversation, "revision", row.number, ALTERED)
    return config


def move_json(move: Move) -> dict[str, object]:
    return {
        "kind": move.kind,
        "from_revision": move.from_revision,
        "to_revision": move.to_revision,
        "author": move.author,
        "reason": move.reason or None,
        "created_at": clock.iso(move.created_at),
    }


def diff_of(actor: Actor, public_id: str, before: int, after: int) -> Sequence[diff.ViewDifference]:
    """Returns the changes from one revision's view to another's (rest.md, ``diff``)."""
    head = find_head(actor.workspace, public_id)
    return diff_between(head.key, before, after)


def diff_between(conversation: int, before: int, after: int) -> Sequence[diff.ViewDifference]:
    """Returns ``diff_of`` by the key of the conversation."""
    first, last = find_revision(conversation, before), find_revision(conversation, after)
    return diff.diff_revisions(
        as_revision(first, view_of(first)),
        as_revision(last, view_of(last)),
        path_between(conversation, before, after),
    )


def edits_between(conversation: int, before: int, after: int) -> dict[int, int]:
    """Returns the messages that were replaced between two revisions, by log index."""
    first, last = find_revision(conversation, before), find_revision(conversation, after)
    return diff.edits_between(
        as_revision(first, view_of(first)),
        as_revision(last, view_of(last)),
        path_between(conversation, before, after),
    )


def change_json(change: diff.ViewDifference) -> dict[str, object]:
    """Returns one difference as the contract shows it: only the fields that its kind has."""
    shown: dict[str, object] = {"kind": change.kind, "index": change.index}
    for name in ("previous_index", "position", "previous_position"):
        value = getattr(change, name)
        if value is not None:
            shown[name] = value
    return shown
