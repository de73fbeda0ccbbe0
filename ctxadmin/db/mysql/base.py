"""Django's MySQL backend, with transactions in two round trips and outages that end soon."""

from time import monotonic
from types import TracebackType
from typing import Any, Final

from django.db.backends.mysql import base
from django.db.backends.utils import debug_transaction
from django.db.utils import DatabaseErrorWrapper, Error, OperationalError
from django.utils.functional import cached_property

from ctxadmin.db.errors import AWAY, READ_ONLY, CommitUnknown, number_of
from ctxadmin.db.mysql.stalls import STALLS

# A ping is a round trip: once a second does for a connection that is in use. What is lost between
# two of them, one request hears as unavailable.
_TRUSTED_SECONDS: Final = 1.0


class _Watch(DatabaseErrorWrapper):
    """Tells the connection of every error, with the time that the call had taken by then."""

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


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection to MySQL or MariaDB (ADR 16).

    Transactions begin by BEGIN: the connection stays in autocommit, which Django would switch
    off and on around each of them. A lost connection is not made again before the next request,
    and not at all for a moment after the server let somebody wait.
    """

    _unfit = False
    _pinged = 0.0

    @cached_property
    def wrap_database_errors(self) -> _Watch:
        return _Watch(self)

    def noticed(self, error: BaseException, waited: float) -> None:
        """Remember of an error what decides if this connection, or a new one, is any use."""
        number = number_of(error)
        if number in AWAY:
            STALLS.noticed(self._server, waited)
        elif number in READ_ONLY:
            self._unfit = True  # after a fail-over the name may lead to another server

    def get_connection_params(self) -> dict[str, Any]:
        return {**super().get_connection_params(), "autocommit": True}

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        if STALLS.lasts(self._server):
            raise OperationalError(2002, "It let others wait a moment ago")
        self._unfit = False
        self._pinged = monotonic()
        return super().get_new_connection(conn_params)

    def is_usable(self) -> bool:
        if self._unfit:
            return False
        if monotonic() - self._pinged < _TRUSTED_SECONDS:
            return True
        try:
            with self.wrap_database_errors:
                self.connection.ping()
        except Error:
            return False
        self._pinged = monotonic()
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
        with debug_transaction(self, "BEGIN"), self.wrap_database_errors:
            self.connection.query("BEGIN")

    def _commit(self) -> None:
        try:
            super()._commit()  # type: ignore[misc]  # unknown to the stubs
        except OperationalError as error:
            if number_of(error) in AWAY:
                raise CommitUnknown(*error.args) from error
            raise

    @property
    def _server(self) -> tuple[object, ...]:
        settings = self.settings_dict
        return settings["HOST"], settings["PORT"], settings["OPTIONS"].get("unix_socket")
