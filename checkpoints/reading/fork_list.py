"""The conversations that were forked from one."""

from collections.abc import Sequence
from typing import Final

from django.db.models import OuterRef, Subquery

from checkpoints.models import Execution
from conversations.lifecycle.copies import Copy
from conversations.models import Conversation

_MOST: Final = 20


def forks_of(head: Conversation) -> Sequence[Copy]:
    """Returns the latest forks of any execution of a conversation, each with its origin version."""
    own = Execution.objects.filter(conversation=head.key).values("public_id")
    # Without the workspace, of which SQLite would read all executions; forks stay in it anyway.
    rows = Execution.objects.filter(origin_execution__in=own)
    heads = Conversation.objects.filter(key=OuterRef("conversation"))
    named = rows.annotate(
        name=Subquery(heads.values("public_id")), title=Subquery(heads.values("title"))
    )
    found = named.order_by("-created_at")[:_MOST]
    return [
        Copy(name, title or "", version or 0)
        for name, title, version in found.values_list("name", "title", "origin_version")
        if name is not None
    ]
