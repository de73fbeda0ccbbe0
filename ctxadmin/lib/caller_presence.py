"""The presence of a caller, for work that only the caller would read."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final


class CallerGone(BaseException):
    """Ends work whose caller disconnected; nothing handles it as an answer."""


class Presence:
    """The presence of the caller of one request; ``is_gone`` is set once, by any thread."""

    __slots__ = ("is_gone",)

    def __init__(self) -> None:
        self.is_gone = False

    def require(self) -> None:
        """Raises CallerGone if the caller disconnected."""
        if self.is_gone:
            raise CallerGone


_current: Final[ContextVar[Presence | None]] = ContextVar("presence", default=None)


def current_presence() -> Presence | None:
    return _current.get()


def announce(presence: Presence) -> None:
    """Sets the presence that the work of this context depends on."""
    _current.set(presence)


@contextmanager
def run_to_completion() -> Iterator[None]:
    """Runs the block to its end even if the caller disconnects, as the steps after a write must."""
    token = _current.set(None)
    try:
        yield
    finally:
        _current.reset(token)
