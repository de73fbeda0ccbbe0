"""The tool calls of imported files: their ids, generated where they are missing, and results."""

from collections import defaultdict, deque

from pydantic import JsonValue

from ctxadmin.lib import json_bytes


def tool_call(
    call_id: str, name: str, arguments: JsonValue, rest: dict[str, JsonValue] | None = None
) -> dict[str, JsonValue]:
    """Returns a call in the chat form; arguments that are not text become JSON."""
    if not isinstance(arguments, str):
        arguments = json_bytes.dumps({} if arguments is None else arguments).decode()
    function: dict[str, JsonValue] = {"name": name, "arguments": arguments}
    return {"id": call_id, "type": "function", "function": function, **(rest or {})}


class Places:
    """Where the calls of one content stand among its parts."""

    def __init__(self) -> None:
        self._calls: dict[int, int] = {}
        self._count = 0
        self._last_part = -1

    def part(self) -> None:
        """Counts a part."""
        self._last_part = self._count
        self._count += 1

    def call(self, number: int) -> None:
        """Counts the call with this number among the calls, from 0."""
        self._calls[number] = self._count
        self._count += 1

    def of(self, number: int) -> int | None:
        """The place of a call; None if no part stands behind it, as in the chat form."""
        place = self._calls.get(number)
        return None if place is None or place > self._last_part else place


class CallIds:
    """The calls of a conversation that wait for a result, for files without ids.

    Calls without an id, or with an empty one, get ``call-1``, ``call-2`` ..., always the same for
    the same file. A result without one belongs to the oldest waiting call with its name.
    """

    def __init__(self) -> None:
        self._made = 0
        self._used: set[str] = set()
        self._order = 0
        self._waiting: dict[int, tuple[str, str]] = {}  # by age: id and name
        self._ages: deque[int] = deque()
        self._by_name: defaultdict[str, deque[int]] = defaultdict(deque)
        self._by_id: defaultdict[str, deque[int]] = defaultdict(deque)

    def open_call(self, call_id: str | None, name: str) -> str:
        """Returns the id of a new call."""
        call_id = call_id or self._new_id()
        self._used.add(call_id)
        self._order += 1
        self._waiting[self._order] = (call_id, name)
        self._ages.append(self._order)
        self._by_name[name].append(self._order)
        self._by_id[call_id].append(self._order)
        return call_id

    def answer(self, call_id: str | None, name: str | None) -> str:
        """Returns the id of the call that a result answers; a new one if none waits for it."""
        age = self._oldest(call_id, name)
        if age is not None:
            return self._waiting.pop(age)[0]
        return call_id or self._new_id()

    def _oldest(self, call_id: str | None, name: str | None) -> int | None:
        if call_id:
            return self._first(self._by_id[call_id])
        if name is not None:
            return self._first(self._by_name[name])
        return self._first(self._ages)

    def _first(self, ages: deque[int]) -> int | None:
        while ages and ages[0] not in self._waiting:
            ages.popleft()
        return ages[0] if ages else None

    def _new_id(self) -> str:
        while True:
            self._made += 1
            made = f"call-{self._made}"
            if made not in self._used:
                self._used.add(made)
                return made


def has_chat_calls(message: dict[str, JsonValue]) -> bool:
    """Returns whether a message calls or answers in the chat form, which other shapes never do."""
    return any(name in message for name in ("tool_calls", "toolCalls", "tool_call_id"))


def messages_of(value: JsonValue) -> list[dict[str, JsonValue]]:
    """Returns the messages of an object with ``messages``, or of a list; [] for anything else."""
    found = value.get("messages") if isinstance(value, dict) else value
    messages = found if isinstance(found, list) else []
    objects = [each for each in messages if isinstance(each, dict)]
    return objects if len(objects) == len(messages) else []
