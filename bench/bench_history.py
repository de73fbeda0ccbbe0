"""Measures writes against the length of the history: ``python -m bench.bench_history``.

Appends of two messages of 400 bytes and saves of a checkpoint with two such messages and a small
key, in process, on SQLite and on a private MariaDB, at conversations of different lengths by
turns; beside them two rows and one COMMIT by bare SQL on the same database.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from pydantic import JsonValue

from bench.table import Row, publish

LENGTHS = (10, 1_000, 10_000)
ROUNDS = 40
TEXT = "x" * 400


def measure() -> dict[str, float]:
    """Medians in milliseconds by name, on the database that the environment names."""
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    calls = {"bare SQL": _bare(), **_writes()}
    times: defaultdict[str, list[float]] = defaultdict(list)
    for number in range(ROUNDS):
        for name, call in calls.items():
            start = time.perf_counter()
            call(number)
            times[name].append((time.perf_counter() - start) * 1e3)
    return {name: statistics.median(measured) for name, measured in times.items()}


def _bare() -> Callable[[int], None]:
    from django.db import connection, transaction

    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE bare (k INTEGER PRIMARY KEY, v TEXT)")

    def write(number: int) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            for row in (2 * number, 2 * number + 1):
                cursor.execute("INSERT INTO bare (k, v) VALUES (%s, %s)", [row, TEXT])

    return write


def _writes() -> dict[str, Callable[[int], None]]:
    from checkpoints.domain.commands import SaveCheckpoint
    from checkpoints.services import saving
    from conversations import services
    from conversations.domain.message import read_messages
    from conversations.services import NewConversation
    from ctxadmin.accounts.services import default_workspace, system_actor

    actor = system_actor(default_workspace(), "bench")
    two = read_messages([{"role": role, "content": TEXT} for role in ("user", "assistant")])
    raw: list[dict[str, JsonValue]] = [
        {"role": role, "content": TEXT} for role in ("user", "assistant")
    ]
    calls: dict[str, Callable[[int], None]] = {}
    for length in LENGTHS:
        name = f"bench-{length}"
        services.create(actor, NewConversation(public_id=name))
        for _ in range(0, length, 1_000):
            services.append(actor, name, two * (min(length, 1_000) // 2))

        def save(number: int, name: str = name) -> None:
            command = SaveCheckpoint(node_id="a", state_data={"step": number}, messages=[*raw])
            saving.save(actor, name, f"c{number}", command)

        def append(_: int, name: str = name) -> None:
            services.append(actor, name, two)

        calls[f"append at {length:,} messages"] = append
        calls[f"save at {length:,} messages"] = save
    return calls


def _on(database: str, settings: dict[str, str]) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        environment = (
            os.environ
            | settings
            | {
                "DJANGO_SETTINGS_MODULE": "ctxadmin.settings",
                "CTXADMIN_DATA_DIR": folder,
            }
        )
        command = [sys.executable, "-m", "bench.bench_history", "measure"]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(ran.stdout.splitlines()[-1])
    bare = found.pop("bare SQL")
    rows = [Row(f"{database}: two rows by bare SQL", bare, "ms")]
    for name, value in found.items():
        kind = name.split()[0]
        first = found[f"{kind} at {LENGTHS[0]:,} messages"]
        if value is first:
            rows.append(Row(f"{database}: {name}, beside bare SQL", value, "ms", anchor=bare))
        else:
            label = f"{database}: {name}, beside {LENGTHS[0]}"
            rows.append(Row(label, value, "ms", anchor=first, goal=1.1))
    return rows


def _database(url: str) -> str:
    """Make an empty database on a private server; its url."""
    driver = import_module("MySQLdb")  # of the production set, without types
    port = int(url.rstrip("/").rpartition(":")[2])
    session = driver.connect(host="127.0.0.1", port=port, user="root")
    session.query("CREATE DATABASE bench CHARACTER SET utf8mb4")
    session.close()
    return url + "bench"


def main() -> None:
    """Both databases, each in a process of its own."""
    from tests.servers import MariaDB, Missing

    rows = _on("SQLite", {"DATABASE_URL": ""})
    try:
        with tempfile.TemporaryDirectory() as folder, MariaDB(Path(folder)) as server:
            rows += _on("MariaDB", {"DATABASE_URL": _database(server.url)})
    except Missing as missing:
        print(f"MariaDB is left out: {missing}")
    publish(rows)


if __name__ == "__main__":
    if sys.argv[1:] == ["measure"]:
        print(json.dumps(measure()))
    else:
        main()
