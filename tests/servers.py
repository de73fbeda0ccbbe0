"""Private MariaDB and Redis servers for tests: started in a temporary folder, gone with their run.

Two ways to have one:

- ``shared("mariadb")`` or ``shared("redis")``: one server for all processes of a run, started when
  the first asks. A *keeper* process owns it and waits for the end of the run, however that comes
  (also Ctrl-C and kill -9), then ends the server and removes the folder of the run.
- ``MariaDB(folder)`` and ``Redis(folder)``: a server that one test owns, kills and starts again on
  the same folder. It dies with the process that started it.

No system service is started, used or needed.
"""

import atexit
import contextlib
import fcntl
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType, TracebackType
from typing import ClassVar, Self
from uuid import uuid4

FOLDER_VARIABLE = "CTXADMIN_TEST_FOLDER"
OWNER_VARIABLE = "CTXADMIN_TEST_OWNER"
COMMAND_SECONDS = 300  # for a program that ends by itself: none may hold up a run for ever
START_SECONDS = 60  # a start takes about 1 s on an idle machine; CI machines can be very busy
ROOT = Path(__file__).resolve().parent.parent
_HELD: dict[int, socket.socket] = {}


class Missing(Exception):
    """Something that a test needs is not on this machine; the text says what to install.

    Raised in a test or fixture it skips the test; in CI (``CI=true``) it fails it.
    """


def program(package: str, *names: str) -> str:
    """The path of the first program of these names; looks where Debian puts servers, too."""
    path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"])
    for name in names:
        found = shutil.which(name, path=path)
        if found:
            return found
    raise Missing(f"{names[0]} is not installed: apt-get install {package}")


def wait_until(holds: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"not so after {seconds} s"
        time.sleep(0.05)


def free_port() -> int:
    """A loopback port that nothing listens on, and that the kernel gives to nobody else.

    A server can listen on it, as servers bind with SO_REUSEADDR; this process keeps it until its
    end, also while the server is down. One that was only looked up went to another test meanwhile.
    """
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    port: int = held.getsockname()[1]
    _HELD[port] = held
    return port


class PrivateServer:
    """A server program in the foreground on a loopback port, with all its files in one folder."""

    kind: ClassVar[str]

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = 0
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Up to the slash before the name or number of a database."""
        raise AttributeError(self.kind)

    def prepare(self) -> None:
        """Make in the folder what the first start needs."""

    def environment(self) -> dict[str, str]:
        return dict(os.environ)

    def command(self) -> Sequence[str]:
        raise AttributeError(self.kind)

    def answers(self, connection: socket.socket) -> bool:
        raise AttributeError(self.kind)

    @property
    def log(self) -> Path:
        return self.folder / "server.log"

    @property
    def pid(self) -> int:
        if self._process is None:
            raise RuntimeError(f"{self.kind} is not running")
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """True if it is gone and nobody ended it from here."""
        return self._process is not None and self._process.poll() is not None

    def start(self) -> Self:
        """Start, or start again on the same port and files, and wait until it answers."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.prepare()
        self.port = self.port or free_port()
        with self.log.open("ab") as log:
            # setpriv gives way to the program, which then dies with the thread that started it.
            self._process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *self.command()],
                cwd=ROOT,
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._wait_until_it_answers(self._process)
        return self

    def kill(self) -> None:
        """End at once, as a power cut would end it, but for what the kernel has of its writes."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End as a shutdown of the machine would."""
        self._end(signal.SIGTERM)

    def pause(self) -> None:
        """Stall: connections stay open, nothing answers from here on.

        A signal only asks: threads of the server run on until the kernel reports that all stand.
        """
        os.kill(self.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WNOWAIT)  # also if it stands already

    def go_on(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()

    def _end(self, how: signal.Signals) -> None:
        if self._process is None:
            return
        self._process.send_signal(how)
        self._process.wait(START_SECONDS)
        self._process = None

    def _wait_until_it_answers(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and process.poll() is None:
            with contextlib.suppress(OSError):
                address = ("127.0.0.1", self.port)
                with socket.create_connection(address, timeout=1) as connection:
                    if self.answers(connection):
                        return
            time.sleep(0.02)
        self.kill()
        raise RuntimeError(f"{self.kind} did not start:\n{tail(self.log)}")


class MariaDB(PrivateServer):
    """MariaDB with the settings that ctxadmin asks of a database; ``root`` without a password."""

    kind = "mariadb"

    @property
    def url(self) -> str:
        return f"mysql://root@127.0.0.1:{self.port}/"

    def prepare(self) -> None:
        """Copy what the first server of a run installed: that waits for the disk for a second."""
        if self._data.exists():
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        installed = run_folder() / "installed"
        with (run_folder() / "installed.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not installed.exists():
                self._install(installed.with_suffix(".draft"))
                installed.with_suffix(".draft").rename(installed)
        subprocess.run(
            ["cp", "-r", "--sparse=always", installed, self._data],
            check=True,
            timeout=COMMAND_SECONDS,
        )

    def _install(self, data: Path) -> None:
        install = program("mariadb-server-core", "mariadb-install-db", "mysql_install_db")
        program("mariadb-client-core", "my_print_defaults")  # the installer calls it
        done = subprocess.run(
            [
                install,
                "--no-defaults",
                f"--datadir={data}",
                f"--tmpdir={self.folder}",
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
                "--skip-name-resolve",
                *_as_this_user(),
            ],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=COMMAND_SECONDS,
        )
        if done.returncode:
            raise RuntimeError(f"{install} failed:\n{done.stdout}{done.stderr}")

    def command(self) -> Sequence[str]:
        return [
            program("mariadb-server-core", "mariadbd", "mysqld"),
            "--no-defaults",
            f"--datadir={self._data}",
            f"--tmpdir={self.folder}",
            f"--socket={self.folder / 'sql'}",
            f"--pid-file={self.folder / 'pid'}",
            "--bind-address=127.0.0.1",
            f"--port={self.port}",
            "--skip-name-resolve",
            "--character-set-server=utf8mb4",
            "--max-allowed-packet=64M",
            "--innodb-flush-log-at-trx-commit=1",
            "--innodb-buffer-pool-size=128M",
            "--max-connections=300",
            f"--log-bin={self.folder / 'changes'}",
            "--sync-binlog=1",
            "--binlog-format=ROW",
            "--binlog-row-image=MINIMAL",
            "--max-binlog-size=64M",
            "--binlog-expire-logs-seconds=60",  # or the logs of a run fill its folder
            *_as_this_user(),
        ]

    def answers(self, connection: socket.socket) -> bool:
        greeting = connection.recv(5)
        return len(greeting) == 5 and greeting[4] == 10  # 255 would be an error packet

    @property
    def _data(self) -> Path:
        return self.folder / "data"


class Redis(PrivateServer):
    """Redis in memory only: in tests as in production it holds nothing that may not be lost."""

    kind = "redis"

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/"

    def command(self) -> Sequence[str]:
        options = f"--bind 127.0.0.1 --port {self.port} --databases 64 --appendonly no".split()
        return [
            self._program(),
            *options,
            "--save",
            "",
            "--dir",
            str(self.folder),
        ]

    def answers(self, connection: socket.socket) -> bool:
        connection.sendall(b"PING\r\n")
        return connection.recv(7) == b"+PONG\r\n"

    def _program(self) -> str:
        found = program("redis-tools", "redis-server", "valkey-server", "redis-check-rdb")
        if Path(found).name != "redis-check-rdb":
            return found
        # Debian's redis-server package brings a system service, and of the server only this link:
        # the program is in redis-tools and goes by the name under which it is called.
        link = self.folder / "redis-server"
        link.unlink(missing_ok=True)
        link.symlink_to(found)
        return str(link)


KINDS: dict[str, type[PrivateServer]] = {server.kind: server for server in (MariaDB, Redis)}


def run_folder() -> Path:
    """The temporary folder of this run; made, and owned, by the process that asks first."""
    given = os.environ.get(FOLDER_VARIABLE)
    if given and Path(given).is_dir():
        return Path(given)
    folder = Path(tempfile.mkdtemp(prefix="ctxadmin-tests-"))
    os.environ[FOLDER_VARIABLE] = str(folder)
    os.environ[OWNER_VARIABLE] = str(os.getpid())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def shared(kind: str) -> str:
    """The URL, up to the database, of the server of this kind that all processes of a run share.

    Errors: Missing, when a program of it is not installed; RuntimeError, when it does not start.
    """
    folder = run_folder() / kind
    folder.mkdir(exist_ok=True)
    ready = folder / "url"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not ready.exists():
            _start_keeper(kind, folder, ready)
    return ready.read_text()


@contextlib.contextmanager
def fresh_database(client: ModuleType) -> Iterator[str]:
    """The URL of an empty database of the shared MariaDB, which is gone afterwards."""
    server = shared("mariadb")
    name = f"fresh_{uuid4().hex}"
    port = int(server.rstrip("/").rpartition(":")[2])
    session = client.connect(host="127.0.0.1", port=port, user="root")
    session.query(f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
    yield server + name
    session.query(f"DROP DATABASE {name}")
    session.close()


def _start_keeper(kind: str, folder: Path, ready: Path) -> None:
    KINDS[kind](folder).command()  # raises Missing here, not in a log
    log = folder / "keeper.log"
    with log.open("wb") as output:
        keeper = subprocess.Popen(
            [sys.executable, "-m", "tests.servers", kind, str(folder), os.environ[OWNER_VARIABLE]],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,  # Ctrl-C is for the tests; the keeper sees them end
        )
    deadline = time.monotonic() + 2 * START_SECONDS
    while not ready.exists():
        if keeper.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"The private {kind} did not start:\n{tail(log)}")
        time.sleep(0.02)


def _keep(kind: str, folder: Path, owner: int) -> None:
    """Run a server until the owner is gone, then clear up after both."""
    watched = os.pidfd_open(owner)
    try:
        with KINDS[kind](folder / "server") as server:
            draft = folder / "url.draft"
            draft.write_text(server.url)
            draft.rename(folder / "url")
            select.select([watched], [], [])
    finally:
        if select.select([watched], [], [], 0)[0]:
            shutil.rmtree(folder.parent, ignore_errors=True)


def _as_this_user() -> list[str]:
    """The user for MariaDB, which refuses to run as root unless root is named."""
    return ["--user=root"] if os.geteuid() == 0 else []


def tail(log: Path) -> str:
    return log.read_text(errors="replace")[-4000:]


if __name__ == "__main__":
    _keep(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
