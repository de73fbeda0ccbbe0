"""Addresses at which a change of a view is undone by POST."""

from typing import Final
from urllib.parse import urlencode

from django.http import HttpRequest, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from conversations.models import Conversation, Revision
from conversations.services.results import Applied
from conversations.store.conversation import has_grown
from ctxadmin.identity.actor import Actor
from ctxadmin.ui.components import Text, author_label

_SHOWN: Final = "shown"
_VIEW: Final = ("view", "hidden", "role", "tool", "node", "author")
_LONGEST: Final = 200


def undo_url(head: Conversation, applied: Applied, shown: str = "") -> str:
    """Returns the address at which a change of ``head`` is undone by POST.

    It names the result of the change, so that an undo never undoes what came after it, and the
    view to come back to (``shown_in``).
    """
    revision = head.current_revision
    return _restore_url(head, revision, applied.target, applied.visible_count, shown)


def undo_own_url(head: Conversation, now: Revision, actor: Actor, shown: str = "") -> str:
    """Returns the address at which the actor's own last change is undone by POST.

    "" if another opened the current revision, or if messages were appended to it since. ``shown``
    is the view to come back to.
    """
    is_own = now.author == actor.label and now.operation not in ("start", "append")
    if now.parent is None or not is_own or has_grown(head.key, now.number):
        return ""
    return _restore_url(head, now.parent, now.number, head.visible_count, shown)


def why_no_undo(now: Revision, actor: Actor, words: Text) -> str:
    """Says whose the last change is if it is not the actor's own to undo.

    ``words`` say what opened the current revision ``now``.
    """
    if now.parent is None:
        return _("There is no change to undo.")
    if now.author == actor.label:
        return _("Messages have come since your last change. Roll back under Batches.")
    text = _("The last change is by %(who)s: %(words)s. Roll back under Batches to undo it.")
    return text % {"who": author_label(now.author), "words": words}


def shown_in(request: HttpRequest) -> str:
    """Returns the query of the view from which something is undone; "" for the current one."""
    given = QueryDict(request.GET.get(_SHOWN, ""))
    return urlencode([(name, value[:_LONGEST]) for name in _VIEW if (value := given.get(name))])


def _restore_url(head: Conversation, revision: int, seen: int, count: int, shown: str) -> str:
    path = reverse("conversations:restore", args=[head.public_id, revision])
    query = {"expected_revision": str(seen), "expected_count": str(count)}
    return f"{path}?{urlencode(query | ({_SHOWN: shown} if shown else {}))}"
