"""Counting recalls: an engine reads a message in full that it did not see. Semantics 4.6."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

from django.db.models import F, Max, Sum

from conversations.domain.bodies import StoredMessage
from conversations.models import Conversation, Recall
from conversations.store.conversation import find_head
from ctxadmin.http.endpoints.pagination import Page, PageRequest, encode, offset_of
from ctxadmin.identity.actor import Actor
from ctxadmin.lib import clock
from ctxadmin.storage.statement_batch import batched_transaction

COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "node": ("workflow", "node_id"),
    "workflow": ("workflow",),
    "day": ("day",),
}
LONGEST_NODE: Final = 128
_MOST_NODES: Final = 200


@dataclass(frozen=True, slots=True)
class Recalled:
    """How often a message was recalled, and when last."""

    count: int
    last_at: datetime


@dataclass(frozen=True, slots=True)
class NodeRecalls:
    """What one node of a workflow recalled; the node is "" if nobody named it."""

    workflow: str
    node: str
    count: int


def is_recall(actor: Actor, message: StoredMessage, node: str) -> bool:
    """True if an engine reads what the current view hides, or for a node that it names."""
    return actor.is_engine and (bool(node) or not message.visible)


def count_recall(actor: Actor, head: Conversation, index: int, node: str = "") -> None:
    """Counts one recall of a message; raises NotFound if the conversation was erased meanwhile.

    Neither the conversation nor its time of change is written: who follows it sees no change.
    """
    now = clock.now()
    day = now.date().isoformat()
    with batched_transaction():
        head = find_head(actor.workspace, head.public_id, lock=True)
        rows = Recall.objects.filter(conversation=head.key, index=index, node_id=node, day=day)
        if not rows.update(count=F("count") + 1, author=actor.label, last_at=now):
            Recall.objects.create(
                conversation=head.key,
                index=index,
                node_id=node,
                day=day,
                workspace=head.workspace,
                workflow=head.workflow,
                author=actor.label,
                last_at=now,
            )


def recalls_among(head: Conversation, indices: Iterable[int]) -> Mapping[int, Recalled]:
    """How often some messages were recalled, by log index; by one statement."""
    wanted = frozenset(indices)
    if not wanted:
        return {}
    rows = Recall.objects.filter(
        conversation=head.key, index__gte=min(wanted), index__lte=max(wanted)
    ).values("index")
    found = rows.annotate(times=Sum("count"), last=Max("last_at"))
    return {
        row["index"]: Recalled(row["times"], row["last"]) for row in found if row["index"] in wanted
    }


def recalls_of(head: Conversation, request: PageRequest) -> Page[dict[str, object]]:
    """The recalls of a conversation by message and node, in the order of the log."""
    start = offset_of(request)
    rows = Recall.objects.filter(conversation=head.key).values("index", "node_id")
    summed = rows.annotate(times=Sum("count"), last=Max("last_at")).order_by("index", "node_id")
    found = list(summed[start : start + request.limit + 1])
    items: list[dict[str, object]] = [
        {
            "index": row["index"],
            "node": row["node_id"] or None,
            "recalls": row["times"],
            "last_at": clock.iso(row["last"]),
        }
        for row in found[: request.limit]
    ]
    return _page(items, start, more=len(found) > request.limit)


def recall_sums(
    actor: Actor, groups: Iterable[str], since: date, request: PageRequest
) -> Page[dict[str, object]]:
    """The recalls of a workspace from a day on (UTC), by node, workflow or day."""
    columns = [*dict.fromkeys(name for group in groups for name in COLUMNS[group])]
    rows = Recall.objects.filter(workspace=actor.workspace, day__gte=since.isoformat())
    start = offset_of(request)
    if not columns:
        total = rows.aggregate(times=Sum("count"))["times"] or 0
        return Page([] if start else [{"recalls": total}], None)
    summed = rows.values(*columns).annotate(times=Sum("count")).order_by(*columns)
    found = list(summed[start : start + request.limit + 1])
    items = [_sum_json(row, columns) for row in found[: request.limit]]
    return _page(items, start, more=len(found) > request.limit)


def recalls_by_node(workspace: int, since: date, workflow: str = "") -> list[NodeRecalls]:
    """Who recalled most, the most first, in a workspace or one workflow."""
    rows = Recall.objects.filter(workspace=workspace, day__gte=since.isoformat())
    if workflow:
        rows = rows.filter(workflow=workflow)
    summed = rows.values("workflow", "node_id").annotate(times=Sum("count"))
    ordered = summed.order_by("-times", "workflow", "node_id")[:_MOST_NODES]
    return [NodeRecalls(row["workflow"], row["node_id"], row["times"]) for row in ordered]


def _page(items: list[dict[str, object]], start: int, *, more: bool) -> Page[dict[str, object]]:
    return Page(items, encode((start + len(items),)) if more else None)


def _sum_json(row: Mapping[str, Any], columns: Iterable[str]) -> dict[str, object]:
    names = {"workflow": "workflow", "node_id": "node", "day": "day"}
    shown: dict[str, object] = {names[column]: row[column] or None for column in columns}
    return shown | {"recalls": row["times"]}
