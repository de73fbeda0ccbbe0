"""Hidden messages of a view: where they would be, and which revision hid them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from conversations.domain import runs as run_sets
from conversations.domain.runs import Runs
from conversations.domain.view import View
from conversations.models import Conversation, Message, Revision
from conversations.store.branch import Branch
from conversations.store.conversation import find_revision, lineage, view_of


@dataclass(frozen=True, slots=True)
class HidingRevision:
    """The revision before which a message was last visible.

    ``on_branch`` is False if the message was logged into a branch that the view is not of: then a
    rollback hid it, and ``revision`` is the one that it was logged into.
    """

    revision: Revision
    on_branch: bool


def hidden_runs(view: View, log_length: int) -> Runs:
    """Returns the log indices below ``log_length`` that a view does not show, ascending.

    Each run follows the visible message before it, or is at the front.
    """
    return run_sets.difference(((0, log_length),) if log_length else (), view.indices_as_runs())


def gaps_behind(hidden: Runs) -> Mapping[int, tuple[int, int]]:
    """Returns the hidden runs by the log index that they follow, -1 for the front."""
    return {start - 1: (start, stop) for start, stop in hidden}


def hiding_revisions(
    head: Conversation, row: Revision, indices: Iterable[int]
) -> dict[int, HidingRevision]:
    """Returns which revision hid each of the log indices from the view of ``row``.

    Bisects the views of the branch, from where a message was logged to where it is hidden: some
    queries for each step, however many messages the same operation hid.
    """
    asked = sorted(set(indices))
    rows = Message.objects.filter(conversation=head.key, index__in=asked)
    logged = dict(rows.values_list("index", "revision"))
    branch, seen = Branch(head.key, row.number), _Seen(head.key, row)
    revisions = list(reversed(lineage(head.key, row.number)))
    places = {each.number: place for place, each in enumerate(revisions)}
    found: dict[int, HidingRevision] = {}
    for index, first in logged.items():
        if first in places and branch.includes(first, index):
            hidden_at = _first_hidden(seen, revisions, places[first], index)
            found[index] = HidingRevision(revisions[hidden_at], on_branch=True)
        else:
            found[index] = HidingRevision(seen.row(first), on_branch=False)
    return found


def _first_hidden(seen: "_Seen", revisions: Sequence[Revision], first: int, index: int) -> int:
    """Bisects for the first revision that does not show a message which the one before it does."""
    shown, hidden = first, len(revisions) - 1
    if shown == hidden or not seen.shows(revisions[shown].number, index):
        return shown
    while hidden - shown > 1:
        middle = (shown + hidden) // 2
        if seen.shows(revisions[middle].number, index):
            shown = middle
        else:
            hidden = middle
    return hidden


class _Seen:
    """The views of revisions, each read once."""

    def __init__(self, conversation: int, row: Revision) -> None:
        self._conversation = conversation
        self._rows = {row.number: row}
        self._views: dict[int, View] = {}

    def row(self, number: int) -> Revision:
        if number not in self._rows:
            self._rows[number] = find_revision(self._conversation, number)
        return self._rows[number]

    def shows(self, number: int, index: int) -> bool:
        if number not in self._views:
            self._views[number] = view_of(self.row(number))
        return index in self._views[number]
