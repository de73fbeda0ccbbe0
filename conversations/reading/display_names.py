"""The names by which people recognize conversations that have no title."""

from collections.abc import Iterable
from datetime import UTC
from typing import Final

from django.db.models import Case, OuterRef, Q, Subquery, When
from django.db.models.functions import Length
from django.utils.translation import gettext as _

from conversations.domain.beginnings import first_words
from conversations.domain.bodies import object_in, text_of_content
from conversations.models import Conversation, Message
from ctxadmin.lib.ids import looks_generated

_LONGEST: Final = 16_000  # bytes of a body that is read for a name


def display_name(head: Conversation) -> str:
    """Returns the title, else how the first user message begins.

    Without either it is an id that somebody chose, else the workflow and the time (UTC).
    """
    read_display_names([head])
    if name := head.title or head.first_words:
        return name
    if not looks_generated(head.public_id):
        return head.public_id
    time = head.created_at.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
    if head.workflow:
        return _("%(workflow)s, %(time)s") % {"workflow": head.workflow, "time": time}
    return _("Conversation of %(time)s") % {"time": time}


def read_display_names(heads: Iterable[Conversation]) -> None:
    """Reads what names some conversations: one statement for all that have no title.

    ``display_name`` then reads nothing for them.
    """
    unread = [head for head in heads if not head.title and head.first_words is None]
    if not unread:
        return
    users = Message.objects.filter(conversation=OuterRef("key"), role="user").order_by("index")
    short = Case(When(Q(size__lte=_LONGEST), then="body"))
    body = users.annotate(size=Length("body")).values_list(short)[:1]
    rows = Conversation.objects.filter(key__in={head.key for head in unread}).annotate(
        first=Subquery(body)
    )
    bodies = dict(rows.values_list("key", "first"))
    for head in unread:
        content = object_in(bytes(bodies.get(head.key) or b"{}")).get("content")
        head.first_words = first_words(text_of_content(content))
