"""What a committed change of a conversation did, told to whoever follows along."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, TypeVar

from django.db import transaction

from conversations.models import Conversation, Message
from ctxadmin.audit.record import AuditMark
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action

PartT = TypeVar("PartT")


@dataclass(frozen=True, slots=True)
class ChangeNotice:
    """One committed change: from which mark to which, and what it did.

    ``shown`` are the messages that came behind the visible ones; None says that the view is
    another one since. ``parts`` is what the apps above say of their own rows. ``actor`` did
    it, and ``action`` is what the audit calls it.
    """

    head: Conversation
    before: AuditMark
    after: AuditMark
    shown: Sequence[Message] | None
    parts: Sequence[object]
    actor: Actor
    action: Action

    def parts_of(self, kind: type[PartT]) -> list[PartT]:
        """What was told of one kind of rows, in its order."""
        return [part for part in self.parts if isinstance(part, kind)]


class _Gathered(threading.local):
    """What is committed and not told yet, of this thread's block; None outside of one."""

    changes: list[ChangeNotice] | None = None


_gathered: Final = _Gathered()
Follower = Callable[[Sequence[ChangeNotice]], None]
_followers: Final[list[Follower]] = []


def follow(follower: Follower) -> None:
    """Have ``follower`` called with every change right after its commit, in order for a process.

    The change is committed by then, so what a follower raises is logged and stops nobody.
    """
    _followers.append(follower)


def is_followed() -> bool:
    """False as long as nobody follows: then nothing has to be gathered."""
    return bool(_followers)


def announce_after_commit(change: ChangeNotice) -> None:
    """Tell the followers of a change when its transaction is committed, and never before."""
    if _followers:
        transaction.on_commit(lambda: announce([change]), robust=True)


def announce(changes: Sequence[ChangeNotice]) -> None:
    """Tell the followers of changes that are committed."""
    if _gathered.changes is not None:
        _gathered.changes += changes
        return
    for follower in _followers:
        follower(changes)


@contextmanager
def announce_group() -> Iterator[None]:
    """Tell the followers once of all that the block commits, at its end and in its order.

    It stands around transactions, so that what is told is committed.
    """
    changes: list[ChangeNotice] = []
    _gathered.changes = changes
    try:
        yield
    finally:
        _gathered.changes = None
        if changes:
            transaction.on_commit(lambda: announce(changes), robust=True)  # which is now
