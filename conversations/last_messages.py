"""What was said last in each of some conversations, for their list."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Final

import orjson
from django.db.models import Q
from django.db.models.functions import Length

from conversations.domain.bodies import text_of_content
from conversations.models import Conversation, Message

_LONGEST: Final = 16_000  # bytes of a body that is read for a list
_BEGINNING: Final = 140


@dataclass(frozen=True, slots=True)
class LastMessage:
    """Who spoke last: the role, the node if it was one; ``text`` is how the message begins.

    ``text`` is "" for a long message; ``tools`` are the tools that it calls.
    """

    role: str
    node_id: str
    text: str
    tools: tuple[str, ...]


def last_messages(heads: Iterable[Conversation]) -> dict[int, LastMessage]:
    """By key of the conversation the last message of its log; two statements for all."""
    ends = [Q(conversation=head.key, index=head.log_count - 1) for head in heads if head.log_count]
    if not ends:
        return {}
    rows = Message.objects.filter(reduce(or_, ends))
    sized = rows.annotate(size=Length("body"))
    bodies = dict(sized.filter(size__lte=_LONGEST).values_list("conversation", "body"))
    return {
        key: _last(role, node_id, bytes(bodies.get(key, b"{}")))
        for key, role, node_id in rows.values_list("conversation", "role", "node_id")
    }


def _last(role: str, node_id: str, body: bytes) -> LastMessage:
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        found = {}  # damaged; its own page says so
    text = " ".join(text_of_content(found.get("content"))[: 4 * _BEGINNING].split())
    calls = [each for each in found.get("tool_calls") or () if isinstance(each, dict)]
    names = (str((each.get("function") or each).get("name") or "") for each in calls)
    return LastMessage(
        role,
        node_id,
        text if len(text) <= _BEGINNING else f"{text[:_BEGINNING]}…",
        tuple(name for name in names if name),
    )
