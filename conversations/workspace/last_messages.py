"""What was said last in each of some conversations, for their list."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Final

from django.db.models import Case, F, Q, When
from django.db.models.functions import Length
from pydantic import JsonValue

from conversations.domain.beginnings import beginning_of
from conversations.domain.bodies import object_in, text_of_content
from conversations.models import Conversation, Message
from conversations.store.last_visible_messages import last_visible_messages
from ctxadmin.lib.json_texts import unescaped

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
    """Returns by key of the conversation the last visible message, in few statements."""
    ends = [Q(conversation=key, index=index) for key, index in last_visible_messages(heads).items()]
    if not ends:
        return {}
    rows = Message.objects.filter(reduce(or_, ends)).annotate(size=Length("body"))
    short = Case(When(size__lte=_LONGEST, then=F("body")))
    found = rows.annotate(short=short).values_list("conversation", "role", "node_id", "short")
    return {
        key: _last(role, node_id, b"{}" if body is None else bytes(body))
        for key, role, node_id, body in found
    }


def _last(role: str, node_id: str, body: bytes) -> LastMessage:
    found = object_in(body)
    calls = found.get("tool_calls")
    names = map(_name_of, calls if isinstance(calls, list) else ())
    return LastMessage(
        role,
        node_id,
        beginning_of(unescaped(text_of_content(found.get("content"))), _BEGINNING),
        tuple(name for name in names if name),
    )


def _name_of(call: JsonValue) -> str:
    if not isinstance(call, dict):
        return ""
    function = call.get("function")
    return str((function if isinstance(function, dict) else call).get("name") or "")
