"""Which items a bulk action refuses, and why: before it starts, and again at each item."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from ctxadmin.identity.bulk_actions import BulkAction, BulkList
from ctxadmin.lib.sentence import Sentence, say

_ACTIVE: Final = frozenset({"PENDING", "RUNNING", "PAUSED"})
_RESUMABLE: Final = frozenset({"PENDING", "PAUSED", "FAILED"})

GONE: Final = say("It was erased.")


@dataclass(frozen=True, slots=True)
class ItemFacts:
    """An item as it was when it was selected, and as it is.

    ``change_seq`` is the number of the last change of the conversation, ``waits_for_review``
    whether its execution is paused at a node that needs review, ``pause_requested`` whether it
    pauses at its next checkpoint.
    """

    selected_status: str
    selected_change: int
    status: str
    change_seq: int
    archived: bool = False
    waits_for_review: bool = False
    pause_requested: bool = False


def refusal(action: BulkAction, item: ItemFacts | None) -> Sentence | None:
    """Returns why an action refuses an item, None if it does not; without facts it is gone.

    An execution may have gone on since it was selected, as long as its status is the same: a
    running one changes all the time. A conversation may not have changed at all, nor may an
    execution that gets a label: the label is for the version that was selected. An export has
    what there is by then.
    """
    if item is None:
        return GONE
    wrong = _WRONG[action](item)
    if wrong is not None or action is BulkAction.EXPORT:
        return wrong
    if action.list is BulkList.EXECUTIONS and action is not BulkAction.LABEL:
        if item.status != item.selected_status:
            return say("Its status has changed since it was selected.")
    elif item.change_seq != item.selected_change:
        return say("It has changed since it was selected.")
    return None


def _pause(item: ItemFacts) -> Sentence | None:
    if item.status != "RUNNING":
        return say("It is not running.")
    return say("A pause has been requested already.") if item.pause_requested else None


def _resume(item: ItemFacts) -> Sentence | None:
    if item.status not in _RESUMABLE:
        return say("It is not paused, failed or pending.")
    if item.waits_for_review:
        return say("It waits for review. Open it to approve or reject it.")
    return None


def _cancel(item: ItemFacts) -> Sentence | None:
    return None if item.status in _ACTIVE else say("It has ended already.")


def _archive(item: ItemFacts) -> Sentence | None:
    if item.archived:
        return say("It is archived already.")
    if item.status in _ACTIVE:
        return say("An execution of this conversation has not ended yet.")
    return None


def _unarchive(item: ItemFacts) -> Sentence | None:
    return None if item.archived else say("It is not archived.")


def _label(item: ItemFacts) -> Sentence | None:
    return say("It has no execution.") if item.status == "IDLE" else None


def _nothing(_item: ItemFacts) -> Sentence | None:
    return None


_WRONG: Final = {
    BulkAction.PAUSE: _pause,
    BulkAction.RESUME: _resume,
    BulkAction.CANCEL: _cancel,
    BulkAction.LABEL: _label,
    BulkAction.ARCHIVE: _archive,
    BulkAction.UNARCHIVE: _unarchive,
    BulkAction.EXPORT: _nothing,
    BulkAction.ERASE: _nothing,
}


@dataclass(frozen=True, slots=True)
class DryRun:
    """What an action would do: to how many items, and how many it refuses for which reason."""

    total: int
    refused: tuple[tuple[Sentence, int], ...]

    @property
    def changing(self) -> int:
        return self.total - sum(count for _, count in self.refused)


def dry_run(action: BulkAction, items: Iterable[ItemFacts | None]) -> DryRun:
    """Returns what an action would do to items, the most frequent refusal first."""
    total = 0
    counts: Counter[Sentence] = Counter()
    for item in items:
        total += 1
        why = refusal(action, item)
        if why is not None:
            counts[why] += 1
    return DryRun(total, tuple(counts.most_common()))
