"""Replays recorded executions with a changed workflow: what each node would have seen."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from django.conf import settings
from django.db.models import Q

from checkpoints.contexts.version_inputs import SAVES, version_input
from checkpoints.models import Checkpoint, Execution
from checkpoints.store.snapshots import snapshot_of
from conversations.models import Conversation
from conversations.store.conversation import read_details
from conversations.writing.token_sums import TokenSums
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ContextError, NotFound
from ctxadmin.lib.sentence import say
from ctxadmin.lib.work_budget import limit_work
from workflows.domain.context.prompt_context import NodeInput
from workflows.domain.running import flow
from workflows.domain.running.plan import Plan
from workflows.domain.running.what_if import InputChange, changes_of, is_same
from workflows.store.workflow import find_workflow

MAX_EXECUTIONS: Final = 100
MAX_CHANGES: Final = 100
# A person waits, and a thread of the pool is taken meanwhile.
BUDGET_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class RecordedExecution:
    """An execution of the workflow with its conversation."""

    head: Conversation
    row: Execution


@dataclass(frozen=True, slots=True)
class ReplayedInput:
    """The context of a node that would change; ``version`` is the one that the node wrote.

    ``gone_edges`` are edges along which it was entered and which the document lacks. ``problem``
    says why nothing can be compared, or what the node would lack now.
    """

    version: int
    node_id: str
    gone_edges: Sequence[str] = ()
    changes: Sequence[InputChange] = ()
    more: int = 0
    tokens_before: int = 0
    tokens_after: int = 0
    problem: str = ""


@dataclass(slots=True)
class ReplayedExecution:
    """One execution: the number of contexts compared by node, and those that would change.

    ``thinned`` contexts have no state any longer. ``complete`` is False if the time was over.
    """

    recorded: RecordedExecution
    inputs: Counter[str] = field(default_factory=Counter)
    changed: list[ReplayedInput] = field(default_factory=list)
    thinned: int = 0
    complete: bool = True


@dataclass(frozen=True, slots=True)
class WhatIf:
    """The executions that were tried, and the ids of those for which the time was too short."""

    tried: Sequence[ReplayedExecution]
    left: Sequence[str]


class TimeBudget:
    """The seconds that can be spent, counted from the first use."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until = clock() + seconds

    @property
    def is_spent(self) -> bool:
        return self._clock() >= self._until


def what_if(
    actor: Actor,
    plan: Plan,
    recorded: Sequence[RecordedExecution],
    budget: TimeBudget | None = None,
) -> WhatIf:
    """Compares what nodes of recorded executions saw with what they would see by ``plan``.

    Each context is that of the state before the version that the node wrote, once by the published
    version that the execution is pinned to, once by ``plan``, entered along the same edges. At
    least one context is compared however small the budget is; nothing is stored.
    """
    actor.require(Action.PREVIEW)
    budget = budget or TimeBudget(BUDGET_SECONDS)
    tried: list[ReplayedExecution] = []
    for place, each in enumerate(recorded):
        if tried and budget.is_spent:
            return WhatIf(tried, [other.row.public_id for other in recorded[place:]])
        tried.append(_tried(each, plan, budget))
    return WhatIf(tried, ())


def last_executions(
    actor: Actor, slug: str, count: int, *, before: tuple[datetime, str] | None = None
) -> list[RecordedExecution]:
    """Returns the latest executions of a workflow, latest first.

    ``before`` is the start time and id of the last one of the previous page.
    """
    key = find_workflow(actor.workspace, slug).key
    rows = Execution.objects.filter(workspace=actor.workspace, workflow_key=key)
    if before is not None:
        at, name = before
        rows = rows.filter(Q(created_at__lt=at) | Q(created_at=at, public_id__lt=name))
    return _with_heads(actor, list(rows.order_by("-created_at", "-public_id")[:count]))


def count_executions(actor: Actor, slug: str, most: int) -> int:
    """Returns the number of executions of a workflow, counted up to ``most``."""
    key = find_workflow(actor.workspace, slug).key
    rows = Execution.objects.filter(workspace=actor.workspace, workflow_key=key)
    return len(rows.order_by("-created_at").values_list("number")[:most])


def named_executions(actor: Actor, slug: str, names: Sequence[str]) -> list[RecordedExecution]:
    """Returns executions of a workflow by their ids; raises NotFound for others."""
    key = find_workflow(actor.workspace, slug).key
    rows = Execution.objects.filter(
        workspace=actor.workspace, workflow_key=key, public_id__in=list(names)
    )
    found = {row.public_id: row for row in rows}
    for name in names:
        if name not in found:
            raise NotFound(say("The workflow has no execution {name}.", name=repr(name[:64])))
    return _with_heads(actor, [found[name] for name in dict.fromkeys(names)])


def _with_heads(actor: Actor, rows: Sequence[Execution]) -> list[RecordedExecution]:
    """Returns the executions whose conversations still exist."""
    keys = [row.conversation for row in rows]
    heads = Conversation.objects.for_workspace(actor.workspace).filter(key__in=keys)
    by_key = {head.key: head for head in read_details(list(heads))}
    return [
        RecordedExecution(by_key[row.conversation], row)
        for row in rows
        if row.conversation in by_key
    ]


def _tried(recorded: RecordedExecution, plan: Plan, budget: TimeBudget) -> ReplayedExecution:
    result = ReplayedExecution(recorded)
    for before, after in _inputs(recorded.row):
        if result.inputs and budget.is_spent:
            result.complete = False
            break
        if before.thinned_at is not None:
            result.thinned += 1
            continue
        result.inputs[after.saved_node] += 1
        try:
            found = _try_input(recorded, before, after, plan)
        except NotFound:  # thinned since the list was read, or erased
            result.thinned += 1
            continue
        if found is not None:
            result.changed.append(found)
    return result


def _inputs(row: Execution) -> Iterator[tuple[Checkpoint, Checkpoint]]:
    """Yields each version that a node wrote, with the one before it."""
    rows = Checkpoint.objects.filter(conversation=row.conversation, execution=row.number)
    before: Checkpoint | None = None
    for found in rows.defer("answer", "changed_keys", "routing", "whole").order_by("version"):
        if before is not None and found.kind in SAVES and found.saved_node:
            yield before, found
        before = found


def _try_input(
    recorded: RecordedExecution, before: Checkpoint, after: Checkpoint, plan: Plan
) -> ReplayedInput | None:
    """Compares one context; returns None if it does not change."""
    moment = snapshot_of(recorded.head, recorded.row, before)
    pinned = moment.pinned
    node_id = after.saved_node
    if pinned is None or node_id not in pinned.graph.nodes:
        return None
    arrived = moment.marking.arrived_edges(pinned.graph, node_id) if moment.marking else ()
    node_input = version_input(moment, after)
    moment.require_whole()
    case = _Case(recorded.head, node_input, node_id, arrived, after)
    with limit_work(settings.MAX_PREVIEW_WORK):
        return _compared(case, pinned.plan, plan)


@dataclass(frozen=True, slots=True)
class _Case:
    """A node that was entered, with the whole state at that time."""

    head: Conversation
    node_input: NodeInput
    node_id: str
    arrived: Sequence[str]
    wrote: Checkpoint


def _compared(case: _Case, was: Plan, would: Plan) -> ReplayedInput | None:
    base = ReplayedInput(case.wrote.version, case.node_id)
    if case.node_id not in would.graph.nodes:
        return replace(base, problem=say("The document has no such node."))
    edges = [each for each in case.arrived if _leads_to(would, each, case.node_id)]
    base = replace(base, gone_edges=[each for each in case.arrived if each not in edges])
    if case.arrived and not edges:
        return replace(
            base, problem=say("None of the edges along which it was entered leads to it.")
        )
    try:
        if _sees_the_same(case, was, would, edges):
            return None
        old, new = _explained(case, was, case.arrived), _explained(case, would, edges)
    except ContextError as error:
        return replace(base, problem=error.detail)
    changes = changes_of(old.entered, new.entered)
    lacks = ""
    if new.entered.lack is not None and old.entered.lack is None:
        lacks = new.entered.lack.message
    if not changes and not lacks:
        return None
    return replace(
        base,
        changes=changes[:MAX_CHANGES],
        more=max(len(changes) - MAX_CHANGES, 0),
        tokens_before=old.tokens_after,
        tokens_after=new.tokens_after,
        problem=lacks,
    )


def _leads_to(plan: Plan, edge_id: str, node_id: str) -> bool:
    edge = plan.graph.edges.get(edge_id)
    return edge is not None and edge.to_node == node_id


def _sees_the_same(case: _Case, was: Plan, would: Plan, edges: Sequence[str]) -> bool:
    """Returns True if nothing differs: neither what the node sees nor what it needs."""
    first, second = was.node(case.node_id), would.node(case.node_id)
    if (first.node.type, first.context_type) != (second.node.type, second.context_type):
        return False
    old = flow.enter(was, case.node_id, case.node_input, case.arrived, check=False)
    new = flow.enter(would, case.node_id, case.node_input, edges, check=False)
    return is_same(old, new)


def _explained(case: _Case, plan: Plan, edges: Sequence[str]) -> flow.Preview:
    tokens = TokenSums(case.head.key)
    return flow.preview(plan, case.node_id, case.node_input, edges, tokens=tokens)
