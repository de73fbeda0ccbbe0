"""Conversations in and out: exports, imports of exports, imports of chat files."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final, cast

import orjson
from django.db import transaction

from conversations.domain import transfer
from conversations.domain.formats.formats import ProviderFormat
from conversations.domain.formats.formatted_view import FormattedView
from conversations.domain.formats.warnings import FormatWarning
from conversations.domain.imports.transcript import ImportedConversation
from conversations.domain.imports.uploads import Importable
from conversations.domain.message import Entry, MessageDraft, read_logged
from conversations.domain.revisions import Move as MoveValue
from conversations.domain.revisions import MoveKind
from conversations.domain.revisions import Revision as RevisionValue
from conversations.domain.transfer import LoggedMessage, PinnedMessage, Transfer
from conversations.domain.view import View
from conversations.models import Conversation, Message, Move, Revision
from conversations.reading.provider_views import view_in_format
from conversations.services.use_cases import NewConversation, append_in, change_of, open_new
from conversations.store.conversation import (
    as_revision,
    find_head,
    find_revision,
    metadata_of_head,
    view_of,
)
from conversations.store.damage import MISSING, damaged
from conversations.store.message_rows import check_rows, sum_of_message
from conversations.store.pin_rows import pins_of, write_pins
from conversations.store.revision_sums import add_checksums, check_revision
from conversations.store.stored_views import revision_row
from conversations.store.tool_links import call_digest, link, mark_unsettled
from conversations.writing.conversation import Writing
from ctxadmin.accounts.access_log import record_access
from ctxadmin.audit.record import AuditChange
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.ids import is_public_id, is_reserved
from ctxadmin.lib.json_bytes import dumps

_BATCH: Final = 1000


def export(actor: Actor, public_id: str, provider: ProviderFormat | None = None) -> bytes:
    """Returns the export document of a conversation: log, view, revisions, moves; no executions.

    For a ``provider`` the current view in its format. The export is recorded in the audit. Raises
    TooLarge for more messages than a format supports.
    """
    head = find_head(actor.workspace, public_id)
    document = _document(head) if provider is None else _for_provider(head, provider)
    record_access(actor, AuditChange(Action.CONVERSATION_EXPORT, "conversation", head.public_id))
    return document


def file_name(public_id: str, provider: ProviderFormat | None) -> str:
    """Returns the file name of an export."""
    return f"{public_id}.json" if provider is None else f"{public_id}.{provider}.json"


def export_warnings(
    actor: Actor, public_id: str, provider: ProviderFormat
) -> Sequence[FormatWarning]:
    """Returns what the current view loses in a provider's format; raises as ``export`` does."""
    head = find_head(actor.workspace, public_id)
    return _view_for(head, provider).warnings


def _view_for(head: Conversation, provider: ProviderFormat) -> FormattedView:
    return view_in_format(head, find_revision(head.key, head.current_revision), provider)


def _for_provider(head: Conversation, provider: ProviderFormat) -> bytes:
    """Returns the current view as the body of a request, without model and settings."""
    written = _view_for(head, provider)
    messages = {"input" if provider == "responses" else "messages": written.messages}
    return dumps({"system": written.system, **messages} if written.system else messages)


def _document(head: Conversation) -> bytes:
    rows = map(check_revision, Revision.objects.filter(conversation=head.key).order_by("number"))
    moves = Move.objects.filter(conversation=head.key).order_by("seq")
    return transfer.write_export(
        Transfer(
            conversation_id=head.public_id,
            title=head.title,
            metadata=orjson.loads(metadata_of_head(head)),
            tools=head.details.tools or None,
            created_at=head.created_at,
            updated_at=head.updated_at,
            current_revision=head.current_revision,
            messages=list(_logged(head)),
            revisions=[as_revision(row, view_of(row)) for row in rows],
            moves=[_move_value(move) for move in moves],
            workflow=head.workflow or None,
            pins=[
                PinnedMessage(row.index, row.author, row.reason or None, row.created_at)
                for row in pins_of(head)
            ],
        )
    )


def import_one(actor: Actor, source: Importable) -> Conversation:
    """Creates the conversation of an export document or of a file of another program."""
    if isinstance(source, Transfer):
        return import_export(actor, source)
    return import_chat(actor, source)


def import_chat(actor: Actor, chat: ImportedConversation) -> Conversation:
    """Creates a conversation from a chat file; keeps its id if it is free, else makes a new one.

    One without a title is called as its first user message begins, or by its id.
    """
    actor.require(Action.CONVERSATION_IMPORT)
    with transaction.atomic():
        opened = open_new(
            actor,
            NewConversation(
                public_id=_free_id(actor, chat.conversation_id),
                title=chat.title or chat.suggested_title or chat.conversation_id or "",
                metadata=dumps(chat.metadata or {}),
                tools=chat.tools or "",
            ),
        )
        if chat.drafts:
            append_in(opened, chat.drafts)
        _commit_import(opened, len(chat.drafts))
    return opened.head


def import_export(actor: Actor, document: Transfer) -> Conversation:
    """Restores the conversation of an export document, with rollback and restore intact.

    Its id is kept if it is free; everything else is as it was.
    """
    actor.require(Action.CONVERSATION_IMPORT)
    with transaction.atomic():
        opened = open_new(
            actor,
            NewConversation(
                public_id=_free_id(actor, document.conversation_id),
                title=document.title,
                workflow=document.workflow or "",
                metadata=dumps(document.metadata),
                tools=document.tools or "",
            ),
        )
        _write_log(opened.head, document.messages)
        _write_revisions(opened.head, document)
        for pin in document.pins:
            reason = pin.reason or ""
            write_pins(opened.head.key, [pin.index], pin.author, pin.created_at, reason=reason)
        _commit_import(opened, len(document.messages))
        _restore_times(opened.head, document)
    return opened.head


def _restore_times(head: Conversation, document: Transfer) -> None:
    head.created_at, head.updated_at = document.created_at, document.updated_at
    Conversation.objects.filter(key=head.key).update(
        created_at=head.created_at, updated_at=head.updated_at
    )


def _commit_import(opened: Writing, count: int) -> None:
    detail = {"messages": count}
    opened.commit(change_of(opened.head, Action.CONVERSATION_IMPORT, detail=detail))


def _free_id(actor: Actor, wanted: str | None) -> str | None:
    """Returns the wanted id if it is valid and free, else None: then a new one is generated."""
    if wanted is None or not is_public_id(wanted) or is_reserved(wanted):
        return None
    taken = Conversation.objects.for_workspace(actor.workspace).filter(public_id=wanted)
    return None if taken.exists() else wanted


def _logged(head: Conversation) -> Iterator[LoggedMessage]:
    rows = Message.objects.filter(conversation=head.key).order_by("index")
    for expected, row in enumerate(check_rows(rows.iterator(_BATCH))):
        if row.index != expected:
            raise damaged(head.key, "message", expected, MISSING)
        yield LoggedMessage(
            entry=Entry(
                index=row.index,
                draft=_draft_of(row),
                call_index=row.call_index,
            ),
            revision=row.revision,
            tokens=row.tokens,
            author=row.author,
            created_at=row.created_at,
        )


def _draft_of(row: Message) -> MessageDraft:
    draft = read_logged(orjson.loads(bytes(row.body)))
    return replace(
        draft,
        message_id=row.message_id,
        reported_tokens=row.tokens if row.tokens_reported else None,
        node_id=row.node_id or None,
    )


def _move_value(move: Move) -> MoveValue:
    return MoveValue(
        kind=cast(MoveKind, move.kind),
        from_revision=move.from_revision,
        to_revision=move.to_revision,
        author=move.author,
        reason=move.reason or None,
        created_at=move.created_at,
    )


def _write_log(head: Conversation, messages: Sequence[LoggedMessage]) -> None:
    remaining = iter(messages)
    while part := list(islice(remaining, _BATCH)):
        rows: list[Message] = []
        for logged in part:
            head.log_tokens += logged.tokens
            head.log_bytes += len(logged.entry.draft.body)
            rows.append(_message_row(head, logged))
        Message.objects.bulk_create(rows)
    link(head.key, ((logged.entry, logged.revision) for logged in messages))
    head.log_count = len(messages)


def _message_row(head: Conversation, logged: LoggedMessage) -> Message:
    draft = logged.entry.draft
    row = Message(
        conversation=head.key,
        index=logged.entry.index,
        message_id=draft.message_id,
        role=draft.role,
        answers=None if draft.answers is None else call_digest(draft.answers),
        call_index=logged.entry.call_index,
        tokens=logged.tokens,
        tokens_reported=draft.reported_tokens is not None,
        tokens_upto=head.log_tokens,
        revision=logged.revision,
        node_id=draft.node_id or "",
        author=logged.author,
        created_at=logged.created_at,
        body=draft.body,
    )
    row.sum = sum_of_message(row)
    return row


class _LastTalk:
    """Of each revision, the last message of its branch that is not a tool message."""

    def __init__(self, document: Transfer) -> None:
        self._own: dict[int, list[int]] = defaultdict(list)
        for each in document.messages:
            if each.entry.draft.role != "tool":
                self._own[each.revision].append(each.entry.index)
        self._inherited: dict[int, int] = {}

    def of(self, value: RevisionValue) -> int:
        """Returns -1 without one; call it for parents first."""
        inherited = -1
        if value.parent is not None:
            own = self._own[value.parent]
            if value.branched_at is not None:
                own = own[: bisect_left(own, value.branched_at)]
            inherited = max([self._inherited[value.parent], *own[-1:]])
        self._inherited[value.id] = inherited
        return max([inherited, *self._own[value.id][-1:]])


def _write_revisions(head: Conversation, document: Transfer) -> None:
    """Writes the revisions instead of the first one that every conversation starts with."""
    parents = {value.parent for value in document.revisions}
    Revision.objects.filter(conversation=head.key).delete()
    rows: dict[int, Revision] = {}
    views: dict[int | None, View] = {}
    talk = _LastTalk(document)
    for value in document.revisions:
        views[value.id] = value.view
        parent = None if value.parent is None else rows[value.parent]
        row = revision_row(head.key, value, parent, views.get(value.parent))
        row.has_children = value.id in parents
        row.last_talk = talk.of(value)
        if value.branched_at is not None:
            mark_unsettled(head.key, value.branched_at)
        rows[value.id] = row
    Revision.objects.bulk_create(map(add_checksums, rows.values()), batch_size=_BATCH)
    first = -len(document.moves)
    Move.objects.bulk_create(
        Move(
            conversation=head.key,
            seq=first + place,
            kind=move.kind,
            from_revision=move.from_revision,
            to_revision=move.to_revision,
            author=move.author,
            reason=move.reason or "",
            created_at=move.created_at,
        )
        for place, move in enumerate(document.moves)
    )
    current = rows[document.current_revision]
    head.revision_count = len(rows)
    head.current_revision, head.current_batch = current.number, current.batch
    head.visible_count, head.visible_tokens = current.visible_count, current.tokens
