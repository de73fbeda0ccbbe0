"""Archived conversations: unlisted, whole, and restored by the next write."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from django.db.models import Q

from conversations.domain.revisions import UNSEEN, Seen
from conversations.models import Conversation
from conversations.services.use_cases import change_of, check_seen
from conversations.writing.conversation import writing
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import InvalidState
from ctxadmin.lib.sentence import say

GOING_ON: Final = ("PENDING", "RUNNING", "PAUSED")
_PAGE: Final = 200


def archive(
    actor: Actor,
    public_id: str,
    *,
    seen: Seen = UNSEEN,
    reason: str | None = None,
    unchanged_since: datetime | None = None,
) -> Conversation:
    """Archives a conversation; a repeat changes nothing.

    Nothing else about it changes, and any write unarchives it. Raises InvalidState while an
    execution is active, and if it was changed after ``unchanged_since``.
    """
    actor.require(Action.CONVERSATION_ARCHIVE)
    with writing(actor, public_id) as opened:
        check_seen(opened, seen)
        head = opened.head
        if head.status in GOING_ON:
            message = say("An execution of this conversation has not ended yet.")
            raise InvalidState(message, status=head.status)
        if unchanged_since is not None and head.updated_at >= unchanged_since:
            raise InvalidState(say("The conversation has changed."), status=head.status)
        if not head.archived:
            opened.set(archived=True)
            opened.commit(change_of(head, Action.CONVERSATION_ARCHIVE, reason=reason))
    return opened.head


def unarchive(
    actor: Actor, public_id: str, *, seen: Seen = UNSEEN, reason: str | None = None
) -> Conversation:
    """Unarchives a conversation; for one that is listed this changes nothing."""
    actor.require(Action.CONVERSATION_UNARCHIVE)
    with writing(actor, public_id) as opened:
        check_seen(opened, seen)
        if opened.head.archived:
            opened.set(archived=False)
            opened.commit(change_of(opened.head, Action.CONVERSATION_UNARCHIVE, reason=reason))
    return opened.head


def inactive_conversations(
    workspace: int, *, archived: bool, since: datetime
) -> Iterator[Conversation]:
    """Yields the conversations without writes after ``since``, oldest first.

    Of the unarchived ones only those without an active execution. Changing one meanwhile is safe.
    """
    everything = Conversation.objects.for_workspace(workspace).that_are(archived=archived)
    rows = everything.filter(updated_at__lt=since)
    if not archived:
        rows = rows.exclude(status__in=GOING_ON)
    rows = rows.order_by("updated_at", "key")
    after = Q()
    while part := list(rows.filter(after)[:_PAGE]):
        yield from part
        at, key = part[-1].updated_at, part[-1].key
        after = Q(updated_at__gt=at) | Q(updated_at=at, key__gt=key)
