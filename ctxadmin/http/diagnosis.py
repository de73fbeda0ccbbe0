"""Whether an error that nobody foresaw comes of damaged rows, asked of the app that knows."""

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
    """Have ``find(workspace, conversation id)`` look for damage when a request has failed."""
    _finders.append(find)


def damage_behind_failure() -> Damaged | None:
    """The damage of the conversation that the failed request was about; None if there is none.

    None on an event loop, too, where the database cannot be asked.
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
