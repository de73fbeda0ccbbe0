"""The conversations that were forked from one."""

from collections.abc import Sequence
from typing import Final

from checkpoints.models import Execution
from conversations.lifecycle.copies import Copy
from conversations.models import Conversation
from conversations.reading.display_names import display_name, read_display_names

_MOST: Final = 20


def forks_of(head: Conversation) -> Sequence[Copy]:
    """Returns the latest forks of any execution of a conversation, each with its origin version."""
    own = Execution.objects.filter(conversation=head.key).values("public_id")
    # Without the workspace, of which SQLite would read all executions; forks stay in it anyway.
    rows = Execution.objects.filter(origin_execution__in=own)
    places = rows.order_by("-created_at").values_list("conversation", "origin_version")[:_MOST]
    found = list(places)
    heads = Conversation.objects.in_bulk([key for key, _ in found])
    read_display_names(heads.values())
    return [
        Copy(heads[key].public_id, display_name(heads[key]), version or 0)
        for key, version in found
        if key in heads
    ]
