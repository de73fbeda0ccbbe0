"""The changes of a view since it was read, and their authors."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Final

from conversations.domain.diff import ChangeKind, ViewDifference, diff_views, moved_between
from conversations.domain.view import View
from conversations.models import Conversation, Message, Move, Revision
from conversations.reading.queries import edits_between
from conversations.store.conversation import find_revision, lineage, view_of

_MOST_REVISIONS: Final = 40  # whose views are read to find who hid a message


@dataclass(frozen=True, slots=True)
class ReadView:
    """A view as it was read: the first ``count`` messages of a revision.

    ``known`` is the length of the log then, None if unknown.
    """

    revision: int
    count: int
    known: int | None = None


@dataclass(frozen=True, slots=True)
class AuthoredChange:
    """One difference of two views; ``cause`` is incomplete if too much happened."""

    kind: ChangeKind
    index: int
    previous_index: int | None
    cause: "ChangeCause"

    @property
    def author(self) -> str:
        return self.cause.author

    @property
    def at(self) -> datetime | None:
        return self.cause.at


@dataclass(frozen=True, slots=True)
class ChangeCause:
    """The cause of a change; ``author`` is "" if too much happened to tell.

    ``node_id`` is the node that wrote an added message. ``step`` is the pair of revisions of an
    operation or a move, with the ``reason`` that its caller gave; None for an appended message.
    ``operation`` is the kind of the operation, "" for a move.
    """

    author: str = ""
    at: datetime | None = None
    node_id: str = ""
    reason: str = ""
    step: tuple[int, int] | None = None
    operation: str = ""


def changes_since(
    head: Conversation, before: ReadView, after: ReadView
) -> Sequence[AuthoredChange]:
    """Returns the changes from one view of a conversation to a later one, in the order of that."""
    if (before.revision, before.count) == (after.revision, after.count):
        return ()
    first = find_revision(head.key, before.revision)
    then = view_of(first)
    last = find_revision(head.key, after.revision)
    changes = diff_views(
        then.slice(0, before.count),
        view_of(last).slice(0, after.count),
        known=_log_length(head, before, then),
        edits=edits_between(head.key, before.revision, after.revision),
    )
    return _Authors(head, first, last, changes).named()


def _log_length(head: Conversation, before: ReadView, then: View) -> int:
    """Returns the length of the log when a view was read."""
    if before.known is not None:
        return before.known
    if before.count < len(then):
        return then.index_at(before.count)  # what was appended next
    later = Revision.objects.filter(conversation=head.key, number=before.revision + 1)
    opened = later.values_list("created_at", flat=True).first()
    if opened is None:
        return head.log_count
    rows = Message.objects.filter(conversation=head.key, created_at__lt=opened)
    newest = rows.order_by("-index").values_list("index", flat=True).first()
    return 0 if newest is None else newest + 1


class _Authors:
    """The author of each of some changes: of a message its author, of a view that of its
    revision.
    """

    def __init__(
        self, head: Conversation, first: Revision, last: Revision, changes: Sequence[ViewDifference]
    ) -> None:
        self._head = head
        self._first = first
        self._last = last
        self._changes = changes

    def named(self) -> Sequence[AuthoredChange]:
        return [
            AuthoredChange(each.kind, each.index, each.previous_index, self._by(each))
            for each in self._changes
        ]

    def _by(self, change: ViewDifference) -> ChangeCause:
        if change.kind in ("added", "edited"):
            return self._writers.get(change.index, ChangeCause())
        if len(self._path) > _MOST_REVISIONS:
            return ChangeCause()
        if change.kind == "moved":
            row = self._moved_by(change.index)
        else:
            row = self._shown_or_hidden_by(change.index)
        if row is not None:
            return _of_revision(row)
        move = self._move
        if move is None:
            return ChangeCause()
        step = (move.from_revision, move.to_revision)
        return ChangeCause(move.author, move.created_at, reason=move.reason, step=step)

    def _shown_or_hidden_by(self, index: int) -> Revision | None:
        """The newest revision that shows or hides a message."""
        for row, before, after in self._steps:
            if (index in before) != (index in after):
                return row
        return None

    def _moved_by(self, index: int) -> Revision | None:
        """The newest revision that moved a message, or what stood there before it was edited.

        Else the newest that shows it again, perhaps elsewhere; else the newest with another order:
        of two messages that changed places either can be the one that moved.
        """
        edits = {each.index: each.previous_index for each in self._changes if each.kind == "edited"}
        same = {index, edits.get(index, index)}
        for row, moved in self._moved_in_steps:
            if not same.isdisjoint(moved):
                return row
        for row, before, after in self._steps:
            if index in after and index not in before and row.operation != "replace":
                return row
        return next((row for row, moved in self._moved_in_steps if moved), None)

    @cached_property
    def _moved_in_steps(self) -> Sequence[tuple[Revision, frozenset[int]]]:
        """The revisions since, the newest first, each with the messages that it moved."""
        return [(row, moved_between(before, after)) for row, before, after in self._steps]

    @cached_property
    def _writers(self) -> dict[int, ChangeCause]:
        """Returns the authors of the messages since the first that was added or edited.

        An operation writes its messages at the moment at which it opens their revision.
        """
        wanted = [each.index for each in self._changes if each.kind in ("added", "edited")]
        key = self._head.key
        rows = Message.objects.filter(conversation=key, index__gte=min(wanted))
        found = rows.values_list("index", "author", "created_at", "node_id", "revision")
        opened = {
            (row.number, row.created_at): row
            for row in Revision.objects.filter(conversation=key)
            .filter(number__gt=self._first.number)
            .exclude(operation="append")
            .defer("opened", "grown", "config")
        }
        return {
            index: ChangeCause(author, at, node_id)
            if (row := opened.get((revision, at))) is None
            else replace(_of_revision(row), author=author, node_id=node_id)
            for index, author, at, node_id, revision in found
        }

    @cached_property
    def _steps(self) -> Sequence[tuple[Revision, View, View]]:
        """Returns the revisions since, latest first, each with the view before it and its own."""
        return list(self._read_steps())

    @cached_property
    def _path(self) -> Sequence[Revision]:
        """Returns the revisions since, latest first, without their views."""
        key = self._head.key
        ancestors = {row.number for row in lineage(key, self._first.number)}
        return [row for row in lineage(key, self._last.number) if row.number not in ancestors]

    def _read_steps(self) -> Iterator[tuple[Revision, View, View]]:
        after = view_of(self._last)
        for row in self._path:
            if row.parent is None:
                return
            before = view_of(find_revision(self._head.key, row.parent))
            yield row, before, after
            after = before

    @cached_property
    def _move(self) -> Move | None:
        """Returns the latest rollback or restore since, which changes a view without a new
        revision.
        """
        rows = Move.objects.filter(
            conversation=self._head.key, created_at__gte=self._first.created_at
        )
        return rows.order_by("-seq").first()


def _of_revision(row: Revision) -> ChangeCause:
    step = None if row.parent is None else (row.parent, row.number)
    return ChangeCause(row.author, row.created_at, "", row.reason, step, row.operation)
