"""Checking all that is stored of one conversation: messages, executions, the audit."""

from collections.abc import Iterator
from typing import Final

import orjson

from checkpoints.details_store import details_of
from checkpoints.domain.execution import read
from checkpoints.domain.task_writes import sum_of_writes
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
)
from checkpoints.state_sums import sum_of_key, sum_of_value
from checkpoints.state_verification import verify_state
from conversations.damage import ALTERED, damaged
from conversations.models import Comment, Conversation
from conversations.store import find_head
from conversations.verification import Finding, Unsummed, cover_messages, verify_messages
from ctxadmin.audit.verification import verify_stream
from ctxadmin.lib.errors import Damaged

_BLOCK: Final = 500
_SAME: Final = (
    *("status", "state_digest", "state_bytes", "state_keys", "executed_count", "history_count"),
)


def verify_conversation(head: Conversation, unsummed: Unsummed) -> Iterator[Finding]:
    """Everything that is stored of a conversation; nothing is changed."""
    yield from verify_messages(head, unsummed)
    rows = list(Execution.objects.filter(conversation=head.key).order_by("number"))
    for row in rows:
        yield from _verify_execution(head, row)
        yield from verify_state(row, unsummed)
    yield from _verify_numbers(head, [row.number for row in rows])
    for each in TaskWrites.objects.filter(conversation=head.key).iterator(_BLOCK):
        if each.sum != sum_of_writes(each.checkpoint, each.task, bytes(each.writes)):
            what = f"writes of checkpoint {each.checkpoint!r}"
            yield Finding(what, "are not what was written: their check sum does not fit")
    for fault in verify_stream(head.key):
        yield Finding("audit", fault.text)


def _verify_execution(head: Conversation, row: Execution) -> Iterator[Finding]:
    what = f"execution {row.number}"
    try:
        now = read(bytes(row.decided))
        if (now.version, now.status.value) != (row.version, row.status):
            yield Finding(what, "does not say of its version and status what was decided")
        for name in ("reducers", "marking"):
            orjson.loads(bytes(getattr(row, name)) or b"{}")
        details = ExecutionDetails.objects.filter(conversation=head.key, number=row.number).first()
        if details is None:
            yield Finding(what, "has no details")
        else:
            orjson.loads(bytes(details.metadata))
    except ValueError:
        yield Finding(what, "cannot be read")
    own = Checkpoint.objects.filter(conversation=row.conversation, execution=row.number)
    newest = own.filter(version=row.version).first()
    if newest is not None and any(getattr(newest, n) != getattr(row, n) for n in _SAME):
        # A pause that is asked for, and a fork, change the status without a version.
        differing = [n for n in _SAME if getattr(newest, n) != getattr(row, n)]
        yield Finding(what, f"says other than its newest version of: {', '.join(differing)}")
    for each in own.order_by("version").defer("answer").iterator(_BLOCK):
        yield from _verify_version(head, row, each)
    yield from _verify_details(row)


def _verify_version(head: Conversation, row: Execution, each: Checkpoint) -> Iterator[Finding]:
    what = f"execution {row.number}: version {each.version}"
    if each.version > row.version:
        yield Finding(what, f"is after the latest, {row.version}")
    if not 0 <= each.revision < each.revision_count <= head.revision_count:
        yield Finding(what, f"names revision {each.revision}, which never was")
    if each.log_count > head.log_count or each.visible_count > each.log_count:
        yield Finding(what, "knows more messages than were logged")
    if each.restored_from is not None and not 0 <= each.restored_from < each.version:
        yield Finding(what, f"was restored from version {each.restored_from}, not one before it")
    try:
        for name in ("changed_keys", "routing", "marking", "whole"):
            orjson.loads(bytes(getattr(each, name)) or b"[]")
    except ValueError:
        yield Finding(what, "cannot be read")


def _verify_details(row: Execution) -> Iterator[Finding]:
    """What is said of checkpoints, with the sums that their own rows have."""
    own = Checkpoint.objects.filter(conversation=row.conversation, execution=row.number)
    with_details = own.exclude(details_sum=None)
    sums = dict(with_details.values_list("version", "details_sum"))
    stored = CheckpointDetails.objects.filter(conversation=row.conversation, execution=row.number)
    for each in stored.order_by("version").iterator(_BLOCK):
        what = f"execution {row.number}: details of version {each.version}"
        if each.version not in sums:
            yield Finding(what, "belong to nothing")
        elif sums.pop(each.version) != details_of(each).sum(each.version):
            yield Finding(what, "are not what was written: their check sum does not fit")
    for version in sorted(sums):
        yield Finding(f"execution {row.number}: details of version {version}", "are missing")


def _verify_numbers(head: Conversation, numbers: list[int]) -> Iterator[Finding]:
    """The rows of executions that are not there, and executions that should be."""
    for number in sorted(
        set(range(min(numbers, default=0), max(numbers, default=-1))) - {*numbers}
    ):
        yield Finding(f"execution {number}", "is missing")
    for table in (Checkpoint, CheckpointDetails, StateKey, StateValue, Label, Claim, PendingEdit):
        rows = table.objects.filter(conversation=head.key).exclude(execution__in=numbers)
        for number in sorted(set(rows.values_list("execution", flat=True))):
            yield Finding(f"{table.__name__} rows of execution {number}", "belong to nothing")
    comments = Comment.objects.filter(conversation=head.key, execution__isnull=False)
    for number in comments.exclude(execution__in=numbers).values_list("number", flat=True):
        yield Finding(f"comment {number}", "is about an execution that never was")


def cover_conversation(conversation: int) -> int:
    """Give rows that are older than the check sums theirs; how many. Meant for what was verified.

    A row that somebody writes meanwhile gets its sum of the writer.
    """
    covered = cover_messages(conversation)
    for value in StateValue.objects.filter(conversation=conversation, sum=None).iterator(_BLOCK):
        own = StateValue.objects.filter(pk=value.pk, sum=None)
        covered += own.update(sum=sum_of_value(value.key, value.version, bytes(value.value)))
    for key in StateKey.objects.filter(conversation=conversation, sum=None).iterator(_BLOCK):
        own_key = StateKey.objects.filter(pk=key.pk, sum=None, version=key.version)
        covered += own_key.update(sum=sum_of_key(key))
    return covered


def find_damage(workspace: int, public_id: str) -> Damaged | None:
    """The damage of a conversation that a request failed on; None if it is whole."""
    head = find_head(workspace, public_id)
    if not any(True for _ in verify_conversation(head, Unsummed())):
        return None
    found = damaged(head.key, "conversation", head.public_id, ALTERED)
    return found if isinstance(found, Damaged) else None
