"""Announces committed changes of conversations to their followers."""

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


class RowChange:
    """The base of what an app above announces of the rows that it wrote in a change."""

    __slots__ = ()


PartT = TypeVar("PartT", bound=RowChange)


@dataclass(frozen=True, slots=True)
class ChangeNotice:
    """One committed change: the marks before and after it, and its effect.

    ``shown`` are the messages added at the end of the view; None means that the view is another
    one. ``parts`` are the changes of rows of the apps above. ``actor`` did it, and ``action`` is
    its kind in the audit.
    """

    head: Conversation
    before: AuditMark
    after: AuditMark
    shown: Sequence[Message] | None
    parts: Sequence[RowChange]
    actor: Actor
    action: Action

    def parts_of(self, kind: type[PartT]) -> list[PartT]:
        """Returns the changes of one kind of rows, in order."""
        return [part for part in self.parts if isinstance(part, kind)]


class _Gathered(threading.local):
    """The committed but unannounced changes of this thread's block; None outside of one."""

    changes: list[ChangeNotice] | None = None


_gathered: Final = _Gathered()
Follower = Callable[[Sequence[ChangeNotice]], None]
FOLLOWERS: Final[list[Follower]] = []


def register_follower(follower: Follower) -> None:
    """Registers ``follower``, which gets every change right after its commit, in order.

    The change is committed by then, so an exception of a follower is logged and stops nobody.
    """
    FOLLOWERS.append(follower)


def has_followers() -> bool:
    """Returns False while there are no followers: then nothing has to be gathered."""
    return bool(FOLLOWERS)


def announce_after_commit(change: ChangeNotice) -> None:
    """Announces a change when its transaction is committed, and never before."""
    if FOLLOWERS:
        transaction.on_commit(lambda: announce([change]), robust=True)


def announce(changes: Sequence[ChangeNotice]) -> None:
    """Announces committed changes."""
    if _gathered.changes is not None:
        _gathered.changes += changes
        return
    for follower in FOLLOWERS:
        follower(changes)


@contextmanager
def announce_group() -> Iterator[None]:
    """Announces all commits of the block together, at its end and in order.

    It wraps transactions, so that everything announced is committed.
    """
    changes: list[ChangeNotice] = []
    _gathered.changes = changes
    try:
        yield
    finally:
        _gathered.changes = None
        if changes:
            transaction.on_commit(lambda: announce(changes), robust=True)  # which is now
