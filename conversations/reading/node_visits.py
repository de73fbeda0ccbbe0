"""How often a node had written since the user's last message: tells the rounds of a loop apart."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from django.db.models import Max
from django.db.models.functions import Coalesce

from conversations.domain.bodies import StoredMessage
from conversations.models import Conversation, Message

_MOST: Final = 1000  # messages of the log that are looked at


def node_visits(head: Conversation, messages: Sequence[StoredMessage]) -> Mapping[int, int]:
    """Returns by log index which visit of its node wrote a message, from 1.

    Messages of a node in a row are of one visit, and what tools answered between them. One without
    a node has none, nor one that is far behind the user's message. Two statements.
    """
    indices = [each.index for each in messages if each.node_id]
    if not indices:
        return {}
    log = Message.objects.filter(conversation=head.key)
    users = log.filter(role="user", index__lt=min(indices))
    (start,) = users.aggregate(start=Coalesce(Max("index"), 0)).values()
    rows = log.filter(index__gte=start, index__lte=max(indices)).order_by("index")
    return count_visits(rows.values_list("index", "role", "node_id")[:_MOST])


def count_visits(rows: Iterable[tuple[int, str, str]]) -> Mapping[int, int]:
    """Returns ``node_visits`` of rows of a log: index, role and node."""
    found: dict[int, int] = {}
    visits: Counter[str] = Counter()
    here = ""
    for index, role, node in rows:
        if role == "user":
            visits.clear()
            here = ""
        if not node:
            continue
        if node != here:
            visits[node] += 1
            here = node
        found[index] = visits[node]
    return found
