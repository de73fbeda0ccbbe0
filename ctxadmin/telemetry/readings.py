"""The metrics of the database: read on demand, and cached for a while."""

import threading
import time
from collections.abc import Callable, Iterable
from typing import Final

from django.db import DatabaseError, connection
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

KEPT_SECONDS: Final = 15.0
KEPT_TIMES: Final = 20  # as long as the reading took: so it is 5 % of the time at most

Reading = Callable[[], Iterable[Metric]]
READINGS: Final[list[Reading]] = []


def register_reading(reading: Reading) -> None:
    """Registers a reading of metrics; it can use the database, preferably with one query."""
    READINGS.append(reading)


class DatabaseCollector(Collector):
    """All registered readings, those of the database itself, and whether it answers.

    If the database does not answer, only the last is left.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: list[Metric] = []
        self._until = 0.0

    def collect(self) -> Iterable[Metric]:
        with self._lock:
            if time.monotonic() >= self._until:
                began = time.monotonic()
                self._kept = _read()
                took = time.monotonic() - began
                self._until = began + max(KEPT_SECONDS, KEPT_TIMES * took)
            return self._kept

    def describe(self) -> Iterable[Metric]:
        """Returns nothing: registering the collector must not query the database."""
        return ()


def _read() -> list[Metric]:
    answers = GaugeMetricFamily("ctxadmin_database_up", "1 if the database answers, else 0")
    try:
        found = [metric for reading in (*READINGS, _server, _sizes) for metric in reading()]
    except DatabaseError:
        answers.add_metric([], 0)
        return [answers]
    answers.add_metric([], 1)
    return [answers, *found]


def _server() -> Iterable[Metric]:
    """Returns the number of the server's connections; SQLite is no server."""
    if connection.vendor != "mysql":
        return
    with connection.cursor() as cursor:
        cursor.execute("SHOW GLOBAL STATUS LIKE 'Threads_connected'")
        _, count = cursor.fetchone()
    connections = GaugeMetricFamily(
        "ctxadmin_database_connections", "Connections that the database server has, of all clients"
    )
    connections.add_metric([], float(count))
    yield connections


def _sizes() -> Iterable[Metric]:
    """Returns the sizes of tables and indexes by app; of SQLite that of the whole file.

    MySQL estimates it, and caches the estimate for a day by default.
    """
    sizes = GaugeMetricFamily(
        "ctxadmin_database_bytes", "Size of tables and indexes by group", labels=["group"]
    )
    with connection.cursor() as cursor:
        if connection.vendor == "mysql":
            cursor.execute(
                "SELECT SUBSTRING_INDEX(table_name, '_', 1), SUM(data_length + index_length)"
                " FROM information_schema.tables WHERE table_schema = DATABASE() GROUP BY 1"
            )
        else:
            cursor.execute(
                "SELECT 'all', page_count * page_size FROM pragma_page_count, pragma_page_size"
            )
        for group, size in cursor.fetchall():
            sizes.add_metric([str(group)], float(size or 0))
    yield sizes
