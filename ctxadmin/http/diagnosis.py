"""Finds whether damaged rows caused an unexpected error, by asking the app that knows."""

import asyncio
import threading
from collections.abc import Callable
from typing import Final

from django.db import Error

from ctxadmin.lib.errors import ContextError, Damaged
from ctxadmin.telemetry.facts import current

FindDamage = Callable[[int, str], Damaged | None]
_finders: Final[list[FindDamage]] = []
_one_at_a_time: Final = threading.Lock()  # each may read a whole conversation


def register_finder(find: FindDamage) -> None:
    """Registers ``find(workspace, conversation id)``, which looks for damage after a failed
    request.
    """
    _finders.append(find)


def find_damage() -> Damaged | None:
    """Returns the damage of the failed request's conversation; None if there is none.

    None on an event loop, too, where the database cannot be queried.
    """
    facts = current.get()
    if facts is None or facts.actor is None or not facts.conversation or _is_on_loop():
        return None
    if not _one_at_a_time.acquire(blocking=False):
        return None
    try:
        for find in _finders:
            found = find(facts.actor.workspace, facts.conversation)
            if found is not None:
                return found
    except (ContextError, Error):
        return None
    finally:
        _one_at_a_time.release()
    return None


def _is_on_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
