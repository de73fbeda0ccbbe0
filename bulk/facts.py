"""Reads how the items of a job are now: many for a dry run, one under the lock of its head."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeVar

from django.db.models import Exists, OuterRef

from bulk.domain.rules import ItemFacts
from bulk.models import BulkItem
from checkpoints.models import Execution
from checkpoints.store.executions import as_domain
from checkpoints.store.pinned_workflow import pinned_version
from checkpoints.store.position import waits_for_review
from conversations.models import Conversation
from ctxadmin.identity.bulk_actions import BulkAction
from ctxadmin.lib.errors import ContextError

_PART: Final = 500

ValueT = TypeVar("ValueT")


def facts_of(
    action: BulkAction, workspace: int, items: Iterable[BulkItem]
) -> Iterator[ItemFacts | None]:
    """Yields the facts of items in order, None for one that is gone."""
    for part in parts(list(items)):
        heads = _heads(workspace, part)
        waiting = _waiting(heads.values()) if action is BulkAction.RESUME else frozenset[int]()
        for item in part:
            head = heads.get(item.conversation)
            if head is None:
                yield None
            else:
                yield item_facts(item, head, waits=head.key in waiting)


def parts(values: Sequence[ValueT]) -> Iterator[Sequence[ValueT]]:
    """Yields values in parts that one statement can name."""
    for start in range(0, len(values), _PART):
        yield values[start : start + _PART]


def item_facts(item: BulkItem, head: Conversation, *, waits: bool) -> ItemFacts:
    """Returns the facts of an item whose head was read."""
    return ItemFacts(
        selected_status=item.selected_status,
        selected_change=item.selected_change,
        status=head.status,
        change_seq=head.change_seq,
        archived=head.archived,
        waits_for_review=waits,
    )


def needs_review(row: Execution | None) -> bool:
    """Returns True if an execution waits for review, also if that cannot be read."""
    if row is None:
        return False
    try:
        return waits_for_review(as_domain(row), pinned_version(row))
    except ContextError:
        return True


def _heads(workspace: int, part: Sequence[BulkItem]) -> dict[int, Conversation]:
    rows = Conversation.objects.for_workspace(workspace)
    return {head.key: head for head in rows.filter(key__in=[item.conversation for item in part])}


def _waiting(heads: Iterable[Conversation]) -> frozenset[int]:
    """Returns the conversations whose current execution waits for review."""
    paused = [head.key for head in heads if head.status == "PAUSED"]
    return frozenset(row.conversation for row in current_executions(paused) if needs_review(row))


def current_executions(keys: Sequence[int]) -> list[Execution]:
    """Returns the current execution of each conversation that has one."""
    newer = Execution.objects.filter(
        conversation=OuterRef("conversation"), number__gt=OuterRef("number")
    )
    rows = Execution.objects.filter(~Exists(newer), conversation__in=keys)
    return list(rows.defer("marking", "reducers", "leases"))
