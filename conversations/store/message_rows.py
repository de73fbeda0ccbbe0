"""Reads messages from SQL by their log indices; refuses damaged rows."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from operator import attrgetter
from typing import Any, Final

from conversations.domain.view import View
from conversations.models import Conversation, Message
from conversations.store.damage import ALTERED, MISSING, damaged
from ctxadmin.lib import clock
from ctxadmin.lib.errors import ContextError, NotFound
from ctxadmin.lib.row_sums import row_sum
from ctxadmin.lib.sentence import say
from ctxadmin.storage.tables import Table

# A row as the driver gives it: index, message_id, role, body, tokens, tokens_reported, node_id,
# author, created_at as text, call_index, sum.
MessageRow = tuple[Any, ...]
COLUMNS: Final = (
    *("index", "message_id", "role", "body", "tokens", "tokens_reported"),
    *("node_id", "author", "created_at", "call_index", "sum"),
)
BODY: Final = COLUMNS.index("body")
_SUMMED: Final = attrgetter(*COLUMNS[:-1])

_MESSAGES: Final = Table(Message)
_SHOWN: Final = ", ".join(
    f"CAST({{{name}}} AS CHAR)" if name == "created_at" else f"{{{name}}}" for name in COLUMNS
)
_LONG_RUN: Final = 50  # messages from which on a run is worth a query of its own
_AT_ONCE: Final = 500
_MOMENT: Final = len("2026-01-31 09:00:00.000000")


def message_rows(conversation: int, wanted: View) -> dict[int, MessageRow]:
    """Returns the rows of all messages of a view by index; Damaged if one is missing or altered."""
    rows: dict[int, MessageRow] = {}
    for given, values in _conditions(wanted):
        found = _MESSAGES.read(_SHOWN, "{conversation} = %s AND " + given, [conversation, *values])
        rows.update((row[0], row) for row in found)
    if len(rows) != len(wanted):
        raise _without(conversation, min(index for index in wanted if index not in rows))
    for row in rows.values():
        check_message(conversation, row)
    return rows


def body_sizes(conversation: int, wanted: View) -> dict[int, int]:
    """Returns the bytes of the body of each message of a view by index; without missing ones."""
    sizes: dict[int, int] = {}
    for given, values in _conditions(wanted):
        where = "{conversation} = %s AND " + given
        sizes.update(_MESSAGES.read("{index}, LENGTH({body})", where, [conversation, *values]))
    return sizes


def _without(conversation: int, index: int) -> ContextError:
    """Returns the error for a missing message; beyond the log it is that there is none."""
    is_behind = Conversation.objects.filter(key=conversation, log_count__lte=index).exists()
    if is_behind:
        return NotFound(say("There is no message {index}.", index=index))
    return damaged(conversation, "message", index, MISSING)


def check_message(conversation: int, row: MessageRow) -> None:
    """Raises Damaged unless the row is what was written; one without a checksum is not checked."""
    if row[-1] is not None and row[-1] != _sum_of(row):
        raise damaged(conversation, "message", row[0], ALTERED)


def check_rows(rows: Iterable[Message]) -> Iterator[Message]:
    """Yields rows of the ORM after ``check_message``."""
    for row in rows:
        if row.sum is not None and row.sum != sum_of_message(row):
            raise damaged(row.conversation, "message", row.index, ALTERED)
        yield row


def sum_of_message(row: Message) -> int:
    """Returns the checksum of a row."""
    return _sum_of((*_SUMMED(row), None))


def iso_of(stored: str | datetime) -> str:
    """Returns a stored moment, ``2026-01-31 09:00:00.000000``, as ``clock.iso`` writes it.

    SQLite omits microseconds that are zero.
    """
    if not isinstance(stored, str):
        return clock.iso(stored)
    whole = stored if len(stored) == _MOMENT else f"{stored}.000000"
    return f"{whole[:10]}T{whole[11:]}Z"


def _sum_of(row: MessageRow) -> int:
    index, message_id, role, body, tokens, reported, node_id, author, created_at, call, _ = row
    facts = (
        f"{index}|{message_id}|{role}|{tokens}|{reported:d}|{node_id}|{author}"
        f"|{iso_of(created_at)}|{call}|"
    )
    return row_sum(facts, bytes(body))


def _conditions(wanted: View) -> Iterator[tuple[str, list[int]]]:
    """Returns few conditions for many messages: long runs by their ends, the rest by index."""
    single: list[int] = []
    for start, stop in wanted.indices_as_runs():
        if stop - start >= _LONG_RUN:
            yield "{index} >= %s AND {index} < %s", [start, stop]
        else:
            single += range(start, stop)
    for place in range(0, len(single), _AT_ONCE):
        part = single[place : place + _AT_ONCE]
        yield f"{{index}} IN ({', '.join(['%s'] * len(part))})", part
