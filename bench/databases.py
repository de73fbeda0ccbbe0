"""Runs the measurements of a database on SQLite and a private MariaDB, each in a process."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path

from bench import search_times
from bench.table import Row


def rows() -> list[Row]:
    """Returns the cost of writes, reads and long runs on both databases.

    Timed measurements run alone; the long runs, which count bytes, run in parallel.
    """
    with tempfile.TemporaryDirectory() as name, _servers(Path(name)) as urls:
        folder = Path(name)
        timed = _one_by_one("writes", folder, urls)
        workers = {
            database: start("long", folder / f"long-{database}", url)
            for database, url in urls.items()
        }
        return timed + [row for each, worker in workers.items() for row in rows_by(each, worker)]


def list_rows() -> list[Row]:
    """Returns the cost of pages with lists on both databases."""
    with tempfile.TemporaryDirectory() as name, _servers(Path(name)) as urls:
        return _one_by_one("lists", Path(name), urls)


def search_rows(messages: int) -> list[Row]:
    """Returns the cost of searches on both databases, over so many messages."""
    os.environ[search_times.SIZE] = str(messages)
    with tempfile.TemporaryDirectory() as name, _servers(Path(name)) as urls:
        return _one_by_one("searches", Path(name), urls)


@contextmanager
def _servers(folder: Path) -> Iterator[dict[str, str]]:
    """Yields the databases with their urls; says on stderr if MariaDB is not installed."""
    from tests.servers import MariaDB, Missing

    with ExitStack() as kept:
        urls = {"SQLite": ""}
        try:
            urls["MariaDB"] = kept.enter_context(MariaDB(folder / "server")).url
        except Missing as missing:
            print(f"MariaDB is left out: {missing}", file=sys.stderr)
        yield urls


def _one_by_one(part: str, folder: Path, urls: Mapping[str, str]) -> list[Row]:
    return [
        row
        for database, url in urls.items()
        for row in rows_by(database, start(part, folder / f"{part}-{database}", url))
    ]


def start(part: str, folder: Path, server: str) -> subprocess.Popen[str]:
    """Starts ``bench.database_costs`` in a process of its own, on a database of its own."""
    folder.mkdir()
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "ctxadmin.config.settings",
        "CTXADMIN_DATA_DIR": str(folder),
        "CTXADMIN_SECRET_KEY": "only-for-the-bench-" + "0" * 40,
        "DATABASE_URL": new_database(server, part) if server else "",
    }
    command = [sys.executable, "-m", "bench.database_costs", part]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def new_database(server: str, name: str) -> str:
    """Creates an empty database on a private server; returns its url."""
    driver = import_module("MySQLdb")  # of the production set, without types
    port = int(server.rstrip("/").rpartition(":")[2])
    session = driver.connect(host="127.0.0.1", port=port, user="root")
    session.query(f"CREATE DATABASE {name}_bench CHARACTER SET utf8mb4")
    session.close()
    return f"{server}{name}_bench"


def rows_by(database: str, worker: subprocess.Popen[str]) -> list[Row]:
    """Returns the rows that a worker prints when it is done."""
    printed, _ = worker.communicate()
    if worker.returncode:
        raise RuntimeError(f"the bench on {database} ended with {worker.returncode}")
    return [
        Row(f"{database}: {name}", value, unit, anchor, goal)
        for name, value, unit, anchor, goal in json.loads(printed.splitlines()[-1])
    ]
