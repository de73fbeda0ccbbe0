"""What was pinned or unpinned since the view changed last, and is not undone."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile
from typing import Final

from conversations.domain.revisions import PinnedBy
from conversations.models import Conversation, Revision
from conversations.pages.batch_words import pin_of, pinned_by
from conversations.reading.queries import newest_revisions

LATEST: Final = 50  # revisions among which changes of pins are looked for


@dataclass(frozen=True, slots=True)
class PinChange:
    """Messages that one actor pinned or unpinned at once, by log index; ``rows`` newest first.

    It holds since a revision, that of its last redo if it was undone.
    """

    author: str
    pinned: bool
    messages: frozenset[int]
    by: PinnedBy
    rows: Sequence[Revision]
    since: int

    def reverses(self, other: "PinChange") -> bool:
        """Returns True if it can have undone another change of the same actor."""
        return self._is_of_same(other) and self.pinned != other.pinned

    def repeats(self, other: "PinChange") -> bool:
        """Returns True if it can have redone another change of the same actor."""
        return self._is_of_same(other) and self.pinned == other.pinned

    def overrules(self, other: "PinChange") -> bool:
        """Returns True if another actor's change has no effect any more because of it."""
        is_later = self.author != other.author and self.since > other.since
        return is_later and other.messages <= self.messages

    def _is_of_same(self, other: "PinChange") -> bool:
        return self.author == other.author and self.messages == other.messages


def last_pin_changes(
    rows: Sequence[Revision], latest: Sequence[Revision]
) -> tuple[Sequence[PinChange], Revision]:
    """Returns the changes of pins since the view changed last, and the revision with that view.

    ``rows`` are a revision and its ancestors; ``latest``, oldest first, are the latest revisions of
    the conversation, since its pins are those of all its views. A change and the one that undid it
    are left out, and one of whose messages another actor pinned or unpinned all since.
    """
    last = next(dropwhile(pin_of, rows))
    done = _without_undone(grouped_pins(latest))
    left = [each for each in done if not any(other.overrules(each) for other in done)]
    return [each for each in left if each.rows[-1].number > last.number], last


def undone_pins(latest: Sequence[Revision]) -> frozenset[int]:
    """Returns which revisions, oldest first, pinned or unpinned what was undone since, or undid."""
    kept = {row.number for change in _without_undone(grouped_pins(latest)) for row in change.rows}
    return frozenset(row.number for row in latest if pin_of(row) and row.number not in kept)


def reason_of_pin(head: Conversation, index: int) -> str | None:
    """Returns why a message was pinned last, None without a reason or if it was long ago."""
    rows = reversed(newest_revisions(head, LATEST))
    return next((row.reason for row in rows if pin_of(row) == (index, True)), "") or None


def _without_undone(changes: Sequence[PinChange]) -> Sequence[PinChange]:
    """Returns changes, oldest first, without those that are undone, and without undoing them.

    One that was redone stands where it was.
    """
    done: list[PinChange] = []
    undone: list[PinChange] = []
    for change in changes:
        if change.by == "undo":
            if former := next((each for each in reversed(done) if change.reverses(each)), None):
                done.remove(former)
                undone.append(former)
        elif change.by == "redo" and (
            former := next((each for each in reversed(undone) if change.repeats(each)), None)
        ):
            undone.remove(former)
            done.append(replace(former, since=change.since))
            done.sort(key=lambda each: each.rows[-1].number)
        else:
            done.append(change)
    return done


def grouped_pins(rows: Sequence[Revision]) -> Sequence[PinChange]:
    """Returns the changes of pins among rows, oldest first.

    What was pinned at once has the same time.
    """
    found: list[PinChange] = []
    key = None
    for row in rows:
        pin = pin_of(row)
        if pin is None:
            continue
        index, pinned = pin
        former, key = key, (row.author, row.created_at, pinned)
        messages, those = frozenset([index]), [row]
        if key == former:
            last = found.pop()
            messages, those = last.messages | messages, [row, *last.rows]
        found.append(PinChange(row.author, pinned, messages, pinned_by(row), those, row.number))
    return found
