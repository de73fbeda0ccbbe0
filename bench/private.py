"""Runs what needs a database: on SQLite and on a private MariaDB, each in its own process."""

import json
import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path

from bench.table import Row


def rows() -> list[Row]:
    """The rows of both databases; a MariaDB that is not installed is left out, said on stderr.

    What is timed runs alone; the long runs, which count bytes, run side by side.
    """
    from tests.servers import MariaDB, Missing

    with ExitStack() as kept:
        folder = Path(kept.enter_context(tempfile.TemporaryDirectory()))
        urls = {"SQLite": ""}
        try:
            server = kept.enter_context(MariaDB(folder / "server"))
            urls["MariaDB"] = server.url
        except Missing as missing:
            print(f"MariaDB is left out: {missing}", file=sys.stderr)
        timed = [
            row
            for database, url in urls.items()
            for row in rows_by(database, start("writes", folder / f"timed-{database}", url))
        ]
        workers = {
            database: start("long", folder / f"long-{database}", url)
            for database, url in urls.items()
        }
        return timed + [row for name, worker in workers.items() for row in rows_by(name, worker)]


def start(part: str, folder: Path, server: str) -> subprocess.Popen[str]:
    """``bench.stored`` in a process of its own, on a database of its own."""
    folder.mkdir()
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "ctxadmin.settings",
        "CTXADMIN_DATA_DIR": str(folder),
        "CTXADMIN_SECRET_KEY": "only-for-the-bench-" + "0" * 40,
        "DATABASE_URL": new_database(server, part) if server else "",
    }
    command = [sys.executable, "-m", "bench.stored", part]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def new_database(server: str, name: str) -> str:
    """Make an empty database on a private server; its url."""
    driver = import_module("MySQLdb")  # of the production set, without types
    port = int(server.rstrip("/").rpartition(":")[2])
    session = driver.connect(host="127.0.0.1", port=port, user="root")
    session.query(f"CREATE DATABASE {name}_bench CHARACTER SET utf8mb4")
    session.close()
    return f"{server}{name}_bench"


def rows_by(database: str, worker: subprocess.Popen[str]) -> list[Row]:
    """The rows that a worker prints when it is done."""
    printed, _ = worker.communicate()
    if worker.returncode:
        raise RuntimeError(f"the bench on {database} ended with {worker.returncode}")
    return [
        Row(f"{database}: {name}", value, unit, anchor, goal)
        for name, value, unit, anchor, goal in json.loads(printed.splitlines()[-1])
    ]
