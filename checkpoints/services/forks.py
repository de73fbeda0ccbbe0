"""Forks an earlier version into a conversation of its own."""

from dataclasses import dataclass

from django.db import transaction

from checkpoints.domain import execution as rules
from checkpoints.domain.execution import RestorePoint
from checkpoints.domain.execution_json import dump
from checkpoints.domain.move_commands import ForkCheckpoint
from checkpoints.domain.pauses import When, fork_reason
from checkpoints.models import Checkpoint, Execution, ExecutionDetails
from checkpoints.services.preconditions import require_execution
from checkpoints.store.executions import find_checkpoint, find_current
from checkpoints.store.forks import copy_execution
from conversations.lifecycle.conversation_copy import UpTo, copy_conversation
from conversations.models import Conversation
from conversations.services.creators import require_as_creator
from conversations.services.use_cases import NewConversation, open_new
from conversations.store.conversation import find_head, metadata_of_head
from conversations.writing.conversation import Writing, writing
from ctxadmin.audit.record import AuditChange
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import NotFound
from ctxadmin.lib.ids import new_public_id
from ctxadmin.lib.sentence import say


@dataclass(frozen=True, slots=True)
class Forked:
    """A new conversation, its execution, and the origin of both."""

    head: Conversation
    row: Execution


def fork(
    actor: Actor,
    public_id: str,
    version: int,
    command: ForkCheckpoint,
    *,
    execution: str | None = None,
) -> Forked:
    """Creates a conversation with the log, revisions and execution up to a version (semantics
    3.9).

    It is PAUSED there, in any status of the source, and continues with versions of its own. Raises
    NotFound, Duplicate if the id is taken, and InvalidState if an ``execution`` is named that is
    not the latest. One transaction creates the new conversation; the record on the source is
    another.
    """
    actor.require_to_own(Action.CHECKPOINT_FORK)
    source = find_head(actor.workspace, public_id)
    require_as_creator(actor, Action.CHECKPOINT_FORK, source)
    row = find_current(source.key)
    if row is None:
        raise NotFound(say("This conversation has no execution to fork."))
    require_execution(row, execution)
    to = find_checkpoint(source.key, row.number, version)
    with transaction.atomic():
        opened = open_new(
            actor,
            NewConversation(
                public_id=command.id,
                title=source.title if command.title is None else command.title,
                workflow=source.workflow,
                metadata=metadata_of_head(source),
                tools=source.details.tools,
            ),
        )
        upto = UpTo(to.log_count, to.revision_count, to.revision, to.change_seq)
        copy_conversation(source, upto, opened.head)
        forked = _fork_execution(opened, source, row, to)
        opened.head.status, opened.head.state_bytes = forked.status, forked.state_bytes
        origin = {"conversation": source.public_id, "execution": row.public_id}
        _commit(opened, forked, {"origin": origin}, after=_version_mark(to))
    with writing(actor, public_id) as recorded:
        _commit(
            recorded, row, {"fork": opened.head.public_id}, before=_version_mark(to), upkeep=True
        )
    return Forked(opened.head, forked)


def _fork_execution(
    opened: Writing, source: Conversation, row: Execution, to: Checkpoint
) -> Execution:
    standing = RestorePoint(to.version, to.node_id or None, When(to.side), ())
    now = rules.fork(standing, opened.at, str(fork_reason(source.public_id, to.version)))
    forked = Execution(
        conversation=opened.head.key,
        number=1,
        public_id=new_public_id("exec"),
        workspace=row.workspace,
        workflow=row.workflow,
        workflow_key=row.workflow_key,
        workflow_version=row.workflow_version,
        reducers=row.reducers,
        status=now.status.value,
        version=now.version,
        node_id=now.node_id or "",
        decided=dump(now),
        marking=to.marking,
        state_digest=to.state_digest,
        state_bytes=to.state_bytes,
        state_keys=to.state_keys,
        executed_count=to.executed_count,
        history_count=to.history_count,
        waiting_since=opened.at,
        origin_conversation=source.public_id,
        origin_execution=row.public_id,
        origin_version=to.version,
        author=opened.actor.label,
        created_at=opened.at,
        changed_at=opened.at,
    )
    forked.details = ExecutionDetails(
        conversation=forked.conversation, number=1, metadata=row.details.metadata
    )
    forked.save(force_insert=True)
    forked.details.save(force_insert=True)
    opened.head.checkpoint_bytes = copy_execution(row, to, forked)
    return forked


def _version_mark(to: Checkpoint) -> str:
    return f"{to.version}.{to.revision}.{to.visible_count}"


def _commit(
    opened: Writing,
    row: Execution,
    detail: dict[str, object],
    *,
    before: str = "",
    after: str = "",
    upkeep: bool = False,
) -> None:
    change = AuditChange(
        action=Action.CHECKPOINT_FORK,
        object_type="execution",
        object_id=row.public_id,
        before=before,
        after=after,
        detail={
            "conversation": opened.head.public_id,
            **detail,
            "version": row.version,
            "state": row.state_digest,
        },
    )
    opened.commit(change, upkeep=upkeep)
