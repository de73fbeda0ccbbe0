"""The writes of tasks in SQL: one row for each task of a checkpoint."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

import orjson
from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import Length

from checkpoints.domain.task_writes import sum_of_writes
from checkpoints.models import Checkpoint, TaskWrites
from conversations.store.damage import ALTERED, damaged
from ctxadmin.storage.tables import Table

_WRITES: Final = Table(TaskWrites)
_PART_BYTES: Final = 16 * 1024**2
_SIZED_TOGETHER: Final = 500


def find_writes(conversation: int, checkpoint: str, task: str) -> bytes | None:
    """Returns the writes of a task as JSON, None without any.

    Raises Damaged if a checksum differs.
    """
    where = {"conversation": conversation, "checkpoint": checkpoint, "task": task}
    row = _WRITES.find(where)
    return None if row is None else _checked(row)


def put_writes(conversation: int, checkpoint: str, task: str, writes: bytes) -> None:
    """Replaces the stored writes of a task."""
    row = TaskWrites(conversation=conversation, checkpoint=checkpoint, task=task, writes=writes)
    row.sum = sum_of_writes(checkpoint, task, writes)
    _WRITES.upsert([row])


def others_in_checkpoint(conversation: int, checkpoint: str, task: str) -> tuple[int, int]:
    """Returns how many other tasks of a checkpoint have writes, and the bytes of these."""
    rows = TaskWrites.objects.filter(conversation=conversation, checkpoint=checkpoint)
    found = rows.exclude(task=task).aggregate(count=Count("task"), size=Sum(Length("writes")))
    return found["count"], found["size"] or 0


def sizes_of_writes(conversation: int, checkpoints: Collection[str]) -> Mapping[str, int]:
    """Returns the bytes of the writes of checkpoints by their ids; those without any are left
    out.
    """
    rows = TaskWrites.objects.filter(conversation=conversation, checkpoint__in=checkpoints)
    sums = rows.order_by().values_list("checkpoint").annotate(size=Sum(Length("writes")))
    return dict(sums)


def writes_of(
    conversation: int, checkpoints: Collection[str]
) -> dict[str, list[dict[str, object]]]:
    """Returns the writes of checkpoints by their ids, each with its task, ordered by task."""
    found: dict[str, list[dict[str, object]]] = defaultdict(list)
    rows = _WRITES.find_all({"conversation": conversation}, "checkpoint", checkpoints)
    for row in sorted(rows, key=lambda each: (each.checkpoint, each.task)):
        found[row.checkpoint] += (
            {"task_id": row.task, **write} for write in orjson.loads(_checked(row))
        )
    return found


def copy_writes(source: int, target: int, checkpoints: Iterable[str]) -> None:
    """Copies the writes of checkpoints to another conversation that has the same checkpoints.

    A few at a time, as they can be large.
    """
    for part in _parts(source, checkpoints):
        for row in _WRITES.find_all({"conversation": source}, "checkpoint", part):
            put_writes(target, row.checkpoint, row.task, bytes(row.writes))


def _parts(conversation: int, checkpoints: Iterable[str]) -> Iterator[list[str]]:
    """Yields the checkpoints that have writes in parts of about ``_PART_BYTES``."""
    remaining, part, size = iter(checkpoints), list[str](), 0
    while ids := list(islice(remaining, _SIZED_TOGETHER)):
        for checkpoint, its_size in sizes_of_writes(conversation, ids).items():
            if part and size + its_size > _PART_BYTES:
                yield part
                part, size = [], 0
            part.append(checkpoint)
            size += its_size
    if part:
        yield part


def drop_writes(conversation: int, checkpoints: QuerySet[Checkpoint, Any]) -> None:
    """Deletes the writes of checkpoints, whose ids a query gives, with one statement."""
    own = TaskWrites.objects.filter(conversation=conversation)
    own.filter(checkpoint__in=checkpoints).delete()


def _checked(row: TaskWrites) -> bytes:
    writes = bytes(row.writes)
    if row.sum != sum_of_writes(row.checkpoint, row.task, writes):
        raise damaged(row.conversation, "writes of checkpoint", row.checkpoint, ALTERED)
    return writes
