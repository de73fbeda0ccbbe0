"""Clocks that jump: a wall clock for one process, set from outside while it runs."""

import mmap
import struct
import subprocess
from pathlib import Path
from typing import Final

from tests.servers import program

_SOURCE: Final = Path(__file__).with_name("clock_shift.c")
DAY: Final = 24 * 3600


class Clock:
    """What one process takes for the time: the real one and so many seconds.

    libfaketime is no choice here: Debian's (0.9.10) makes every ``time.sleep`` of Python 3.11 fail.
    """

    def __init__(self, folder: Path) -> None:
        self.library = built_shift(folder)
        self.file = folder / "shift"
        self.file.write_bytes(struct.pack("q", 0))

    def set(self, seconds: int) -> None:
        """From now on, also in the process that runs already."""
        with self.file.open("r+b") as file, mmap.mmap(file.fileno(), 8) as shift:
            shift[:] = struct.pack("q", seconds)

    def environment(self) -> dict[str, str]:
        """What makes a process believe this clock."""
        return {"LD_PRELOAD": str(self.library), "CLOCK_SHIFT_FILE": str(self.file)}


def built_shift(folder: Path) -> Path:
    """The library that shifts a clock, compiled in a folder; raises Missing without a compiler."""
    folder.mkdir(parents=True, exist_ok=True)
    library = folder / "clock_shift.so"
    command = [program("gcc", "cc", "gcc"), "-shared", "-fPIC", "-O1", "-o", str(library)]
    subprocess.run([*command, str(_SOURCE), "-ldl"], check=True, capture_output=True)
    return library
