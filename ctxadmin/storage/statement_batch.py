"""Sends writes to the database together: one round trip for a transaction, with COMMIT.

A statement that changes rows has to run in order only if something is read after it. So within
``batch_statements`` the writes of tables are held back, and are sent before the next statement
that does not go through here, and at the end of the block: on MySQL all in one packet, on SQLite,
where a statement is a function call, one by one. A read never misses an earlier write.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

if TYPE_CHECKING:  # its driver is of the production set
    from ctxadmin.storage.database.mysql.base import DatabaseWrapper as MySqlConnection

# Bytes of values that are kept back at most: a packet has to stay below max_allowed_packet.
_MOST_BYTES: Final = 4 * 1024**2
_LEAST: Final = 8  # bytes of any value
_MOST_ROWS: Final = 500  # of one INSERT; SQLite takes 32,766 values in a statement
_SIZED: Final = (bytes, str, memoryview)
_READS: Final = "SELECT "


class LeavesBatch(Exception):
    """A write needs more than a batch can give and is to be done alone; nothing of it was sent."""


@dataclass(slots=True)
class _Statement:
    """A held-back statement; the ``text`` of an INSERT ends at VALUES, and ``rows`` follow it."""

    text: str
    values: list[Any]
    row: str = ""
    rows: int = 0

    @property
    def whole(self) -> str:
        return self.text + ", ".join([self.row] * self.rows) if self.rows else self.text


class _Gathering:
    """The statements of one transaction that are not sent yet."""

    def __init__(self, connection: BaseDatabaseWrapper) -> None:
        self.connection = connection
        self._is_mysql = connection.vendor == "mysql"
        self._waiting: list[_Statement] = []
        self._bytes = 0
        self._sending = False

    def add(self, statement: _Statement) -> None:
        self._waiting.append(statement)
        self._bytes += _LEAST * len(statement.values)
        self._bytes += sum([len(value) for value in statement.values if type(value) in _SIZED])
        if self._bytes > _MOST_BYTES:
            self.overflow()

    def overflow(self) -> None:
        """Returns whether more is held back than allowed."""
        self.send()

    def send(self) -> None:
        """Sends what was held back; raises what the first failing statement raises."""
        waiting = _united(self._waiting)
        if not waiting:
            return
        self._waiting, self._bytes = [], 0
        if self._is_mysql and len(waiting) > 1:
            text = "; ".join([statement.whole for statement in waiting])
            self._execute(text, [value for each in waiting for value in each.values])
        else:
            for statement in waiting:
                self._execute(statement.whole, statement.values)

    def send_and_commit(self) -> None:
        """Sends everything as the last step of a transaction, on MySQL together with COMMIT."""
        if self._waiting and self._is_mysql:
            self._waiting.append(_Statement("COMMIT", []))
            with cast("MySqlConnection", self.connection).commits():
                self.send()
        else:
            self.send()

    def _execute(self, text: str, values: Sequence[Any]) -> None:
        self._sending = True
        try:
            with self.connection.cursor() as cursor:
                cursor.execute(text, values)
                while self._is_mysql and cursor.nextset():  # tells of one that failed, too
                    pass
        finally:
            self._sending = False

    def before_others(
        self,
        execute: Callable[..., Any],
        sql: str,
        params: Any,
        many: bool,
        context: dict[str, Any],
    ) -> Any:
        """Django's hook around every statement: sends earlier writes first."""
        if not self._sending:
            self.send_before(sql)
        return execute(sql, params, many, context)

    def send_before(self, sql: str) -> None:
        """Sends earlier writes before a statement that may have to see them."""
        self.send()


class Batch(_Gathering):
    """The writes of several parts of one transaction, each about rows of its own.

    A part that raises leaves nothing, and the others are unaffected. So nothing is sent before all
    have decided: a part that has to read what it wrote itself leaves the batch.
    """

    _first: int | None = None  # of the statements of the part that decides now

    @contextmanager
    def part(self) -> Iterator[None]:
        """Keeps the writes of the block, or, if it raises, drops them; raises LeavesBatch."""
        self._first, size = len(self._waiting), self._bytes
        hooks = len(self.connection.run_on_commit)
        try:
            yield
        except BaseException as error:
            if isinstance(error, LeavesBatch):
                # Django takes what comes through a save of a model for a failure of the database.
                self.connection.set_rollback(False)
            del self._waiting[self._first :], self.connection.run_on_commit[hooks:]
            self._bytes = size
            raise
        finally:
            self._first = None

    def overflow(self) -> None:
        raise LeavesBatch

    def send_before(self, sql: str) -> None:
        if self._first is None:
            self.send()
        elif len(self._waiting) > self._first or not sql.startswith(_READS):
            raise LeavesBatch


def _united(waiting: Sequence[_Statement]) -> list[_Statement]:
    """Returns the statements with one INSERT for the new rows of each table, which come first.

    No held-back statement makes room for a later row: none deletes rows or sets a unique key. So
    new rows can come before everything else.
    """
    inserts: dict[str, _Statement] = {}
    full: list[_Statement] = []
    others: list[_Statement] = []
    for statement in waiting:
        first = inserts.get(statement.text)
        if not statement.rows:
            others.append(statement)
        elif first is None or first.rows + statement.rows > _MOST_ROWS:
            if first is not None:
                full.append(first)
            inserts[statement.text] = _Statement(
                statement.text, list(statement.values), statement.row, statement.rows
            )
        else:
            first.values += statement.values
            first.rows += statement.rows
    return [*full, *inserts.values(), *others]


class _Open(threading.local):
    """The gathering of this thread, which has a database connection of its own."""

    gathering: _Gathering | None = None


_open = _Open()


@contextmanager
def batched_transaction() -> Iterator[None]:
    """Opens a transaction whose writes are batched, and sent in one packet with its COMMIT.

    Within another transaction it is a part of that and sends only the writes.
    """
    outermost = not connections[DEFAULT_DB_ALIAS].in_atomic_block
    with transaction.atomic(), batch_statements(commits=outermost):
        yield


@contextmanager
def batch() -> Iterator[Batch]:
    """Opens a transaction for the parts of a batch, sent in one packet with its COMMIT."""
    connection = connections[DEFAULT_DB_ALIAS]
    gathering = Batch(connection)
    with transaction.atomic(durable=True), _gathering_into(gathering):
        yield gathering
        gathering.send_and_commit()


@contextmanager
def batch_statements(*, commits: bool = False) -> Iterator[None]:
    """Holds back the writes of the block and sends them together at its end.

    It is inside a transaction: an exception in the block discards what was not sent, and the
    transaction rolls the rest back. A nested block belongs to the outer one.
    """
    if _open.gathering is not None:
        yield
        return
    gathering = _Gathering(connections[DEFAULT_DB_ALIAS])
    with _gathering_into(gathering):
        yield
        if commits:
            gathering.send_and_commit()
        else:
            gathering.send()


@contextmanager
def _gathering_into(gathering: _Gathering) -> Iterator[None]:
    _open.gathering = gathering
    try:
        with gathering.connection.execute_wrapper(gathering.before_others):
            yield
    finally:
        _open.gathering = None


def send(text: str, values: list[Any]) -> None:
    """Runs a statement whose row count is not needed: later if the block gathers, else now."""
    _send(_Statement(text, values))


def insert(text: str, row: str, rows: int, values: list[Any]) -> None:
    """Inserts rows, by an INSERT up to its VALUES and the placeholders of a row."""
    _send(_Statement(text, values, row, rows))


def _send(statement: _Statement) -> None:
    if _open.gathering is not None:
        _open.gathering.add(statement)
        return
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(statement.whole, statement.values)


def run_queries(questions: Sequence[tuple[str, Sequence[Any]]]) -> list[list[Any]]:
    """Returns the rows of several SELECTs, on MySQL with one round trip."""
    connection = connections[DEFAULT_DB_ALIAS]
    with connection.cursor() as cursor:
        if connection.vendor != "mysql":
            found = []
            for text, values in questions:
                cursor.execute(text, values)
                found.append(cursor.fetchall())
            return found
        text = "; ".join([text for text, _ in questions])
        cursor.execute(text, [value for _, values in questions for value in values])
        found = [list(cursor.fetchall())]
        while cursor.nextset():
            found.append(list(cursor.fetchall()))
        return found[: len(questions)]
