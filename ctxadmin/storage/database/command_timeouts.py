"""Timeouts of long work: migrations and other commands wait longer for the database."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections

from ctxadmin.storage.database.url import MYSQL, session

_LOCK_WAIT: Final = 30  # seconds; a migration that waits for a table makes all others wait, too


@contextmanager
def command_timeouts() -> Iterator[None]:
    """Gives connections that this process opens inside ``COMMAND_TIMEOUT`` for an answer.

    A server starts with it, before it takes requests, which learn of an outage in seconds.
    """
    of_all = connections.settings[DEFAULT_DB_ALIAS]
    before = of_all["OPTIONS"]
    _set(of_all, before | _long(of_all))
    try:
        yield
    finally:
        _set(of_all, before)


def _set(of_all: dict[str, Any], options: dict[str, Any]) -> None:
    of_all["OPTIONS"] = options
    connections[DEFAULT_DB_ALIAS].close()


def _long(of_all: dict[str, Any]) -> dict[str, Any]:
    if of_all["ENGINE"] != MYSQL:
        return {}
    seconds = settings.COMMAND_TIMEOUT
    return {
        "read_timeout": seconds,
        "write_timeout": seconds,
        "init_command": session(_LOCK_WAIT),
    }
