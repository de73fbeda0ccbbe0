"""A cache of the conversations that this process wrote last.

The next write of a conversation needs its current revision, its execution, and the heads of its
state. All of that changes only with the conversation's ``change_seq`` and the hash of its latest
audit entry, which every write reads under the head's lock. What a write cached at its commit is
therefore valid for the next one as long as these two are the same; if another process wrote
meanwhile, or a backup was restored, they differ, and everything is read again.
"""

from collections import OrderedDict
from threading import Lock
from typing import Final, Generic, TypeVar, cast

from ctxadmin.audit.record import AuditMark

KnownT = TypeVar("KnownT")

_KEPT: Final = 1000  # conversations; some kilobytes each


class CacheKind(Generic[KnownT]):
    """A kind of cached value of a conversation, such as its latest execution."""

    def __init__(self, name: str) -> None:
        self.name = name


class CachedValues:
    """The cached values of one conversation: at most one of each kind."""

    def __init__(self) -> None:
        self._held: dict[str, object] = {}

    def __bool__(self) -> bool:
        return bool(self._held)

    def get(self, kind: CacheKind[KnownT]) -> KnownT | None:
        """Returns the value of a kind, whose type the kind itself has; None without one."""
        return cast(KnownT | None, self._held.get(kind.name))

    def set(self, kind: CacheKind[KnownT], value: KnownT | None) -> None:
        """Sets the value of a kind; None removes it."""
        self._held[kind.name] = value


class WriteCache:
    """The cached values of the conversations written last, each under its audit mark.

    A write *takes* them, changes them as it changes rows, and returns them when its transaction is
    committed. If it fails nothing is returned, so that no wrong value remains.
    """

    def __init__(self, size: int = _KEPT) -> None:
        self._size = size
        self._lock = Lock()
        self._known: OrderedDict[int, tuple[AuditMark, CachedValues]] = OrderedDict()

    def take(self, conversation: int, seen: AuditMark) -> CachedValues:
        """Returns the values of a head as it was just read; empty if none are valid."""
        with self._lock:
            found = self._known.pop(conversation, None)
        return found[1] if found is not None and found[0] == seen else CachedValues()

    def store(self, conversation: int, now: AuditMark, known: CachedValues) -> None:
        """Stores the values after a commit."""
        with self._lock:
            self._known[conversation] = (now, known)
            self._known.move_to_end(conversation)
            if len(self._known) > self._size:
                self._known.popitem(last=False)

    def drop(self, conversation: int) -> None:
        """Drops the values of an erased conversation."""
        with self._lock:
            self._known.pop(conversation, None)

    def clear(self) -> None:
        with self._lock:
            self._known.clear()


WRITE_CACHE: Final = WriteCache()
