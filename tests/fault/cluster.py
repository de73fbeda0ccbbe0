"""The processes that a round runs against, as production has them, each behind its own lines."""

import shutil
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Final, TypeVar

from tests.fault.clocks import Clock
from tests.fault.copies import METRICS_TOKEN
from tests.fault.disk import Disk
from tests.fault.plan import CLOCKS, REDIS, Fault
from tests.fault.proxy import Proxy
from tests.live_server import SECRET_KEY, LiveServer
from tests.servers import COMMAND_SECONDS, ROOT, MariaDB, Missing, Redis

ResultT = TypeVar("ResultT")
_SQL_DISK_MIB: Final = 400
_EMBEDDED_DISK_MIB: Final = 64
_START_AGAIN_SECONDS: Final = 60
_HANDS: Final = 16
SERVE: Final = (str(ROOT / "manage.py"), "serve", "--no-demo")


class SmallMariaDB(MariaDB):
    """MariaDB whose files leave room on a small disk.

    Its binary log is not there: a server that cannot write it tries again after a minute only,
    however soon there is room, and rounds are shorter than that.
    """

    def __init__(self, folder: Path, disk: Disk | None) -> None:
        super().__init__(folder)
        self.disk = disk

    @property
    def log(self) -> Path:
        return self.folder.parent / "sql.log"  # not on a disk that is full

    def prepare(self) -> None:
        """Install beside the disk, which only who enters it sees, and copy what came of it."""
        if self.disk is None:
            super().prepare()
        elif not (self.disk.outside / "data").exists():
            fresh = MariaDB(self.folder.parent / "fresh")
            fresh.prepare()
            shutil.copytree(fresh.folder / "data", self.disk.outside / "data")
            shutil.rmtree(fresh.folder)

    def command(self) -> Sequence[str]:
        entered = self.disk.entered if self.disk else []
        sizes = ["--innodb-log-file-size=32M", f"--log-bin={self.folder.parent / 'changes'}"]
        return [*entered, *super().command(), *sizes]


class Worker(LiveServer):
    """One process of the application, started as in production."""

    def __init__(self, folder: Path, settings: dict[str, str], disk: Disk | None) -> None:
        super().__init__(folder, settings)
        self.entered = disk.entered if disk else ()

    def command(self) -> Sequence[str]:
        return [*self.entered, sys.executable, *SERVE, "--port", str(self.port)]

    def environment(self) -> dict[str, str]:
        fixed = {"CTXADMIN_SECRET_KEY": SECRET_KEY, "CTXADMIN_METRICS_TOKEN": METRICS_TOKEN}
        return super().environment() | fixed

    def start_again(self) -> None:
        """As a supervisor does: until it runs, also while what it needs comes up."""
        deadline = time.monotonic() + _START_AGAIN_SECONDS
        while True:
            try:
                self.start()
                return
            except RuntimeError:
                if time.monotonic() > deadline:
                    raise


@dataclass
class Cluster:
    """Workers and what they stand on; lines and clocks are by worker.

    ``commands`` runs management commands over no line that could be cut. ``hands`` are threads
    that last: a server dies with the thread that started it.
    """

    workers: list[Worker]
    commands: LiveServer
    hands: ThreadPoolExecutor
    clocks: list[Clock]
    sql: SmallMariaDB | None = None
    redis: Redis | None = None
    sql_lines: list[Proxy] = field(default_factory=list)
    redis_lines: list[Proxy] = field(default_factory=list)
    disk: Disk | None = None
    token: str = ""
    played: Counter[str] = field(default_factory=Counter)  # how often each seed was

    @property
    def ports(self) -> list[int]:
        return [worker.port for worker in self.workers]

    @property
    def faults(self) -> list[Fault]:
        """What can strike here."""
        left_out: set[Fault] = set()
        if self.sql is None:
            left_out |= {fault for fault in Fault if fault.name.startswith("SQL_")}
            left_out |= {Fault.APP_KILL_AT_COMMIT}
        if self.redis is None:
            left_out |= set(REDIS)
        if self.disk is None:
            left_out.add(Fault.DISK_FULL)
        if not self.clocks:
            left_out |= set(CLOCKS)
        return [fault for fault in Fault if fault not in left_out]

    def keep_logs(self, folder: Path) -> None:
        """Copy what the servers wrote, before their folders are gone."""
        folder.mkdir(parents=True, exist_ok=True)
        for number, worker in enumerate(self.workers):
            shutil.copy(worker.log, folder / f"worker-{number}.log")
        if self.sql is not None:
            shutil.copy(self.sql.log, folder / "sql.log")

    def start(self, run: Callable[[], ResultT]) -> Future[ResultT]:
        """Do something in a thread that lasts as long as the cluster."""
        return self.hands.submit(run)


@contextmanager
def embedded(folder: Path) -> Iterator[Cluster]:
    """The embedded server: one process on SQLite."""
    with ExitStack() as stack:
        hands = stack.enter_context(ThreadPoolExecutor(_HANDS))
        disk = _disk(stack, folder / "disk", _EMBEDDED_DISK_MIB)
        clocks = _clocks(folder, 1)
        settings = clocks[0].environment() if clocks else {}
        if disk is not None:
            settings["CTXADMIN_DATA_DIR"] = str(disk.folder)
        worker = Worker(folder / "worker", settings, disk)
        stack.callback(worker.kill)
        hands.submit(worker.start).result(COMMAND_SECONDS)
        cluster = Cluster([worker], worker, hands, clocks, disk=disk)
        cluster.token = worker.make_token("engine", "review", "design")
        yield cluster


@contextmanager
def several(folder: Path, workers: int = 2) -> Iterator[Cluster]:
    """Several workers on one MariaDB and one Redis, each with its own lines to both."""
    with ExitStack() as stack:
        hands = stack.enter_context(ThreadPoolExecutor(_HANDS))
        disk = _disk(stack, folder / "disk", _SQL_DISK_MIB)
        sql = SmallMariaDB(folder / "disk" if disk is None else disk.folder, disk)
        redis = Redis(folder / "redis")
        for server in (sql, redis):
            stack.callback(server.kill)
            hands.submit(server.start).result(COMMAND_SECONDS)
        cluster = Cluster([], LiveServer(folder / "commands", {}), hands, _clocks(folder, workers))
        cluster.sql, cluster.redis, cluster.disk = sql, redis, disk
        for number in range(workers):
            cluster.sql_lines.append(stack.enter_context(Proxy(sql.port)))
            cluster.redis_lines.append(stack.enter_context(Proxy(redis.port)))
            settings = _settings(cluster.sql_lines[-1].port, cluster.redis_lines[-1].port)
            settings |= cluster.clocks[number].environment() if cluster.clocks else {}
            cluster.workers.append(Worker(folder / f"worker-{number}", settings, None))
        cluster.commands.settings = _settings(sql.port, redis.port)
        _make_database(sql)
        cluster.commands.prepare()
        cluster.token = cluster.commands.make_token("engine", "review", "design")
        for worker in cluster.workers:
            stack.callback(worker.kill)
        for started in [hands.submit(worker.start) for worker in cluster.workers]:
            started.result(COMMAND_SECONDS)
        yield cluster


def _settings(sql_port: int, redis_port: int) -> dict[str, str]:
    return {
        "DATABASE_URL": f"mysql://root@127.0.0.1:{sql_port}/ctxadmin",
        "REDIS_URL": f"redis://127.0.0.1:{redis_port}/0",
    }


def _make_database(sql: MariaDB) -> None:
    client = import_module("MySQLdb")
    session = client.connect(host="127.0.0.1", port=sql.port, user="root")
    session.query("CREATE DATABASE ctxadmin CHARACTER SET utf8mb4")
    session.close()


def _disk(stack: ExitStack, folder: Path, size: int) -> Disk | None:
    """A disk that can be filled, where that is allowed."""
    try:
        return stack.enter_context(Disk(folder, size))
    except Missing as missing:
        warnings.warn(f"The disk does not fill up: {missing}.", stacklevel=2)
        return None


def _clocks(folder: Path, count: int) -> list[Clock]:
    """A clock for each worker, where they can be built."""
    try:
        return [Clock(folder / f"clock-{number}") for number in range(count)]
    except Missing as missing:
        warnings.warn(f"No clock jumps: {missing}.", stacklevel=2)
        return []
