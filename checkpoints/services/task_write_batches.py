"""Writes of tasks for a checkpoint, which make no version."""

from checkpoints.domain.task_writes import MOST_TASKS, PutWrites
from checkpoints.store import deleted_error, find_saved
from checkpoints.writes_store import count_tasks, find_writes, put_writes
from conversations.store import find_head
from conversations.writing import writing
from ctxadmin.audit.record import AuditChange
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import NotFound, TooLarge
from ctxadmin.lib.sentence import say


def store_writes(
    actor: Actor, public_id: str, checkpoint: str, task: str, command: PutWrites
) -> bool:
    """Replaces a task's writes; returns True if it had none (semantics 3.18).

    They can precede the save of their checkpoint. Repeating them changes nothing. Raises TooLarge
    over MOST_TASKS tasks of a checkpoint, NotFound for a deleted one.
    """
    actor.require(Action.CHECKPOINT_WRITES)
    stored = command.stored()
    with writing(actor, public_id) as opened:
        key = opened.head.key
        before = find_writes(key, checkpoint, task)
        if before == stored:
            return False
        if before is None:
            _require_room(key, checkpoint)
        put_writes(key, checkpoint, task, stored)
        opened.size += len(stored)
        detail = {"checkpoint": checkpoint, "task": task, "writes": len(command.writes)}
        change = AuditChange(Action.CHECKPOINT_WRITES, "conversation", public_id, detail=detail)
        opened.commit(change)
    return before is None


def _require_room(conversation: int, checkpoint: str) -> None:
    """Raises TooLarge or NotFound unless a checkpoint can have the writes of one more task."""
    count = count_tasks(conversation, checkpoint)
    if count >= MOST_TASKS:
        message = f"A checkpoint has writes of at most {MOST_TASKS} tasks."
        raise TooLarge(message, limit=MOST_TASKS)
    if count == 0:  # those of a deleted checkpoint are gone
        saved = find_saved(conversation, checkpoint)
        if saved is not None and saved.deleted:
            raise NotFound(deleted_error(saved))


def get(actor: Actor, public_id: str, checkpoint: str, task: str) -> bytes:
    """Returns the writes of a task as JSON of a list; raises NotFound without any."""
    found = find_writes(find_head(actor.workspace, public_id).key, checkpoint, task)
    if found is None:
        raise NotFound(
            say(
                "Task {task} has no writes at checkpoint {checkpoint}.",
                task=repr(task),
                checkpoint=repr(checkpoint),
            )
        )
    return found
