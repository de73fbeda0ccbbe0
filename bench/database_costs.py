"""Measures writes, reads and bytes on one database: the worker of ``bench.databases``."""

import json
import statistics
import sys
from collections.abc import Callable
from functools import partial
from typing import Final

import django
from django.core.management import call_command
from django.db import connection, transaction
from pydantic import JsonValue

from bench import list_pages, search_times
from bench.documents import state_of
from bench.table import Row, times_of

SAVED_LENGTHS: Final = (10, 100, 1_000, 5_000, 50_000)
BARE: Final = "bare"
LENGTHS: Final = (10, 100, 1_000, 10_000)
ROUNDS: Final = 60
SECONDS: Final = 25
STEPS: Final = 2_500
TEXT: Final = "x" * 400
_TWO: Final[list[dict[str, JsonValue]]] = [
    {"role": role, "content": TEXT} for role in ("user", "assistant")
]


class Engine:
    """An engine that calls the services in this process."""

    def __init__(self) -> None:
        from ctxadmin.accounts.services import default_workspace, system_actor

        self.actor = system_actor(default_workspace(), "bench")
        self.saved = 0

    def conversation(self, name: str, messages: int) -> str:
        """Creates a conversation of this length, with an operation after each hundred messages."""
        from conversations.services import use_cases

        use_cases.create(self.actor, use_cases.NewConversation(public_id=name))
        for length in range(0, messages, 100):
            self.append(name, min(messages - length, 100) // 2)
            if length:
                self.operate(name)
        self.save(name)
        return name

    def append(self, name: str, times: int = 1) -> None:
        from conversations.domain.message import read_messages
        from conversations.services import use_cases

        use_cases.append(self.actor, name, read_messages([*_TWO] * times))

    def operate(self, name: str) -> None:
        from conversations.domain.configs import read_operation
        from conversations.services import use_cases

        block: JsonValue = {"keep_first": 1, "keep_last": 8}
        config = {"operation": "truncate", "truncate": block, "pairing": "keep"}
        use_cases.apply_operation(self.actor, name, read_operation(config))

    def roll_back(self, name: str) -> None:
        from conversations.services import use_cases
        from conversations.store.conversation import find_head

        batch = find_head(self.actor.workspace, name).current_batch
        use_cases.rollback(self.actor, name, max(batch - 1, 0))

    def save(self, name: str, state: dict[str, JsonValue] | None = None) -> None:
        from checkpoints.domain.commands import SaveCheckpoint
        from checkpoints.services import checkpoint_saves

        self.saved += 1
        state = {"step": self.saved} if state is None else state
        messages = [] if state.keys() > {"step"} else [*_TWO]
        command = SaveCheckpoint(node_id="a", state_data=state, messages=messages)
        checkpoint_saves.save(self.actor, name, f"c{self.saved}", command)


def _bare() -> Callable[[], None]:
    """Writes two rows in one COMMIT by bare SQL: the least that durable storage costs."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE bare (k INTEGER PRIMARY KEY, v LONGTEXT)")
    keys = iter(range(10**9))

    def write() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            for _ in range(2):
                cursor.execute("INSERT INTO bare (k, v) VALUES (%s, %s)", [next(keys), TEXT])

    return write


def _writes(engine: Engine) -> list[Row]:
    calls: dict[str, Callable[[], object]] = {"bare": _bare()}
    for length in LENGTHS:
        name = engine.conversation(f"bench-{length}", length)
        calls[f"append of 2 messages at {length:,}"] = partial(engine.append, name)
        calls[f"save of a checkpoint at {length:,}"] = partial(engine.save, name)
        calls[f"operation at {length:,}"] = partial(engine.operate, name)
        calls[f"rollback at {length:,}"] = partial(engine.roll_back, name)
    times_of(calls, 3)
    measured = times_of(calls, ROUNDS, seconds=SECONDS)
    middle = {name: statistics.median(times) * 1e3 for name, times in measured.items()}
    bare = middle.pop("bare")
    found = [Row("two rows and a COMMIT by bare SQL", bare, "ms")]
    for kind, goal in (
        ("append of 2 messages", 2.0),
        ("save of a checkpoint", 2.0),
        ("operation", None),
        ("rollback", None),
    ):
        first, *others = (f"{kind} at {length:,}" for length in LENGTHS)
        found.append(Row(f"{first}, beside bare SQL", middle[first], "ms", bare, goal))
        for name in others:
            beside = f"{name}, beside {LENGTHS[0]}"
            found.append(Row(beside, middle[name], "ms", middle[first], 1.1))
    longest = f"save of a checkpoint at {LENGTHS[-1]:,}"
    slow = measured[longest][int(0.99 * len(measured[longest]))] * 1e3
    found.append(Row(f"{longest}, p99 beside its median", slow, "ms", middle[longest], 3))
    return found


def _snapshots(engine: Engine) -> list[Row]:
    found: list[Row] = []
    for size, label, goal in ((10_000, "10 KB", 1.0), (1_000_000, "1 MB", None)):
        name = engine.conversation(f"state-{size}", 10)
        engine.save(name, state_of(size))
        whole = snapshot(engine, name)
        with connection.cursor() as cursor:
            cursor.execute("INSERT INTO bare (k, v) VALUES (%s, %s)", [-size, whole.decode()])

        calls: dict[str, Callable[[], object]] = {
            "snapshot": partial(snapshot, engine, name),
            "bare": partial(_select, -size),
            "save": partial(engine.save, name),
        }
        times = times_of(calls, 25)
        ms = {name: statistics.median(each) * 1e3 for name, each in times.items()}
        found.append(Row(f"newest snapshot of {label}", ms["snapshot"], "ms", goal=goal))
        beside = f"newest snapshot of {label}, beside one bare SELECT"
        found.append(Row(beside, ms["snapshot"], "ms", ms["bare"]))
        found.append(Row(f"save of a checkpoint on a state of {label}", ms["save"], "ms"))
    small, large = found[2], found[5]
    beside = "save on a state of 1 MB, beside one on 10 KB"
    found[5] = Row(beside, large.value, "ms", small.value, 1.1)
    return found


def snapshot(engine: Engine, name: str) -> bytes:
    from checkpoints.reading.queries import find_moment, snapshot_bytes

    return snapshot_bytes(find_moment(engine.actor, name))


def _select(key: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT v FROM bare WHERE k = %s", [key])
        cursor.fetchone()


def writes_and_reads() -> list[Row]:
    """Returns the times of writes and reads, measured with nothing else running."""
    engine = Engine()
    return [*_writes(engine), *_snapshots(engine)]


def long_run() -> list[Row]:
    """Returns the bytes stored by 5,000 messages in 2,500 steps, an operation every 50 steps."""
    from checkpoints.reading.queries import list_checkpoints
    from conversations.services import use_cases
    from ctxadmin.http.endpoints.pagination import PageRequest

    engine = Engine()
    use_cases.create(engine.actor, use_cases.NewConversation(public_id="long"))
    sizes = [_stored_bytes()]
    for step in range(STEPS):
        engine.save("long")
        if step % 50 == 49:
            engine.operate("long")
        if step + 1 in (STEPS // 2, STEPS):
            sizes.append(_stored_bytes())
    first, second = sizes[1] - sizes[0], sizes[2] - sizes[1]
    request = PageRequest(limit=20)
    times = times_of({"list": lambda: list_checkpoints(engine.actor, "long", request)}, 25)
    listed = statistics.median(times["list"]) * 1e3
    found = [
        Row("5,000 messages in 2,500 steps take", (first + second) / 1e6, "MB", goal=15),
        Row("list of 20 of 2,500 checkpoints", listed, "ms", goal=2),
    ]
    if connection.vendor == "sqlite":  # MariaDB allocates pages by the MB
        beside = "the second half of them, beside the first"
        found.append(Row(beside, second / 1e6, "MB", first / 1e6, 1.1))
    return found


def _stored_bytes() -> int:
    """Returns the bytes of all pages of tables and indexes; files of MariaDB grow by 4 MB."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
            return int(cursor.fetchone()[0])
        names = ", ".join(f"`{name}`" for name in connection.introspection.table_names(cursor))
        cursor.execute(f"ANALYZE TABLE {names}")
        cursor.fetchall()
        cursor.execute(
            "SELECT SUM(data_length + index_length) FROM information_schema.tables"
            " WHERE table_schema = DATABASE()"
        )
        return int(cursor.fetchone()[0])


def saves() -> list[Row]:
    """Times saves of a step in conversations of growing length, in turn with bare SQL."""
    engine = Engine()
    calls: dict[str, Callable[[], object]] = {BARE: _bare()}
    for length in SAVED_LENGTHS:
        name = engine.conversation(f"saved-{length}", length)
        calls[str(length)] = partial(engine.save, name)
    times_of(calls, 3)
    measured = times_of(calls, ROUNDS, seconds=SECONDS)
    return [
        Row(name, statistics.median(times) * 1e3, "ms", times[int(0.99 * len(times))] * 1e3)
        for name, times in measured.items()
    ]


def lists() -> list[Row]:
    """Returns the rows of pages with lists, over 100,000 conversations with an execution each."""
    return list_pages.rows(Engine())


def searches() -> list[Row]:
    """Returns the rows of searches over very many messages."""
    return search_times.rows(Engine())


PARTS: Final = {
    "saves": saves,
    "writes": writes_and_reads,
    "long": long_run,
    "lists": lists,
    "searches": searches,
}


def main() -> None:
    django.setup()
    call_command("migrate", verbosity=0)
    found = PARTS[sys.argv[1]]()
    print(json.dumps([[row.name, row.value, row.unit, row.anchor, row.goal] for row in found]))


if __name__ == "__main__":
    main()
