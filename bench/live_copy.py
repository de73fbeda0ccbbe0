"""Measures snapshots read from the live copy beside SQL, on a private MariaDB and Redis."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final

import django
from django.core.management import call_command

from bench.database_costs import Engine, snapshot
from bench.databases import new_database
from bench.documents import state_of
from bench.table import Row, times_of

SIZES: Final = {"10 KB": 10_000, "1 MB": 1_000_000, "10 MB": 9_500_000}
GOALS: Final = {"10 MB": 1.5}  # compared with the GET of as many bytes
ROUNDS: Final = 25
_MESSAGE: Final = 600  # bytes of a message of the bench in an answer


def rows() -> list[Row]:
    """Returns the rows of a worker process; names servers that are not installed on stderr."""
    from tests.servers import MariaDB, Missing, Redis

    with ExitStack() as kept:
        folder = Path(kept.enter_context(tempfile.TemporaryDirectory()))
        try:
            database = kept.enter_context(MariaDB(folder / "mariadb"))
            copies = kept.enter_context(Redis(folder / "redis"))
        except Missing as missing:
            print(f"The live copy is left out: {missing}", file=sys.stderr)
            return []
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "ctxadmin.config.settings",
            "CTXADMIN_DATA_DIR": str(folder),
            "CTXADMIN_SECRET_KEY": "only-for-the-bench-" + "0" * 40,
            "DATABASE_URL": new_database(database.url, "copied"),
            "REDIS_URL": copies.url + "0",
        }
        command = [sys.executable, "-m", "bench.live_copy"]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    return [Row(*values) for values in json.loads(done.stdout.splitlines()[-1])]


def _measured() -> list[Row]:
    engine = Engine()
    found: list[Row] = []
    for label, size in SIZES.items():
        for kind in ("state", "messages"):
            name = engine.conversation(f"{kind}-{size}", 0)
            if kind == "state":
                engine.save(name, state_of(size))
            else:
                for _ in range(max(size // _MESSAGE // 100, 1)):
                    engine.append(name, 50)
            engine.save(name)
            found += _of(engine, name, f"{label} of {kind}", GOALS.get(label))
    return found


def _of(engine: Engine, name: str, what: str, goal: float | None) -> list[Row]:
    """Times a snapshot from the copy, from SQL, a bare GET of as many bytes, and a save."""
    import redis

    read, save = partial(snapshot, engine, name), partial(engine.save, name)
    whole = read()
    rounds = 9 if len(whole) > 5_000_000 else ROUNDS
    with redis.Redis.from_url(os.environ["REDIS_URL"]) as client:
        client.set("bare", whole)
        calls: dict[str, Callable[[], object]] = {
            "copy": read,
            "sql": _without_copy(read),
            "bare": partial(client.get, "bare"),
        }
        times_of(calls, 2)
        times = times_of(calls, rounds)
    # One after the other: data saved without the copy is not in it.
    times |= times_of({"with": save}, rounds)
    times |= times_of({"without": _without_copy(save)}, rounds)
    ms = {kind: statistics.median(each) * 1e3 for kind, each in times.items()}
    return [
        Row(f"copy: snapshot of {what}, beside SQL", ms["copy"], "ms", ms["sql"], 1),
        Row(f"copy: snapshot of {what}, beside a bare GET", ms["copy"], "ms", ms["bare"], goal),
        Row(f"copy: save on {what}, beside one without", ms["with"], "ms", ms["without"]),
    ]


def _without_copy(call: Callable[[], object]) -> Callable[[], object]:
    from checkpoints.live_copy import current
    from checkpoints.live_copy.port import NoLiveCopy

    def run() -> object:
        used = current.copy()
        current.set_current(NoLiveCopy())
        try:
            return call()
        finally:
            current.set_current(used)

    return run


def main() -> None:
    django.setup()
    call_command("migrate", verbosity=0)
    found = _measured()
    print(json.dumps([[row.name, row.value, row.unit, row.anchor, row.goal] for row in found]))


if __name__ == "__main__":
    main()
