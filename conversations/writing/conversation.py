"""Writes one conversation in one transaction: messages, revisions, moves, and its head."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Final

from django.db import IntegrityError, connection, transaction

from conversations.domain.message import Entry
from conversations.domain.revisions import MoveKind, PinnedBy, RevisionKind
from conversations.domain.tokens import tokens_of_message
from conversations.domain.view import View
from conversations.models import Conversation, Message, Move, Revision
from conversations.store.conversation import (
    DETAILS,
    HEADS,
    REVISIONS,
    find_head,
    refuse_damaged_current,
    refuse_short_counts,
    view_of,
)
from conversations.store.pin_rows import remove_pin, write_pins
from conversations.store.revision_sums import GROWING, add_checksums, growth_of, sum_of_growth
from conversations.store.sql_log import SqlLog
from conversations.store.stored_views import stored_view
from conversations.store.tool_links import link, mark_unsettled
from conversations.writing.announcements import (
    ChangeNotice,
    RowChange,
    announce_after_commit,
    has_followers,
)
from conversations.writing.cache import WRITE_CACHE
from conversations.writing.logged_rows import row_of_entry
from conversations.writing.opened_head import REVISION, OpenedHead
from conversations.writing.token_sums import TokenSums
from ctxadmin.audit.record import AuditChange, record
from ctxadmin.identity.actor import Actor
from ctxadmin.lib import clock, json_bytes
from ctxadmin.lib.errors import Unavailable
from ctxadmin.lib.sentence import say
from ctxadmin.storage.statement_batch import batched_transaction
from ctxadmin.storage.tables import Table
from ctxadmin.telemetry.traces import span

_COUNTERS: Final = (
    "status",
    "workflow",
    "log_count",
    "log_tokens",
    "log_bytes",
    "state_bytes",
    "checkpoint_bytes",
    "current_revision",
    "current_batch",
    "revision_count",
    "visible_count",
    "visible_tokens",
)
_MESSAGES: Final = Table(Message)
_ROWS: Final = 1_000  # made at once
_MOST_FOLLOWED: Final = 1_000  # messages: 100,000 of one letter held 60 MB
_Column = bool | int | str | bytes | datetime | None  # of the head


@contextmanager
def writing(actor: Actor, public_id: str) -> Iterator["Writing"]:
    """Opens a transaction on one conversation and locks its head.

    Concurrent writers wait at the head; any exception in the block rolls everything back. A taken
    key at the end is Damaged if the head counts too few messages or revisions, or if the row of its
    revision is not the cached one; else Unavailable: two writers passed a lock that does not hold,
    or an engine repeats a checkpoint id.
    """
    key = None
    try:
        with span("transaction"), batched_transaction():
            head = find_head(actor.workspace, public_id, lock=True)
            key = head.key
            yield Writing(head, actor)
    except IntegrityError as error:
        if key is not None and not connection.needs_rollback:
            refuse_short_counts(key)
            refuse_damaged_current(key)
        raise Unavailable(say("The conversation has changed; try again.")) from error


class Writing(OpenedHead):
    """What one transaction does to one conversation, until ``commit`` sets the head.

    ``head`` is changed in memory as the steps continue; nothing of it is stored before ``commit``,
    which also writes the one audit entry of the change. ``changed`` says if any step did anything.
    ``parts`` is what an app above tells of its own rows to those who follow (see ``ChangeNotice``).
    """

    def __init__(self, head: Conversation, actor: Actor) -> None:
        super().__init__(head)
        self.actor = actor
        self.at = clock.now()
        self._author = actor.label
        self.changed = False
        self.size = 0  # bytes of messages and state that are written
        self.sums = TokenSums(head.key)
        self.parts: list[RowChange] = []
        self._logged: list[Message] = []
        self._view_is_other = False
        self._seen = head.change_seq
        self._dirty: set[str] = set()
        self._last_talk = -1  # the last message that is logged by now and that no tool wrote

    def _talk_after(self, row: Revision) -> int:
        """Returns the last message of a revision's branch that no tool wrote, new ones too."""
        last, self._last_talk = max(row.last_talk, self._last_talk), -1
        return last

    def set(self, **fields: object) -> None:
        """Changes a field of the head: its title, or whether it is archived."""
        self.changed = True
        for name, value in fields.items():
            setattr(self.head, name, value)
            self._dirty.add(name)

    def set_details(self, **fields: object) -> None:
        """Changes metadata or tools."""
        self.changed = True
        for name, value in fields.items():
            setattr(self.head.details, name, value)
        DETAILS.change({"conversation": self.head.key}, fields)

    def log_entries(
        self, entries: Sequence[Entry], *, node_id: str = "", into_next: bool = False
    ) -> int:
        """Writes messages at the end of the log; returns the number of their tokens.

        They belong to the current revision, or with ``into_next`` to the one that is opened next;
        showing them is another step.
        """
        self.changed = True
        revision = self.head.revision_count if into_next else self.head.current_revision
        before = self.head.log_tokens
        for start in range(0, len(entries), _ROWS):
            self._log_part(entries[start : start + _ROWS], revision, node_id)
        link(self.head.key, ((entry, revision) for entry in entries))
        if pinned := [entry.index for entry in entries if entry.draft.pinned]:
            write_pins(self.head.key, pinned, self.actor.label, self.at)
        return self.head.log_tokens - before

    def _log_part(self, entries: Sequence[Entry], revision: int, node_id: str) -> None:
        """Writes some of the messages: a row takes fifty times the memory of a short message."""
        head = self.head
        rows: list[Message] = []
        for entry in entries:
            tokens = tokens_of_message(entry.draft)
            head.log_tokens += tokens
            if entry.draft.role != "tool":
                self._last_talk = entry.index
            rows.append(
                row_of_entry(
                    entry,
                    head,
                    revision=revision,
                    node_id=node_id,
                    tokens=tokens,
                    author=self._author,
                    at=self.at,
                )
            )
        _MESSAGES.insert(rows)
        self._follow(rows)
        size = sum(len(row.body) for row in rows)
        self.size += size
        head.log_count += len(rows)
        head.log_bytes += size

    def _follow(self, rows: Sequence[Message]) -> None:
        """Collects messages for followers; of very many they learn only that the view changed."""
        if not has_followers() or self._view_is_other:
            return
        self._logged += rows
        if len(self._logged) > _MOST_FOLLOWED:
            self._view_is_other = True
            self._logged.clear()

    def append(self, entries: Sequence[Entry], *, node_id: str = "") -> None:
        """Logs messages and shows them at the end of the view (rules 1.3 and 1.5).

        The current revision grows; if others were opened from it, it never changes again and a new
        one continues under the same batch number.
        """
        if self.current.has_children:
            self._continue(self.whole)
        tokens = self.log_entries(entries, node_id=node_id)
        head, row, count = self.head, self.current, len(entries)
        before = growth_of(row)
        head.visible_count += count
        head.visible_tokens += tokens
        added = View([(head.log_count - count, head.log_count)])
        grown = View.decode(bytes(row.grown)).concat(added) if row.grown else added
        row.grown = grown.encode()
        row.log_length = head.log_count
        row.last_talk = self._talk_after(row)
        row.visible_count, row.tokens = head.visible_count, head.visible_tokens
        self._update(row, before, {name: getattr(row, name) for name in GROWING})

    def _continue(
        self, row: Revision, *, config: bytes = b"{}", reason: str | None = None
    ) -> Revision:
        view = view_of(row)
        return self._insert(
            row,
            batch=row.batch,
            view=view,
            base=view,
            operation="append",
            config=config,
            reason=reason,
        )

    def set_pin(self, index: int, *, pinned: bool, reason: str | None, by: PinnedBy = "") -> None:
        """Pins or unpins a message; the view stays, in a revision of its own (rule 4.2)."""
        remove_pin(self.head.key, index)
        write_pins(
            self.head.key, [index], self.actor.label, self.at, reason=reason or "", holds=pinned
        )
        pin = {"index": index, "pinned": pinned, **({"by": by} if by else {})}
        config = json_bytes.dumps({"pin": pin})
        self._continue(self.current, config=config, reason=reason)

    def open_batch(
        self,
        view: View,
        operation: RevisionKind,
        *,
        before: View,
        config: bytes = b"{}",
        boundary: int | None = None,
        reason: str | None = None,
    ) -> Revision:
        """Opens the next batch with ``view`` from the current revision, whose view is
        ``before``.
        """
        parent = self.whole
        self._view_is_other = True
        self.head.current_batch = parent.batch + 1
        self.head.visible_count = len(view)
        self.head.visible_tokens = self.sums.of_view(view, before, self.head.visible_tokens)
        return self._insert(
            parent,
            batch=parent.batch + 1,
            view=view,
            base=before,
            operation=operation,
            config=config,
            boundary=boundary,
            reason=reason,
        )

    def reopen(self, row: Revision, visible_count: int, log_count: int, reason: str | None) -> None:
        """Shows a revision as it was when it had ``visible_count`` messages of ``log_count``.

        It continues under the same batch number as a new revision, whose branch is without the
        later messages. The revision itself keeps them, and can be restored.
        """
        head, whole = self.head, view_of(row)
        self._view_is_other = True
        view = whole.slice(0, visible_count)
        head.current_batch = row.batch
        head.visible_count = len(view)
        head.visible_tokens = self.sums.of_view(view, whole, row.tokens)
        mark_unsettled(head.key, log_count)
        self._insert(
            row,
            batch=row.batch,
            view=view,
            base=whole,
            operation="append",
            reason=reason,
            branched_at=log_count,
            last_talk=SqlLog(head, log_count, row.number).last_talk,
        )

    def _insert(
        self,
        parent: Revision,
        *,
        batch: int,
        view: View,
        base: View,
        operation: RevisionKind,
        reason: str | None,
        config: bytes = b"{}",
        boundary: int | None = None,
        branched_at: int | None = None,
        last_talk: int | None = None,
    ) -> Revision:
        self.changed = True
        head = self.head
        stored = stored_view(view, base, parent)
        row = Revision(
            conversation=head.key,
            number=head.revision_count,
            parent=parent.number,
            batch=batch,
            operation=operation,
            config=config,
            boundary=boundary,
            opened=stored.data,
            starts_line=parent.number != head.revision_count - 1 or branched_at is not None,
            patches=stored.patches,
            log_length=head.log_count,
            last_talk=self._talk_after(parent) if last_talk is None else last_talk,
            branched_at=branched_at,
            visible_count=head.visible_count,
            tokens=head.visible_tokens,
            author=self.actor.label,
            reason=reason or "",
            created_at=self.at,
        )
        REVISIONS.insert([add_checksums(row)])
        if not parent.has_children:
            before = growth_of(parent)
            parent.has_children = True
            self._update(parent, before, {"has_children": True})
        head.revision_count += 1
        head.current_revision = self._whole = row.number
        self._current, self._remembered = row, None
        return row

    def _update(
        self, row: Revision, before: Mapping[str, object], fields: Mapping[str, object]
    ) -> None:
        """Changes a row that still is what it was ``before``, so that damage is never
        overwritten.
        """
        row.grown_sum = sum_of_growth(row)
        where = {"conversation": row.conversation, "number": row.number, **before}
        REVISIONS.change(where, {**fields, "grown_sum": row.grown_sum})

    def move(self, kind: MoveKind, to: Revision, reason: str | None) -> None:
        """Makes another revision the current one and records the move (rule 1.5)."""
        self.changed = self._view_is_other = True
        head = self.head
        Move.objects.create(
            conversation=head.key,
            seq=self._seen + 1,
            kind=kind,
            from_revision=head.current_revision,
            to_revision=to.number,
            author=self.actor.label,
            reason=reason or "",
            created_at=self.at,
        )
        head.current_revision, head.current_batch = to.number, to.batch
        head.visible_count, head.visible_tokens = to.visible_count, to.tokens
        self._current = None

    def commit(self, change: AuditChange, *, upkeep: bool = False) -> None:
        """Sets the head and writes the audit entry.

        Nobody else can have since the head was read: its lock is held, on SQLite that of the whole
        database. Should a database not lock, the key of the audit entry refuses the second writer.
        A write unarchives an archived conversation. Work for ``upkeep`` does not, and leaves the
        time of the last change as it is.
        """
        seq = self._seen + 1
        if self.head.archived and not upkeep and "archived" not in self._dirty:
            self.set(archived=False)
            change = replace(change, detail={**change.detail, "unarchived": True})
        names = (*_COUNTERS, *sorted(self._dirty))
        fields: dict[str, _Column] = {"change_seq": seq}
        fields |= {name: getattr(self.head, name) for name in names}
        before, after = record(
            self.actor,
            change,
            stream=self.head.key,
            seq=seq,
            before=self.head.audit_hash,
            at=self.at,
            size=self.size,
        )
        fields |= {"audit_hash": after.hash, "unfed": True}
        if not upkeep:
            self.head.updated_at = fields["updated_at"] = self.at
        self._change_head(fields)
        self.head.change_seq, self.head.audit_hash, self.head.unfed = seq, after.hash, True
        self.known.set(REVISION, self._current or self._known_revision())
        transaction.on_commit(lambda: WRITE_CACHE.store(self.head.key, after, self.known))
        shown = None if self._view_is_other else self._logged
        announce_after_commit(
            ChangeNotice(self.head, before, after, shown, self.parts, self.actor, change.action)
        )

    def _change_head(self, fields: Mapping[str, object]) -> None:
        """Sets the head.

        If its revision was not read, on the condition that it is the cached one.
        """
        where = {"key": self.head.key, "change_seq": self._seen}
        row = self._current
        if row is None or row.number != self._remembered or row.grown_sum is None:
            HEADS.change(where, fields)
            return
        stored = {"conversation": row.conversation, "number": row.number}
        HEADS.change_with(where, fields, REVISIONS, {**stored, "grown_sum": row.grown_sum})
