"""How each fault is injected into a cluster, and how it is healed."""

import contextlib
import os
import signal
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Final

import redis

from tests.fault.clocks import DAY
from tests.fault.cluster import Cluster
from tests.fault.history import History, Strike
from tests.fault.plan import Fault, Planned
from tests.fault.proxy import Line, Proxy
from tests.servers import PrivateServer

Doing = Callable[[Cluster, int], AbstractContextManager[None]]
_OF_REDIS: Final = (Fault.REDIS_KILL, Fault.REDIS_STOP, Fault.REDIS_OLD_COPY, Fault.REDIS_FLUSH)


class Striker:
    """Carries a plan out; two faults of the same thing wait for each other."""

    def __init__(self, cluster: Cluster, history: History) -> None:
        self.cluster = cluster
        self.history = history
        self.over = threading.Event()
        self._held: Mapping[str, threading.Lock] = defaultdict(threading.Lock)

    def start(self, planned: Sequence[Planned], seconds: float) -> list[Future[None]]:
        """Every fault in a thread of its own; each is healed when its future is done.

        One that cannot begin within so many seconds, because healing another took long, is left
        out: on a busy machine a round has fewer faults and not more minutes.
        """
        now = time.monotonic()
        end = now + seconds
        return [self.cluster.start(partial(self._strike, each, now, end)) for each in planned]

    def _strike(self, planned: Planned, started: float, end: float) -> None:
        worker = planned.worker or 0
        if self.over.wait(max(0.0, started + planned.at - time.monotonic())):
            return
        with self._held[_target(planned)], contextlib.ExitStack() as stack:
            if time.monotonic() > end:
                return
            stack.enter_context(_DOINGS[planned.fault](self.cluster, worker))
            began = time.monotonic()
            self.over.wait(planned.lasting)
            until = time.monotonic()
            stack.close()
            over = time.monotonic()
        self.history.add(Strike(planned.fault, planned.worker, began, until, over))


def _target(planned: Planned) -> str:
    """What a fault needs for itself: a process, a line, a clock.

    A database that was killed cannot start on a full disk, and a Redis that was killed cannot be
    flushed, so these wait for each other.
    """
    if planned.fault in (Fault.SQL_KILL, Fault.SQL_STOP, Fault.DISK_FULL):
        return "the database"
    if planned.fault in _OF_REDIS:
        return "Redis"
    return f"{planned.fault.name.partition('_')[0]} of worker {planned.worker}"


@contextmanager
def _app_killed(cluster: Cluster, worker: int) -> Iterator[None]:
    cluster.workers[worker].kill()
    yield
    cluster.workers[worker].start_again()


@contextmanager
def _app_killed_at_commit(cluster: Cluster, worker: int) -> Iterator[None]:
    """The proxy kills it when the database has committed and it has not heard so."""
    server, line = cluster.workers[worker], cluster.sql_lines[worker]
    line.at_next_commit(partial(os.kill, server.pid, signal.SIGKILL))
    yield
    line.at_next_commit(None)
    server.kill()
    server.start_again()


@contextmanager
def _stopped(server: PrivateServer) -> Iterator[None]:
    server.pause()
    yield
    server.go_on()


def _app_stopped(cluster: Cluster, worker: int) -> AbstractContextManager[None]:
    return _stopped(cluster.workers[worker])


@contextmanager
def _killed(server: PrivateServer) -> Iterator[None]:
    server.kill()
    yield
    server.start()


@contextmanager
def _line(line: Proxy, how: Line) -> Iterator[None]:
    line.set_line(how)
    yield
    line.set_line(Line.OPEN)


@contextmanager
def _sql_cut_at_commit(cluster: Cluster, worker: int) -> Iterator[None]:
    line = cluster.sql_lines[worker]
    line.at_next_commit(lambda: None)
    yield
    line.at_next_commit(None)


def _sql_line(how: Line) -> Doing:
    return lambda cluster, worker: _line(cluster.sql_lines[worker], how)


def _redis_line(how: Line) -> Doing:
    return lambda cluster, worker: _line(cluster.redis_lines[worker], how)


@contextmanager
def _redis_flushed(cluster: Cluster, worker: int) -> Iterator[None]:
    with _redis(cluster) as client:
        client.flushall()
    yield


@contextmanager
def _redis_put_back(cluster: Cluster, worker: int) -> Iterator[None]:
    """All keys go back to what they were when the fault began."""
    with _redis(cluster) as client:
        kept = {key: (client.dump(key), client.pttl(key)) for key in client.scan_iter(count=1000)}
    yield
    with _redis(cluster) as client:
        client.flushall()
        for key, (value, left) in kept.items():
            if value is not None:
                client.restore(key, max(int(left), 0), value, replace=True)


@contextmanager
def _disk_full(cluster: Cluster, worker: int) -> Iterator[None]:
    disk, sql = cluster.disk, cluster.sql
    if disk is None:
        raise LookupError("there is no disk to fill")
    disk.fill()
    yield
    disk.free()
    if sql is not None and sql.has_ended:
        sql.kill()
        sql.start()


def _clock(seconds: int) -> Doing:
    @contextmanager
    def jumped(cluster: Cluster, worker: int) -> Iterator[None]:
        cluster.clocks[worker].set(seconds)
        yield
        cluster.clocks[worker].set(0)

    return jumped


def _sql(cluster: Cluster) -> PrivateServer:
    if cluster.sql is None:
        raise LookupError("there is no database server")
    return cluster.sql


def _redis_server(cluster: Cluster) -> PrivateServer:
    if cluster.redis is None:
        raise LookupError("there is no Redis")
    return cluster.redis


def _redis(cluster: Cluster) -> redis.Redis:
    return redis.Redis.from_url(f"{_redis_server(cluster).url}0")


_DOINGS: Final[Mapping[Fault, Doing]] = {
    Fault.APP_KILL: _app_killed,
    Fault.APP_KILL_AT_COMMIT: _app_killed_at_commit,
    Fault.APP_STOP: _app_stopped,
    Fault.SQL_KILL: lambda cluster, worker: _killed(_sql(cluster)),
    Fault.SQL_STOP: lambda cluster, worker: _stopped(_sql(cluster)),
    Fault.SQL_CUT: _sql_line(Line.CUT),
    Fault.SQL_CUT_AT_COMMIT: _sql_cut_at_commit,
    Fault.SQL_STALL: _sql_line(Line.STALL),
    Fault.REDIS_KILL: lambda cluster, worker: _killed(_redis_server(cluster)),
    Fault.REDIS_STOP: lambda cluster, worker: _stopped(_redis_server(cluster)),
    Fault.REDIS_CUT: _redis_line(Line.CUT),
    Fault.REDIS_STALL: _redis_line(Line.STALL),
    Fault.REDIS_FLUSH: _redis_flushed,
    Fault.REDIS_OLD_COPY: _redis_put_back,
    Fault.DISK_FULL: _disk_full,
    Fault.CLOCK_AHEAD: _clock(8 * DAY),
    Fault.CLOCK_BACK: _clock(-DAY),
}
