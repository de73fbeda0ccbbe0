"""The feed of a workspace: all committed changes of its conversations in one order.

The transaction of a change cannot assign its position: one that began earlier may commit later, and
a reader who has passed its position would never see it. So writers only mark their conversation as
``unfed``, in a statement that they send anyway, and the next reader of the feed assigns positions
to what was committed since (semantics 5.2).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Max

from conversations.models import Conversation, Feed, FeedEntry, FeedMark
from ctxadmin.audit.models import AuditEntry
from ctxadmin.lib import clock
from ctxadmin.storage.tables import Table

KEPT_FOR: Final = timedelta(days=30)
_CONVERSATIONS: Final = 200  # of one transaction
_MARKS: Final = Table(FeedMark)
_CHANGES: Final = 1_000  # of one conversation in one transaction


@dataclass(frozen=True, slots=True)
class FeedChange:
    """A change at its position: the number ``seq`` in its conversation, and the key of that."""

    position: int
    conversation: int
    seq: int


@dataclass(frozen=True, slots=True)
class FeedPart:
    """A part of a feed: its entries, and the cursor after all that was read.

    ``is_reset``: changes between the given cursor and the entries are no longer stored.
    """

    entries: Sequence[FeedChange]
    cursor: int
    is_reset: bool


def read(workspace: int, after: int, most: int) -> FeedPart:
    """Returns the next changes after a position, at most ``most``; includes all committed ones."""
    while _give_positions(workspace):
        pass
    feed = Feed.objects.filter(workspace=workspace).first() or Feed(workspace=workspace)
    rows = FeedEntry.objects.filter(workspace=workspace, position__gt=after).order_by("position")
    found = [FeedChange(*row) for row in rows.values_list("position", "conversation", "seq")[:most]]
    is_reset = 0 < after < feed.removed or after > feed.last
    start = min(after, feed.last) if after > feed.last else max(after, feed.removed)
    return FeedPart(found, found[-1].position if found else start, is_reset)


def last_position(workspace: int) -> int:
    """Returns the position of the latest committed change."""
    while _give_positions(workspace):
        pass
    return Feed.objects.filter(workspace=workspace).values_list("last", flat=True).first() or 0


def erase(conversation: int) -> None:
    """Leaves one entry of a conversation that is being erased, that of its erasure."""
    head = Conversation.objects.filter(key=conversation).values_list("workspace", "change_seq")
    for workspace, seq in head:
        FeedEntry.objects.filter(workspace=workspace, conversation=conversation).delete()
        FeedMark.objects.update_or_create(
            conversation=conversation, defaults={"workspace": workspace, "erased_at_seq": seq}
        )


def remove_old(now: datetime, *, remove: bool) -> int:
    """Deletes entries that are older than KEPT_FOR, or only counts them."""
    old = FeedEntry.objects.filter(at__lt=now - KEPT_FOR)
    if not remove:
        return old.count()
    removed = 0
    for feed in Feed.objects.all():
        rows = old.filter(workspace=feed.workspace).order_by("-position")
        last = rows.values_list("position", flat=True).first()
        if last is None:
            continue
        with transaction.atomic():
            Feed.objects.filter(workspace=feed.workspace).update(removed=last)
            gone = FeedEntry.objects.filter(workspace=feed.workspace, position__lte=last)
            removed += gone.delete()[0]
    return removed


def _give_positions(workspace: int) -> bool:
    """Adds committed changes to the feed; returns True if there may be more."""
    heads = Conversation.objects.filter(workspace=workspace, unfed=True).order_by("key")
    unfed = list(heads.values_list("key", "change_seq")[:_CONVERSATIONS])
    erased = FeedMark.objects.filter(workspace=workspace, erased_at_seq__isnull=False)
    if not unfed and not erased.exists():
        return False
    Feed.objects.bulk_create([Feed(workspace=workspace)], ignore_conflicts=True)
    with transaction.atomic():
        feed = Feed.objects.select_for_update().get(workspace=workspace)
        # Read again under the lock: another reader may have given positions meanwhile.
        unfed = list(heads.values_list("key", "change_seq")[:_CONVERSATIONS])
        marks = _marks([key for key, _ in unfed])
        # A damaged number of changes may be any; the audit has those that there were.
        last = _recorded([key for key, seq in unfed if seq - marks.get(key, 0) > _CHANGES])
        done: list[tuple[int, int]] = []
        made: list[FeedMark] = []
        for key, seq in unfed:
            since = marks.get(key, 0)
            there = min(seq, max(since, last.get(key, seq)))
            upto = min(there, since + _CHANGES)
            _add(feed, key, range(since + 1, upto + 1))
            made.append(FeedMark(conversation=key, workspace=workspace, seq=upto))
            if upto == there:
                done.append((key, seq))
        _MARKS.upsert(made)
        for mark in erased.order_by("conversation")[:_CONVERSATIONS]:
            _add(feed, mark.conversation, [mark.erased_at_seq or 0])
            mark.delete()
        feed.save(update_fields=["last"])
    for key, seq in done:  # by itself: it waits for a write of the conversation that continues
        Conversation.objects.filter(key=key, change_seq=seq).update(unfed=False)
    return True


def _marks(keys: Sequence[int]) -> dict[int, int]:
    rows = FeedMark.objects.filter(conversation__in=keys)
    return dict(rows.values_list("conversation", "seq"))


def _recorded(keys: Sequence[int]) -> dict[int, int]:
    """Returns the numbers of the last audited changes of some conversations."""
    if not keys:
        return {}
    entries = AuditEntry.objects.filter(stream__in=keys).order_by()
    return dict(entries.values_list("stream").annotate(last=Max("seq")))


def _add(feed: Feed, conversation: int, numbers: Sequence[int]) -> None:
    at = clock.now()
    FeedEntry.objects.bulk_create(
        FeedEntry(
            workspace=feed.workspace,
            position=feed.last + place,
            conversation=conversation,
            seq=seq,
            at=at,
        )
        for place, seq in enumerate(numbers, start=1)
    )
    feed.last += len(numbers)
