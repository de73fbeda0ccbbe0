"""A small disk that can be filled: a tmpfs that only processes inside a namespace see."""

import contextlib
import errno
import os
import select
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from tests.servers import ROOT, Missing, program

_WAIT_SECONDS: Final = 10
_BLOCK: Final = 64 * 1024


class Disk:
    """A file system of ``size`` MiB at ``folder``, gone with the process that made it.

    It is mounted in a namespace of its own, so that nothing stays behind, however the tests end.
    Needs root; raises Missing without.
    """

    def __init__(self, folder: Path, size: int) -> None:
        self.folder = folder
        self.size = size
        self._holder: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True, exist_ok=True)
        options = f"size={self.size}m,mode=700"
        script = f"mount -t tmpfs -o {options} tmpfs '{self.folder}' && echo there && exec cat"
        command = ["setpriv", "--pdeathsig", "KILL", program("util-linux", "unshare")]
        command += ["--mount", "--propagation", "private", "sh", "-c", script]
        self._holder = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        output = self._holder.stdout
        ready = output and select.select([output], [], [], _WAIT_SECONDS)[0]
        if not ready or not output or output.readline() != b"there\n":
            self.close()
            raise Missing("no file system of its own can be mounted here: that needs root")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._holder is not None:
            self._holder.kill()
            self._holder.communicate()

    @property
    def entered(self) -> Sequence[str]:
        """What to put before a command that is to see the disk."""
        nsenter = program("util-linux", "nsenter")
        return [nsenter, f"--target={self._pid}", "--mount", f"--wd={ROOT}"]

    @property
    def outside(self) -> Path:
        """The folder on the disk as everyone else sees it."""
        return Path(f"/proc/{self._pid}/root{self.folder}")

    def fill(self) -> None:
        """Leave no block free; whoever writes hears so at once."""
        with (self.outside / "ballast").open("ab", buffering=0) as ballast:
            for block in (b"x" * _BLOCK, b"x"):
                _until_full(ballast.fileno(), block)

    def free(self) -> None:
        (self.outside / "ballast").unlink(missing_ok=True)

    @property
    def _pid(self) -> int:
        if self._holder is None:
            raise RuntimeError("the disk is not mounted")
        return self._holder.pid


def _until_full(handle: int, block: bytes) -> None:
    with contextlib.suppress(OSError):
        while True:
            try:
                os.write(handle, block)
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise
                return
