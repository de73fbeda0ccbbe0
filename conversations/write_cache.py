"""What this process knows of the conversations that it wrote last.

The next write of a conversation has to know its current revision, its execution, the heads of its
state. All of that changes only with the conversation's ``change_seq`` and the hash of its latest
audit entry, which every write reads under the head's lock. So what a write knew when it was
committed is good for the next one as long as these two are the same; if another process wrote
meanwhile, or a backup was put back, they differ, and everything is read again.
"""

from collections import OrderedDict
from threading import Lock
from typing import Final

from ctxadmin.audit.record import AuditMark

Parts = dict[str, object]

_KEPT: Final = 1000  # conversations; some kilobytes each


class WriteCache:
    """The parts of the conversations written last, each under the mark of its audit.

    A writing *takes* the parts, changes them as it changes rows, and gives them back when its
    transaction is committed. If it fails nothing is given back, and nothing wrong is left.
    """

    def __init__(self, size: int = _KEPT) -> None:
        self._size = size
        self._lock = Lock()
        self._parts: OrderedDict[int, tuple[AuditMark, Parts]] = OrderedDict()

    def take(self, conversation: int, seen: AuditMark) -> Parts:
        """The parts that belong to a head as it was just read; empty if there are none."""
        with self._lock:
            found = self._parts.pop(conversation, None)
        return found[1] if found is not None and found[0] == seen else {}

    def keep(self, conversation: int, now: AuditMark, parts: Parts) -> None:
        """Give back the parts as they are after a commit."""
        with self._lock:
            self._parts[conversation] = (now, parts)
            self._parts.move_to_end(conversation)
            if len(self._parts) > self._size:
                self._parts.popitem(last=False)

    def drop(self, conversation: int) -> None:
        """Forget a conversation that was erased."""
        with self._lock:
            self._parts.pop(conversation, None)

    def forget(self) -> None:
        with self._lock:
            self._parts.clear()


WRITE_CACHE: Final = WriteCache()
