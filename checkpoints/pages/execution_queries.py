"""Queries over many executions: the list, and the counts of the overview."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet, Sum, Window
from django.db.models.functions import Coalesce, RowNumber
from django.utils.translation import gettext as _

from checkpoints.domain.execution import Execution as Decided
from checkpoints.domain.pauses import said_reason
from checkpoints.domain.status import Status
from checkpoints.models import Execution
from checkpoints.reading.review_answers import answers_of_executions
from checkpoints.store.executions import as_domain, current_executions
from conversations.models import Conversation
from conversations.reading.display_names import display_name
from conversations.reading.queries import list_conversations
from conversations.workspace.last_messages import last_messages
from conversations.workspace.matching import ConversationFilter
from ctxadmin.http.endpoints.pagination import Page, PageRequest
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.errors import ContextError
from ctxadmin.ui.sentences import translated
from workflows.models import Workflow
from workflows.reading.node_names import node_names

_HIDDEN: Final = ("marking", "reducers")  # may be large and are not listed


@dataclass(frozen=True, slots=True)
class ExecutionFilter:
    """The filter of the list; empty fields mean all.

    ``since`` and ``until`` are days in UTC, both included: an execution fits that had begun by the
    end of the last one and had not ended before the first one. ``started`` is the day it began.
    ``text`` and ``archived`` as in ``ConversationFilter``.
    """

    status: str = ""
    workflow: str = ""
    text: str = ""
    since: date | None = None
    until: date | None = None
    started: date | None = None
    archived: bool | None = False

    @property
    def has_days(self) -> bool:
        """Returns True if the filter has a day."""
        return bool(self.since or self.until or self.started)

    def of_conversations(self, workspace: int) -> ConversationFilter:
        """Returns the filter of their conversations."""
        among = None
        if self.has_days:
            among = self.executions(workspace).values("conversation")
        return ConversationFilter(
            status=self.status,
            workflow=self.workflow,
            text=self.text,
            archived=self.archived,
            with_execution=True,
            among=among,
        )

    def executions(self, workspace: int) -> QuerySet[Execution]:
        """Returns the executions, former ones too, that fit the days."""
        rows = Execution.objects.filter(workspace=workspace)
        if self.until is not None:
            rows = rows.filter(created_at__lt=_beginning(self.until) + timedelta(days=1))
        if self.started is not None:
            start = _beginning(self.started)
            rows = rows.filter(created_at__gte=start, created_at__lt=start + timedelta(days=1))
        if self.since is not None:
            start = _beginning(self.since)
            rows = rows.filter(
                Q(ended_at__gte=start) | Q(ended_at__isnull=True, changed_at__gte=start)
            )
        return rows


def _beginning(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


@dataclass(frozen=True, slots=True)
class ExecutionLine:
    """The current execution of a conversation in a list; ``reason`` is why it has its status.

    ``workflow`` and ``node`` are names. ``proposed`` is how the answer begins that a paused one
    waits to have reviewed, "" without one; ``edited_by`` changed it since, or
    ``removed`` it. ``active`` are the beginning and the end of the executions that a filter of
    days means, None without one. ``title`` reads the name of ``head`` unless it was read.
    """

    head: Conversation
    status: str
    workflow: str
    workflow_version: int | None
    node: str
    version: int
    reason: str
    pause_requested: bool
    waiting_since: datetime | None
    deadline: datetime | None
    outcome: str
    number: int
    proposed: str = ""
    edited_by: str = ""
    removed: bool = False
    active: tuple[datetime, datetime] | None = None

    @property
    def conversation(self) -> str:
        return self.head.public_id

    @property
    def title(self) -> str:
        return display_name(self.head)

    @property
    def changed_at(self) -> datetime:
        return self.head.updated_at


@dataclass(frozen=True, slots=True)
class ExecutionSummary:
    """The decisions on an execution as a list shows them: reason of the status, outcome of a
    timeout.
    """

    reason: str = ""
    pause_requested: bool = False
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class StorageFigures:
    """The number of conversations of a workspace, and of messages and tokens in their logs.

    ``checkpoint_bytes`` are the bytes of all values of all versions, ``state_bytes`` those of the
    current states. ``by_status`` counts the unarchived conversations by the status of their
    execution.
    """

    conversations: int
    archived: int
    messages: int
    tokens: int
    message_bytes: int
    checkpoint_bytes: int
    state_bytes: int
    by_status: Mapping[str, int]

    @property
    def unarchived(self) -> int:
        """Returns how many conversations the list shows at first."""
        return self.conversations - self.archived


def list_executions(
    actor: Actor, wanted: ExecutionFilter, request: PageRequest
) -> Page[ExecutionLine]:
    """Lists the current execution of each conversation that fits, latest change first."""
    heads = list_conversations(actor, wanted.of_conversations(actor.workspace), request)
    lines = _lines_of(heads.items)
    return Page(_with_days(lines, wanted, actor) if wanted.has_days else lines, heads.next)


def _with_days(
    lines: Sequence[ExecutionLine], wanted: ExecutionFilter, actor: Actor
) -> list[ExecutionLine]:
    """Adds when the executions that fit the days began and ended, or changed last."""
    rows = wanted.executions(actor.workspace)
    rows = rows.filter(conversation__in=[line.head.key for line in lines])
    spans = rows.values_list("conversation").annotate(
        first=Min("created_at"), last=Max(Coalesce("ended_at", "changed_at"))
    )
    active = {key: (first, last) for key, first, last in spans.order_by()}
    return [replace(line, active=active.get(line.head.key)) for line in lines]


def active_executions(actor: Actor, most: int) -> list[ExecutionLine]:
    """Lists paused executions, longest wait first, then running ones, latest change first.

    At most ``most`` of each. Each is the current one of its conversation.
    """
    order = ("waiting_since", "-changed_at", "conversation")
    place = Window(RowNumber(), partition_by="status", order_by=order)
    rows = Execution.objects.filter(
        workspace=actor.workspace, status__in=(Status.PAUSED, Status.RUNNING)
    )
    placed = rows.annotate(place=place).filter(place__lte=most)
    found = list(placed.order_by("status", "place").defer(*_HIDDEN))
    heads = Conversation.objects.in_bulk([run.conversation for run in found])
    shown = [run for run in found if run.conversation in heads]
    lines = _named_lines(shown, heads)
    return [line for line in lines if line.conversation]


def with_proposals(lines: Sequence[ExecutionLine]) -> list[ExecutionLine]:
    """Adds to each paused execution how its proposed answer begins, in few statements for all."""
    paused = [line for line in lines if line.status == Status.PAUSED]
    answers = answers_of_executions(
        [(line.head.key, line.number) for line in paused],
        last_messages([line.head for line in paused]),
    )
    return [
        replace(line, proposed=found.proposed, edited_by=found.edited_by, removed=found.removed)
        if (found := answers.get((line.head.key, line.number))) is not None
        else line
        for line in lines
    ]


def failed_executions(actor: Actor, most: int) -> list[ExecutionLine]:
    """Lists the latest failed executions."""
    wanted = ExecutionFilter(status=Status.FAILED)
    return list(list_executions(actor, wanted, PageRequest(limit=most)).items)


def storage_figures(actor: Actor) -> StorageFigures:
    """Returns the storage of a workspace from the heads alone; reads no message or value."""
    rows = Conversation.objects.for_workspace(actor.workspace).order_by().values("status")
    groups = rows.annotate(
        conversations=Count("key"),
        archived_ones=Count("key", filter=Q(archived=True)),
        messages=Sum("log_count"),
        tokens=Sum("log_tokens"),
        of_messages=Sum("log_bytes"),
        of_checkpoints=Sum("checkpoint_bytes"),
        of_states=Sum("state_bytes"),
    )
    found = list(groups)
    return StorageFigures(
        conversations=sum(group["conversations"] for group in found),
        archived=sum(group["archived_ones"] for group in found),
        messages=sum(group["messages"] for group in found),
        tokens=sum(group["tokens"] for group in found),
        message_bytes=sum(group["of_messages"] for group in found),
        checkpoint_bytes=sum(group["of_checkpoints"] for group in found),
        state_bytes=sum(group["of_states"] for group in found),
        by_status={
            group["status"]: group["conversations"] - group["archived_ones"] for group in found
        },
    )


def latest_conversations(actor: Actor, most: int) -> list[Conversation]:
    """Lists the conversations with the latest changes."""
    rows = Conversation.objects.for_workspace(actor.workspace).that_are(archived=False)
    return [head for head in rows.order_by("-updated_at", "-key")[:most] if head.public_id]


def executed_workflows(actor: Actor) -> list[tuple[str, str]]:
    """Lists slug and name of the workflows of all executions, deleted ones too, for filters."""
    ran = Execution.objects.filter(workspace=actor.workspace, workflow_key=OuterRef("key"))
    rows = Workflow.objects.filter(Exists(ran), workspace=actor.workspace)
    names = rows.annotate(known_as=Coalesce("slug", "deleted_slug")).order_by("known_as")
    found = names.values_list("known_as", "name").distinct()[:200]
    return [(slug, name or slug) for slug, name in found]


def _lines_of(heads: Sequence[Conversation]) -> list[ExecutionLine]:
    """Returns the current execution of each conversation."""
    rows = current_executions([head.key for head in heads])
    runs = {run.conversation: run for run in rows.defer(*_HIDDEN)}
    shown = {head.key: head for head in heads if head.key in runs}
    return _named_lines([runs[key] for key in shown], shown)


def _named_lines(
    runs: Sequence[Execution], heads: Mapping[int, Conversation]
) -> list[ExecutionLine]:
    nodes, workflows = names_of_nodes(runs), names_of_workflows(runs)
    return [
        _line(run, node, workflow, heads[run.conversation])
        for run, node, workflow in zip(runs, nodes, workflows, strict=True)
    ]


def names_of_nodes(runs: Sequence[Execution]) -> list[str]:
    """Returns the name of each execution's current node; its id in a free execution."""
    places = [(run.workflow_key, run.workflow_version, run.node_id) for run in runs]
    names = node_names({place for place in places if place[2]})
    return [names.get(place, place[2]) for place in places]


def names_of_workflows(runs: Sequence[Execution]) -> list[str]:
    """Returns the name of each execution's workflow; its slug if it has none, "" without one."""
    keys = {run.workflow_key for run in runs if run.workflow_key}
    names = dict(Workflow.objects.filter(key__in=keys).values_list("key", "name")) if keys else {}
    return [names.get(run.workflow_key or 0) or run.workflow for run in runs]


def _line(run: Execution, node: str, workflow: str, head: Conversation) -> ExecutionLine:
    summary = summary_of(run)
    return ExecutionLine(
        head=head,
        status=run.status,
        workflow=workflow,
        workflow_version=run.workflow_version,
        node=node,
        version=run.version,
        reason=summary.reason,
        pause_requested=summary.pause_requested,
        waiting_since=run.waiting_since,
        deadline=run.deadline,
        outcome=summary.outcome,
        number=run.number,
    )


def summary_of(run: Execution) -> ExecutionSummary:
    """Returns the summary for a list; a damaged execution hides none of the others."""
    try:
        decided = as_domain(run)
    except ContextError:
        return ExecutionSummary(reason=_("Damaged data"))
    outcome = decided.pause.outcome if decided.pause else None
    return ExecutionSummary(
        reason_of(decided), decided.pause_requested, outcome.value if outcome else ""
    )


def reason_of(decided: Decided) -> str:
    """Returns why an execution is paused, about to pause, or failed; "" without a reason."""
    for why in (decided.pause, decided.failure, decided.pause_request):
        if why is not None:
            return translated_reason(why.reason)
    return ""


def translated_reason(reason: str) -> str:
    """Returns a stored reason; one that ctxadmin wrote is translated."""
    return translated(said_reason(reason))
