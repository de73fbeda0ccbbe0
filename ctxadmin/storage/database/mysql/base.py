"""Django's MySQL backend, with transactions of few round trips and fast failure in outages."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from types import TracebackType
from typing import Any, ClassVar

from django.db.backends.mysql import base
from django.db.backends.mysql.base import Database as driver  # type: ignore[attr-defined] # noqa: N813
from django.db.utils import DatabaseErrorWrapper, Error, OperationalError
from django.utils.functional import cached_property
from MySQLdb.constants import CLIENT  # type: ignore[import-untyped,import-not-found,unused-ignore]
from MySQLdb.cursors import Cursor as DriverCursor  # type: ignore[import-untyped,import-not-found,unused-ignore]

from ctxadmin.storage.database.errors import (
    AWAY,
    BROKEN,
    DENIED,
    NO_ROOM,
    NO_TLS,
    READ_ONLY,
    CommitUnknown,
    is_outcome_unknown,
    number_of,
)
from ctxadmin.storage.database.mysql.circuit_breaker import BREAKER
from ctxadmin.storage.database.mysql.schema_editor import ResumingSchemaEditor
from ctxadmin.storage.database.url import SECRET


class _Watch(DatabaseErrorWrapper):
    """Reports every error to the connection, with the time that the call had taken."""

    wrapper: "DatabaseWrapper"
    _since = 0.0

    def __enter__(self) -> None:
        self._since = monotonic()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None:
            self.wrapper.noticed(error, monotonic() - self._since)
        super().__exit__(kind, error, trace)


class _QuickLiterals(DriverCursor):  # type: ignore[misc]
    """The driver's cursor, with fast literals of the commonest types.

    A write has some seventy values, and the driver checks the type of each: that was an eighth of
    the cost of an append in a batch.
    """

    def _mogrify(self, query: str | bytes, args: Any = None) -> bytes:
        if not isinstance(args, list | tuple):
            made: bytes = super()._mogrify(query, args)
            return made
        connection = self._get_db()
        quote = connection.string_literal
        literals = [
            quote(value.encode())
            if type(value) is str
            else b"%d" % value
            if type(value) is int
            else b"NULL"
            if value is None
            else connection.literal(value)
            for value in args
        ]
        text = query.encode() if isinstance(query, str) else query
        try:
            return text % tuple(literals)
        except TypeError as error:  # as the driver says it
            raise driver.ProgrammingError(str(error)) from error


class _Cursor(base.CursorWrapper):
    """Sends BEGIN in one packet with the first statement of a transaction."""

    def __init__(self, cursor: Any, connection: "DatabaseWrapper") -> None:
        super().__init__(cursor)
        self._connection = connection

    def execute(self, query: str, args: Any = None) -> Any:
        if not self._connection.begins():
            return super().execute(query, args)
        super().execute(f"BEGIN; {query}", args)
        try:
            return self.cursor.nextset()
        except driver.OperationalError as error:  # as Django does for a statement alone
            if number_of(error) in self.codes_for_integrityerror:
                raise driver.IntegrityError(*error.args) from error
            raise

    def executemany(self, query: str, args: Any) -> Any:
        if self._connection.begins():
            super().execute("BEGIN")
        return super().executemany(query, args)


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection to MySQL or MariaDB (ADR 16).

    Transactions begin with BEGIN, in one packet with their first statement: the connection stays in
    autocommit, which Django would switch off and on around each of them. A lost connection is not
    reopened before the next request, and not at all for a moment after the server timed out.
    """

    SchemaEditorClass = ResumingSchemaEditor
    denied_at: ClassVar = float("-inf")  # when a connection of this process lacked a right
    full_at: ClassVar = float("-inf")  # and when a statement of it had no room on the disk
    _unfit = False
    _to_begin = False
    _is_committed = False

    @cached_property
    def wrap_database_errors(self) -> _Watch:
        return _Watch(self)

    def noticed(self, error: BaseException, waited: float) -> None:
        """Records of an error whether this connection, or a new one, is usable."""
        number = number_of(error)
        if number in AWAY:
            BREAKER.record_failure(self._server, waited)
        elif number in READ_ONLY or number in BROKEN:
            self._unfit = True  # after a fail-over the name may lead to another server
        elif number in DENIED:
            self._unfit = True  # what is granted on a database is known to new connections only
            type(self).denied_at = monotonic()
        elif number in NO_ROOM:
            type(self).full_at = monotonic()

    def get_connection_params(self) -> dict[str, Any]:
        own = {"autocommit": True, "cursorclass": _QuickLiterals}
        return {**super().get_connection_params(), **own}

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        if BREAKER.is_open(self._server):
            raise OperationalError(
                2002, "Not connecting: the server timed out less than 1 s ago (circuit open)"
            )
        self._unfit = self._to_begin = self._is_committed = False
        made = super().get_new_connection(conn_params)
        if conn_params.get("ssl_mode") in SECRET and not made.server_capabilities & CLIENT.SSL:
            # MariaDB's client library continues in clear text if the server offers no TLS.
            made.close()
            raise OperationalError(NO_TLS, "The server offers no TLS")
        return made

    def is_usable(self) -> bool:
        if self._unfit:
            return False
        try:
            with self.wrap_database_errors:
                self.connection.ping()
        except Error:
            return False
        return True

    def set_autocommit(
        self, autocommit: bool, force_begin_transaction_with_broken_autocommit: bool = False
    ) -> None:
        if autocommit and self.connection is None:
            # At the end of a transaction whose connection was lost. Django would connect again,
            # to set what new connections have, and hide the error by that of a second attempt.
            self.autocommit = True
            return
        super().set_autocommit(autocommit, force_begin_transaction_with_broken_autocommit)

    def _start_transaction_under_autocommit(self) -> None:
        self._to_begin = True

    def begins(self) -> bool:
        """Returns True once for the first statement of a transaction, which includes BEGIN."""
        begins, self._to_begin = self._to_begin, False
        return begins

    def create_cursor(self, name: str | None = None) -> "_Cursor":
        return _Cursor(self.connection.cursor(), self)

    def _rollback(self) -> None:
        if not self.begins():  # else there is nothing to undo
            super()._rollback()  # type: ignore[misc]  # unknown to the stubs

    def _commit(self) -> None:
        if self.begins():  # and nothing to store
            return
        committed, self._is_committed = self._is_committed, False
        if not committed:
            with self._commits():
                super()._commit()  # type: ignore[misc]  # unknown to the stubs

    @contextmanager
    def commits(self) -> Iterator[None]:
        """Marks a block whose statement ends with COMMIT, so that the transaction needs no
        other.
        """
        with self._commits():
            yield
        self._is_committed = True

    @contextmanager
    def _commits(self) -> Iterator[None]:
        try:
            yield
        except Error as error:
            if is_outcome_unknown(error):
                raise CommitUnknown(*error.args) from error
            raise

    @property
    def _server(self) -> tuple[object, ...]:
        settings = self.settings_dict
        return settings["HOST"], settings["PORT"], settings["OPTIONS"].get("unix_socket")
