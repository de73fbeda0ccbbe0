"""The errors that callers get for errors of databases."""

import sqlite3

import pytest
from django.db import (
    IntegrityError,
    InterfaceError,
    InternalError,
    OperationalError,
    ProgrammingError,
)
from django.db.utils import Error

from ctxadmin.storage.database.errors import CommitUnknown, as_unavailable


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (2002, "does not respond"),
        (2003, "does not respond"),
        (2006, "does not respond"),
        (2013, "does not respond"),
        (2005, "host of the database is not known"),
        (2026, "cannot be encrypted"),
        (1927, "broke the connection"),
        (1040, "too many connections"),
        (1205, "took too long"),
        (1213, "took too long"),
        (1290, "read-only"),
        (1836, "read-only"),
        (1021, "disk may be full"),
        (1114, "disk may be full"),
        (1045, "refuses ctxadmin"),
        (1153, "max_allowed_packet"),
        (9999, "could not do this"),
    ],
)
def test_an_error_of_mysql_is_reported_in_plain_words(number: int, words: str) -> None:
    refusal = as_unavailable(OperationalError(number, "the driver's text with a 'value'"))
    assert refusal is not None
    assert words in refusal.detail
    assert "Nothing was changed" in refusal.detail
    assert "value'" not in refusal.detail
    assert refusal.retry_after > 0


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (sqlite3.SQLITE_BUSY, "took too long"),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, "took too long"),
        (sqlite3.SQLITE_FULL, "full"),
        (sqlite3.SQLITE_READONLY_DBMOVED, "cannot be written"),
        (sqlite3.SQLITE_IOERR_FSYNC, "cannot be reached"),
        (sqlite3.SQLITE_IOERR_WRITE, "disk may be full"),
        (sqlite3.SQLITE_IOERR_SHMSIZE, "disk may be full"),
        (sqlite3.SQLITE_CANTOPEN, "cannot be reached"),
        (sqlite3.SQLITE_CORRUPT, "damaged"),
        (sqlite3.SQLITE_NOTADB, "damaged"),
    ],
)
def test_an_error_of_sqlite_is_reported_in_plain_words(code: int, words: str) -> None:
    refusal = as_unavailable(of_sqlite(OperationalError("its text"), code))
    assert refusal is not None
    assert words in refusal.detail


def test_tables_that_are_not_there_are_reported_on_both() -> None:
    missing = of_sqlite(OperationalError("no such table: x"), sqlite3.SQLITE_ERROR)
    for error in (missing, ProgrammingError(1146, "Table 'x' doesn't exist")):
        refusal = as_unavailable(error)
        assert refusal is not None
        assert "manage.py migrate" in refusal.detail


def test_a_lost_commit_does_not_say_that_nothing_was_changed() -> None:
    refusal = as_unavailable(CommitUnknown(2013, "Lost connection"))
    assert refusal is not None
    assert "Nothing was changed" not in refusal.detail
    assert "same Idempotency-Key" in refusal.detail


@pytest.mark.parametrize("kind", [OperationalError, ProgrammingError, InternalError])
@pytest.mark.parametrize("number", [2000, 2014, 2027])
def test_what_the_client_library_stumbles_over_is_reported_as_a_broken_connection(
    kind: type[Error], number: int
) -> None:
    refusal = as_unavailable(kind(number, "Commands out of sync; you can't run this command now"))
    assert refusal is not None
    assert "broke the connection" in refusal.detail


def test_a_connection_that_was_closed_is_an_outage() -> None:
    refusal = as_unavailable(InterfaceError(0, ""))
    assert refusal is not None
    assert "does not respond" in refusal.detail


@pytest.mark.parametrize(
    "error",
    [
        IntegrityError(1062, "Duplicate entry"),
        OperationalError(1366, "Incorrect string value"),
        ProgrammingError(1064, "You have an error in your SQL syntax"),
    ],
)
def test_faults_of_ours_are_not_reported_as_outages(error: Error) -> None:
    assert as_unavailable(error) is None


def test_wrong_statements_on_sqlite_are_faults_of_ours() -> None:
    assert (
        as_unavailable(of_sqlite(OperationalError("near X: syntax error"), sqlite3.SQLITE_ERROR))
        is None
    )


def of_sqlite(error: OperationalError, code: int) -> OperationalError:
    """Django's error as it stands in front of one of the driver."""
    cause = sqlite3.OperationalError(*error.args)
    cause.sqlite_errorcode = code
    error.__cause__ = cause
    return error
