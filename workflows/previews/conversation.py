"""Previews of what nodes would see of a conversation, by a draft or a version."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import orjson
from django.conf import settings

from conversations.domain.formats.formats import ProviderFormat
from conversations.domain.formats.formatted_view import FormattedView
from conversations.domain.memory import MemoryLog
from conversations.domain.view import View
from conversations.models import Conversation
from conversations.store.conversation import find_head
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ContextError, NotFound, ValidationFailed
from ctxadmin.lib.sentence import say
from ctxadmin.lib.work_budget import limit_work
from workflows.domain.checks import problems
from workflows.domain.context.prompt_context import NodeInput, PromptContext
from workflows.domain.document.elements import Problem
from workflows.domain.document.graph import Document
from workflows.domain.document.topology import usual_edges
from workflows.domain.running import flow
from workflows.domain.running.plan import Plan
from workflows.models import Workflow
from workflows.previews.dry_run import DryRunResult, GivenContext
from workflows.previews.node_inputs import (
    messages_in_format,
    node_input_of,
    shown_list,
    shown_messages,
    token_sums,
)
from workflows.reading.sources import state_of
from workflows.store.definitions import Definition, definition, problems_of
from workflows.store.workflow import find_version, find_workflow


@dataclass(frozen=True, slots=True)
class PreviewRequest:
    """What to preview: a node of the draft, of a version, or of an unsaved document.

    It sees the state of a conversation (at a version of its execution), or what is given. Without
    ``edges`` it is entered as by an engine: along those with tokens for it, else along its usual
    ones, see ``PreviewSource.edges_to``. With ``assume_conditions`` the conditions of these edges
    count as true.
    """

    node: str
    edges: Sequence[str] | None = None
    assume_conditions: bool = False
    document: Document | None = None
    version: int | None = None
    conversation: str | None = None
    at: int | None = None
    given: GivenContext = field(default_factory=lambda: GivenContext(PromptContext()))


@dataclass(frozen=True, slots=True)
class PreviewResult:
    """What a node would see and why, with the problems and the cost in tokens.

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
    """The whole state that nodes see a part of, and the edges with tokens."""

    node_input: NodeInput
    source: Conversation | MemoryLog
    waiting: frozenset[str] = frozenset()

    def edges_to(self, plan: Plan, node: str) -> tuple[str, ...]:
        """Returns the edges along which a preview enters ``node`` by default.

        Those with tokens for it, as ``enter`` uses them, else its usual ones; of those that are
        taken one by one the first whose condition is true.
        """
        incoming = plan.graph.incoming.get(node, ())
        if arrived := tuple(edge.id for edge in incoming if edge.id in self.waiting):
            return arrived
        usual = usual_edges(plan.graph, node)
        if len(usual) != 1 or self._may_take(plan, usual[0]):
            return usual
        return next(((edge.id,) for edge in incoming if self._may_take(plan, edge.id)), usual)

    def _may_take(self, plan: Plan, edge: str) -> bool:
        """Returns whether an edge has no condition or a true one; False if it is wrong."""
        try:
            return not flow.false_condition(plan, (edge,), self.node_input)
        except ContextError:
            return False


@dataclass(frozen=True, slots=True)
class NodePreview:
    """What a node would see of ``origin``, whose messages ``source`` has, and its cost.

    ``false_condition`` is the condition because of which its edge is not taken; ``of_edge`` if
    that edge was asked for, ``is_assumed`` if the preview is as if the condition were true.
    """

    entered: flow.Entered
    origin: NodeInput
    source: Conversation | MemoryLog
    tokens_before: int
    tokens_after: int
    cached_prefix_lost: int
    false_condition: str = ""
    of_edge: bool = False
    is_assumed: bool = False

    @property
    def problems(self) -> list[Problem]:
        """Returns what the node itself would lack."""
        return _lack(self.entered)

    def messages(self, view: View | None = None) -> list[orjson.Fragment]:
        """Returns the messages that the node sees as JSON, or those of them in ``view``."""
        seen = self.entered.node_input.messages
        return shown_messages(self.source, seen if view is None else seen.with_view(view))

    def in_format(self, name: ProviderFormat) -> FormattedView:
        """Returns the messages that the node sees in a provider's format."""
        return messages_in_format(self.source, self.entered.node_input.messages, name)


def preview(
    actor: Actor, slug: str, request: PreviewRequest, provider: ProviderFormat | None = None
) -> PreviewResult:
    """Previews the context of a node, before anything is saved, in a ``provider``'s format if
    named.

    The problems are those of the whole document, after what the node itself would lack. Raises
    NotFound for the workflow, the version, the node and the conversation, ValidationFailed if the
    node or one of the edges cannot be compiled.
    """
    actor.require(Action.PREVIEW)
    wanted, wrong = _definition(actor, slug, request)
    node_preview = preview_node(actor, slug, wanted.plan, request)
    entered = node_preview.entered
    own = (
        entered.node_input.messages
        if provider is None
        else entered.node_input.messages.with_view(View())
    )
    seen = DryRunResult(
        context=entered.node_input.context,
        messages=shown_list(node_preview.source, own),
        written=None if provider is None else node_preview.in_format(provider),
        explanation=entered.explanation,
        warnings=entered.warnings,
        conflicts=entered.conflicts,
    )
    return PreviewResult(
        seen=seen,
        edges=entered.edges,
        problems=[*node_preview.problems, *wrong],
        tokens_before=node_preview.tokens_before,
        tokens_after=node_preview.tokens_after,
        cached_prefix_lost=node_preview.cached_prefix_lost,
    )


def preview_node(actor: Actor, slug: str, plan: Plan, request: PreviewRequest) -> NodePreview:
    """Previews the context of a node of ``plan``; raises as ``preview`` does."""
    origin = preview_source_of(actor, slug, request)
    edges = origin.edges_to(plan, request.node) if request.edges is None else request.edges
    prefix = "" if request.document is None else "/document"
    plan = plan.assuming(edges) if request.assume_conditions else plan
    return preview_path(actor, plan, [(request.node, edges)], origin, prefix)[0]


def preview_path(
    actor: Actor,
    plan: Plan,
    stops: Sequence[tuple[str, Sequence[str]]],
    origin: PreviewSource,
    prefix: str = "",
) -> list[NodePreview]:
    """Previews each node that is entered along its edges, one after the other.

    Filters are views, so each sees a part of the same whole state (semantics 2.9). ``prefix`` is
    the place of the plan's document in the request.
    """
    actor.require(Action.PREVIEW)
    for node, edges in stops:
        _require_usable(plan, node, edges, prefix)
    tokens = token_sums(origin.source)
    previews: list[NodePreview] = []
    with limit_work(settings.MAX_PREVIEW_WORK):
        for node, edges in stops:
            found = flow.preview(plan, node, origin.node_input, edges, tokens=tokens)
            costs = (found.tokens_before, found.tokens_after, found.cached_prefix_lost)
            previews.append(NodePreview(found.entered, origin.node_input, origin.source, *costs))
    return previews


def with_false_condition(
    plan: Plan, found: NodePreview, edges: Sequence[str], *, of_edge: bool, is_assumed: bool = False
) -> NodePreview:
    """Returns a preview through edges with the condition because of which one is not taken.

    ``plan`` is the one that assumes no condition.
    """
    condition = flow.false_condition(plan, edges, found.origin)
    return replace(found, false_condition=condition, of_edge=of_edge, is_assumed=is_assumed)


def preview_one_node(actor: Actor, slug: str, request: PreviewRequest) -> NodePreview:
    """Returns the result of ``preview`` without the problems of other elements."""
    actor.require(Action.PREVIEW)
    return preview_node(actor, slug, _definition(actor, slug, request)[0].plan, request)


def document_of(
    actor: Actor, slug: str, document: Document | None = None, version: int | None = None
) -> Document:
    """Returns the draft of a workflow, a published version, or the ``document`` that is given.

    Raises NotFound for the workflow, also with a document, and for the version.
    """
    row = find_workflow(actor.workspace, slug)
    return definition(_stored(row, version)).document if document is None else document


def _definition(
    actor: Actor, slug: str, request: PreviewRequest
) -> tuple[Definition, Sequence[Problem]]:
    """Returns the definition to preview, and its problems."""
    row = find_workflow(actor.workspace, slug)
    if request.document is not None:
        made = Definition(request.document, Plan(request.document))
        return made, problems.check(request.document)
    data = _stored(row, request.version)
    return definition(data), problems_of(data)


def _stored(row: Workflow, version: int | None) -> bytes:
    return bytes(row.draft if version is None else find_version(row.key, version).document)


def _require_usable(plan: Plan, node: str, edges: Sequence[str], prefix: str) -> None:
    """Compiles everything that the preview uses; pointers lead into a document of the request."""
    try:
        plan.node(node)
        for edge_id in edges:
            if edge_id in plan.graph.edges:
                plan.node(plan.edge(edge_id).edge.from_node)
    except ValidationFailed as error:
        moved = [replace(each, pointer=prefix + each.pointer) for each in error.problems]
        raise ValidationFailed(error.detail, problems=moved) from None


def preview_source_of(actor: Actor, slug: str, request: PreviewRequest) -> PreviewSource:
    """Returns the state to preview; raises NotFound for the conversation and the version."""
    actor.require(Action.PREVIEW)
    if request.conversation is None:
        return PreviewSource(*request.given.open())
    head = find_head(actor.workspace, request.conversation)
    state = state_of(head, request.at)
    if state is None and request.at is not None:
        raise NotFound(say("The conversation has no execution with a version {n}.", n=request.at))
    if state is None:
        return PreviewSource(node_input_of(head, values={}, metadata={}), head)
    pinned = request.at is not None
    node_input = node_input_of(
        head,
        values=state.values,
        history=state.history,
        metadata=state.metadata,
        revision=state.revision if pinned else None,
        visible_count=state.visible_count if pinned else None,
    )
    # Edges of another workflow may have the same names.
    is_own = state.workflow == find_workflow(actor.workspace, slug).key
    return PreviewSource(node_input, head, state.waiting if is_own else frozenset())


def _lack(entered: flow.Entered) -> list[Problem]:
    """Returns what the node lacks, as a problem of a kind of its own."""
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
