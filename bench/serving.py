"""The servers that the bench loads: ctxadmin as in production, and bare ones as anchors."""

import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bench.databases import new_database
from tests.live_server import LiveServer, Production
from tests.servers import MariaDB, Missing, PrivateServer, Redis

_BARE_BODY: Final = b'{"first_index":20,"count":2,"batch":0,"revision":0}'


async def bare_application(
    scope: Any, receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]
) -> None:
    """Reads the body and answers a few bytes, to measure uvicorn alone."""
    if scope["type"] != "http":
        return
    while (await receive()).get("more_body"):
        pass
    headers = [(b"content-length", str(len(_BARE_BODY)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": _BARE_BODY})


class Embedded(LiveServer):
    """``make run``: SQLite, one process."""

    def __init__(self, folder: Path, settings: dict[str, str]) -> None:
        super().__init__(folder, settings, "--no-demo")

    def pids(self) -> list[int]:
        return [self.pid]


class Bare(PrivateServer):
    """uvicorn with ``bare_application``, with as many workers as ctxadmin has."""

    kind = "bare uvicorn"

    def command(self) -> Sequence[str]:
        options = (
            f"--workers 2 --lifespan off --no-access-log --log-level warning --port {self.port}"
        )
        return [sys.executable, "-m", "uvicorn", "bench.serving:bare_application", *options.split()]

    def answers(self, connection: Any) -> bool:
        connection.sendall(b"GET / HTTP/1.0\r\nContent-Length: 0\r\n\r\n")
        return b" 200 " in connection.recv(64)

    def kill(self) -> None:
        """Stops the workers first, because they outlive a killed parent."""
        self.stop()


@dataclass(frozen=True, slots=True)
class Served:
    """A way of running ctxadmin: its name, its server, its database and Redis."""

    name: str
    server: Embedded | Production
    database: str = ""
    redis: str = ""


@contextmanager
def served(folder: Path) -> Iterator[list[Served]]:
    """Yields ctxadmin on SQLite, and on MariaDB with Redis if they are installed."""
    with ExitStack() as kept:
        found = [Served("SQLite", kept.enter_context(Embedded(folder / "embedded", {})))]
        try:
            mariadb = kept.enter_context(MariaDB(folder / "mariadb"))
        except Missing as missing:
            print(f"MariaDB is left out: {missing}", file=sys.stderr)
        else:
            redis = ""
            try:
                redis = kept.enter_context(Redis(folder / "redis")).url + "0"
            except Missing as missing:
                print(f"Redis is left out: {missing}", file=sys.stderr)
            database = new_database(mariadb.url, "http")
            settings = {"DATABASE_URL": database, "REDIS_URL": redis}
            server = kept.enter_context(Production(folder / "production", settings))
            found.append(Served("MariaDB", server, database, redis))
        yield found
