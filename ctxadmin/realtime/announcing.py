"""Telling of a committed change from any thread of any process; it never waits and never raises."""

import logging
from collections.abc import Callable, Sequence
from typing import Final

from django.db import transaction

from ctxadmin.identity.actor import Actor
from ctxadmin.realtime.messages import Announced, Message, Rights
from ctxadmin.realtime.protocol import Who

logger = logging.getLogger(__name__)
Carrier = Callable[[Sequence[Message]], None]
_carriers: Final[list[Carrier]] = []


def carry(carrier: Carrier) -> None:
    """Have ``carrier`` take all messages; it must not wait for anything."""
    _carriers.append(carrier)


def who(actor: Actor) -> Who:
    """An actor as frames name it."""
    return Who(kind=actor.kind, id=actor.id, name=actor.name)


def announce(*changes: Announced) -> None:
    """Tell of what is committed by now: the pages of each, and the pages that list."""
    _tell(changes)


def rights_changed(kind: str, name: str) -> None:
    """Have the sockets of somebody looked at, when the transaction that changed it is committed.

    ``kind`` is ``person`` with the key of the user, ``token`` with its id, or ``session`` with the
    digest of its key.
    """
    transaction.on_commit(lambda: _tell([Rights(kind, name)]), robust=True)


def _tell(messages: Sequence[Message]) -> None:
    for carrier in _carriers:
        try:
            carrier(messages)
        except RuntimeError:  # a loop that ends just now
            logger.debug("not told", exc_info=True)
