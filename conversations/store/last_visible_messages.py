"""The last visible message of each of many conversations, for their lists."""

from collections.abc import Iterable
from functools import reduce
from operator import or_

from django.db.models import Q

from conversations.domain.view import View
from conversations.models import Conversation, Revision
from conversations.store.conversation import intact_views
from conversations.store.revision_sums import check_revision
from ctxadmin.lib.errors import ContextError


def last_visible_messages(heads: Iterable[Conversation]) -> dict[int, int]:
    """Returns by key of the conversation the log index of the last message of its current view.

    Without those whose view is empty or damaged. An operation logs its summary or replacement last,
    wherever the view shows it, so only a log that no operation changed says what came last. One
    statement for all others, and a few more for all whose views are stored as patches.
    """
    found: dict[int, int] = {}
    changed: list[Q] = []
    for head in heads:
        if head.revision_count > 1:
            changed.append(Q(conversation=head.key, number=head.current_revision))
        elif head.log_count:
            found[head.key] = head.log_count - 1
    opened: list[Revision] = []
    for row in Revision.objects.filter(reduce(or_, changed)) if changed else ():
        try:
            grown = View.decode(bytes(check_revision(row).grown))
        except (ContextError, ValueError):
            continue
        if grown.runs:  # it was appended to since it was opened
            found[row.conversation] = grown.runs[-1][1] - 1
        else:
            opened.append(row)
    for conversation, view in intact_views(opened):
        if view.runs:
            found[conversation] = view.runs[-1][1] - 1
    return found
