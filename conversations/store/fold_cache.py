"""A cache of budget folds in this process, so that only new messages are folded.

A fold has log indices and tokens, no content. It is used only for a view that begins with the
folded messages, if the last of these in the log still is the same row with the same sum of tokens
before it; uncommitted data are never cached. So every process answers the same, whatever it has
cached.
"""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from threading import Lock
from time import monotonic
from typing import Final

from django.db import connection

from conversations.domain.budgets.fold import Fold
from conversations.domain.view import View
from conversations.models import Message
from ctxadmin.storage.tables import Table

_MESSAGES: Final = Table(Message)
# Each entry of a fold takes up to 200 bytes: 100 MB at most.
_KEPT_ENTRIES: Final = 500_000
_KEPT_KEYS: Final = 1_000
_OF_ONE: Final = 3  # an engine that names what it knows has the view of then folded, too
_SECONDS: Final = 3600.0


@dataclass(frozen=True, slots=True)
class _Known:
    """A fold over a view, and what proves that the log is the one that was folded."""

    view: View
    fold: Fold
    proof: tuple[int, int | None]
    at: float


class FoldCache:
    """The most recently used folds, bounded in entries, conversations and age; thread-safe."""

    def __init__(self, entries: int = _KEPT_ENTRIES, keys: int = _KEPT_KEYS) -> None:
        self._entries = entries
        self._keys = keys
        self._lock = Lock()
        self._known: OrderedDict[Hashable, tuple[_Known, ...]] = OrderedDict()
        self._used = 0

    def get(self, key: Hashable) -> tuple[_Known, ...]:
        with self._lock:
            found = self._known.get(key, ())
            if found:
                self._known.move_to_end(key)
        return tuple(known for known in found if monotonic() - known.at < _SECONDS)

    def put(self, key: Hashable, known: _Known) -> None:
        if known.fold.size > self._entries // 4:
            return
        with self._lock:
            others = self._known.pop(key, ())
            now = (known, *others[: _OF_ONE - 1])
            self._known[key] = now
            self._used += _size(now) - _size(others)
            while self._used > self._entries or len(self._known) > self._keys:
                _, dropped = self._known.popitem(last=False)
                self._used -= _size(dropped)

    def drop(self, conversation: int) -> None:
        """Drops the folds of an erased conversation."""
        with self._lock:
            gone = [key for key in self._known if isinstance(key, tuple) and key[0] == conversation]
            for key in gone:
                self._used -= _size(self._known.pop(key))

    def clear(self) -> None:
        with self._lock:
            self._known.clear()
            self._used = 0


def _size(known: tuple[_Known, ...]) -> int:
    return sum(each.fold.size + len(each.view.runs) for each in known)


FOLDS: Final = FoldCache()


class StoredFolds:
    """The folds over one conversation's log; see the FoldStore protocol."""

    def __init__(self, conversation: int) -> None:
        self._conversation = conversation

    def find(self, key: Hashable, view: View) -> Fold | None:
        known = [
            each
            for each in FOLDS.get((self._conversation, key))
            if each.fold.count <= len(view)
            and each.view.common_prefix_length(view) == each.fold.count
        ]
        best = max(known, key=lambda each: each.fold.count, default=None)
        if best is None or self._proof(best.view) != best.proof:
            return None
        return best.fold

    def continued(self, fold: Fold) -> Fold:
        return fold.copy()

    def store(self, key: Hashable, view: View, fold: Fold) -> None:
        if connection.in_atomic_block or not view:
            return
        proof = self._proof(view)
        if proof is not None:
            FOLDS.put((self._conversation, key), _Known(view, fold, proof, monotonic()))

    def _proof(self, view: View) -> tuple[int, int | None] | None:
        """Returns the tokens of the log up to the last logged message of a view, and that row's
        checksum.
        """
        last = view.indices_as_runs()[-1][1] - 1
        given = "{conversation} = %s AND {index} = %s"
        rows = _MESSAGES.read("{tokens_upto}, {sum}", given, [self._conversation, last])
        return rows[0] if rows else None
