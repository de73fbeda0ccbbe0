"""What one connection makes of a database that is lost between two steps of a transaction."""

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest
from django.db import Error, OperationalError, connections, transaction
from pytest_django import DjangoDbBlocker

from ctxadmin.storage.database import url
from ctxadmin.storage.database.errors import CommitUnknown, as_unavailable
from ctxadmin.storage.database.mysql import base, circuit_breaker
from ctxadmin.storage.database.mysql.circuit_breaker import CircuitBreaker
from tests.servers import MariaDB

ALIAS = "lost"
SECONDS = 3  # until a stalled server is given up; a busy machine is no stall


@pytest.fixture(scope="module")
def database(
    mysql_client: ModuleType, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MariaDB]:
    with MariaDB(tmp_path_factory.mktemp("lost")) as server:
        session = mysql_client.connect(host="127.0.0.1", port=server.port, user="root")
        session.query("CREATE DATABASE ctxadmin CHARACTER SET utf8mb4")
        session.query("CREATE TABLE ctxadmin.notes (text VARCHAR(20))")
        session.close()
        yield server


@pytest.fixture
def connection(
    database: MariaDB, django_db_blocker: DjangoDbBlocker, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Any]:
    """Django's connection to that server, as the settings of the product make it."""
    monkeypatch.setattr(base, "BREAKER", CircuitBreaker())
    names = ("read_timeout", "write_timeout", "connect_timeout")
    options = "&".join(f"{name}={SECONDS}" for name in names)
    settings = url.parse(f"{database.url}ctxadmin?{options}")
    connections.databases[ALIAS] = settings
    connections.configure_settings(connections.databases)
    with django_db_blocker.unblock():
        yield connections[ALIAS]
        connections[ALIAS].close()
    del connections[ALIAS]
    del connections.databases[ALIAS]


def write(connection: Any, text: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO notes VALUES (%s)", [text])


def write_and(connection: Any, happens: Callable[[], None]) -> None:
    """A transaction in which something happens between its last write and its end."""
    with transaction.atomic(ALIAS):
        write(connection, "known later")
        happens()


def notes(connection: Any) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT text FROM notes ORDER BY text")
        return [text for (text,) in cursor.fetchall()]


def next_request(connection: Any) -> None:
    """What Django does with lasting connections where one request ends and another begins."""
    connection.close_if_unusable_or_obsolete()


def test_a_transaction_whose_database_dies_leaves_nothing_and_the_next_one_works(
    connection: Any, database: MariaDB
) -> None:
    before = notes(connection)

    def change() -> None:
        with transaction.atomic(ALIAS):
            write(connection, "half")
            database.kill()
            write(connection, "half")

    with pytest.raises(OperationalError) as lost:
        change()
    database.start()
    assert not isinstance(lost.value, CommitUnknown)
    next_request(connection)
    assert notes(connection) == before


def test_a_database_that_dies_while_it_commits_is_distinguished(
    connection: Any, database: MariaDB
) -> None:
    with pytest.raises(CommitUnknown):
        write_and(connection, database.kill)
    database.start()
    next_request(connection)
    with transaction.atomic(ALIAS):
        write(connection, "known")
    assert "known" in notes(connection)


def test_a_stalled_commit_is_distinguished_and_may_be_stored_later(
    connection: Any, database: MariaDB
) -> None:
    try:
        with pytest.raises(CommitUnknown):
            write_and(connection, database.pause)
    finally:
        database.go_on()


def test_after_a_stall_no_one_connects_for_a_moment(
    connection: Any, database: MariaDB, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(circuit_breaker, "_FOR", 60.0)  # a busy machine takes its time
    notes(connection)
    database.pause()
    try:
        with pytest.raises(OperationalError) as first:
            notes(connection)
        next_request(connection)
        with pytest.raises(OperationalError, match="circuit open"):
            notes(connection)
        assert first.value.args[0] == 2013
    finally:
        database.go_on()


def test_a_connection_that_is_out_of_step_is_not_used_again(connection: Any) -> None:
    expected = notes(connection)
    connection.connection.query("SELECT 1; SELECT 2")  # whose answers nobody takes
    with pytest.raises(Error) as broken:
        notes(connection)
    refusal = as_unavailable(broken.value)
    assert refusal is not None
    assert refusal.code == "unavailable"

    next_request(connection)

    assert connection.connection is None
    assert notes(connection) == expected


def test_a_connection_to_a_server_that_became_read_only_is_not_used_again(
    connection: Any, database: MariaDB, mysql_client: ModuleType
) -> None:
    session = mysql_client.connect(host="127.0.0.1", port=database.port, user="root")
    session.query("CREATE OR REPLACE USER app@'127.0.0.1'")
    session.query("GRANT ALL ON ctxadmin.* TO app@'127.0.0.1'")
    connection.close()
    connection.settings_dict["USER"] = "app"
    notes(connection)
    session.query("SET GLOBAL read_only=1")
    try:
        with pytest.raises(OperationalError, match="read-only"):
            write(connection, "refused")
        next_request(connection)
        assert connection.connection is None
    finally:
        session.query("SET GLOBAL read_only=0")
        session.close()


def test_a_transaction_costs_two_statements_and_a_connection_four(connection: Any) -> None:
    def count() -> int:
        with connection.cursor() as cursor:
            cursor.execute("SHOW SESSION STATUS LIKE 'Questions'")
            return int(cursor.fetchone()[1])

    notes(connection)  # the first connection of a thread also asks for the version
    connection.close()
    asked = count()
    assert asked == 4  # the session, the character set, the isolation, and this question
    with transaction.atomic(ALIAS):
        write(connection, "counted")
    assert count() == asked + 4
    with pytest.raises(ZeroDivisionError), transaction.atomic(ALIAS):
        _ = 1 / 0
    assert count() == asked + 4 + 1  # nothing was sent for nothing, but this question


def test_a_session_is_strict_in_utc_and_waits_shortly(connection: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT @@sql_mode, @@time_zone, @@innodb_lock_wait_timeout, @@lock_wait_timeout,"
            " @@tx_isolation, @@autocommit"
        )
        found = cursor.fetchone()
    assert found == (
        "STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION",
        "+00:00",
        3,
        3,
        "READ-COMMITTED",
        1,
    )
