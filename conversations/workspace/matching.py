"""Which conversations a filter of a list means, and how many."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Q, QuerySet

from conversations.models import Conversation, ConversationQuerySet
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.sentence import say

FEW: Final = 500  # conversations that are read by their keys sooner than found in their order
ARCHIVED: Final[Mapping[str, bool | None]] = {"": False, "true": True, "also": None}  # in addresses
STATUSES: Final = (
    "IDLE",
    "PENDING",
    "RUNNING",
    "PAUSED",
    "COMPLETED",
    "FAILED",
    "CANCELLED",
)


@dataclass(frozen=True, slots=True)
class ConversationFilter:
    """The filter of a list; empty fields mean all. ``text`` is in title or id.

    A list has either archived or unarchived ones, both if ``archived`` is None.
    ``with_execution`` leaves out those that never had one. ``among`` is a query of the keys to
    choose from, which an app above knows.
    """

    status: str = ""
    workflow: str = ""
    text: str = ""
    archived: bool | None = False
    with_execution: bool = False
    among: "QuerySet[Any, Any] | None" = None


def matching(actor: Actor, wanted: ConversationFilter) -> ConversationQuerySet:
    """Returns the conversations that a filter means, in no order."""
    rows = Conversation.objects.for_workspace(actor.workspace)
    if wanted.archived is not None:
        rows = rows.that_are(archived=wanted.archived)
    if wanted.text:
        rows = _with_text(rows, wanted.text)
    if wanted.status:
        if wanted.status not in STATUSES:
            known = ", ".join(STATUSES)
            raise ValidationFailed.at(
                "?status", say("Unknown status. Use one of: {known}.", known=known)
            )
        rows = rows.filter(status=wanted.status)
    elif wanted.with_execution:
        rows = rows.exclude(status="IDLE")
    if wanted.workflow:
        rows = rows.filter(workflow=wanted.workflow)
    if wanted.among is not None:
        rows = rows.filter(key__in=wanted.among)
    return rows


def count_matching(actor: Actor, wanted: ConversationFilter, most: int) -> int:
    """Counts the conversations that a filter means, at most ``most``."""
    return int(matching(actor, wanted).order_by()[:most].count())


def _with_text(rows: ConversationQuerySet, text: str) -> ConversationQuerySet:
    """Returns those of some conversations that have a text in title or id.

    A rare text is searched in an index that has nothing else, which is several times as fast as
    reading heads until there are enough. A frequent one is soon found in the order of the list.
    """
    found_by = Q(title__icontains=text)
    if text.isascii():  # ids are; MySQL refuses to compare them with anything else
        found_by |= Q(public_id__icontains=text)
    found = rows.filter(found_by)
    few = list(found.order_by().values_list("key", flat=True)[: FEW + 1])
    if len(few) > FEW:
        return found
    # By their keys alone: SQLite would go through the order of the list again.
    return Conversation.objects.filter(key__in=few)
