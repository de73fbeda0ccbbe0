"""What this process knows of the conversations that it wrote last.

The next write of a conversation has to know its current revision, its execution, the heads of its
state. All of that changes only with the conversation's ``change_seq`` and the hash of its latest
audit entry, which every write reads under the head's lock. So what a write knew when it was
committed is good for the next one as long as these two are the same; if another process wrote
meanwhile, or a backup was put back, they differ, and everything is read again.
"""

from collections import OrderedDict
from threading import Lock
from typing import Final, Generic, TypeVar, cast

from ctxadmin.audit.record import AuditMark

KnownT = TypeVar("KnownT")

_KEPT: Final = 1000  # conversations; some kilobytes each


class Kind(Generic[KnownT]):
    """A kind of thing that is known of a conversation, such as its latest execution."""

    def __init__(self, name: str) -> None:
        self.name = name


class Known:
    """What is known of one conversation: at most one thing of each kind."""

    def __init__(self) -> None:
        self._held: dict[str, object] = {}

    def __bool__(self) -> bool:
        return bool(self._held)

    def get(self, kind: Kind[KnownT]) -> KnownT | None:
        """What was set under the kind, whose type the kind itself tells; None if nothing was."""
        return cast(KnownT | None, self._held.get(kind.name))

    def set(self, kind: Kind[KnownT], value: KnownT | None) -> None:
        """Know another value from now on; None knows nothing."""
        self._held[kind.name] = value


class WriteCache:
    """What is known of the conversations written last, each under the mark of its audit.

    A writing *takes* it, changes it as it changes rows, and gives it back when its transaction is
    committed. If it fails nothing is given back, and nothing wrong is left.
    """

    def __init__(self, size: int = _KEPT) -> None:
        self._size = size
        self._lock = Lock()
        self._known: OrderedDict[int, tuple[AuditMark, Known]] = OrderedDict()

    def take(self, conversation: int, seen: AuditMark) -> Known:
        """What belongs to a head as it was just read; empty if nothing is known of it."""
        with self._lock:
            found = self._known.pop(conversation, None)
        return found[1] if found is not None and found[0] == seen else Known()

    def keep(self, conversation: int, now: AuditMark, known: Known) -> None:
        """Give back what is known after a commit."""
        with self._lock:
            self._known[conversation] = (now, known)
            self._known.move_to_end(conversation)
            if len(self._known) > self._size:
                self._known.popitem(last=False)

    def drop(self, conversation: int) -> None:
        """Forget a conversation that was erased."""
        with self._lock:
            self._known.pop(conversation, None)

    def forget(self) -> None:
        with self._lock:
            self._known.clear()


WRITE_CACHE: Final = WriteCache()
