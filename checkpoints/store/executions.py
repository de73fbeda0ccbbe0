"""Finds the rows of executions and checkpoints in SQL."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

import orjson
from django.db.models import Exists, OuterRef, QuerySet

from checkpoints.domain.execution import Execution as Decided
from checkpoints.domain.execution_json import read
from checkpoints.domain.pauses import When
from checkpoints.domain.status import Status
from checkpoints.domain.timeline import SavedCheckpoint, WriteKind
from checkpoints.models import (
    Checkpoint,
    CheckpointDetails,
    Claim,
    Execution,
    ExecutionDetails,
    Label,
    PendingEdit,
    StateKey,
    StateValue,
    TaskWrites,
    Usage,
)
from conversations.store.damage import ALTERED, MISSING, damaged
from ctxadmin.lib.errors import ContextError, NotFound
from ctxadmin.lib.ids import is_public_id
from ctxadmin.lib.sentence import say
from ctxadmin.storage.tables import Table
from workflows.domain.running.routing import Marking

EXECUTIONS: Final = Table(Execution)
EXECUTION_DETAILS: Final = Table(ExecutionDetails)
CHECKPOINTS: Final = Table(Checkpoint)

_LARGEST: Final = 2**31 - 1
_KINDS: Final = frozenset(kind.value for kind in WriteKind)
_STATUSES: Final = frozenset(status.value for status in Status)
_SIDES: Final = frozenset(side.value for side in When)


def find_current(conversation: int) -> Execution | None:
    """Returns the latest execution of a conversation, None if it never had one."""
    return EXECUTIONS.find({"conversation": conversation}, last_by="number")


def current_executions(conversations: Collection[int]) -> QuerySet[Execution]:
    """Returns the latest execution of each conversation that has one, as a query."""
    newer = Execution.objects.filter(
        conversation=OuterRef("conversation"), number__gt=OuterRef("number")
    )
    return Execution.objects.filter(~Exists(newer), conversation__in=conversations)


def find_execution(conversation: int, public_id: str) -> Execution:
    """Returns an execution of a conversation by its id; raises NotFound for others."""
    row = None
    if is_public_id(public_id):
        row = EXECUTIONS.find({"conversation": conversation, "public_id": public_id})
    if row is None:
        raise NotFound(say("This conversation has no execution with this id."))
    return row


def execution_at(conversation: int, number: int) -> Execution | None:
    """Returns the execution of a conversation by its number."""
    return EXECUTIONS.find({"conversation": conversation, "number": number})


def as_domain(row: Execution) -> Decided:
    """Returns the domain's value of an execution; raises Damaged if it cannot be read."""
    try:
        return read(bytes(row.decided))
    except (ValueError, RecursionError):
        raise damaged(row.conversation, "execution", row.number, ALTERED) from None


def marking_of(row: Execution | Checkpoint) -> Marking | None:
    """Returns the token positions of a pinned workflow; raises Damaged if they cannot be read."""
    data = bytes(row.marking)
    try:
        return Marking.from_json(orjson.loads(data)) if data else None
    except (ValueError, ContextError):
        what = "execution" if isinstance(row, Execution) else "version"
        place = row.number if isinstance(row, Execution) else row.version
        raise damaged(row.conversation, what, place, ALTERED) from None


@dataclass(frozen=True, slots=True)
class Counts:
    """The counts of a conversation: current revision, visible messages, all messages."""

    revision: int
    visible: int
    log: int


# One look-up of the head for each: a join with LIMIT would be planned by other rules.
_COUNTS: Final = """
(SELECT current_revision FROM conversations_conversation AS head WHERE head.key = {conversation}),
(SELECT visible_count FROM conversations_conversation AS head WHERE head.key = {conversation}),
(SELECT log_count FROM conversations_conversation AS head WHERE head.key = {conversation})"""
_METADATA: Final = """
(SELECT metadata FROM checkpoints_executiondetails AS details
 WHERE details.conversation = {conversation} AND details.number = {number})"""


def find_current_with_counts(
    conversation: int, *, with_details: bool = False
) -> tuple[Execution, Counts] | None:
    """Returns the latest execution with its conversation's counts, consistent by one statement."""
    beside = f"{_COUNTS}, {_METADATA}" if with_details else _COUNTS
    found = EXECUTIONS.find_with({"conversation": conversation}, beside, last_by="number")
    if found is None:
        return None
    row, (revision, visible, log, *metadata) = found
    if with_details:
        row.details = ExecutionDetails(
            conversation=conversation, number=row.number, metadata=metadata[0]
        )
    return row, Counts(revision, visible, log)


def find_checkpoint(conversation: int, execution: int, version: int) -> Checkpoint:
    """Returns the manifest of one version with state; raises NotFound without one."""
    row = None
    if 0 <= version <= _LARGEST:
        where = {"conversation": conversation, "execution": execution, "version": version}
        row = CHECKPOINTS.find(where)
    if row is None:
        written = Execution.objects.filter(conversation=conversation, number=execution)
        if version >= 0 and written.filter(version__gte=version).exists():
            raise damaged(conversation, "version", version, MISSING)
        raise NotFound(say("There is no version {n} of this execution.", n=version))
    if row.thinned_at is not None:
        if row.deleted:
            raise NotFound(deleted_error(row))
        day = f"{row.thinned_at:%Y-%m-%d %H:%M}"
        raise NotFound(
            say(
                "The state of version {n} was removed by retention at {day} UTC; the list of "
                "checkpoints shows which versions still have theirs.",
                n=version,
                day=day,
            )
        )
    return check_manifest(row)


def deleted_error(row: Checkpoint) -> str:
    """Returns the error for a version that was deleted."""
    at = "" if row.thinned_at is None else f"{row.thinned_at:%Y-%m-%d %H:%M}"
    return say("Version {n} was deleted at {at} UTC.", n=row.version, at=at)


def check_manifest(row: Checkpoint) -> Checkpoint:
    """Returns the row; raises Damaged if it is implausible, because a manifest has no checksum."""
    if manifest_fault(row):
        raise damaged(row.conversation, "version", row.version, ALTERED)
    return row


def manifest_fault(row: Checkpoint) -> str:
    """Returns what is implausible in a manifest, "" for nothing."""
    for name, values in (("kind", _KINDS), ("status", _STATUSES), ("side", _SIDES)):
        if getattr(row, name) not in values:
            return f"has an unknown {name}"
    if row.restored_from is not None and not 0 <= row.restored_from < row.version:
        return f"was restored from version {row.restored_from}, not one before it"
    try:
        keys = orjson.loads(bytes(row.changed_keys))
    except ValueError:
        return "cannot be read"
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
        return "cannot be read"
    return ""


def state_before(row: Execution, version: int) -> int | None:
    """Returns the nearest earlier version with state; version 0 always has it."""
    rows = Checkpoint.objects.filter(conversation=row.conversation, execution=row.number)
    older = rows.filter(version__lt=version, thinned_at=None).order_by("-version")
    return older.values_list("version", flat=True).first()


def state_after(row: Execution, version: int) -> int | None:
    """Returns the nearest later version with state; the latest always has it."""
    rows = Checkpoint.objects.filter(conversation=row.conversation, execution=row.number)
    newer = rows.filter(version__gt=version, thinned_at=None).order_by("version")
    return newer.values_list("version", flat=True).first()


def find_saved(conversation: int, checkpoint_id: str) -> Checkpoint | None:
    """Returns the checkpoint saved under an id of the caller's, None for a new one."""
    return CHECKPOINTS.find({"conversation": conversation, "checkpoint_id": checkpoint_id})


def find_saved_version(row: Execution, checkpoint_id: str) -> int | None:
    """Returns the version of an execution saved under an id, None without one."""
    found = find_saved(row.conversation, checkpoint_id)
    return found.version if found is not None and found.execution == row.number else None


def as_saved(row: Checkpoint | None) -> SavedCheckpoint | None:
    """Returns the row as the value that recognizes a repeat."""
    if row is None or row.checkpoint_id is None:
        return None
    return SavedCheckpoint(row.checkpoint_id, bytes.fromhex(row.body_digest), bytes(row.answer))


def erase(conversation: int) -> None:
    """Deletes everything stored of a conversation's executions."""
    for table in (
        *(PendingEdit, Claim, Label, TaskWrites, StateValue, StateKey),
        *(Usage, CheckpointDetails, Checkpoint, ExecutionDetails, Execution),
    ):
        table.objects.filter(conversation=conversation).delete()
