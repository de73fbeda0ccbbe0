"""What a reader can filter the messages of a view by, each with how many messages it would show."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import orjson

from conversations.domain.view import View
from conversations.models import Conversation, Message
from conversations.reading.navigation import ROLES, ReadingFilter, bodies_of, called_by

MOST_COUNTED: Final = 25_000  # messages of a log; 0.3 s of processor time, most for calls of tools
MOST_LISTED: Final = 200  # choices of a field

Choices = Sequence[tuple[str, int]]
_ROLE_OF: Final[Mapping[str, str]] = {each: name for name, roles in ROLES.items() for each in roles}


@dataclass(frozen=True, slots=True)
class FilterChoices:
    """The choices of each field, with the number of messages that fit the other fields, too.

    Roles are in the order of ``ROLES``, all others by their number. ``counted`` is how many
    messages of the log were looked at.
    """

    roles: Choices
    tools: Choices
    nodes: Choices
    authors: Choices
    counted: int


@dataclass(frozen=True, slots=True)
class _Facts:
    role: str
    node: str
    author: str
    tools: frozenset[str]


def filter_choices(head: Conversation, view: View, wanted: ReadingFilter) -> FilterChoices:
    """Returns what the messages of a view can be filtered by, beside what they are filtered by.

    A choice that is made is listed even if nothing fits it.
    """
    facts = [each for index, each in _facts(head) if index in view]

    def count(field: str, values: Callable[[_Facts], Sequence[str]]) -> Counter[str]:
        others = replace(wanted, **{field: ""})
        found = Counter(
            value for each in facts if _fits(each, others) for value in values(each) if value
        )
        chosen: str = getattr(wanted, field)
        if chosen:
            found.setdefault(chosen, 0)
        return found

    roles = count("role", lambda each: (each.role,))
    known = [name for name in ROLES if name in roles]
    return FilterChoices(
        roles=[(name, roles[name]) for name in [*known, *sorted(roles.keys() - ROLES.keys())]],
        tools=_most(count("tool", lambda each: tuple(each.tools)), wanted.tool),
        nodes=_most(count("node", lambda each: (each.node,)), wanted.node),
        authors=_most(count("author", lambda each: (each.author,)), wanted.author),
        counted=min(head.log_count, MOST_COUNTED),
    )


def _fits(facts: _Facts, wanted: ReadingFilter) -> bool:
    return (
        wanted.role in ("", facts.role)
        and wanted.node in ("", facts.node)
        and wanted.author in ("", facts.author)
        and (not wanted.tool or wanted.tool in facts.tools)
    )


def _most(found: Counter[str], chosen: str) -> Choices:
    ordered = sorted(found.items(), key=lambda each: (-each[1], each[0]))
    return [each for at, each in enumerate(ordered) if at < MOST_LISTED or each[0] == chosen]


def _facts(head: Conversation) -> Iterator[tuple[int, _Facts]]:
    """The first messages of the log; a result is of all tools that its message calls."""
    tools = {
        index: frozenset(called_by(orjson.loads(body)))
        for index, body in bodies_of(head, "assistant", 0, MOST_COUNTED)
        if b'"tool_calls"' in body
    }
    rows = Message.objects.filter(conversation=head.key, index__lt=MOST_COUNTED)
    fields = rows.values_list("index", "role", "node_id", "author", "call_index")
    for index, role, node, author, call in fields.iterator(2000):
        used = tools.get(index if call is None else call, frozenset())
        yield index, _Facts(_ROLE_OF.get(role, role), node, author, used)
