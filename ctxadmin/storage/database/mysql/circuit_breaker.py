"""Keeps requests from connecting to a server that timed out a moment ago."""

from threading import Lock
from time import monotonic
from typing import Final

_LONG: Final = 1.0  # seconds; a server that refuses or dies says so at once
_FOR: Final = 1.0  # seconds in which nobody else connects

Server = tuple[object, ...]


class CircuitBreaker:
    """The servers to which this process does not connect now.

    A stalled server costs a whole timeout to detect. Without the breaker, a request would pay it
    again to reconnect, and requests that wait for a thread would pay in turn.
    """

    def __init__(self) -> None:
        self._until: dict[Server, float] = {}
        self._lock = Lock()

    def record_failure(self, server: Server, waited: float) -> None:
        """Records that the connection was lost, or not made, after so many seconds."""
        if waited >= _LONG:
            with self._lock:
                self._until[server] = monotonic() + _FOR

    def is_open(self, server: Server) -> bool:
        return monotonic() < self._until.get(server, 0.0)


BREAKER: Final = CircuitBreaker()
