"""The number of connections of each worker of this machine, in shared memory."""

import fcntl
import mmap
import struct
import tempfile
from pathlib import Path
from typing import Final

BOARD: Final = "WORKERS_BOARD"  # the variable that names the board to the workers
_SLOTS: Final = 256
_COUNT: Final = struct.Struct("=q")
_NOBODY: Final = -1


def new_board() -> Path:
    """Returns a new, empty board; its creator removes it."""
    with tempfile.NamedTemporaryFile(prefix="ctxadmin-workers-", delete=False) as file:
        file.write(_COUNT.pack(_NOBODY) * _SLOTS)
    return Path(file.name)


class Balance:
    """The place of one worker on the board, with access to the others.

    A place is held by a lock that the kernel releases when its process ends, for whatever reason.
    """

    def __init__(self, board: Path) -> None:
        self._file = board.open("r+b")
        self._counts = mmap.mmap(self._file.fileno(), _SLOTS * _COUNT.size)
        self._slot = next(slot for slot in range(_SLOTS) if self._lock_slot(slot))
        self.publish(0)

    def publish(self, count: int) -> None:
        """Publishes the number of connections of this worker."""
        _COUNT.pack_into(self._counts, self._slot * _COUNT.size, count)

    def withdraw(self) -> None:
        """Publishes that this worker accepts no more connections."""
        self.publish(_NOBODY)

    def has_fewest(self, count: int) -> bool:
        """Returns True if no other worker has fewer than ``count``."""
        counts = [each for (each,) in _COUNT.iter_unpack(self._counts)]
        del counts[self._slot]
        return count <= min((each for each in counts if each != _NOBODY), default=count)

    def _lock_slot(self, slot: int) -> bool:
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, slot)
        except OSError:
            return False
        return True
