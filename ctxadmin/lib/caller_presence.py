"""Whether who asked is still there, for work that only they would read."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final


class CallerGone(BaseException):
    """Ends work that nobody waits for any more; nothing on the way takes it for an answer."""


class Presence:
    """Of the caller of one request; ``is_gone`` is set once, by any thread."""

    __slots__ = ("is_gone",)

    def __init__(self) -> None:
        self.is_gone = False

    def require(self) -> None:
        """Raise CallerGone if the caller is gone."""
        if self.is_gone:
            raise CallerGone


_current: Final[ContextVar[Presence | None]] = ContextVar("presence", default=None)


def current_presence() -> Presence | None:
    return _current.get()


def announce(presence: Presence) -> None:
    """Tell the work of this context whose presence it depends on."""
    _current.set(presence)


@contextmanager
def finished_for_nobody() -> Iterator[None]:
    """What is done inside goes on when the caller is gone, as what follows a write must."""
    token = _current.set(None)
    try:
        yield
    finally:
        _current.reset(token)
