"""What is told of durability is seen in the effect: commits that are flushed, and that are not."""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ctxadmin.storage.database.mysql.rules import NAMES, findings_of
from tests.servers import ROOT, MariaDB

COMMITS = 40
OURS = ("--innodb-flush", "--max-allowed", "--character-set")  # told by the file instead


class Configured(MariaDB):
    """MariaDB with the settings that ``deploy`` gives it."""

    def command(self) -> Sequence[str]:
        program, _, *options = super().command()
        kept = [option for option in options if not option.startswith(OURS)]
        return [program, f"--defaults-file={ROOT / 'deploy' / 'mariadb.cnf'}", *kept]


@pytest.fixture(scope="module")
def disk() -> Iterator[Path]:
    """A folder on a disk: in memory, where tests keep their files, there is nothing to flush."""
    with tempfile.TemporaryDirectory(prefix="ctxadmin-durability-", dir="/var/tmp") as folder:
        yield Path(folder)


@pytest.fixture(scope="module")
def session(mysql_client: ModuleType, disk: Path) -> Any:
    with Configured(disk) as server:
        made = mysql_client.connect(
            host="127.0.0.1", port=server.port, user="root", autocommit=True, charset="utf8mb4"
        )
        made.query("CREATE DATABASE notes")
        made.query("CREATE TABLE notes.notes (n INT PRIMARY KEY)")
        yield made
        made.close()


def ask(session: Any, question: str) -> dict[str, str]:
    cursor = session.cursor()
    cursor.execute(question)
    return dict(cursor.fetchall())


def flushes_of_commits(session: Any, first: int) -> int:
    """How often the server waited for the disk during ``COMMITS`` commits."""
    question = "SHOW GLOBAL STATUS LIKE 'Innodb%fsyncs'"
    before = ask(session, question)
    for number in range(first, first + COMMITS):
        session.query(f"INSERT INTO notes.notes VALUES ({number})")
    after = ask(session, question)
    return max(int(after[name]) - int(before[name]) for name in after)


def test_the_settings_of_deploy_have_no_fault(session: Any) -> None:
    session.query("USE notes")
    found = ask(session, f"SHOW VARIABLES WHERE Variable_name IN {NAMES}")
    told = {each.check for each in findings_of(found) if each.level != "ok"}
    assert told <= {"database.isolation"}  # which our sessions set for themselves


def judged(session: Any) -> str:
    found = ask(session, f"SHOW VARIABLES WHERE Variable_name IN {NAMES}")
    return next(each.level for each in findings_of(found) if each.check == "database.commit")


def test_a_server_that_is_called_durable_flushes_every_commit(session: Any) -> None:
    assert judged(session) == "ok"
    assert flushes_of_commits(session, 0) >= COMMITS


@pytest.mark.parametrize("value", [0, 2])
def test_a_server_that_does_not_flush_every_commit_is_not_called_durable(
    session: Any, value: int
) -> None:
    session.query(f"SET GLOBAL innodb_flush_log_at_trx_commit={value}")
    try:
        assert flushes_of_commits(session, COMMITS * (1 + value)) < COMMITS
        assert judged(session) == "error"
    finally:
        session.query("SET GLOBAL innodb_flush_log_at_trx_commit=1")
