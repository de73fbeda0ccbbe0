"""Filters, joins and nodes tried on a context; nothing is stored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import orjson
from django.conf import settings
from pydantic import Field, JsonValue, model_validator

from conversations.domain.formats.formats import ProviderFormat
from conversations.domain.formats.formatted_view import FormattedView
from conversations.domain.memory import MemoryLog
from conversations.domain.message import Draft
from conversations.domain.pairing import place
from conversations.domain.view import View
from conversations.models import Conversation
from conversations.store import find_head
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.contract import Contract
from ctxadmin.lib.errors import NotFound, ValidationFailed
from ctxadmin.lib.sentence import say
from ctxadmin.lib.work_budget import bounded
from workflows.definitions import Definition, definition, problems_of
from workflows.domain import flow, problems
from workflows.domain.context import Messages, NodeInput, PromptContext
from workflows.domain.context_join import Arrival, Conflict, join
from workflows.domain.context_types import (
    context_type_problem,
    default_context_type,
    node_steps,
)
from workflows.domain.edge_filters import edge_step, read_edge_filter
from workflows.domain.elements import Problem
from workflows.domain.explain import Decision, Label, Notice, Step, run_steps
from workflows.domain.filters import filter_step, read_filter
from workflows.domain.graph import Document, Filters, FilterSource, TypeName, filters_in
from workflows.domain.plan import Plan
from workflows.domain.processors import Registries, processor_step, standard
from workflows.domain.topology import usual_edges
from workflows.node_inputs import messages_in_format, node_input_of, shown_messages, token_sums
from workflows.sources import state_of
from workflows.store import find_version, find_workflow

_FORMS = "node_type, context_type (perhaps with context_filter), context_filter, edge_filter"


class FilterStep(Contract):
    """One step of ``POST /filters/apply``: a node type, a filter or a processor."""

    node_type: TypeName | None = Field(
        None, description="Type of a node, with the filters of its context type.", examples=["llm"]
    )
    context_type: TypeName | None = Field(
        None, description="Context type whose filter to apply.", examples=["llm_context"]
    )
    context_filter: Filters | None = Field(
        None,
        description="Context filter, or a list of them.",
        examples=[
            {"rules": [{"type": "exclude", "pattern": "internal.*"}], "default_behavior": "pass"}
        ],
    )
    edge_filter: FilterSource | None = Field(
        None,
        description="Edge filter.",
        examples=[{"type": "include", "include_patterns": ["order.*"]}],
    )
    processor: TypeName | None = Field(
        None, description="Name of a processor to run.", examples=["budget"]
    )
    config: dict[str, JsonValue] | None = Field(
        None, description="Settings of the processor.", examples=[{"max_tokens": 4000}]
    )

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        given = self.model_fields_set
        allowed = ({"context_type", "context_filter"}, {"processor", "config"})
        if not given or given == {"config"}:
            raise ValueError(say("a step has one of {forms} or processor", forms=_FORMS))
        if len(given) > 1 and given not in allowed:
            raise ValueError(say("a step has only one of {forms} or processor", forms=_FORMS))
        return self


@dataclass(frozen=True, slots=True)
class DryRunResult:
    """What came out: the context, its messages as JSON, and why.

    ``written`` are the messages in a provider's format, if one was asked for.
    """

    context: PromptContext
    messages: Sequence[orjson.Fragment]
    explanation: Sequence[Decision] = ()
    warnings: Sequence[Notice] = ()
    conflicts: Sequence[Conflict] = ()
    written: FormattedView | None = None


@dataclass(frozen=True, slots=True)
class GivenContext:
    """A context and messages that a caller sends."""

    context: PromptContext
    drafts: Sequence[Draft] = ()

    def open(self) -> tuple[NodeInput, MemoryLog]:
        """The sight of them, and the log that its messages stand in."""
        log = MemoryLog()
        log.append(place(self.drafts, log))
        return NodeInput(self.context, Messages(log, View([(0, len(log))]))), log


@dataclass(frozen=True, slots=True)
class GivenEdgeContext:
    """What comes along one edge: a name for the edge, its filter, and what it filters."""

    edge: str
    given: GivenContext
    edge_filter: FilterSource | None = None


def apply_steps(
    given: GivenContext, steps: Sequence[FilterStep], pointer: str = "/steps"
) -> DryRunResult:
    """The context and messages after the steps, each decision with the step that made it."""
    registries = standard()
    labelled: list[tuple[Label, Step]] = []
    for number, wanted in enumerate(steps):
        found = _steps_of(wanted, registries, f"{pointer}/{number}")
        labelled += [(number, step) for step in found]
    sight, log = given.open()
    with bounded(settings.MAX_WORK):
        applied = run_steps(sight, labelled, explain=True)
    shown = shown_messages(log, applied.sight.messages)
    return DryRunResult(applied.sight.context, shown, applied.decisions, applied.warnings)


def _steps_of(wanted: FilterStep, registries: Registries, pointer: str) -> list[Step]:
    if wanted.edge_filter is not None:
        where = f"{pointer}/edge_filter"
        return [edge_step(read_edge_filter(wanted.edge_filter, where), registries, where)]
    if wanted.processor is not None:
        where = f"{pointer}/processor"
        return [processor_step(wanted.processor, registries, config=wanted.config, pointer=where)]
    listed = isinstance(wanted.context_filter, list)
    where = f"{pointer}/context_filter"
    filters = [
        read_filter(each, f"{where}/{number}" if listed else where)
        for number, each in enumerate(filters_in(wanted.context_filter))
    ]
    context_type = wanted.context_type
    if wanted.node_type is not None:
        context_type = default_context_type(wanted.node_type)
    if context_type is None:
        return [filter_step(filters, registries, pointer=where, listed=listed)]
    unknown = context_type_problem(context_type, registries, f"{pointer}/context_type")
    if unknown is not None:
        raise ValidationFailed(unknown.message, problems=[unknown])
    steps = node_steps(context_type, filters, registries, pointer=pointer, listed=listed)
    return [step for _, step in steps]


def join_arrivals(arrivals: Sequence[GivenEdgeContext], pointer: str = "/arrivals") -> DryRunResult:
    """What several edges bring to one node, each filtered by its own filter, then united."""
    registries = standard()
    came: list[Arrival] = []
    warnings: list[Notice] = []
    logs: list[MemoryLog] = []
    with bounded(settings.MAX_WORK):
        for number, each in enumerate(arrivals):
            sight, log = each.given.open()
            if each.edge_filter is not None:
                where = f"{pointer}/{number}/edge_filter"
                step = edge_step(read_edge_filter(each.edge_filter, where), registries, where)
                applied = run_steps(sight, [(each.edge, step)])
                sight = replace(applied.sight, messages=_logged(log, applied.sight.messages))
                warnings += applied.warnings
            came.append(Arrival(each.edge, sight))
            logs.append(log)
        joined = join(came)
    log_of_all = joined.sight.messages.log
    source = log_of_all if isinstance(log_of_all, MemoryLog) else logs[0]
    shown = shown_messages(source, joined.sight.messages)
    return DryRunResult(joined.sight.context, shown, warnings=warnings, conflicts=joined.conflicts)


def _logged(log: MemoryLog, messages: Messages) -> Messages:
    """The same messages with those that a filter put in as a part of their log.

    It is nobody else's log, and arrivals with logs of their own can be joined only so.
    """
    log.append(messages.inserted)
    return replace(messages, log=log, inserted=())


@dataclass(frozen=True, slots=True)
class PreviewRequest:
    """What to preview: a node of the draft, of a version, or of a document that is not saved.

    It sees what a conversation holds (at a version of its execution), or what is given. Without
    ``edges`` it is entered as by an engine: along those on which something waits for it; where
    nothing does, along its usual ones.
    """

    node: str
    edges: Sequence[str] | None = None
    document: Document | None = None
    version: int | None = None
    conversation: str | None = None
    at: int | None = None
    given: GivenContext = field(default_factory=lambda: GivenContext(PromptContext()))


@dataclass(frozen=True, slots=True)
class PreviewResult:
    """What a node would see, why, with what is wrong, and what it costs in tokens.

    ``edges`` are the incoming edges that were used.
    """

    seen: DryRunResult
    edges: Sequence[str]
    problems: Sequence[Problem]
    tokens_before: int
    tokens_after: int
    cached_prefix_lost: int


@dataclass(frozen=True, slots=True)
class PreviewSource:
    """The whole state that nodes see something of, and the edges on which something waits there."""

    sight: NodeInput
    source: Conversation | MemoryLog
    waiting: frozenset[str] = frozenset()

    def edges_to(self, plan: Plan, node: str) -> tuple[str, ...]:
        """The edges along which a preview enters ``node`` if nobody says otherwise.

        Those on which something waits for it, as ``enter`` takes them, else its usual ones.
        """
        incoming = plan.graph.incoming.get(node, ())
        arrived = tuple(edge.id for edge in incoming if edge.id in self.waiting)
        return arrived or usual_edges(plan.graph, node)


@dataclass(frozen=True, slots=True)
class NodePreview:
    """What a node would see of ``origin``, whose messages ``source`` has, and what it costs."""

    entered: flow.Entered
    origin: NodeInput
    source: Conversation | MemoryLog
    tokens_before: int
    tokens_after: int
    cached_prefix_lost: int

    @property
    def problems(self) -> list[Problem]:
        """What the node itself would lack."""
        return _lack(self.entered)

    def messages(self, view: View | None = None) -> list[orjson.Fragment]:
        """The messages that the node sees as JSON, or those of them in ``view``."""
        seen = self.entered.sight.messages
        return shown_messages(self.source, seen if view is None else seen.showing(view))

    def in_format(self, name: ProviderFormat) -> FormattedView:
        """The messages that the node sees as a provider takes them."""
        return messages_in_format(self.source, self.entered.sight.messages, name)


def preview(
    actor: Actor, slug: str, asked: PreviewRequest, provider: ProviderFormat | None = None
) -> PreviewResult:
    """What a node would see, before anything is saved; in the format of a ``provider`` if named.

    The problems are those of the whole document, behind what the node itself would lack. Raises
    NotFound for the workflow, the version, the node and the conversation, ValidationFailed if the
    node or one of the edges cannot be compiled.
    """
    actor.require(Action.PREVIEW)
    wanted, wrong = _definition(actor, slug, asked)
    looked = preview_node(actor, slug, wanted.plan, asked)
    entered = looked.entered
    seen = DryRunResult(
        context=entered.sight.context,
        messages=looked.messages() if provider is None else (),
        written=None if provider is None else looked.in_format(provider),
        explanation=entered.explanation,
        warnings=entered.warnings,
        conflicts=entered.conflicts,
    )
    return PreviewResult(
        seen=seen,
        edges=entered.edges,
        problems=[*looked.problems, *wrong],
        tokens_before=looked.tokens_before,
        tokens_after=looked.tokens_after,
        cached_prefix_lost=looked.cached_prefix_lost,
    )


def preview_node(actor: Actor, slug: str, plan: Plan, asked: PreviewRequest) -> NodePreview:
    """What a node of ``plan`` would see; raises as ``preview`` does."""
    origin = preview_source_of(actor, slug, asked)
    edges = origin.edges_to(plan, asked.node) if asked.edges is None else asked.edges
    prefix = "" if asked.document is None else "/document"
    return preview_path(actor, plan, [(asked.node, edges)], origin, prefix)[0]


def preview_path(
    actor: Actor,
    plan: Plan,
    stops: Sequence[tuple[str, Sequence[str]]],
    origin: PreviewSource,
    prefix: str = "",
) -> list[NodePreview]:
    """What each node would see that is entered along its edges, one after the other.

    Filters are views, so that each sees of the same whole state (semantics 2.9). ``prefix`` is
    where the document of the plan stands in the request.
    """
    actor.require(Action.PREVIEW)
    for node, edges in stops:
        _require_usable(plan, node, edges, prefix)
    tokens = token_sums(origin.source)
    looked: list[NodePreview] = []
    with bounded(settings.MAX_PREVIEW_WORK):
        for node, edges in stops:
            found = flow.preview(plan, node, origin.sight, edges, tokens=tokens)
            costs = (found.tokens_before, found.tokens_after, found.cached_prefix_lost)
            looked.append(NodePreview(found.entered, origin.sight, origin.source, *costs))
    return looked


def preview_one_node(actor: Actor, slug: str, asked: PreviewRequest) -> NodePreview:
    """What ``preview`` tells, without the problems of all else."""
    actor.require(Action.PREVIEW)
    return preview_node(actor, slug, _definition(actor, slug, asked)[0].plan, asked)


def _definition(
    actor: Actor, slug: str, asked: PreviewRequest
) -> tuple[Definition, Sequence[Problem]]:
    """What is previewed, and what is wrong with it."""
    row = find_workflow(actor.workspace, slug)
    if asked.document is not None:
        made = Definition(asked.document, Plan(asked.document))
        return made, problems.check(asked.document)
    data = bytes(row.draft)
    if asked.version is not None:
        data = bytes(find_version(row.key, asked.version).document)
    return definition(data), problems_of(data)


def _require_usable(plan: Plan, node: str, edges: Sequence[str], prefix: str) -> None:
    """Compile what the preview runs through; pointers lead into a document of the request."""
    try:
        plan.node(node)
        for edge_id in edges:
            if edge_id in plan.graph.edges:
                plan.node(plan.edge(edge_id).edge.from_node)
    except ValidationFailed as error:
        moved = [replace(each, pointer=prefix + each.pointer) for each in error.problems]
        raise ValidationFailed(error.detail, problems=moved) from None


def preview_source_of(actor: Actor, slug: str, asked: PreviewRequest) -> PreviewSource:
    """What the question is asked of; NotFound for the conversation and the version."""
    actor.require(Action.PREVIEW)
    if asked.conversation is None:
        return PreviewSource(*asked.given.open())
    head = find_head(actor.workspace, asked.conversation)
    state = state_of(head, asked.at)
    if state is None and asked.at is not None:
        raise NotFound(say("The conversation has no execution with a version {n}.", n=asked.at))
    if state is None:
        return PreviewSource(node_input_of(head, values={}, metadata={}), head)
    pinned = asked.at is not None
    sight = node_input_of(
        head,
        values=state.values,
        history=state.history,
        metadata=state.metadata,
        revision=state.revision if pinned else None,
        visible_count=state.visible_count if pinned else None,
    )
    # Edges of another workflow may have the same names.
    is_own = state.workflow == find_workflow(actor.workspace, slug).key
    return PreviewSource(sight, head, state.waiting if is_own else frozenset())


def _lack(entered: flow.Entered) -> list[Problem]:
    """What the node would miss, as a problem of a kind of its own."""
    if entered.lack is None:
        return []
    extra: Mapping[str, object] = entered.lack.refusal().extra()
    problem = Problem(
        pointer="",
        code="incompatible_context",
        message=entered.lack.message,
        node=entered.node_id,
        extra=tuple(extra.items()),
    )
    return [problem]
