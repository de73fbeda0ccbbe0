"""A private PostgreSQL for a peer that needs one; it refuses to run as root."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from socket import socket
from typing import Final

from tests.servers import Missing, PrivateServer

_SSL_REQUEST: Final = b"\x00\x00\x00\x08\x04\xd2\x16\x2f"
_PLACES: Final = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)


class Postgres(PrivateServer):
    """PostgreSQL with its own defaults, which are durable; ``postgres`` without a password."""

    kind = "postgres"

    @property
    def url(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def prepare(self) -> None:
        data = self.folder / "data"
        if data.exists():
            return
        data.mkdir(mode=0o700)
        if os.getuid() == 0:
            for folder in (self.folder, self.folder.parent):
                folder.chmod(0o711)  # another user has to get through
            shutil.chown(data, "nobody", "nogroup")
        initdb = [_program("initdb"), "-D", str(data), "-U", "postgres", "-A", "trust"]
        subprocess.run([*_as_a_person(), *initdb], check=True, capture_output=True, cwd="/")

    def command(self) -> Sequence[str]:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories="
        program = [_program("postgres"), "-D", str(self.folder / "data")]
        return [*_as_a_person(), *program, *options.split()]

    def answers(self, connection: socket) -> bool:
        connection.sendall(_SSL_REQUEST)
        return connection.recv(1) == b"N"


def _program(name: str) -> str:
    path = os.pathsep.join([*map(str, _PLACES), os.environ.get("PATH", "")])
    found = shutil.which(name, path=path)
    if not found:
        raise Missing(f"{name} is not installed: apt-get install postgresql")
    return found


def _as_a_person() -> list[str]:
    if os.getuid() != 0:
        return []
    user = "--reuid=nobody --regid=nogroup --clear-groups --pdeathsig KILL"
    return ["setpriv", *user.split()]
