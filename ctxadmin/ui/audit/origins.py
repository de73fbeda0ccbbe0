"""The actions that entries of the audit are part of: apps above register how to find them."""

from collections.abc import Callable
from dataclasses import dataclass

from ctxadmin.ui.components import Text


@dataclass(frozen=True, slots=True)
class Origin:
    """What an entry is part of, with its page."""

    label: Text
    url: str


# Returns what has the workspace, the author and the id of the request of an entry.
FindOrigin = Callable[[int, str, str], Origin | None]

_finders: list[FindOrigin] = []


def register_origin(find: FindOrigin) -> None:
    """Registers how to find what an entry is part of."""
    _finders.append(find)


def origin_of(workspace: int, author: str, request_id: str) -> Origin | None:
    """Returns what an entry is part of; None for a change of its own."""
    found = (find(workspace, author, request_id) for find in _finders)
    return next((each for each in found if each is not None), None)
