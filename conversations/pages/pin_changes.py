"""What was pinned or unpinned since the view changed last, and is not undone."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from conversations.models import Revision
from conversations.pages.batch_words import pin_of


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

    def does_the_same(self, other: "PinChange") -> bool:
        return self.pinned == other.pinned and self.messages == other.messages


def last_pin_changes(rows: Sequence[Revision]) -> tuple[Sequence[PinChange], Revision]:
    """Returns the changes of pins since the view changed last, and the revision with that view.

    ``rows`` are a revision and its ancestors. A change and the one that undid it are left out.
    """
    pinning = list(takewhile(pin_of, rows))
    done: list[PinChange] = []
    for change in grouped_pins(pinning):
        if done and change.reverses(done[-1]):
            done.pop()
        else:
            done.append(change)
    return done, rows[len(pinning)]


def undone_pins(rows: Sequence[Revision]) -> frozenset[int]:
    """Returns the revisions that pinned what was unpinned since, and those that did that.

    ``rows`` are a revision and its ancestors; only what came since the view changed last counts.
    """
    kept = {row.number for change in last_pin_changes(rows)[0] for row in change.rows}
    return frozenset(row.number for row in takewhile(pin_of, rows) if row.number not in kept)


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
