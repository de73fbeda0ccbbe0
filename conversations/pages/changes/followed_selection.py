"""The selection of an open sheet, moved along when someone changes the view in the meantime."""

from dataclasses import dataclass

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from conversations.domain import runs as run_sets
from conversations.domain.runs import Runs
from conversations.models import Conversation
from conversations.pages.changes import selection
from conversations.pages.changes.change_effects import current_view
from conversations.store.conversation import find_revision, view_of
from ctxadmin.lib.errors import VersionConflict
from ctxadmin.ui.forms.seen_numbers import seen_number


@dataclass(frozen=True, slots=True)
class FollowedSelection:
    """What a sheet sent, with the same messages at their positions in the current view.

    ``news`` says what changed since, "" if nothing did.
    """

    sent: QueryDict
    news: str


def follow_selection(head: Conversation, sent: QueryDict) -> FollowedSelection:
    """Returns the selection in the current view.

    VersionConflict if none of its messages are visible any more.
    """
    revision, count = seen_number(sent, "revision"), seen_number(sent, "count")
    if (revision, count) == (head.current_revision, head.visible_count):
        return FollowedSelection(sent, "")
    before = view_of(find_revision(head.key, revision)).slice(0, count)
    chosen, now = selection.runs_in(before, sent), current_view(head)
    places = [now.position_of(index) for index in run_sets.indices(chosen)]
    found = run_sets.of_indices(sorted(place for place in places if place is not None))
    if not found:
        raise VersionConflict(
            _("The conversation changed: the selected messages are no longer visible."),
            expected=revision,
            actual=head.current_revision,
        )
    moved = sent.copy()
    moved.setlist("at", [])
    moved["positions"] = selection.ranges_text(found)
    moved["revision"], moved["count"] = str(head.current_revision), str(head.visible_count)
    return FollowedSelection(moved, _news(chosen, found))


def _news(chosen: Runs, found: Runs) -> str:
    gone = run_sets.count(chosen) - run_sets.count(found)
    if not gone:
        return _("The conversation changed: figures updated.")
    text = ngettext(
        "The conversation changed: figures updated. "
        "%(n)s selected message is no longer visible and is left out.",
        "The conversation changed: figures updated. "
        "%(n)s selected messages are no longer visible and are left out.",
        gone,
    )
    return text % {"n": gone}
