"""Who listens to an object in this process: a page's socket, a waiting call, a stream of events."""

from typing import Protocol

from ctxadmin.realtime.callers import Caller
from ctxadmin.realtime.protocol import Activity, Change, Gone, Person, State
from ctxadmin.realtime.topics import Topic


class Listener(Protocol):
    """One that is told of changes, on the event loop; no call waits or raises.

    ``text`` is the frame as it is sent, made once for all listeners.
    """

    topic: Topic
    caller: Caller

    @property
    def person(self) -> Person | None:
        """As whom it is shown to others; None for machines."""

    def hear(self, frame: Change | Gone | Activity, text: str) -> None:
        """A change was announced."""

    def catch_up(self, state: State) -> None:
        """The object was read again, because changes were missed or to be sure."""

    def see(self, text: str) -> None:
        """Who is here has changed."""

    def end(self, code: int) -> None:
        """No more is told; the codes are those of the protocol."""
