"""What of an actor's own undone changes can be done again, one after the other."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from operator import itemgetter

from conversations.models import Conversation, Move, Revision
from conversations.pages.batch_words import pin_of
from conversations.pages.pin_changes import LATEST, PinChange, grouped_pins
from conversations.pages.undo import restore_url, undo_pins_url
from conversations.reading.queries import newest_revisions
from ctxadmin.identity.actor import Actor


def redo_own_url(
    head: Conversation, actor: Actor, shown: str = "", latest: Sequence[Revision] = ()
) -> str:
    """Returns the address at which the last of what the actor undid is done again by POST.

    "" if nothing is left, or if someone changed the view since. ``shown`` is the view to come back
    to, ``latest`` are the latest revisions, oldest first, if they have been read.
    """
    rows = latest or newest_revisions(head, LATEST)
    if rows[-1].number == head.current_revision and pin_of(rows[-1]) is None:
        return ""  # nobody went back from what was changed last
    undone = _undone(_events(head, rows), actor)
    if not undone:
        return ""
    last = undone[-1]
    if isinstance(last, PinChange):
        return undo_pins_url(head, last.messages, shown, pinned=last.pinned)
    return restore_url(head, last, head.current_revision, head.visible_count, shown)


def _events(head: Conversation, rows: Sequence[Revision]) -> Iterator[Revision | Move | PinChange]:
    """Yields the last change of the view, and moves and changes of pins since, in order.

    Before them come earlier changes of pins, which can be undone, too.
    """
    changed = next((row for row in reversed(rows) if pin_of(row) is None), None)
    if changed is None:
        return
    moves = Move.objects.filter(conversation=head.key, created_at__gte=changed.created_at)
    pins = grouped_pins(rows)
    events: list[tuple[datetime, Revision | Move | PinChange]] = [
        (changed.created_at, changed),
        *((move.created_at, move) for move in moves.order_by("-seq")[:LATEST]),
        *((pin.rows[0].created_at, pin) for pin in pins),
    ]
    for _, event in sorted(events, key=itemgetter(0)):
        yield event


def _undone(
    events: Iterator[Revision | Move | PinChange], actor: Actor
) -> Sequence[int | PinChange]:
    """Returns what is left of the actor's undoing, in order: revisions that were left, and pins."""
    undone: list[int | PinChange] = []
    for event in events:
        last = undone[-1] if undone else None
        if isinstance(event, PinChange):
            if event.author == actor.label:
                _follow_pin(event, undone)
        elif isinstance(event, Revision) or event.author != actor.label or event.kind != "restore":
            undone.clear()
        elif event.to_revision == last:
            undone.pop()
        elif event.to_revision < event.from_revision:
            undone.append(event.from_revision)
        else:
            undone.clear()
    return undone


def _follow_pin(event: PinChange, undone: list[int | PinChange]) -> None:
    last = undone[-1] if undone else None
    if event.by == "undo":
        undone.append(event)
    elif event.by == "redo" and isinstance(last, PinChange) and event.reverses(last):
        undone.pop()
    else:
        undone.clear()
