"""Server-sent events, line by line: a pure parser."""

import json
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Sent:
    """An event of a stream: its name, its data as JSON, and its id."""

    event: str
    data: Any
    id: str


@dataclass(slots=True)
class Reader:
    """Reads a stream line by line; after a break the stream continues after ``last_id``."""

    last_id: str = ""
    _id: str | None = None
    _event: str = ""
    _data: list[str] = field(default_factory=list)

    def feed(self, line: str) -> Sent | None:
        """Returns the event that ends with this line, None within an event."""
        if line:
            self._take(line)
            return None
        event, data = self._event or "message", self._data
        if self._id is not None:
            self.last_id = self._id
        self.broken()
        return Sent(event, json.loads("\n".join(data)), self.last_id) if data else None

    def broken(self) -> None:
        """Discards an incomplete event after the connection broke."""
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
