"""Measures the databases and Redis alone, through their drivers, in this process."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from bench.calls import TEXT

_TABLE: Final = "CREATE TABLE bare (k INTEGER PRIMARY KEY, v {})"


@contextmanager
def rows_of(database: str, folder: Path) -> Iterator[Callable[..., None]]:
    """Gives ``insert(*texts)``: rows and one COMMIT, on MariaDB or, without a url, on SQLite."""
    connection: Any
    if database:
        url = urlsplit(database)
        driver = import_module("MySQLdb")  # of the production set, without types
        connection = driver.connect(
            host="127.0.0.1", port=url.port, user="root", database=url.path[1:], charset="utf8mb4"
        )
    else:
        connection = sqlite3.connect(folder / "bare.sqlite3", isolation_level="IMMEDIATE")
        connection.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL")
    cursor = connection.cursor()
    cursor.execute(_TABLE.format("LONGTEXT" if database else "TEXT"))
    place = "%s" if database else "?"
    keys = iter(range(10**9))

    def insert(*texts: str) -> None:
        for text in texts or (TEXT, TEXT):
            cursor.execute(f"INSERT INTO bare (k, v) VALUES ({place}, {place})", [next(keys), text])
        connection.commit()

    try:
        yield insert
    finally:
        cursor.execute("DROP TABLE bare")
        connection.close()


def value_of(redis: str, size: int) -> Callable[[], object]:
    """Gives a GET of a value of this size by redis-py with hiredis."""
    driver = import_module("redis")  # of the production set
    client = driver.Redis.from_url(redis)
    key = f"bare-{size}"
    client.set(key, b"x" * size)

    def get() -> object:
        return client.get(key)

    return get
