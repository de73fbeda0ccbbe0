"""The listeners of an object in this process: a page's socket, a waiting call, an event stream."""

from typing import Protocol

from ctxadmin.realtime.callers import Caller
from ctxadmin.realtime.protocol import Activity, Change, Gone, Person, State
from ctxadmin.realtime.topics import Topic


class Listener(Protocol):
    """Receives changes on the event loop; no method waits or raises.

    ``text`` is the frame as it is sent, built once for all listeners.
    """

    topic: Topic
    caller: Caller

    @property
    def person(self) -> Person | None:
        """Returns the identity that others see; None for machines."""

    def on_change(self, frame: Change | Gone | Activity, text: str) -> None:
        """Handles an announced change."""

    def catch_up(self, state: State) -> None:
        """Handles a state that was read again, because changes were missed or as a check."""

    def on_presence(self, text: str) -> None:
        """Handles changed presence."""

    def end(self, code: int) -> None:
        """Ends the subscription; the codes are those of the protocol."""
