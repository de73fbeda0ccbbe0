"""Server-sent events, line by line: a pure parser."""

import json
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Sent:
    """One event of a stream: its name, its data as JSON, and the id to go on behind."""

    event: str
    data: Any
    id: str


@dataclass(slots=True)
class Reader:
    """Takes the lines of a stream one by one; ``last_id`` is where to go on after a break."""

    last_id: str = ""
    _id: str | None = None
    _event: str = ""
    _data: list[str] = field(default_factory=list)

    def feed(self, line: str) -> Sent | None:
        """The event that ends with this line, None in the middle of one."""
        if line:
            self._take(line)
            return None
        event, data = self._event or "message", self._data
        if self._id is not None:
            self.last_id = self._id
        self.broken()
        return Sent(event, json.loads("\n".join(data)), self.last_id) if data else None

    def broken(self) -> None:
        """Forget a half event: the connection ended within it."""
        self._id, self._event, self._data = None, "", []

    def _take(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
        elif name == "id" and "\0" not in value:
            self._id = value
