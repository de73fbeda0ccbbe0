"""Copies a conversation as of some moment, within SQL."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db import connection, models
from django.db.models import Sum
from django.db.models.functions import Length

from conversations.models import Conversation, Mark, Message, Move, Pin, Revision, UnsettledCall
from conversations.store.conversation import view_of
from conversations.store.revision_sums import add_checksums, check_revision
from conversations.store.sql_log import SqlLog
from conversations.store.tool_links import relink
from conversations.writing.token_sums import TokenSums

_BATCH: Final = 500


@dataclass(frozen=True, slots=True)
class UpTo:
    """The extent of a conversation: its counts, its current revision, its last change."""

    log_count: int
    revision_count: int
    revision: int
    change_seq: int


def copy_conversation(source: Conversation, upto: UpTo, target: Conversation) -> None:
    """Copies the log, the revisions and the moves of ``source`` as of a moment to ``target``.

    Sets its counters without storing them. A revision that grew later is cut to its former length.
    """
    for table in (Message, UnsettledCall, Mark, Pin):
        copy_rows(table, [source.key], [target.key], "index", upto.log_count)
    later = Message.objects.filter(conversation=source.key, index__gte=upto.log_count)
    cut = later.filter(call_index__lt=upto.log_count).values_list("call_index", flat=True)
    relink(target.key, {call for call in cut if call is not None})
    _copy_revisions(source, upto, target)
    _copy_moves(source, upto, target)
    last = Message.objects.filter(conversation=source.key, index=upto.log_count - 1).first()
    current = Revision.objects.get(conversation=target.key, number=upto.revision)
    target.log_count = upto.log_count
    target.log_tokens = last.tokens_upto if last is not None else 0
    copied = Message.objects.filter(conversation=target.key)
    target.log_bytes = copied.aggregate(n=Sum(Length("body")))["n"] or 0
    target.revision_count = upto.revision_count
    target.current_revision, target.current_batch = current.number, current.batch
    target.visible_count, target.visible_tokens = current.visible_count, current.tokens


def _copy_revisions(source: Conversation, upto: UpTo, target: Conversation) -> None:
    known = Revision.objects.filter(conversation=source.key, number__lt=upto.revision_count)
    rows = [check_revision(row) for row in known.order_by("number")]
    parents = {row.parent for row in rows}
    sums = TokenSums(source.key)
    for row in rows:
        if row.log_length > upto.log_count:
            _cut(row, upto.log_count, sums)
            row.last_talk = SqlLog(source, upto.log_count, row.number).last_talk
    for row in rows:
        row.conversation = target.key
        row.has_children = row.number in parents
    Revision.objects.filter(conversation=target.key).delete()
    Revision.objects.bulk_create(map(add_checksums, rows), batch_size=_BATCH)


def _cut(row: Revision, log_count: int, sums: TokenSums) -> None:
    """Removes what the revision showed only after the log had ``log_count`` messages."""
    whole = view_of(row)
    kept = whole.within(((0, log_count),))
    row.grown = b""
    opened = len(view_of(row))
    row.grown = kept.slice(opened, len(kept)).encode() if len(kept) > opened else b""
    row.visible_count, row.log_length = len(kept), log_count
    row.tokens = sums.total(kept.runs)


def _copy_moves(source: Conversation, upto: UpTo, target: Conversation) -> None:
    """Copies moves with numbers below 1, so that those of the new conversation follow them."""
    rows = moves_until(source.key, upto.change_seq)
    for place, row in enumerate(rows):
        row.conversation, row.seq = target.key, place - len(rows)
    Move.objects.bulk_create(rows)


def moves_until(conversation: int, change_seq: int) -> list[Move]:
    """Returns the moves up to a change, in order."""
    rows = Move.objects.filter(conversation=conversation, seq__lte=change_seq)
    return list(rows.order_by("seq"))


def copy_rows(
    table: type[models.Model], source: Sequence[int], target: Sequence[int], place: str, stop: int
) -> None:
    """Copies the rows of ``source`` whose ``place`` is below ``stop``, in one statement.

    ``source`` and ``target`` are the first columns of the table's primary key: a conversation, or a
    conversation and one of its executions.
    """
    quote = connection.ops.quote_name
    columns = [field.column for field in table._meta.concrete_fields if field.column]
    own = columns[: len(source)]
    others = [quote(column) for column in columns[len(source) :]]
    into = ", ".join([*map(quote, own), *others])
    chosen = ", ".join(["%s"] * len(own) + others)
    where = " AND ".join([*(f"{quote(name)} = %s" for name in own), f"{quote(place)} < %s"])
    name = quote(table._meta.db_table)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {name} ({into}) SELECT {chosen} FROM {name} WHERE {where}",  # noqa: S608
            [*target, *source, stop],
        )
