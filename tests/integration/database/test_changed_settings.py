"""A running server detects settings of the database that are changed later."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from ctxadmin.storage.database import probe, url
from ctxadmin.storage.database.mysql.base import DatabaseWrapper
from tests.servers import MariaDB

pytestmark = [pytest.mark.only("mysql"), pytest.mark.django_db]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MariaDB]:
    """Of its own, as what is global is everyone's."""
    with MariaDB(tmp_path_factory.mktemp("later")) as started:
        yield started


@contextmanager
def connected(server: MariaDB, name: str) -> Iterator[DatabaseWrapper]:
    settings = {"TIME_ZONE": None, "AUTOCOMMIT": True, **url.parse(f"{server.url}{name}")}
    connection = DatabaseWrapper(settings, name)
    try:
        yield connection
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("change", "back", "check"),
    [
        (
            "SET GLOBAL max_allowed_packet = 1048576",
            "SET GLOBAL max_allowed_packet = 67108864",
            "database.packet",
        ),
        (
            "SET GLOBAL default_storage_engine = MyISAM",
            "SET GLOBAL default_storage_engine = InnoDB",
            "database.engine",
        ),
        (
            "ALTER DATABASE later CHARACTER SET latin1",
            "ALTER DATABASE later CHARACTER SET utf8mb4",
            "database.charset",
        ),
    ],
)
def test_a_change_is_seen_on_a_connection_that_is_there(
    server: MariaDB, monkeypatch: pytest.MonkeyPatch, change: str, back: str, check: str
) -> None:
    with connected(server, "mysql") as operator, operator.cursor() as operate:
        operate.execute("CREATE DATABASE IF NOT EXISTS later")
        with connected(server, "later") as ours:
            monkeypatch.setattr(probe, "connection", ours)
            assert wrong() == set()
            operate.execute(change)
            assert wrong() == {check}
            operate.execute(back)
            assert wrong() == set()


def wrong() -> set[str]:
    return {each.check for each in probe.settings_found() if each.level == "error"}
