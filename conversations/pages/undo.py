"""Addresses at which a change of a view is undone by POST."""

from urllib.parse import urlencode

from django.urls import reverse

from conversations.models import Conversation, Revision
from conversations.services.results import Applied
from conversations.store.conversation import has_grown
from ctxadmin.identity.actor import Actor


def undo_url(head: Conversation, applied: Applied) -> str:
    """Returns the address at which a change of ``head`` is undone by POST.

    It names the result of the change, so that an undo never undoes what came after it.
    """
    return _restore_url(head, head.current_revision, applied.target, applied.visible_count)


def undo_own_url(head: Conversation, now: Revision, actor: Actor) -> str:
    """Returns the address at which the actor's own last change is undone by POST.

    "" if another opened the current revision, or if messages were appended to it since.
    """
    is_own = now.author == actor.label and now.operation not in ("start", "append")
    if now.parent is None or not is_own or has_grown(head.key, now.number):
        return ""
    return _restore_url(head, now.parent, now.number, head.visible_count)


def _restore_url(head: Conversation, revision: int, seen: int, count: int) -> str:
    path = reverse("conversations:restore", args=[head.public_id, revision])
    return f"{path}?{urlencode({'expected_revision': seen, 'expected_count': count})}"
