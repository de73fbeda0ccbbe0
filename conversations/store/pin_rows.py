"""The rows of pins: which messages are pinned, and by whom."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from conversations.models import Conversation, Mark, Pin
from conversations.store.log_ranges import chunks
from ctxadmin.lib import clock
from ctxadmin.storage.tables import Table

_MARKS: Final = Table(Mark)
_PINS: Final = Table(Pin)


def write_pins(
    conversation: int,
    indices: Sequence[int],
    author: str,
    at: datetime,
    *,
    reason: str = "",
    holds: bool = True,
) -> None:
    """Stores who pinned messages, or unpinned them unless it ``holds``."""
    _PINS.insert(
        [
            Pin(conversation=conversation, index=index, author=author, reason=reason, created_at=at)
            for index in indices
        ]
    )
    if holds:
        _MARKS.insert(
            [Mark(conversation=conversation, kind=Mark.PIN, index=index) for index in indices]
        )


def find_pinned(conversation: int, indices: Iterable[int]) -> frozenset[int]:
    """Returns those of some messages that are pinned now, with one statement."""
    marks = Mark.objects.filter(conversation=conversation, kind=Mark.PIN)
    return frozenset(indices).intersection(marks.values_list("index", flat=True))


def remove_pin(conversation: int, index: int) -> None:
    """Deletes the record that a message is or was pinned."""
    Pin.objects.filter(conversation=conversation, index=index).delete()
    Mark.objects.filter(conversation=conversation, kind=Mark.PIN, index=index).delete()


def pins_among(conversation: int, indices: Iterable[int]) -> Mapping[int, Pin]:
    """Returns the pins of those of some messages that are pinned, by log index."""
    found: dict[int, Pin] = {}
    for part in chunks(find_pinned(conversation, indices)):
        rows = Pin.objects.filter(conversation=conversation, index__in=part)
        found.update((row.index, row) for row in rows)
    return found


def pins_of(head: Conversation) -> Sequence[Pin]:
    """Returns all current pins of a conversation, by their messages."""
    marks = Mark.objects.filter(conversation=head.key, kind=Mark.PIN)
    found = pins_among(head.key, marks.values_list("index", flat=True))
    return [found[index] for index in sorted(found)]


def pin_json(pin: Pin) -> dict[str, object]:
    """Returns who pinned a message, when and why, as the contract shows it."""
    return {
        "author": pin.author,
        "reason": pin.reason or None,
        "created_at": clock.iso(pin.created_at),
    }
