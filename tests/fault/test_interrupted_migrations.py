"""The database is killed in the middle of a migration, which then continues to its end."""

import gzip
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import Error

from ctxadmin.storage.database import url
from ctxadmin.storage.database.migration_progress import ResumingExecutor, interrupted
from ctxadmin.storage.database.schema import differences, expected_schema, read_schema
from tests.servers import COMMAND_SECONDS, ROOT, MariaDB, program

ALIAS = "struck"
DUMP = ROOT / "tests" / "releases" / "0.1.0" / "mariadb.sql.gz"
TARGET = [("conversations", "0002_details")]
CREATED = [("accounts", "0001_initial")]


class Struck:
    """A MariaDB of its own with a database that is migrated, and killed meanwhile."""

    def __init__(self, server: MariaDB) -> None:
        self.server = server
        connections.databases[ALIAS] = {
            **connections.databases["default"],
            **url.parse(f"{server.url}{ALIAS}"),
            "ATOMIC_REQUESTS": False,
        }

    @property
    def connection(self) -> BaseDatabaseWrapper:
        return connections[ALIAS]

    def fresh(self, dump: Path | None) -> None:
        """The database again: empty, or as it was at a release."""
        self.connection.close()
        text = gzip.decompress(dump.read_bytes()) if dump else b""
        before = f"DROP DATABASE IF EXISTS {ALIAS}; CREATE DATABASE {ALIAS}; USE {ALIAS};\n"
        client = program("mariadb-client", "mariadb", "mysql")
        port = f"--port={self.server.port}"
        command = [client, "--no-defaults", "--host=127.0.0.1", port, "--user=root"]
        subprocess.run(
            [*command, "--default-character-set=utf8mb4"],
            input=before.encode() + text,
            check=True,
            capture_output=True,
            timeout=COMMAND_SECONDS,
        )

    def migrate(self, targets: list[tuple[str, str]], kill_after: int | None = None) -> int:
        """Migrate, and kill the server after so many statements; how many there were."""
        count = 0

        def strike(execute: Callable[..., Any], *call: Any) -> Any:
            nonlocal count
            done = execute(*call)
            count += 1
            if count == kill_after:
                self.server.kill()
            return done

        executor = ResumingExecutor(self.connection)
        with self.connection.execute_wrapper(strike):
            executor.migrate(targets)
        return count

    def rows(self) -> list[Any]:
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT * FROM conversations_conversationdetails ORDER BY conversation")
            return list(cursor.fetchall())

    def lacks(self, targets: list[tuple[str, str]]) -> list[str]:
        """What the tables lack of the state that the migrations describe."""
        executor = ResumingExecutor(self.connection)
        apps = executor.loader.project_state(targets).apps
        expected = expected_schema(self.connection, apps)
        return [each.text for each in differences(expected, read_schema(self.connection))]


@pytest.fixture
def struck(tmp_path: Path, mysql_client: ModuleType, django_db_blocker: Any) -> Iterator[Struck]:
    with MariaDB(tmp_path / "mariadb") as server, django_db_blocker.unblock():
        made = Struck(server)
        yield made
        made.connection.close()
        del connections.databases[ALIAS]
        del connections[ALIAS]


@pytest.mark.parametrize(("dump", "targets"), [(DUMP, TARGET), (None, CREATED)])
def test_a_migration_continues_after_a_kill_at_any_of_its_statements(
    struck: Struck, dump: Path | None, targets: list[tuple[str, str]]
) -> None:
    struck.fresh(dump)
    statements = struck.migrate(targets)
    wanted = struck.rows() if dump else []
    assert bool(wanted) == bool(dump)
    halves = 0
    for number in range(2, statements, max(1, statements // 7)):
        struck.fresh(dump)
        with pytest.raises(Error):
            struck.migrate(targets, kill_after=number)
        struck.connection.close()
        struck.server.start()
        halves += interrupted(struck.connection) is not None
        struck.migrate(targets)
        assert interrupted(struck.connection) is None
        assert struck.lacks(targets) == []
        assert (struck.rows() if dump else []) == wanted
    assert halves
