"""Writes of tasks for a checkpoint, which make no version."""

from checkpoints.domain.task_writes import MOST_BYTES, MOST_TASKS, PutWrites
from checkpoints.store.executions import deleted_error, find_saved
from checkpoints.store.task_writes import find_writes, others_in_checkpoint, put_writes
from conversations.store.conversation import find_head
from conversations.writing.conversation import writing
from ctxadmin.audit.record import AuditChange
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import FieldProblem, NotFound, TooLarge
from ctxadmin.lib.sentence import say


def store_writes(
    actor: Actor, public_id: str, checkpoint: str, task: str, command: PutWrites
) -> bool:
    """Replaces a task's writes; returns True if it had none (semantics 3.18).

    They can precede the save of their checkpoint. Repeating them changes nothing. Raises TooLarge
    over MOST_TASKS tasks or MOST_BYTES of a checkpoint, NotFound for a deleted one.
    """
    actor.require(Action.CHECKPOINT_WRITES)
    stored = command.stored()
    with writing(actor, public_id) as opened:
        key = opened.head.key
        before = find_writes(key, checkpoint, task)
        if before == stored:
            return False
        others = _require_room(key, checkpoint, task, len(stored))
        if before is None and not others:
            _require_kept(key, checkpoint)
        put_writes(key, checkpoint, task, stored)
        opened.size += len(stored)
        detail = {"checkpoint": checkpoint, "task": task, "writes": len(command.writes)}
        change = AuditChange(Action.CHECKPOINT_WRITES, "conversation", public_id, detail=detail)
        opened.commit(change)
    return before is None


def _require_room(conversation: int, checkpoint: str, task: str, size: int) -> int:
    """Returns how many other tasks have writes; raises TooLarge if those of this one do not fit."""
    count, taken = others_in_checkpoint(conversation, checkpoint, task)
    if taken + size > MOST_BYTES:
        message = say(
            "The writes of this checkpoint would have {n} bytes; at most {most} are allowed.",
            n=taken + size,
            most=MOST_BYTES,
        )
        problem = FieldProblem("/writes", message, TooLarge.code)
        raise TooLarge(message, limit=MOST_BYTES, problems=[problem])
    if count >= MOST_TASKS:
        message = say(
            "A checkpoint has writes of at most {most_tasks} tasks.", most_tasks=MOST_TASKS
        )
        raise TooLarge(message, limit=MOST_TASKS)
    return count


def _require_kept(conversation: int, checkpoint: str) -> None:
    """Raises NotFound for a deleted checkpoint, whose writes are gone."""
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
