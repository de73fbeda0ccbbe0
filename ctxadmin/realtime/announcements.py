"""Announces a committed change from any thread of any process; never waits and never raises."""

import logging
from collections.abc import Callable, Sequence
from typing import Final

from ctxadmin.identity.actor import Actor
from ctxadmin.realtime.messages import Announced, Message, Rights
from ctxadmin.realtime.protocol import Who

logger = logging.getLogger(__name__)
Carrier = Callable[[Sequence[Message]], None]
_carriers: Final[list[Carrier]] = []


def register_carrier(carrier: Carrier) -> None:
    """Registers the carrier of all messages; it must not wait for anything."""
    _carriers.append(carrier)


def author_of(actor: Actor) -> Who:
    """Returns an actor as frames name it."""
    return Who(kind=actor.kind, id=actor.id, name=actor.name)


def announce(*changes: Announced) -> None:
    """Announces committed changes: to the pages of each object, and to the pages that list them."""
    _publish(changes)


def announce_rights(kind: str, name: str) -> None:
    """Announces that someone's rights changed, so that their sockets are checked again."""
    _publish([Rights(kind, name)])


def _publish(messages: Sequence[Message]) -> None:
    for carrier in _carriers:
        try:
            carrier(messages)
        except RuntimeError:  # a loop that ends just now
            logger.debug("not told", exc_info=True)
