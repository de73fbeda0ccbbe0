"""Telling of a committed change from any thread of any process; it never waits and never raises."""

import logging
from collections.abc import Callable
from typing import Final

from django.db import transaction

from ctxadmin.accounts.actor import Actor
from ctxadmin.sockets.messages import Announced, Message, Rights
from ctxadmin.sockets.protocol import Activity, Told, Who
from ctxadmin.sockets.topics import Topic

logger = logging.getLogger(__name__)
Carrier = Callable[[Message], None]
_carriers: Final[list[Carrier]] = []


def carry(carrier: Carrier) -> None:
    """Have ``carrier`` take every message; it must not wait for anything."""
    _carriers.append(carrier)


def who(actor: Actor) -> Who:
    """An actor as frames name it."""
    return Who(kind=actor.kind, id=actor.id, name=actor.name)


def announce(topic: Topic, frame: Told, activity: Activity) -> None:
    """Tell of a change that is committed by now: its own page, and the pages that list."""
    _tell(Announced(topic, frame, activity))


def rights_changed(kind: str, name: str) -> None:
    """Have the sockets of somebody looked at, when the transaction that changed it is committed.

    ``kind`` is ``person`` with the key of the user, ``token`` with its id, or ``session`` with the
    digest of its key.
    """
    transaction.on_commit(lambda: _tell(Rights(kind, name)), robust=True)


def _tell(message: Message) -> None:
    for carrier in _carriers:
        try:
            carrier(message)
        except RuntimeError:  # a loop that ends just now
            logger.debug("not told", exc_info=True)
