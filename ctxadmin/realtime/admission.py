"""Limits the sockets, waiting requests and streams of one person or token in a process."""

from collections import Counter
from typing import Final

from ctxadmin.realtime.callers import Caller

MOST_OF_A_PERSON: Final = 32
MOST_OF_A_TOKEN: Final = 512
_open: Final[Counter[tuple[str, str]]] = Counter()


def admit(caller: Caller) -> bool:
    """Counts one more; returns False if there are enough. Called on the event loop only."""
    key = (caller.actor.kind, caller.actor.id)
    most = MOST_OF_A_TOKEN if caller.by_token else MOST_OF_A_PERSON
    if _open[key] >= most:
        return False
    _open[key] += 1
    return True


def release(caller: Caller) -> None:
    """Counts one less."""
    key = (caller.actor.kind, caller.actor.id)
    _open[key] -= 1
    if _open[key] <= 0:
        del _open[key]
