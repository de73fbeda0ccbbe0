"""Verifies all that is stored of one conversation: messages, executions, the audit."""

from collections.abc import Iterable, Iterator
from typing import Final

import orjson

from checkpoints.domain.task_writes import sum_of_writes
from checkpoints.models import (
    Checkpoint,
    CheckpointDetails,
    Claim,
    Execution,
    Label,
    PendingEdit,
    StateKey,
    StateValue,
    TaskWrites,
    Usage,
)
from checkpoints.store.details import details_of
from checkpoints.store.state_checksums import sum_of_key, sum_of_value
from checkpoints.store.usage import sum_of_usage
from checkpoints.verification.heads import verify_execution, verify_head
from checkpoints.verification.manifests import records_of, verify_manifests
from checkpoints.verification.states import verify_state
from conversations.models import Comment, Conversation
from conversations.store.conversation import find_head
from conversations.store.damage import ALTERED, damaged
from conversations.store.verification import (
    DataFault,
    Unsummed,
    add_message_checksums,
    gaps,
    report_errors,
    span,
    verify_messages,
)
from ctxadmin.audit.verification import verify_stream
from ctxadmin.lib.errors import Damaged

_BLOCK: Final = 500
_OF_EXECUTIONS: Final = (
    *(Checkpoint, CheckpointDetails, Usage, StateKey, StateValue),
    *(Label, Claim, PendingEdit),
)


def verify_conversation(head: Conversation, unsummed: Unsummed) -> Iterator[DataFault]:
    """Yields the damage of everything stored of a conversation; changes nothing, never aborts."""
    yield from verify_messages(head, unsummed)
    yield from report_errors("the executions", _verify_executions(head, unsummed))
    yield from report_errors(
        "audit", (DataFault("audit", each.text) for each in verify_stream(head.key))
    )


def _verify_executions(head: Conversation, unsummed: Unsummed) -> Iterator[DataFault]:
    rows = list(Execution.objects.filter(conversation=head.key).order_by("number"))
    records = records_of(head)
    for row in rows:
        what = f"execution {row.number}"
        yield from report_errors(what, verify_execution(head, row, records))
        yield from report_errors(what, verify_manifests(head, row, records))
        yield from report_errors(f"{what}: details", _verify_details(row))
        yield from report_errors(f"{what}: usage", _verify_usage(row))
        yield from report_errors(f"{what}: state", verify_state(row, unsummed))
    yield from report_errors("head", verify_head(head, rows, records))
    yield from _verify_numbers(head, [row.number for row in rows])
    yield from report_errors("writes", _verify_writes(head))
    for edit in PendingEdit.objects.filter(conversation=head.key):
        what = f"execution {edit.execution}: unsaved edit of person {edit.person}"
        yield from report_errors(what, _verify_edit(what, bytes(edit.typed)))


def _verify_writes(head: Conversation) -> Iterator[DataFault]:
    for each in TaskWrites.objects.filter(conversation=head.key).iterator(_BLOCK):
        if each.sum != sum_of_writes(each.checkpoint, each.task, bytes(each.writes)):
            what = f"writes of checkpoint {each.checkpoint!r}"
            yield DataFault(what, "are damaged: their checksum does not match")


def _verify_details(row: Execution) -> Iterator[DataFault]:
    """Verifies the details of checkpoints by the checksums in their rows."""
    stored = CheckpointDetails.objects.filter(conversation=row.conversation, execution=row.number)
    found = (
        (each.version, details_of(each).sum(each.version))
        for each in stored.order_by("version").iterator(_BLOCK)
    )
    yield from _verify_sums(row, "details", "details_sum", found)


def _verify_usage(row: Execution) -> Iterator[DataFault]:
    """Verifies reported usage by the checksums in the rows of checkpoints."""
    stored = Usage.objects.filter(conversation=row.conversation, execution=row.number)
    rows = stored.order_by("version").iterator(_BLOCK)
    found = ((each.version, sum_of_usage(each)) for each in rows)
    yield from _verify_sums(row, "usage", "usage_sum", found)


def _verify_sums(
    row: Execution, name: str, column: str, found: Iterable[tuple[int, int]]
) -> Iterator[DataFault]:
    """Compares the checksums of versions with those of the rows beside them."""
    own = Checkpoint.objects.filter(conversation=row.conversation, execution=row.number)
    sums = dict(own.exclude(**{column: None}).values_list("version", column))
    for version, total in found:
        what = f"execution {row.number}: {name} of version {version}"
        if version not in sums:
            yield DataFault(what, "belong to nothing")
        elif sums.pop(version) != total:
            yield DataFault(what, "are damaged: their checksum does not match")
    for version in sorted(sums):
        yield DataFault(f"execution {row.number}: {name} of version {version}", "are missing")


def _verify_edit(what: str, typed: bytes) -> Iterator[DataFault]:
    stored = orjson.loads(typed)
    for name in ("rows", "others", "texts"):
        parts = stored[name]
        if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
            yield DataFault(what, "cannot be read")


def _verify_numbers(head: Conversation, numbers: list[int]) -> Iterator[DataFault]:
    """Finds rows of missing executions, and executions that should exist."""
    for start, stop in gaps([0, *numbers], max(numbers, default=0)):
        yield DataFault(span("execution", start, stop), "is missing")
    for table in _OF_EXECUTIONS:
        rows = table.objects.filter(conversation=head.key).exclude(execution__in=numbers)
        for number in sorted(set(rows.values_list("execution", flat=True))):
            yield DataFault(f"{table.__name__} rows of execution {number}", "belong to nothing")
    comments = Comment.objects.filter(conversation=head.key, execution__isnull=False)
    for number in comments.exclude(execution__in=numbers).values_list("number", flat=True):
        yield DataFault(f"comment {number}", "refers to an execution that does not exist")


def cover_conversation(conversation: int) -> int:
    """Adds checksums to rows older than checksums, of a verified conversation; returns how many.

    A row that is written meanwhile gets its checksum from the writer.
    """
    covered = add_message_checksums(conversation)
    for value in StateValue.objects.filter(conversation=conversation, sum=None).iterator(_BLOCK):
        own = StateValue.objects.filter(pk=value.pk, sum=None)
        covered += own.update(sum=sum_of_value(value.key, value.version, bytes(value.value)))
    for key in StateKey.objects.filter(conversation=conversation, sum=None).iterator(_BLOCK):
        own_key = StateKey.objects.filter(pk=key.pk, sum=None, version=key.version)
        covered += own_key.update(sum=sum_of_key(key))
    return covered


def find_damage(workspace: int, public_id: str) -> Damaged | None:
    """Returns the damage of a conversation that a request failed on; None if it is whole."""
    head = find_head(workspace, public_id)
    if not any(True for _ in verify_conversation(head, Unsummed())):
        return None
    found = damaged(head.key, "conversation", head.public_id, ALTERED)
    return found if isinstance(found, Damaged) else None
