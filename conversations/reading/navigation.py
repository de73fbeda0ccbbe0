"""What a reader asks of a conversation: some of its messages, its turns, its next error."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson
from django.db.models import QuerySet

from conversations.domain import runs as run_sets
from conversations.domain.beginnings import beginning_of
from conversations.domain.bodies import text_of_body
from conversations.domain.tool_failures import is_failure
from conversations.domain.view import View
from conversations.models import Conversation, Message
from conversations.store.message_rows import message_rows

ROLES: Final[Mapping[str, tuple[str, ...]]] = {
    "system": ("system", "developer"),
    "user": ("user",),
    "assistant": ("assistant",),
    "tool": ("tool",),
}
_MOST_READ: Final = 25_000  # bodies that one request looks into; 0.2 s of processor time
_TURN: Final = 80  # characters of a turn


@dataclass(frozen=True, slots=True)
class ReadingFilter:
    """Which messages are shown; empty fields mean all.

    ``tool`` keeps the calls of a tool and their results.
    """

    role: str = ""
    tool: str = ""
    node: str = ""
    author: str = ""

    def __bool__(self) -> bool:
        return any((self.role, self.tool, self.node, self.author))


EVERYTHING: Final = ReadingFilter()


@dataclass(frozen=True, slots=True)
class Turn:
    """A message of the user: its log index, its number among them from 1, how it begins."""

    index: int
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Turns:
    """Some turns in a row, in the order of the view; ``start`` of the ``total`` are before them.

    ``earlier`` and ``later`` are the log indices of the turns beside them, None at the ends.
    """

    turns: tuple[Turn, ...]
    start: int
    total: int
    earlier: int | None
    later: int | None


def narrowed(head: Conversation, view: View, wanted: ReadingFilter) -> View:
    """The messages of a view that a filter keeps, in the order of the view."""
    if not wanted:
        return view
    rows = Message.objects.filter(conversation=head.key)
    if wanted.role:
        rows = rows.filter(role__in=ROLES.get(wanted.role, (wanted.role,)))
    if wanted.node:
        rows = rows.filter(node_id=wanted.node)
    if wanted.author:
        rows = rows.filter(author=wanted.author)
    kept = set(rows.values_list("index", flat=True))
    if wanted.tool:
        kept &= _of_tool(head, wanted.tool)
    return view.within(run_sets.of_indices(sorted(kept)))


def next_failure(head: Conversation, view: View, after: int) -> int | None:
    """The log index of the next tool result of a view that reports an error; None without one."""
    for index, body in bodies_of(head, "tool", after + 1):
        if index in view and is_failure(orjson.loads(body)):
            return index
    return None


def find_turns(head: Conversation, view: View, index: int, most: int) -> Turns:
    """``most`` turns of a view: those among which a message stands, or would if it were shown."""
    found = Message.objects.filter(conversation=head.key, role="user")
    logged = sorted(found.values_list("index", flat=True))
    users = list(view.within(run_sets.of_indices(logged)))
    place = view.position_of(index)
    before = (
        sum(1 for each in users if each < index)
        if place is None
        else len(view.slice(0, place).within(run_sets.of_indices(logged)))
    )
    start = min(before, max(len(users) - 1, 0)) // most * most
    part = users[start : start + most]
    rows = message_rows(head.key, View.of_indices(part))
    texts = {each: beginning_of(text_of_body(bytes(rows[each][3])), _TURN) for each in part}
    turns = (Turn(each, number, texts[each]) for number, each in enumerate(part, start + 1))
    stop = start + len(part)
    earlier = users[start - 1] if start else None
    later = users[stop] if stop < len(users) else None
    return Turns(tuple(turns), start, len(users), earlier, later)


def _of_tool(head: Conversation, tool: str) -> set[int]:
    """The messages that call a tool, and the results of these messages."""
    calls = {
        index
        for index, body in bodies_of(head, "assistant", 0)
        if b'"tool_calls"' in body and tool in called_by(orjson.loads(body))
    }
    results = Message.objects.filter(conversation=head.key, call_index__isnull=False)
    pairs = results.values_list("index", "call_index")
    return calls | {index for index, call in pairs if call in calls}


def called_by(body: Mapping[str, Any]) -> set[str]:
    """The names of the tools that a message calls."""
    calls = body.get("tool_calls") or ()
    return {str((call.get("function") or call).get("name")) for call in calls}


def bodies_of(
    head: Conversation, role: str, start: int, stop: int | None = None
) -> Iterator[tuple[int, bytes]]:
    """The messages of a role between two log indices, as many as one request looks into."""
    rows: QuerySet[Message] = Message.objects.filter(
        conversation=head.key, role=role, index__gte=start
    )
    if stop is not None:
        rows = rows.filter(index__lt=stop)
    found = rows.order_by("index").values_list("index", "body")[:_MOST_READ]
    return ((index, bytes(body)) for index, body in found.iterator(500))
