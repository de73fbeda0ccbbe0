"""Verifies the rows that repeat others: those of executions, and the conversation's head."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Final

import orjson
from django.db.models import QuerySet, Sum
from django.db.models.functions import Length

from checkpoints.domain.execution_json import read
from checkpoints.domain.leases import Leases
from checkpoints.domain.status import Status
from checkpoints.models import Checkpoint, Execution, ExecutionDetails, StateValue
from checkpoints.store.pinned_workflow import reducers_of
from checkpoints.store.position import position_of
from checkpoints.verification.manifests import RecordedChange, Records
from conversations.models import Conversation
from conversations.store.verification import DataFault, report_errors
from ctxadmin.identity.roles import Action
from ctxadmin.lib.ids import is_public_id
from workflows.domain.running.routing import Marking
from workflows.models import Workflow, WorkflowVersion

_SAME: Final = (
    *("status", "node_id", "state_digest", "state_bytes", "state_keys"),
    *("executed_count", "history_count", "marking"),
)
# Those of a version whose state was deleted, as only the latest of a former execution can be.
_SAME_WITHOUT_STATE: Final = tuple(name for name in _SAME if name != "marking")


def verify_execution(head: Conversation, row: Execution, records: Records) -> Iterator[DataFault]:
    """Compares an execution's row with its decisions, its latest version, and the audit."""
    what = f"execution {row.number}"
    own = Checkpoint.objects.filter(conversation=row.conversation, execution=row.number)
    newest = own.filter(version=row.version).first()
    if newest is not None:
        # A pause that is asked for changes the execution without a version.
        same = _SAME if newest.thinned_at is None else _SAME_WITHOUT_STATE
        differing = [n for n in same if getattr(newest, n) != getattr(row, n)]
        if differing:
            yield DataFault(what, f"differs from its latest version in: {', '.join(differing)}")
        yield from report_errors(what, _side(row, newest))
    problems = chain(
        _decided(row),
        _details(head, row),
        _times(row, newest),
        _origin(row, own.filter(version=0).first(), records),
        _workflow(row),
    )
    yield from report_errors(what, (DataFault(what, problem) for problem in problems))
    for name, part in _parts(row):
        yield from report_errors(f"{what}: {name}", part)
    thinned = own.filter(thinned_at__isnull=False).count()
    if thinned != row.thinned_count:
        yield DataFault(what, f"says {row.thinned_count} thinned versions, there are {thinned}")
    yield from report_errors(what, _deleted(row, own, records))
    if row.workspace != head.workspace:
        yield DataFault(what, "belongs to another workspace than its conversation")
    if not -1 <= row.told_version <= row.version:
        yield DataFault(what, f"has told_version {row.told_version}, which does not exist")


def _deleted(row: Execution, own: QuerySet[Checkpoint], records: Records) -> Iterator[DataFault]:
    """Compares the deleted versions with those that the audit says were deleted.

    A fork has some that were deleted in its source.
    """
    recorded: set[object] = {
        each.detail.get("version")
        for each in records.by_seq.values()
        if each.action == Action.CHECKPOINT_DELETE.value and each.execution == row.public_id
    }
    found = {*own.filter(deleted=True).values_list("version", flat=True)}
    copied = -1 if row.origin_version is None else row.origin_version
    unknown = {version for version in found if version > copied} - recorded
    for version in sorted(unknown):
        yield DataFault(f"execution {row.number}: version {version}", "was deleted by nobody")
    for missing in sorted(recorded - found, key=str):
        text = "is there, and the audit says that it was deleted"
        yield DataFault(f"execution {row.number}: version {missing}", text)


def _side(row: Execution, newest: Checkpoint) -> Iterator[DataFault]:
    if newest.side != position_of(read(bytes(row.decided)))[1].value:
        yield DataFault(
            f"execution {row.number}: version {newest.version}",
            "is on the wrong side of its node",
        )


def _decided(row: Execution) -> Iterator[str]:
    try:
        now = read(bytes(row.decided))
    except ValueError:
        yield "cannot be read"
        return
    if (now.version, now.status.value) != (row.version, row.status):
        yield "has another version or status than was decided"
    pause = now.pause
    recorded = (
        ("node_id", row.node_id, position_of(now)[0] or ""),
        ("waiting_since", row.waiting_since, pause.since if pause is not None else None),
        ("deadline", row.deadline, pause.deadline if pause is not None else None),
        ("ended_at", row.ended_at is not None, now.ended),
    )
    differing = [name for name, ours, theirs in recorded if ours != theirs]
    if differing:
        yield f"differs from what was decided in: {', '.join(differing)}"


def _parts(row: Execution) -> Iterator[tuple[str, Iterator[DataFault]]]:
    """Returns the columns with a format of their own, each with its parser."""
    yield "reducers", _read_by(lambda: reducers_of(bytes(row.reducers)))
    yield "leases", _read_by(lambda: Leases.load(bytes(row.leases)))
    if row.marking:
        yield "marking", _read_by(lambda: Marking.from_json(orjson.loads(bytes(row.marking))))


def _read_by(read_part: Callable[[], object]) -> Iterator[DataFault]:
    read_part()  # what it raises is the finding
    yield from ()


def _details(head: Conversation, row: Execution) -> Iterator[str]:
    details = ExecutionDetails.objects.filter(conversation=head.key, number=row.number).first()
    if details is None:
        yield "has no details"
        return
    try:
        metadata = orjson.loads(bytes(details.metadata))
    except ValueError:
        yield "has metadata that are not JSON"
        return
    if not isinstance(metadata, dict):
        yield "has metadata that are not a JSON object"


def _times(row: Execution, newest: Checkpoint | None) -> Iterator[str]:
    if row.changed_at < row.created_at:
        yield "changed before it was started"
    if newest is not None and row.changed_at != newest.created_at and not row.origin_execution:
        yield "changed at another time than its latest version"
    if row.ended_at is not None and row.ended_at != row.changed_at:
        yield "ended at another time than its last change"


def _origin(row: Execution, first: Checkpoint | None, records: Records) -> Iterator[str]:
    """Verifies who began the execution and when; for a fork also its source."""
    forked = (row.origin_conversation != "", row.origin_execution != "")
    if len({*forked, row.origin_version is not None}) > 1:
        yield "does not name the source of its fork"
        return
    if row.origin_version is None:
        if first is None:
            return
        recorded = [
            ("author", row.author, first.author),
            ("created_at", row.created_at, first.created_at),
        ]
    else:
        fork = _fork_of(records)
        if fork is None:
            yield "was forked, but the audit does not record it"
            return
        origin = fork.detail["origin"]
        recorded = [
            ("public_id", row.public_id, fork.execution),
            ("author", row.author, fork.author),
            ("created_at", row.created_at, fork.at),
            ("origin_conversation", row.origin_conversation, origin.get("conversation")),
            ("origin_execution", row.origin_execution, origin.get("execution")),
            ("origin_version", str(row.origin_version), fork.after.partition(".")[0]),
        ]
    differing = [name for name, ours, theirs in recorded if ours != theirs]
    if differing:
        yield f"differs from its start in: {', '.join(differing)}"


def _fork_of(records: Records) -> RecordedChange | None:
    forks = (
        each
        for each in records.by_seq.values()
        if each.action == Action.CHECKPOINT_FORK.value
        and isinstance(each.detail.get("origin"), dict)
    )
    return next(forks, None)


def _workflow(row: Execution) -> Iterator[str]:
    pinned = (row.workflow != "", row.workflow_key is not None, row.workflow_version is not None)
    if len({*pinned}) > 1:
        yield "does not say which workflow it follows"
        return
    if row.workflow_key is None or row.workflow_version is None:
        return
    found = Workflow.objects.filter(key=row.workflow_key).first()
    if found is None or row.workflow not in (found.slug, found.deleted_slug):
        yield "names a workflow that is not the one it follows"
    elif not WorkflowVersion.objects.filter(
        workflow=row.workflow_key, version=row.workflow_version
    ).exists():
        yield f"follows version {row.workflow_version} of its workflow, which does not exist"


def verify_head(
    head: Conversation, rows: Sequence[Execution], records: Records
) -> Iterator[DataFault]:
    """Verifies what the head repeats of its executions and of the audit."""
    current = rows[-1] if rows else None
    recorded = [
        ("status", head.status, current.status if current else Status.IDLE.value),
        ("state_bytes", head.state_bytes, current.state_bytes if current else 0),
    ]
    if current is not None and current.workflow:
        recorded.append(("workflow", head.workflow, current.workflow))
    values = StateValue.objects.filter(conversation=head.key)
    stored = values.aggregate(n=Sum(Length("value")))["n"] or 0
    recorded.append(("checkpoint_bytes", head.checkpoint_bytes, stored))
    for name, ours, theirs in recorded:
        if ours != theirs:
            yield DataFault("head", f"{name} says {ours!r}, the executions have {theirs!r}")
    if head.archived != records.archived:
        yield DataFault("head", "disagrees with the audit on whether it is archived")
    if not is_public_id(head.public_id):
        yield DataFault("head", "has an invalid public id")
    if head.updated_at < head.created_at:
        yield DataFault("head", "changed before it was created")
