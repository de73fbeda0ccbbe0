"""The streams of objects that have one of their own: apps above register how to find them."""

from collections.abc import Callable, Sequence
from typing import Final

# Returns the stream of an object of the workspace by its id, None without one.
FindStream = Callable[[int, str], int | None]

_finders: Final[dict[str, FindStream]] = {}


def register_stream(object_type: str, find: FindStream) -> None:
    """Registers how to find the stream of an object by its id."""
    _finders[object_type] = find


def streams_of(workspace: int, object_type: str, object_id: str) -> Sequence[int]:
    """Returns the streams of the objects with an id; without a type those of any type."""
    finders = _finders.items()
    found = (find(workspace, object_id) for kind, find in finders if object_type in ("", kind))
    return [stream for stream in found if stream is not None]
