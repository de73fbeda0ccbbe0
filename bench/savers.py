"""Measures a save as the history grows: ours and LangGraph's checkpoint savers.

A saver gets what LangGraph passes at every step: a checkpoint with the whole list of messages, two
of them new. The messages are of LangGraph's types and have 400 characters like ours.
"""

import json
import statistics
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Final

from bench.database_costs import BARE, SAVED_LENGTHS, TEXT
from bench.databases import new_database, rows_by, start
from bench.peer_packages import installed, run
from bench.postgres import Postgres
from bench.table import Row, times_of
from tests.servers import MariaDB, Missing, PrivateServer, Redis

# At the longest a saver would take a second and hundreds of megabytes for each step.
_PEER_LENGTHS: Final = tuple(length for length in SAVED_LENGTHS if length <= 5_000)
_COMPARED: Final = _PEER_LENGTHS[-1]
_FOR_MYSQL: Final = 1 / 60

_PACKAGES: Final = {
    "sqlite": ("langgraph-checkpoint-sqlite", "langchain-core"),
    "mysql": ("langgraph-checkpoint-mysql[pymysql]", "langchain-core"),
    "postgres": ("langgraph-checkpoint-postgres", "psycopg[binary]", "langchain-core"),
}
_MEASURE: Final = """
import json, statistics, sys, time
from contextlib import nullcontext
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.base import empty_checkpoint

kind, url, lengths, text = sys.argv[1], sys.argv[2], json.loads(sys.argv[3]), sys.argv[4]
if kind == "memory":
    from langgraph.checkpoint.memory import InMemorySaver
    opened = nullcontext(InMemorySaver())
elif kind == "sqlite":
    from langgraph.checkpoint.sqlite import SqliteSaver
    opened = SqliteSaver.from_conn_string(url)
elif kind == "mysql":
    from langgraph.checkpoint.mysql.pymysql import PyMySQLSaver
    opened = PyMySQLSaver.from_conn_string(url)
else:
    from langgraph.checkpoint.postgres import PostgresSaver
    opened = PostgresSaver.from_conn_string(url)

found = {}
with opened as saver:
    if kind != "memory":
        saver.setup()
    for length in lengths:
        config = {"configurable": {"thread_id": f"t{length}", "checkpoint_ns": ""}}
        messages = [(HumanMessage, AIMessage)[n % 2](text, id=str(n)) for n in range(length)]
        version, times = None, []
        for step in range(9):
            version = saver.get_next_version(version, None)
            checkpoint = empty_checkpoint()
            checkpoint["channel_values"] = {"messages": list(messages), "step": step}
            checkpoint["channel_versions"] = {"messages": version, "step": version}
            metadata = {"source": "loop", "step": step, "parents": {}}
            began = time.perf_counter()
            config = saver.put(config, checkpoint, metadata, checkpoint["channel_versions"])
            times.append(time.perf_counter() - began)
            messages += [HumanMessage(text, id=f"u{step}"), AIMessage(text, id=f"a{step}")]
        found[length] = statistics.median(times[2:]) * 1e3
print(json.dumps(found))
"""


def rows() -> list[Row]:
    """Returns ours at all lengths on each database, then each peer compared with ours."""
    with ExitStack() as kept:
        folder = Path(kept.enter_context(tempfile.TemporaryDirectory()))
        servers = _servers(kept, folder)
        mariadb = servers.get("mariadb")
        ours = {"SQLite": _ours("SQLite", folder / "ours-sqlite", "")}
        if mariadb is not None:
            ours["MariaDB"] = _ours("MariaDB", folder / "ours-mariadb", mariadb.url)
        found = [row for name, times in ours.items() for row in _own_rows(name, times)]
        if "redis" in servers:
            found.append(_bare_redis(servers["redis"].url))
        for kind, url in _peers(servers, folder).items():
            found += _peer_rows(kind, url, ours)
        return found


def _servers(kept: ExitStack, folder: Path) -> Mapping[str, PrivateServer]:
    found: dict[str, PrivateServer] = {}
    for kind in (MariaDB, Redis, Postgres):
        try:
            found[kind.kind] = kept.enter_context(kind(folder / kind.kind))
        except Missing as missing:
            print(f"{kind.kind} is left out: {missing}", file=sys.stderr)
    return found


def _peers(servers: Mapping[str, PrivateServer], folder: Path) -> dict[str, str]:
    """Yields the savers that can run here, by kind, each with its storage."""
    found = {"memory": "", "sqlite": str(folder / "peer.sqlite3")}
    if "mariadb" in servers:
        found["mysql"] = new_database(servers["mariadb"].url, "peer")
    if "postgres" in servers:
        found["postgres"] = servers["postgres"].url
    return found


def _ours(database: str, folder: Path, server: str) -> dict[str, Row]:
    """Returns medians with their p99, by length, and those of bare SQL."""
    measured = rows_by("", start("saves", folder, server))
    return {row.name.removeprefix(": "): row for row in measured}


def _own_rows(database: str, times: Mapping[str, Row]) -> list[Row]:
    first, *longer = (times[str(length)] for length in SAVED_LENGTHS)
    bare, last = times[BARE].value, longer[-1]
    found = [
        Row(f"{database}: save at {SAVED_LENGTHS[0]}, beside bare SQL", first.value, "ms", bare, 2)
    ]
    for length, row in zip(SAVED_LENGTHS[1:], longer, strict=True):
        name = f"{database}: save at {length:,}, beside {SAVED_LENGTHS[0]}"
        found.append(Row(name, row.value, "ms", first.value, 1.1))
    name = f"{database}: save at {SAVED_LENGTHS[-1]:,}, p99 beside its median"
    return [*found, Row(name, last.anchor or 0, "ms", last.value, 3)]


def peer(kind: str, url: str, lengths: Sequence[int]) -> Mapping[str, float]:
    """Returns the milliseconds of a put by a saver of LangGraph, by length; empty without it."""
    folder = installed(
        "langgraph-sqlite" if kind == "memory" else f"langgraph-{kind}",
        *_PACKAGES["sqlite" if kind == "memory" else kind],
    )
    if folder is None:
        return {}
    found: dict[str, float] = json.loads(
        run(folder, _MEASURE, [kind, url, json.dumps(lengths), TEXT])
    )
    return found


def _peer_rows(kind: str, url: str, ours: Mapping[str, Mapping[str, Row]]) -> list[Row]:
    """Returns a peer at each length and ours at the longest, on the same kind of database."""
    measured = peer(kind, url, _PEER_LENGTHS)
    if not measured:
        return []
    name = f"LangGraph's saver {kind}"
    found = [
        Row(f"{name}: put at {length:,}", measured[str(length)], "ms") for length in _PEER_LENGTHS
    ]
    for database, times in ours.items():
        if (database == "SQLite") == (kind in ("memory", "sqlite")):
            found.append(
                Row(
                    f"{database}: save at {_COMPARED:,}, beside LangGraph's saver {kind}",
                    times[str(_COMPARED)].value,
                    "ms",
                    measured[str(_COMPARED)],
                    _FOR_MYSQL if kind == "mysql" else None,
                )
            )
    return found


def _bare_redis(url: str) -> Row:
    """Times two messages and a manifest in one MULTI: Redis alone, without durability."""
    client = import_module("redis").Redis.from_url(url + "0")  # of the production set
    numbers = iter(range(10**9))

    def put() -> None:
        number = next(numbers)
        with client.pipeline(transaction=True) as pipe:
            pipe.rpush("messages", TEXT, TEXT)
            pipe.hset("manifest", mapping={"version": number, "count": 2 * number})
            pipe.zadd("versions", {str(number): number})
            pipe.execute()

    measured = times_of({"put": put}, 300)["put"]
    return Row("two messages and a manifest by bare Redis", statistics.median(measured) * 1e3, "ms")
