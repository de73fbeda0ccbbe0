"""Reads how the items of a job are now: many for a dry run, one under the lock of its head."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeVar

from django.db.models import Exists, OuterRef

from bulk.domain.rules import ItemFacts
from bulk.models import BulkItem
from checkpoints.models import Execution, Label
from checkpoints.store.executions import as_domain
from checkpoints.store.pinned_workflow import pinned_version
from checkpoints.store.position import waits_for_review
from conversations.models import Conversation
from ctxadmin.identity.bulk_actions import BulkAction
from ctxadmin.lib.errors import ContextError

_PART: Final = 500
# The status in which an action asks for more of an execution.
_ASKED: Final = {BulkAction.RESUME: "PAUSED", BulkAction.PAUSE: "RUNNING"}

ValueT = TypeVar("ValueT")


def facts_of(
    action: BulkAction, workspace: int, items: Iterable[BulkItem]
) -> Iterator[ItemFacts | None]:
    """Yields the facts of items in order, None for one that is gone."""
    for part in parts(list(items)):
        heads = _heads(workspace, part)
        executions = _asked_executions(action, heads.values())
        for item in part:
            head = heads.get(item.conversation)
            if head is None:
                yield None
            else:
                yield item_facts(item, head, executions.get(head.key))


def parts(values: Sequence[ValueT]) -> Iterator[Sequence[ValueT]]:
    """Yields values in parts that one statement can name."""
    for start in range(0, len(values), _PART):
        yield values[start : start + _PART]


def item_facts(item: BulkItem, head: Conversation, row: Execution | None) -> ItemFacts:
    """Returns the facts of an item whose head was read, and its execution if ``asks_execution``."""
    return ItemFacts(
        selected_status=item.selected_status,
        selected_change=item.selected_change,
        status=head.status,
        change_seq=head.change_seq,
        archived=head.archived,
        waits_for_review=head.status == "PAUSED" and row is not None and _needs_review(row),
        pause_requested=head.status == "RUNNING" and row is not None and _is_pause_requested(row),
    )


def asks_execution(action: BulkAction, status: str) -> bool:
    """Returns True if the rules of an action ask more of an execution than its status."""
    return _ASKED.get(action) == status


def _needs_review(row: Execution) -> bool:
    """Returns True if an execution waits for review, also if that cannot be read."""
    try:
        return waits_for_review(as_domain(row), pinned_version(row))
    except ContextError:
        return True


def _is_pause_requested(row: Execution) -> bool:
    """Returns False if that cannot be read: the pause itself says what is wrong."""
    try:
        return as_domain(row).pause_requested
    except ContextError:
        return False


def _heads(workspace: int, part: Sequence[BulkItem]) -> dict[int, Conversation]:
    rows = Conversation.objects.for_workspace(workspace)
    return {head.key: head for head in rows.filter(key__in=[item.conversation for item in part])}


def _asked_executions(action: BulkAction, heads: Iterable[Conversation]) -> Mapping[int, Execution]:
    """Returns the current executions that the rules of an action ask, by conversation."""
    asked = [head.key for head in heads if asks_execution(action, head.status)]
    return {row.conversation: row for row in current_executions(asked)} if asked else {}


def current_executions(keys: Sequence[int]) -> list[Execution]:
    """Returns the current execution of each conversation that has one."""
    newer = Execution.objects.filter(
        conversation=OuterRef("conversation"), number__gt=OuterRef("number")
    )
    rows = Execution.objects.filter(~Exists(newer), conversation__in=keys)
    return list(rows.defer("marking", "reducers", "leases"))


def current_labels(keys: Sequence[int]) -> Mapping[int, str]:
    """Returns the label of the latest version of each conversation whose version has one."""
    latest = {(row.conversation, row.number, row.version) for row in current_executions(keys)}
    labels = Label.objects.filter(conversation__in=keys)
    return {
        row.conversation: row.name
        for row in labels
        if (row.conversation, row.execution, row.version) in latest
    }
