"""The flow of context: along edges, merged at a join, and into a node."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from conversations.domain.operations import TokensOf, tokens_of
from conversations.domain.tokens import tokens_of_message
from ctxadmin.lib.errors import FieldProblem, ValidationFailed
from ctxadmin.lib.sentence import say
from workflows.domain.checks.compatibility import MissingContext, find_missing_context
from workflows.domain.conditions.figures import add_figures, figures_seen
from workflows.domain.context.explain import (
    Decision,
    Label,
    Step,
    StepNotice,
    StepOutcome,
    final_decisions,
    run_steps,
)
from workflows.domain.context.join import Arrival, ArrivalConflict, JoinedContext, join
from workflows.domain.context.prompt_context import Messages, NodeInput
from workflows.domain.running.plan import EdgePlan, Plan

__all__ = [
    "Arrival",
    "ArrivalConflict",
    "Entered",
    "JoinedContext",
    "Preview",
    "enter",
    "join",
    "preview",
    "walk_path",
]


@dataclass(frozen=True, slots=True)
class Entered:
    """What a node sees, and why.

    ``explanation`` is empty unless requested: one decision for each name and message that was given
    or added. ``lack`` is what the node would lack, None if nothing.
    """

    node_id: str
    edges: tuple[str, ...]
    node_input: NodeInput
    explanation: tuple[Decision, ...] = ()
    conflicts: tuple[ArrivalConflict, ...] = ()
    warnings: tuple[StepNotice, ...] = ()
    lack: MissingContext | None = None

    def require_compatible(self) -> None:
        """Raises IncompatibleContext if the node lacks something (semantics 2.11)."""
        if self.lack is not None:
            raise self.lack.refusal()


@dataclass(frozen=True, slots=True)
class Preview:
    """What a node would see, and the tokens of its messages against all visible ones.

    ``cached_prefix_lost`` are the earlier tokens that come after the first difference.
    """

    entered: Entered
    tokens_before: int
    tokens_after: int
    cached_prefix_lost: int


def enter(
    plan: Plan,
    node_id: str,
    node_input: NodeInput,
    edges: Sequence[str] = (),
    *,
    explain: bool = False,
    check: bool = True,
    pointer: str = "/edges",
) -> Entered:
    """Returns what a node sees of the state ``node_input`` when it is entered along ``edges``.

    Along each edge: the outgoing filter of the node that it comes from, then the edge's own filter
    (or the default of its type). Then all are joined, and the later edge wins; then come the node's
    context type, its own filters, and the compatibility check, which is reported and does not
    refuse. ``check`` False omits it, because it needs as many log queries as all else together.
    Without edges the state reaches the node unchanged: at a start, or out of turn. The node's
    template replaces that of ``node_input``. Raises NotFound for the node, ValidationFailed at
    ``pointer`` for an edge that does not lead to it, and what filters raise. Source: semantics 2.1,
    2.8-2.11, 2.13.
    """
    planned = plan.node(node_id)
    ways = _ways(plan, node_id, edges, pointer)
    template = planned.settings.template or node_input.context.template
    origin = replace(node_input, context=replace(node_input.context, template=template))
    came = [run_steps(origin, _steps_along(plan, way), explain=explain) for way in ways]
    joined = JoinedContext(origin)
    decisions: Sequence[Decision] = ()
    if came:
        arrivals = [
            Arrival(way.edge.id, each.node_input) for way, each in zip(ways, came, strict=True)
        ]
        joined = join(arrivals, origin)
        decisions = _decisions_of_arrivals(came, joined) if explain else ()
    seen = run_steps(joined.node_input, planned.steps, explain=explain)
    return Entered(
        node_id=node_id,
        edges=tuple(edges),
        node_input=seen.node_input,
        explanation=final_decisions([decisions, seen.decisions]) if decisions else seen.decisions,
        conflicts=joined.conflicts,
        warnings=(*(notice for each in came for notice in each.warnings), *seen.warnings),
        lack=find_missing_context(planned.node, planned.context_type, seen.node_input)
        if check
        else None,
    )


def _ways(plan: Plan, node_id: str, edges: Sequence[str], pointer: str) -> list[EdgePlan]:
    problems = []
    named: set[str] = set()
    for place, edge_id in enumerate(edges):
        edge = plan.graph.edges.get(edge_id)
        if edge is None or edge.to_node != node_id:
            message = say("{edge} is not an edge to {node}", edge=repr(edge_id), node=repr(node_id))
            problems.append(FieldProblem(f"{pointer}/{place}", message))
        elif edge_id in named:
            problems.append(
                FieldProblem(f"{pointer}/{place}", say("{edge} is named twice", edge=repr(edge_id)))
            )
        named.add(edge_id)
    if problems:
        raise ValidationFailed(problems[0].message, problems=problems)
    return [plan.edge(edge_id) for edge_id in edges]


def false_condition(plan: Plan, edges: Sequence[str], state: NodeInput) -> str:
    """Returns the condition because of which one edge is not taken in a state; "" if it is.

    Of several edges others lead on, so for them it is "" too.
    """
    edge = plan.graph.edges.get(edges[0]) if len(edges) == 1 else None
    condition = plan.edge(edge.id).condition if edge is not None else None
    if edge is None or condition is None:
        return ""
    figures = figures_seen(condition.figures, state.messages)
    metadata = add_figures(state.context.metadata, figures)
    return "" if condition.evaluate(state.context.variables, metadata) else edge.condition or ""


def _steps_along(plan: Plan, way: EdgePlan) -> list[tuple[Label, Step]]:
    """Returns the steps that apply to the context between two nodes."""
    steps: list[tuple[Label, Step]] = [(f"edge:{way.edge.id}", way.step)]
    outgoing = plan.node(way.edge.from_node).outgoing
    if outgoing is not None:
        steps.insert(0, (f"outgoing:{way.edge.from_node}", outgoing))
    return steps


def _decisions_of_arrivals(came: Sequence[StepOutcome], joined: JoinedContext) -> list[Decision]:
    """Returns the final decision on each item before the node itself: that of its last arrival.

    An item that no arrival has was dropped, as the last one says. A variable that one edge renamed
    and another did not has two decisions.
    """
    decisions_by_item: dict[_Item, dict[str | None, Decision]] = {}
    for number, applied in enumerate(came):
        for decision in _as_joined(applied.decisions, joined, number):
            item = (decision.section, decision.name, decision.index)
            others = decisions_by_item.setdefault(item, {})
            if decision.verdict != "dropped":
                others[decision.renamed] = decision
            elif all(other.verdict == "dropped" for other in others.values()):
                others[None] = decision
    return [decision for others in decisions_by_item.values() for decision in _brought(others)]


_Item = tuple[str, str | None, int | None]


def _brought(others: Mapping[str | None, Decision]) -> list[Decision]:
    kept = [decision for decision in others.values() if decision.verdict != "dropped"]
    return kept or list(others.values())


def _as_joined(
    decisions: Sequence[Decision], joined: JoinedContext, number: int
) -> Iterator[Decision]:
    """Returns the decisions of one arrival with the positions and indices of the joined context.

    No edge changes the order of the history, so its entries arrived in the order of the index.
    """
    places = iter(joined.history_places[number])
    moved = joined.moved_messages[number]
    for decision in decisions:
        if decision.section == "history":
            gone = decision.verdict == "dropped"
            yield replace(decision, place=None if gone else next(places))
        elif decision.section == "messages" and decision.index is not None and moved:
            yield replace(decision, index=moved.get(decision.index, decision.index))
        else:
            yield decision


def walk_path(
    plan: Plan, edges: Sequence[str], node_input: NodeInput, *, explain: bool = False
) -> tuple[Entered, ...]:
    """Returns what each node on a path of edges sees; the first is entered without an edge.

    Filters are views: what one node did not see is there again for the next (semantics 2.9). Raises
    ValidationFailed at ``/edges`` for edges that do not form a path.
    """
    ways = [plan.graph.edges.get(edge_id) for edge_id in edges]
    here: str | None = None
    for place, way in enumerate(ways):
        if way is None or here not in (None, way.from_node):
            message = f"{edges[place]!r} does not lead on" if way else f"no edge {edges[place]!r}"
            raise ValidationFailed.at(f"/edges/{place}", message)
        here = way.to_node
    steps = [way for way in ways if way is not None]
    if not steps:
        raise ValidationFailed.at("/edges", say("a path has at least one edge"))
    first = enter(plan, steps[0].from_node, node_input, explain=explain)
    rest = (enter(plan, way.to_node, node_input, [way.id], explain=explain) for way in steps)
    return (first, *rest)


def preview(
    plan: Plan,
    node_id: str,
    node_input: NodeInput,
    edges: Sequence[str] = (),
    *,
    tokens: TokensOf,
    explain: bool = True,
) -> Preview:
    """Returns the result of ``enter`` and its cost.

    ``tokens(start, stop)`` sums a run of the log.

    Messages that filters add are counted too; texts that transforms change count as logged, results
    that a budget emptied do not.
    """
    entered = enter(plan, node_id, node_input, edges, explain=explain)
    before, after = node_input.messages, entered.node_input.messages
    common = common_prefix(before, after)
    return Preview(
        entered=entered,
        tokens_before=tokens_of(before.view, counting(before, tokens)),
        tokens_after=tokens_of(after.view, counting(after, tokens)),
        cached_prefix_lost=tokens_of(
            before.view.slice(common, len(before.view)), counting(before, tokens)
        ),
    )


def counting(messages: Messages, tokens: TokensOf) -> TokensOf:
    """Returns ``tokens`` extended to the messages that filters add, without emptied contents."""
    logged = messages.logged
    freed = sorted(messages.freed().items())
    places = [index for index, _ in freed]
    sums = [0, *accumulate(tokens for _, tokens in freed)]

    def count(start: int, stop: int) -> int:
        of_log = tokens(start, min(stop, logged)) if start < logged else 0
        gone = sums[bisect_left(places, stop)] - sums[bisect_left(places, start)]
        if stop <= logged:
            return of_log - gone
        new = messages.inserted[max(start - logged, 0) : stop - logged]
        return of_log - gone + sum(tokens_of_message(entry.draft) for entry in new)

    return count


def common_prefix(before: Messages, after: Messages) -> int:
    """Returns how many messages both have in common at the front, with the same texts."""
    common = before.view.common_prefix_length(after.view)
    changed = (
        position
        for index, transforms in after.rewrites.items()
        if transforms != before.rewrites.get(index, ())
        and (position := after.view.position_of(index)) is not None
    )
    return min(common, *changed, common)
