"""Edits the state and the messages of a paused execution."""

from dataclasses import dataclass

from checkpoints.domain import execution as rules
from checkpoints.domain.commands import UpdateSnapshot
from checkpoints.domain.timeline import WriteKind
from checkpoints.services.preconditions import (
    apply_operations,
    open_current,
    read_body,
    read_operations,
)
from checkpoints.writing.execution import VersionWrite
from conversations.domain.revisions import UNSEEN, Seen
from conversations.services.use_cases import check_seen
from conversations.writing.conversation import writing
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action


@dataclass(frozen=True, slots=True)
class Updated:
    """The version that an edit wrote."""

    version: int
    changed_keys: tuple[str, ...]
    revision: int


def update(
    actor: Actor,
    public_id: str,
    command: UpdateSnapshot,
    *,
    seen: Seen = UNSEEN,
    execution: str | None = None,
) -> Updated:
    """Edits the paused node's state in one transaction with operations (semantics 3.7).

    Operations come first, in order; then the messages of the key ``messages`` are appended.
    ``seen`` is the view that the operations were meant for, ``execution`` the one that was shown.
    Raises InvalidState unless that is PAUSED at that node, VersionConflict, and what operations and
    reducers raise.
    """
    actor.require(Action.SNAPSHOT_UPDATE)
    sent = read_body(command.update())
    operations = read_operations(command.operations)
    reason = command.reason or ""
    with writing(actor, public_id) as opened:
        run = open_current(opened, command.expected_version, execution)
        decision = rules.update(run.now, command.node_id)
        if operations:
            check_seen(opened, seen)
            apply_operations(opened, operations, command.reason)
        run.state.refuse_opaque(sent.update.state)
        sent.apply(run, command.node_id)
        run.record(decision, VersionWrite(WriteKind.UPDATE, reason=reason))
        run.commit(Action.SNAPSHOT_UPDATE, reason, operations=len(operations))
    return Updated(run.now.version, run.changed_keys, opened.head.current_revision)
