"""What a committed change of a conversation did, told to whoever follows along."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from django.db import transaction

from conversations.models import Conversation, Message
from ctxadmin.accounts.actor import Actor
from ctxadmin.accounts.roles import Action
from ctxadmin.audit.record import AuditMark


@dataclass(frozen=True, slots=True)
class Changed:
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


Follower = Callable[[Sequence[Changed]], None]
_followers: Final[list[Follower]] = []


def follow(follower: Follower) -> None:
    """Have ``follower`` called with every change right after its commit, in order for a process.

    The change is committed by then, so what a follower raises is logged and stops nobody.
    """
    _followers.append(follower)


def is_followed() -> bool:
    """False as long as nobody follows: then nothing has to be gathered."""
    return bool(_followers)


def announce_after_commit(change: Changed) -> None:
    """Tell the followers of a change when its transaction is committed, and never before."""
    if _followers:
        transaction.on_commit(lambda: announce([change]), robust=True)


def announce(changes: Sequence[Changed]) -> None:
    """Tell the followers of changes that are committed."""
    for follower in _followers:
        follower(changes)
