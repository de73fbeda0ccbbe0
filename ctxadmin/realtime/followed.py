"""One object that is followed in this process: its listeners, its state, its presence."""

import asyncio
from collections.abc import Callable
from typing import Final

from ctxadmin.realtime.following import next_state
from ctxadmin.realtime.listeners import Listener
from ctxadmin.realtime.presence import Elsewhere, presence
from ctxadmin.realtime.protocol import Activity, Change, Gone, Person, State
from ctxadmin.realtime.topics import Topic

# People come and go together, when a page is opened by many: they are shown once for all of them.
_PEOPLE_AFTER: Final = 0.05  # seconds


class Followed:
    """An object and its listeners; ``lost`` is called when changes were missed."""

    def __init__(self, topic: Topic, lost: Callable[["Followed"], None]) -> None:
        self.topic = topic
        self.state: State | None = None
        self.elsewhere = Elsewhere()
        self.listeners: dict[Listener, None] = {}
        self._lost = lost
        self._is_lost = False
        self._heard = 0  # the latest change that was told of
        self._shows_people = False

    @property
    def is_empty(self) -> bool:
        return not self.listeners

    def add(self, listener: Listener, state: State | None) -> None:
        self.listeners[listener] = None
        if state is not None and (self.state is None or self.state.seq < state.seq):
            self.state = state
        self._catch_up()

    def remove(self, listener: Listener) -> bool:
        """Removes a listener; returns False if it is gone already."""
        if listener not in self.listeners:
            return False
        del self.listeners[listener]
        return True

    def send_to_all(self, frame: Change | Gone | Activity) -> None:
        """Sends a frame to all listeners, in the order of arrival."""
        if isinstance(frame, Change):
            self._heard = max(self._heard, frame.seq)
            if self.state is not None:
                self.state = next_state(self.state, frame) or self.state
            self._catch_up()
        text = frame.model_dump_json()
        for listener in list(self.listeners):
            listener.on_change(frame, text)

    def store_state(self, state: State | None) -> None:
        """Stores the state in the database, and announces it if it is newer."""
        self._is_lost = False
        if state is None:
            if self.state is not None:
                self.send_to_all(Gone(id=self.state.id, who=None))
            return
        if self.state is None or state.seq <= self.state.seq:
            self.state = self.state or state
            self._catch_up()
            return
        self.state = state
        self._catch_up()
        frame = state.as_change()
        text = frame.model_dump_json()
        for listener in list(self.listeners):
            listener.on_change(frame, text)
            listener.catch_up(state)

    def _catch_up(self) -> None:
        """Reads the object again if it is behind the announced state."""
        if self.state is not None and self.state.seq < self._heard and not self._is_lost:
            self._is_lost = True
            self._lost(self)

    def people(self) -> tuple[Person, ...]:
        """Returns the people of this process."""
        found = (listener.person for listener in self.listeners)
        return tuple(person for person in found if person is not None)

    def show_people_soon(self, loop: asyncio.AbstractEventLoop) -> None:
        if not self._shows_people:
            self._shows_people = True
            loop.call_later(_PEOPLE_AFTER, self._show_people)

    def _show_people(self) -> None:
        self._shows_people = False
        text = presence(self.people(), self.elsewhere).model_dump_json()
        for listener in list(self.listeners):
            listener.on_presence(text)
