"""ctxadmin itself as a server of its own: ``manage.py serve`` in another process, on its own data.

Tests see it as engines and browsers do, through HTTP. ``manage`` runs commands beside it.
"""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from tests import migrated
from tests.servers import COMMAND_SECONDS, ROOT, PrivateServer, free_port, wait_until

_LISTENS, _CONNECTED = "0A", "01"  # states of /proc/net/tcp
# By which the audit of a database that several servers share is chained, and of its copies.
SECRET_KEY = "only-for-tests-" + "1" * 40
PASSWORD = "a long passphrase of the tests"
# People by role, as the pages sign them in; the names are the roles. Prints the key of a session
# of each, and the secret of a token.
MAKE_PEOPLE = """
import json
from django.contrib.auth.hashers import make_password
from django.test import Client
from ctxadmin.accounts.models import Membership, User
from ctxadmin.identity.roles import Role, Scope
from ctxadmin.accounts.services import create_token, default_workspace, system_actor
workspace, password, sessions = default_workspace(), make_password({password!r}), {{}}
for role in Role:
    person = User.objects.get_or_create(username=role.value)[0]
    person.password = password
    person.save()
    Membership.objects.get_or_create(
        user=person, workspace=workspace, defaults=dict(role=role.value)
    )
    client = Client()
    client.force_login(person)
    sessions[role.value] = client.cookies["ctxadmin"].value
scopes = [Scope(each) for each in {scopes!r}]
token = create_token(system_actor(workspace, "tests"), "tests", scopes).secret if scopes else ""
print(json.dumps([sessions, token]))
"""


class LiveServer(PrivateServer):
    """The embedded server on SQLite, or with ``DATABASE_URL`` and ``REDIS_URL`` in ``settings``."""

    kind = "ctxadmin"
    entered: Sequence[str] = ()  # stands before every command: what it is run by
    _migrated: ClassVar[set[str]] = set()  # databases that need no second look by this process

    def __init__(self, folder: Path, settings: dict[str, str], *options: str) -> None:
        super().__init__(folder)
        self.settings = settings
        self.options = options
        self.port = free_port()
        self.sessions: dict[str, str] = {}
        self._tokens: dict[Sequence[str], str] = {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def prepare(self) -> None:
        """On a database of its own a server finds everything done."""
        url = self.settings.get("DATABASE_URL")
        if url and url not in self._migrated:
            migrated.bring_up(url, lambda: self.manage("migrate", "-v", "0"))
            self._migrated.add(url)

    def command(self) -> Sequence[str]:
        return [sys.executable, "manage.py", "serve", "--port", str(self.port), *self.options]

    def environment(self) -> dict[str, str]:
        """This process's, less what makes it a test, on a data folder of the server's own."""
        inherited = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("CTXADMIN_", "DATABASE_URL", "REDIS_URL"))
        }
        key = {"CTXADMIN_SECRET_KEY": SECRET_KEY} if "DATABASE_URL" in self.settings else {}
        return inherited | {
            **key,
            "DJANGO_SETTINGS_MODULE": "ctxadmin.config.settings",
            "CTXADMIN_DATA_DIR": str(self.folder / "data"),
            **self.settings,
        }

    def answers(self, connection: socket.socket) -> bool:
        connection.sendall(b"GET /healthz HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
        return b" 200 " in connection.recv(64)

    def manage(self, *arguments: str) -> str:
        """What a management command prints, run beside the server."""
        finished = subprocess.run(
            [*self.entered, sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=COMMAND_SECONDS,
        )
        if finished.returncode:
            raise RuntimeError(f"manage.py {arguments[0]} failed:\n{finished.stderr}")
        return finished.stdout

    def make_people(self, *scopes: str) -> None:
        """One person of each role, with the role as name and PASSWORD, signed in once.

        ``token`` with these scopes is made along: another process takes two seconds.
        """
        script = MAKE_PEOPLE.format(password=PASSWORD, scopes=scopes)
        self.sessions, secret = json.loads(self.manage("shell", "-v", "0", "-c", script))
        self._tokens[scopes] = secret

    def token(self, *scopes: str) -> str:
        """The secret of an engine token, the same for the same scopes: a new one takes seconds."""
        if scopes not in self._tokens:
            self._tokens[scopes] = self.make_token(*scopes)
        return self._tokens[scopes]

    def make_token(self, *scopes: str) -> str:
        """The secret of a new engine token."""
        name = "tests " + " ".join(scopes)
        answer = self.manage("create_token", "--name", name, "--scopes", ",".join(scopes))
        return answer.strip()


class Production(LiveServer):
    """Two workers under their supervisor, by the command of ``run-in-production.md``."""

    def __init__(self, folder: Path, settings: dict[str, str]) -> None:
        super().__init__(folder, settings, "--workers", "2")

    def kill(self) -> None:
        """Kill the supervisor; its workers must notice and end, and are killed if they do not."""
        if self._process is None:
            return
        workers = [] if self.has_ended else _children(self.pid)
        super().kill()
        try:
            wait_until(lambda: not any(map(is_there, workers)))
        finally:
            for pid in filter(is_there, workers):
                os.kill(pid, signal.SIGKILL)

    def pids(self) -> list[int]:
        """The processes that serve: the supervisor's children that listen."""
        return [pid for pid in _children(self.pid) if _sockets(self.port, _LISTENS) & _opened(pid)]

    def connections(self) -> dict[int, int]:
        """How many connections of clients each worker has, by its process id."""
        taken = _sockets(self.port, _CONNECTED)
        return {pid: len(taken & _opened(pid)) for pid in self.pids()}


def is_there(pid: int) -> bool:
    """True if a process runs; one that has ended stays listed until its parent asks."""
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def _children(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _opened(pid: int) -> set[str]:
    """What a process has open, sockets as the kernel names them."""
    found = set()
    with suppress(FileNotFoundError):  # the process has ended
        for link in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(FileNotFoundError):
                found.add(link.readlink().name)
    return found


def _sockets(port: int, state: str) -> set[str]:
    """The server's sockets of a port in a state, as the kernel names them."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    ours = [row for row in rows if row[1].endswith(f":{port:04X}") and row[3] == state]
    return {f"socket:[{row[9]}]" for row in ours}


class Workers(LiveServer):
    """Two workers without a supervisor of ours, also on SQLite."""

    def command(self) -> Sequence[str]:
        options = f"--workers 2 --lifespan off --port {self.port}".split()
        return [sys.executable, "-m", "uvicorn", "ctxadmin.config.asgi:application", *options]

    def prepare(self) -> None:
        self.manage("migrate", "-v", "0")

    def kill(self) -> None:
        """End them in order: bare workers outlive a parent that is killed."""
        self.stop()

    def pids(self) -> list[int]:
        """The processes of the workers, and of what looks after their shared resources."""
        return _children(self.pid)
