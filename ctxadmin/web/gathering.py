"""Writes that go to the database together: one round trip for all statements of a transaction.

A statement that changes rows has to wait for its turn only if something is read after it. So
within ``gathered`` the writes of tables are kept back, and are sent before the next statement that
does not go through here, and at the end of the block: on MySQL all in one packet, on SQLite, where
a statement is a function call, one by one. What is read never misses what was written before.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper

# Bytes of values that are kept back at most: a packet has to stay below max_allowed_packet.
_MOST_BYTES: Final = 4 * 1024**2


class _Gathering:
    """The statements of one transaction that are not sent yet."""

    def __init__(self, connection: BaseDatabaseWrapper) -> None:
        self.connection = connection
        self._texts: list[str] = []
        self._values: list[Sequence[Any]] = []
        self._bytes = 0
        self._sending = False

    def add(self, text: str, values: Sequence[Any]) -> None:
        self._texts.append(text)
        self._values.append(values)
        self._bytes += sum(
            len(value) for value in values if isinstance(value, bytes | str | memoryview)
        )
        if self._bytes > _MOST_BYTES:
            self.send()

    def send(self) -> None:
        """Run what was kept back; raises what the first statement that fails raises."""
        texts, values = self._texts, self._values
        if not texts:
            return
        self._texts, self._values, self._bytes = [], [], 0
        self._sending = True
        try:
            with self.connection.cursor() as cursor:
                if self.connection.vendor == "mysql" and len(texts) > 1:
                    cursor.execute("; ".join(texts), [value for row in values for value in row])
                    while cursor.nextset():  # tells of a statement that failed, too
                        pass
                else:
                    for text, row in zip(texts, values, strict=True):
                        cursor.execute(text, row)
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
        """Django's hook around every statement: what was written before comes first."""
        if not self._sending:
            self.send()
        return execute(sql, params, many, context)


class _Open(threading.local):
    """The gathering of this thread, which has a database connection of its own."""

    gathering: _Gathering | None = None


_open = _Open()


@contextmanager
def gathered() -> Iterator[None]:
    """Keep back the writes of the block and send them together at its end.

    It stands in a transaction: what the block raises throws away what was not sent, and the
    transaction undoes what was. A block in a block belongs to the outer one.
    """
    if _open.gathering is not None:
        yield
        return
    connection = connections[DEFAULT_DB_ALIAS]
    gathering = _Gathering(connection)
    _open.gathering = gathering
    try:
        with connection.execute_wrapper(gathering.before_others):
            yield
            gathering.send()
    finally:
        _open.gathering = None


def send(text: str, values: Sequence[Any]) -> None:
    """Run a statement whose count of rows nobody asks for: later if the block gathers, else now."""
    if _open.gathering is not None:
        _open.gathering.add(text, values)
        return
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(text, values)
