"""Deletes one version of an execution: removes its bytes and marks it in the list."""

from checkpoints.maintenance import retention_store
from checkpoints.models import Checkpoint, Execution
from checkpoints.services.preconditions import require_execution
from checkpoints.store.executions import CHECKPOINTS, find_current, find_execution
from conversations.services.creators import require_as_creator
from conversations.writing.conversation import Writing, writing
from ctxadmin.audit.record import AuditChange
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import InvalidState, NotFound
from ctxadmin.lib.sentence import say


def delete(
    actor: Actor,
    public_id: str,
    version: int,
    *,
    execution: str | None = None,
    seen: str | None = None,
) -> None:
    """Deletes state, details and pending writes of a version permanently (semantics 3.19).

    ``execution`` is the one that has the version, by default the current one. A repeat changes
    nothing. Rows of the state that other versions read are kept for these. Raises NotFound for a
    missing version, and InvalidState for one that is needed: the first, the latest of the current
    execution, what a paused execution proposes, one with a label, and the base of unsaved edits;
    also if ``seen`` names an execution that is no longer the current one.
    """
    actor.require_to_own(Action.CHECKPOINT_DELETE)
    with writing(actor, public_id) as opened:
        require_as_creator(actor, Action.CHECKPOINT_DELETE, opened.head)
        current = find_current(opened.head.key)
        if current is None:
            raise NotFound(say("This conversation has no execution."))
        require_execution(current, seen)
        row = current if execution is None else find_execution(opened.head.key, execution)
        found = _find(row, version)
        if not found.deleted:
            _require_unneeded(row, version, is_current=row.number == current.number)
            _delete(opened, row, found)


def _find(row: Execution, version: int) -> Checkpoint:
    """Returns the manifest of a version, thinned and deleted ones included."""
    found = None
    if version <= row.version:
        where = {"conversation": row.conversation, "execution": row.number, "version": version}
        found = CHECKPOINTS.find(where)
    if found is None:
        raise NotFound(say("There is no version {n} of this execution.", n=version))
    return found


def _require_unneeded(row: Execution, version: int, *, is_current: bool) -> None:
    """Raises InvalidState for a version that something still needs."""
    since = retention_store.paused_since_version(row)
    if version == row.version and is_current:
        message = say("The latest version cannot be deleted.")
    elif version == 0:
        message = say("Version 0 cannot be deleted: the execution started with it.")
    elif since is not None and version >= since:
        message = say("Version {n} belongs to a proposal that waits for review.", n=version)
    elif version in retention_store.labelled_versions(row):
        message = say("Version {n} has a label. Remove the label first.", n=version)
    elif version in retention_store.edited_versions(row):
        message = say("Version {n} has unsaved edits. Apply or discard them first.", n=version)
    else:
        return
    raise InvalidState(message, status=row.status)


def _delete(opened: Writing, row: Execution, found: Checkpoint) -> None:
    freed = 0
    if found.thinned_at is None:
        batch = retention_store.deletion_batch(row, found.version)
        freed = retention_store.drop_states(row, batch, opened.at)
    retention_store.mark_deleted(row, found.version, opened.at)
    opened.head.checkpoint_bytes -= freed
    detail = {
        "conversation": opened.head.public_id,
        "version": found.version,
        "checkpoint": found.checkpoint_id,
        "freed": freed,
    }
    change = AuditChange(Action.CHECKPOINT_DELETE, "execution", row.public_id, detail=detail)
    opened.commit(change, upkeep=True)
