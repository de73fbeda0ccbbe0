"""Queries over many executions: the list of them, and what the overview counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery, Sum, Window
from django.db.models.functions import RowNumber

from checkpoints.domain.execution import Execution as Decided
from checkpoints.domain.execution import read
from checkpoints.domain.status import Status
from checkpoints.models import Execution
from conversations.models import Conversation
from ctxadmin.accounts.actor import Actor
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.web.pagination import Page, PageRequest, cut

_HIDDEN: Final = ("marking", "reducers", "metadata")  # may be large and are not listed


@dataclass(frozen=True, slots=True)
class ExecutionFilter:
    """Which executions a list shows; empty fields mean all."""

    status: str = ""
    workflow: str = ""


@dataclass(frozen=True, slots=True)
class ExecutionLine:
    """The current execution of a conversation in a list; ``reason`` tells why it stands there."""

    conversation: str
    conversation_key: int
    title: str
    status: str
    workflow: str
    workflow_version: int | None
    node_id: str
    version: int
    reason: str
    pause_requested: bool
    waiting_since: datetime | None
    deadline: datetime | None
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class Totals:
    """The current executions of a workspace by status, and the bytes of all their states."""

    by_status: Mapping[str, int]
    state_bytes: int


@dataclass(frozen=True, slots=True)
class Kept:
    """The conversations of a workspace, with the messages and tokens of their logs.

    ``checkpoint_bytes`` are those of all values of all versions.
    """

    conversations: int
    archived: int
    messages: int
    tokens: int
    message_bytes: int
    checkpoint_bytes: int


def list_executions(
    actor: Actor, wanted: ExecutionFilter, request: PageRequest
) -> Page[ExecutionLine]:
    """The current execution of each conversation, the last changed first."""
    rows = _current(actor)
    if wanted.status:
        rows = rows.filter(status=wanted.status)
    if wanted.workflow:
        rows = rows.filter(workflow=wanted.workflow)
    if request.after:
        at, key = _changed_before(request.after)
        rows = rows.filter(Q(changed_at__lt=at) | Q(changed_at=at, conversation__lt=key))
    found = _lines(rows.order_by("-changed_at", "-conversation")[: request.limit + 1])
    return cut(found, request, lambda line: (_microseconds(line.changed_at), line.conversation_key))


def waiting(actor: Actor, most: int) -> list[ExecutionLine]:
    """The paused executions, who waits longest first."""
    rows = _current(actor).filter(status=Status.PAUSED)
    return _lines(rows.order_by("waiting_since", "conversation")[:most])


def running_and_failed(actor: Actor, most: int) -> list[ExecutionLine]:
    """Of the running and of the failed executions the last changed ones, ``most`` of each."""
    place = Window(RowNumber(), partition_by="status", order_by="-changed_at")
    rows = _current(actor).filter(status__in=(Status.RUNNING, Status.FAILED))
    return _lines(rows.annotate(place=place).filter(place__lte=most).order_by("-changed_at"))


def totals(actor: Actor) -> Totals:
    """How many executions are in which status."""
    rows = _current(actor).values("status").annotate(n=Count("number"), size=Sum("state_bytes"))
    found = list(rows.order_by("status"))
    by_status = {str(row["status"]): int(row["n"]) for row in found}
    return Totals(by_status, sum(int(row["size"] or 0) for row in found))


def kept(actor: Actor) -> Kept:
    """How much is kept of a workspace; the heads count it, no message or value is read."""
    rows = Conversation.objects.for_workspace(actor.workspace)
    found = rows.aggregate(
        n=Count("key"),
        archived=Count("key", filter=Q(archived=True)),
        messages=Sum("log_count"),
        tokens=Sum("log_tokens"),
        message_bytes=Sum("log_bytes"),
        checkpoint_bytes=Sum("checkpoint_bytes"),
    )
    return Kept(
        conversations=found["n"],
        archived=found["archived"],
        messages=found["messages"] or 0,
        tokens=found["tokens"] or 0,
        message_bytes=found["message_bytes"] or 0,
        checkpoint_bytes=found["checkpoint_bytes"] or 0,
    )


def newest_conversations(actor: Actor, most: int) -> list[Conversation]:
    """The conversations that changed last."""
    rows = Conversation.objects.for_workspace(actor.workspace).filter(archived=False)
    return list(rows.order_by("-updated_at", "-key")[:most])


def workflows_run(actor: Actor) -> list[str]:
    """The workflows that some execution ran, for the filter of the list."""
    rows = Execution.objects.filter(workspace=actor.workspace).exclude(workflow="")
    return list(rows.order_by("workflow").values_list("workflow", flat=True).distinct()[:200])


def forks_of(actor: Actor, row: Execution, public_id: str) -> Sequence[tuple[str, int]]:
    """The conversations that were forked from one, each with the version that it came from."""
    # Forks run the same workflow, by which there is an index; by their origin there is none.
    rows = Execution.objects.filter(
        workspace=actor.workspace, workflow_key=row.workflow_key, origin_conversation=public_id
    )
    heads = Conversation.objects.filter(key=OuterRef("conversation")).values("public_id")
    found = rows.annotate(name=Subquery(heads)).order_by("-created_at")[:20]
    return [(name, version or 0) for name, version in found.values_list("name", "origin_version")]


def _current(actor: Actor) -> QuerySet[Execution]:
    """The newest execution of each conversation."""
    newer = Execution.objects.filter(
        conversation=OuterRef("conversation"), number__gt=OuterRef("number")
    )
    return Execution.objects.filter(~Exists(newer), workspace=actor.workspace)


def _lines(rows: QuerySet[Execution]) -> list[ExecutionLine]:
    heads = Conversation.objects.filter(key=OuterRef("conversation"))
    named = rows.defer(*_HIDDEN).annotate(
        head_id=Subquery(heads.values("public_id")), head_title=Subquery(heads.values("title"))
    )
    return [
        ExecutionLine(
            conversation=row.head_id,
            conversation_key=row.conversation,
            title=row.head_title or row.head_id,
            status=row.status,
            workflow=row.workflow,
            workflow_version=row.workflow_version,
            node_id=row.node_id,
            version=row.version,
            reason=reason_of(read(bytes(row.decided))),
            pause_requested=read(bytes(row.decided)).pause_requested,
            waiting_since=row.waiting_since,
            deadline=row.deadline,
            changed_at=row.changed_at,
        )
        for row in named
    ]


def reason_of(decided: Decided) -> str:
    """Why an execution is paused, is asked to pause, or failed; "" if nobody said."""
    for why in (decided.pause, decided.failure, decided.pause_request):
        if why is not None:
            return why.reason
    return ""


def _changed_before(after: tuple[int | str, ...]) -> tuple[datetime, int]:
    match after:
        case (int() as at, int() as key) if abs(at) < 10**17:
            return datetime.fromtimestamp(at / 10**6, UTC), key
    raise ValidationFailed.at("?cursor", "This cursor belongs to another list.")


def _microseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 10**6)
