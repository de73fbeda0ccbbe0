"""Backup and restore reproduce every digest, by the commands that the manual shows."""

import sqlite3
import subprocess
from pathlib import Path
from types import ModuleType

from tests.fault.whole_database import digests, fill
from tests.live_server import LiveServer
from tests.servers import COMMAND_SECONDS, MariaDB, program

# A backup is of use with the secret key alone: webhooks and the audit's chains are made of it.
KEY = {"CTXADMIN_SECRET_KEY": "kept with the backup " + "0" * 40}


def test_a_dump_of_mariadb_is_the_same_database(tmp_path: Path, mysql_client: ModuleType) -> None:
    with MariaDB(tmp_path / "database") as database:
        session = mysql_client.connect(host="127.0.0.1", port=database.port, user="root")
        for name in ("ctxadmin", "restored"):
            session.query(f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
        session.close()
        before = LiveServer(tmp_path / "a", KEY | {"DATABASE_URL": f"{database.url}ctxadmin"})
        after = LiveServer(tmp_path / "b", KEY | {"DATABASE_URL": f"{database.url}restored"})
        fill(before)
        client = ["--no-defaults", "--host=127.0.0.1", f"--port={database.port}", "--user=root"]
        client += ["--default-character-set=utf8mb4", "--max-allowed-packet=64M"]
        dump = tmp_path / "ctxadmin.sql"
        with dump.open("wb") as file:
            subprocess.run(
                [
                    program("mariadb-client", "mariadb-dump", "mysqldump"),
                    *client,
                    "--single-transaction",
                    "--quick",
                    "--hex-blob",
                    "ctxadmin",
                ],
                stdout=file,
                check=True,
                timeout=COMMAND_SECONDS,
            )
        with dump.open("rb") as file:
            subprocess.run(
                [program("mariadb-client-core", "mariadb", "mysql"), *client, "restored"],
                stdin=file,
                check=True,
                timeout=COMMAND_SECONDS,
            )
        assert digests(after) == digests(before)
        assert "intact" in after.manage("verify_audit")
        after.manage("check", "--database", "default")


def test_a_copy_of_sqlite_made_while_it_serves_is_the_same_database(tmp_path: Path) -> None:
    with LiveServer(tmp_path / "a", KEY) as before:
        fill(before)
        before.manage("search_index", "--once")  # or the index would follow behind the copy
        with sqlite3.connect(tmp_path / "a" / "data" / "ctxadmin.sqlite3") as file:
            file.execute("VACUUM INTO ?", [str(tmp_path / "copy.sqlite3")])
        expected = digests(before)
    copy = {"DATABASE_URL": f"sqlite:///{tmp_path / 'copy.sqlite3'}"}
    after = LiveServer(tmp_path / "b", KEY | copy)
    assert digests(after) == expected
    assert "intact" in after.manage("verify_audit")
