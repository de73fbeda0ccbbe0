"""What was pinned or unpinned since the view changed last, and is not undone."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from conversations.models import Conversation, Revision
from conversations.pages.batch_words import pin_of
from conversations.reading.queries import newest_revisions

_LOOKED_AT: Final = 50  # revisions in which the reason of a pin is looked for


@dataclass(frozen=True, slots=True)
class PinChange:
    """Messages that one actor pinned or unpinned at once, by log index; ``rows`` newest first."""

    author: str
    pinned: bool
    messages: frozenset[int]
    rows: Sequence[Revision]

    def reverses(self, other: "PinChange") -> bool:
        """Returns True if it undoes another change of the same actor."""
        is_opposite = self.author == other.author and self.pinned != other.pinned
        return is_opposite and self.messages == other.messages

    def overrules(self, other: "PinChange") -> bool:
        """Returns True if another actor's change has no effect any more because of it."""
        return self.author != other.author and other.messages <= self.messages

    def does_the_same(self, other: "PinChange") -> bool:
        return self.pinned == other.pinned and self.messages == other.messages


def last_pin_changes(rows: Sequence[Revision]) -> tuple[Sequence[PinChange], Revision]:
    """Returns the changes of pins since the view changed last, and the revision with that view.

    ``rows`` are a revision and its ancestors. A change and the one that undid it are left out, and
    one of whose messages another actor pinned or unpinned all since.
    """
    pinning = list(takewhile(pin_of, rows))
    done: list[PinChange] = []
    for change in _without_undone(grouped_pins(pinning)):
        done = [*(each for each in done if not change.overrules(each)), change]
    return done, rows[len(pinning)]


def undone_pins(rows: Sequence[Revision], latest: Sequence[Revision]) -> frozenset[int]:
    """Returns the revisions that pinned what was unpinned since, and those that did that.

    ``rows`` are a revision and its ancestors; only what came since the view changed last counts of
    them. Of ``latest``, oldest first, those count that are beside them.
    """
    branch = {row.number for row in rows}
    beside = [row for row in reversed(latest) if pin_of(row) and row.number not in branch]
    found: set[int] = set()
    for part in (list(takewhile(pin_of, rows)), beside):
        kept = {row.number for change in _without_undone(grouped_pins(part)) for row in change.rows}
        found |= {row.number for row in part} - kept
    return frozenset(found)


def reason_of_pin(head: Conversation, index: int) -> str | None:
    """Returns why a message was pinned last, None without a reason or if it was long ago."""
    rows = reversed(newest_revisions(head, _LOOKED_AT))
    return next((row.reason for row in rows if pin_of(row) == (index, True)), "") or None


def _without_undone(changes: Sequence[PinChange]) -> Sequence[PinChange]:
    """Returns changes, oldest first, without each that its actor's next one undid, and that one."""
    done: list[PinChange] = []
    for change in changes:
        own = next((each for each in reversed(done) if each.author == change.author), None)
        if own is not None and change.reverses(own):
            done.remove(own)
        else:
            done.append(change)
    return done


def grouped_pins(rows: Sequence[Revision]) -> Sequence[PinChange]:
    """Returns the changes of rows, newest first, as oldest first: what was pinned at once has the
    same time.
    """
    found: list[PinChange] = []
    key = None
    for row in reversed(rows):
        pin = pin_of(row)
        if pin is None:
            continue
        index, pinned = pin
        former, key = key, (row.author, row.created_at, pinned)
        if key == former:
            last = found.pop()
            found.append(PinChange(row.author, pinned, last.messages | {index}, [row, *last.rows]))
        else:
            found.append(PinChange(row.author, pinned, frozenset([index]), [row]))
    return found
