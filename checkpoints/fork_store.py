"""Copying a conversation and its execution as they were at one version, within SQL."""

from collections.abc import Sequence
from typing import Final

from django.db import connection, models
from django.db.models import Case, Value, When

from checkpoints.domain.state import ChangeKind
from checkpoints.models import Checkpoint, Execution, StateKey, StateValue
from conversations.models import Conversation, Message, Move, Revision, ToolCall, ToolDescription
from conversations.store import view_of
from conversations.token_sums import TokenSums

_BATCH: Final = 500


def copy_conversation(source: Conversation, to: Checkpoint, target: Conversation) -> None:
    """Give ``target`` the log, the revisions and the moves that ``source`` had at ``to``.

    Its counters are set and not stored. A revision that grew later is cut to what it was.
    """
    for table in (Message, ToolCall, ToolDescription):
        _copy(table, source.key, target.key, "index", to.log_count)
    _copy_revisions(source, to, target)
    _copy_moves(source, to, target)
    last = Message.objects.filter(conversation=source.key, index=to.log_count - 1).first()
    current = Revision.objects.get(conversation=target.key, number=to.revision)
    target.log_count = to.log_count
    target.log_tokens = last.tokens_upto if last is not None else 0
    target.revision_count = to.revision_count
    target.current_revision, target.current_batch = current.number, current.batch
    target.visible_count, target.visible_tokens = current.visible_count, current.tokens


def _copy_revisions(source: Conversation, to: Checkpoint, target: Conversation) -> None:
    known = Revision.objects.filter(conversation=source.key, number__lt=to.revision_count)
    rows = list(known.order_by("number"))
    parents = {row.parent for row in rows}
    sums = TokenSums(source.key)
    for row in rows:
        if row.log_length > to.log_count:
            _cut(row, to.log_count, sums)
        row.conversation = target.key
        row.has_children = row.number in parents
    Revision.objects.filter(conversation=target.key).delete()
    Revision.objects.bulk_create(rows, batch_size=_BATCH)


def _cut(row: Revision, log_count: int, sums: TokenSums) -> None:
    """Take away what the revision showed only after the log had ``log_count`` messages."""
    whole = view_of(row)
    kept = whole.within(((0, log_count),))
    row.grown = b""
    opened = len(view_of(row))
    row.grown = kept.slice(opened, len(kept)).encode() if len(kept) > opened else b""
    sums.prepare(kept)
    row.visible_count, row.log_length = len(kept), log_count
    row.tokens = sum(sums(start, stop) for start, stop in kept.runs)


def _copy_moves(source: Conversation, to: Checkpoint, target: Conversation) -> None:
    """Numbered below 1, so that the moves of the new conversation come behind them."""
    rows = _moves_until(source.key, to)
    for place, row in enumerate(rows):
        row.conversation, row.seq = target.key, place - len(rows)
    Move.objects.bulk_create(rows)


def _moves_until(conversation: int, to: Checkpoint) -> list[Move]:
    rows = Move.objects.filter(conversation=conversation, seq__lte=to.change_seq)
    return list(rows.order_by("seq"))


def copy_execution(source: Execution, to: Checkpoint, target: Execution) -> None:
    """Give ``target`` the versions of ``source`` up to ``to`` with their state.

    Their numbers of changes become those of the moves that they came behind, see ``_copy_moves``.
    """
    moves = _moves_until(source.conversation, to)
    for table in (Checkpoint, StateValue):
        _copy(
            table,
            source.conversation,
            target.conversation,
            "version",
            to.version + 1,
            execution=(source.number, target.number),
        )
    rows = Checkpoint.objects.filter(conversation=target.conversation, execution=target.number)
    rows.update(
        change_seq=Case(
            *(
                When(change_seq__gte=move.seq, then=Value(place - len(moves)))
                for place, move in reversed([*enumerate(moves)])
            ),
            default=Value(-1 - len(moves)),
        )
    )
    rows.filter(version=to.version).update(status=target.status)
    _copy_keys(source, to.version, target)


def _copy_keys(source: Execution, version: int, target: Execution) -> None:
    """The heads of all keys as of a version, of those too that were deleted by then."""
    keys = StateKey.objects.filter(conversation=source.conversation, execution=source.number)
    names = dict(keys.values_list("key", "name"))
    own = {"conversation": target.conversation, "execution": target.number}
    latest: dict[str, StateValue] = {}
    values = StateValue.objects.filter(**own, version__lte=version).defer("value")
    for row in values.order_by("key", "version").iterator(_BATCH):
        latest[row.key] = row
    StateKey.objects.bulk_create(
        StateKey(
            **own,
            key=key,
            name=names[key],
            version=row.version,
            gone=row.kind == ChangeKind.GONE,
            first=row.first,
            last=row.last,
            spans=row.spans,
            digest=row.digest,
            size=row.size,
            count=row.count,
        )
        for key, row in latest.items()
    )


def _copy(
    table: type[models.Model],
    source: int,
    target: int,
    place: str,
    stop: int,
    *,
    execution: tuple[int, int] | None = None,
) -> None:
    """Copy the rows of a conversation (and execution) whose ``place`` is below ``stop``."""
    quote = connection.ops.quote_name
    own = ["conversation"] if execution is None else ["conversation", "execution"]
    columns = [field.column for field in table._meta.concrete_fields if field.column]
    others = [quote(column) for column in columns if column not in own]
    into = ", ".join([*map(quote, own), *others])
    chosen = ", ".join(["%s"] * len(own) + others)
    where = " AND ".join([*(f"{quote(name)} = %s" for name in own), f"{quote(place)} < %s"])
    name = quote(table._meta.db_table)
    new: Sequence[int] = [target] if execution is None else [target, execution[1]]
    old: Sequence[int] = [source] if execution is None else [source, execution[0]]
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {name} ({into}) SELECT {chosen} FROM {name} WHERE {where}",  # noqa: S608
            [*new, *old, stop],
        )
