"""Databases of former releases are brought up to date, and everything in them reads back."""

import gzip
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests import servers
from tests.live_server import LiveServer

pytestmark = pytest.mark.only("sqlite")  # it has servers and databases of its own

RELEASES = sorted(
    path.parent for path in Path(__file__).parents[2].glob("releases/*/sqlite.sql.gz")
)
SECRET_KEY = "only-for-tests-" + "0" * 40

# Asks for what was asked for when the dump was made, and prints what is other than it was then.
_READ = """
import json, sys
from django.test import Client

def differences(before, now, place):
    if isinstance(before, dict) and isinstance(now, dict):  # what is new there may be there
        for name in before:
            yield from differences(before[name], now.get(name), f"{place}/{name}")
    elif place.endswith("/problems") and isinstance(now, list):  # later releases find more
        found = [{**each, "message": ""} for each in now]  # and say it in words of their own
        for each in before:
            if {**each, "message": ""} not in found:
                yield f"{place}: {each!r} is not there"
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for number, each in enumerate(before):
            yield from differences(each, now[number], f"{place}/{number}")
    elif before != now:
        yield f"{place}: {before!r} is now {now!r}"

said = json.load(open(%r))
client = Client(headers={"Authorization": "Bearer " + said["token"], "Host": "localhost"})
for path, before in said["answers"].items():
    answer = client.get("/api/v1" + path)
    print(*differences(before, answer.json(), f"{answer.status_code} {path}"), sep="\\n", end="")
"""
_BETWEEN = "--- what reads otherwise ---"


class Upgraded(LiveServer):
    """A database of a release, with today's commands on it."""

    def __init__(self, folder: Path, release: Path, url: str = "") -> None:
        settings = {"CTXADMIN_SECRET_KEY": SECRET_KEY} | ({"DATABASE_URL": url} if url else {})
        super().__init__(folder, settings)
        self.release = release
        name = "mariadb" if url else "sqlite"
        dump = gzip.decompress((release / f"{name}.sql.gz").read_bytes())
        self.answers_of_then = folder / "answers.json"
        said = gzip.decompress((release / f"{name}.json.gz").read_bytes())
        self.answers_of_then.write_bytes(said)
        if url:
            _load_mariadb(url, dump)
        else:
            (folder / "data").mkdir(mode=0o700)
            with sqlite3.connect(folder / "data" / "ctxadmin.sqlite3") as database:
                database.executescript(dump.decode())

    def read_after(self, *commands: tuple[str, ...]) -> tuple[str, str]:
        """What commands print, and what reads otherwise then; one process, which takes seconds."""
        script = "from django.core.management import call_command\n" + "".join(
            f"call_command(*{command!r}, verbosity=0)\n" for command in commands
        )
        script += f"print({_BETWEEN!r})\n" + _READ % str(self.answers_of_then)
        printed, _, otherwise = self.manage("shell", "-v", "0", "-c", script).partition(_BETWEEN)
        return printed, otherwise.strip()


def _load_mariadb(url: str, dump: bytes) -> None:
    port, _, name = url.rpartition(":")[2].partition("/")
    client = servers.program("mariadb-client", "mariadb", "mysql")
    options = ("--no-defaults", "--host=127.0.0.1", f"--port={port}", "--user=root")
    command = [client, *options, "--default-character-set=utf8mb4", name]
    subprocess.run(command, input=dump, check=True, capture_output=True)


@pytest.fixture(scope="module", params=RELEASES, ids=lambda release: release.name)
def release(request: Any) -> Path:
    folder: Path = request.param
    return folder


@pytest.fixture(scope="module", params=["sqlite", "mariadb"])
def upgraded(
    request: Any, release: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Upgraded]:
    """A database of each release, on both kinds of database, migrated to today."""
    with ExitStack() as stack:
        url = ""
        if request.param == "mariadb":
            client = request.getfixturevalue("mysql_client")
            url = stack.enter_context(servers.fresh_database(client))
        server = Upgraded(tmp_path_factory.mktemp("release"), release, url)
        server.manage("migrate", "-v", "0")
        yield server


def test_everything_in_a_database_of_a_former_release_reads_back(upgraded: Upgraded) -> None:
    printed, otherwise = upgraded.read_after(("verify_audit",), ("verify",))
    assert "streams are intact" in printed
    assert "nothing is damaged" in printed
    assert otherwise == ""


def test_a_data_folder_of_other_tables_is_refused_in_plain_words(tmp_path: Path) -> None:
    """Migrations of days before the freeze made other columns under the same names."""
    server = Upgraded(tmp_path, RELEASES[0])
    with sqlite3.connect(tmp_path / "data" / "ctxadmin.sqlite3") as database:
        database.execute("ALTER TABLE checkpoints_execution DROP COLUMN told_version")
    with pytest.raises(RuntimeError) as refused:
        server.start()
    assert "checkpoints_execution.told_version is missing" in str(refused.value)
    assert "before release 0.1.0" in str(refused.value)
    assert "CTXADMIN_DATA_DIR" in str(refused.value)
    with sqlite3.connect(tmp_path / "data" / "ctxadmin.sqlite3") as database:
        names = database.execute(
            "SELECT 1 FROM django_migrations WHERE (app, name) = ('conversations', '0002_details')"
        )
        assert not names.fetchall()


def test_the_first_release_is_among_them() -> None:
    assert "0.1.0" in [release.name for release in RELEASES]


def test_details_go_back_into_the_heads(upgraded: Upgraded) -> None:
    """As an operator does who goes back to the release before, and upgrades again later."""
    there = [("migrate", "checkpoints", "0001"), ("migrate", "conversations", "0001")]
    _, otherwise = upgraded.read_after(*there, ("migrate",))
    assert otherwise == ""
