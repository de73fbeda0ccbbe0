"""The policies in a draft: what its model nodes, edges and processors let a call send."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import JsonValue

from ctxadmin.lib.errors import ContextError, NotFound, ValidationFailed
from ctxadmin.lib.json_bytes import digest, dumps
from workflows.domain.backtests.policies import Policy, PolicyConfig, policies_of
from workflows.domain.backtests.reach import deciding_edges, reaches_along
from workflows.domain.context.explain import Step
from workflows.domain.context.prompt_context import Messages, NodeInput
from workflows.domain.document.graph import CONTEXT_PROCESSOR, Edge, Node, filters_in
from workflows.domain.document.topology import usual_edges
from workflows.domain.running.plan import Plan

ElementKind = Literal["node", "edge"]
MODEL: Final = "llm"
MOST_ELEMENTS: Final = 100


@dataclass(frozen=True, slots=True)
class ElementPolicy:
    """What a call sends because of one element of a draft.

    ``digest`` is the same as long as nothing that decides it changes. ``calls_of`` is the node
    whose calls it concerns, "" for those of all nodes. ``is_own``: the element has operations on
    messages, which a budget can replace. ``model`` is the one that its node names, "" if none.
    """

    kind: ElementKind
    id: str
    policy: Policy
    digest: bytes
    calls_of: str
    is_own: bool
    model: str


def element_policies(plan: Plan) -> list[ElementPolicy]:
    """The policies of a document in its order, nodes first, at most ``MOST_ELEMENTS``.

    Of nodes, those that ask a model, with all filters on the way to them, and context processors as
    if they ran before each call. Of edges, those to a model with operations of their own. What
    cannot be compiled is left out: its problems are reported elsewhere.
    """
    found: list[ElementPolicy] = []
    for policy in (*_of_nodes(plan), *_of_edges(plan)):
        if len(found) == MOST_ELEMENTS:
            break
        found.append(policy)
    return found


def model_of(node: Node) -> str:
    """The model that a node names in its settings, "" if it names none."""
    named = node.config.get("model")
    return named.strip() if isinstance(named, str) else ""


def operations_in(source: JsonValue) -> bool:
    """True if a filter, or one of a list, has operations on messages."""
    return any(each.get("messages") for each in filters_in(source))


def _of_nodes(plan: Plan) -> Iterator[ElementPolicy]:
    for node in plan.graph.nodes.values():
        if node.type == MODEL:
            edges = usual_edges(plan.graph, node.id)
            policy = _policy_of(plan, PolicyConfig(node=node.id))
            if policy is not None:
                yield ElementPolicy(
                    "node",
                    node.id,
                    policy,
                    _digest_of_node(plan, node, edges),
                    node.id,
                    operations_in(node.context_filter),
                    model_of(node),
                )
        elif node.type == CONTEXT_PROCESSOR:
            yield from _of_processor(plan, node)


def _of_processor(plan: Plan, node: Node) -> Iterator[ElementPolicy]:
    try:
        operation = plan.node(node.id).operation
    except ContextError:
        return
    if operation is None:
        return
    policy = _policy_of(plan, PolicyConfig(messages=(operation,)))
    if policy is not None:
        found = digest(dumps(["processor", dict(node.config)]))
        yield ElementPolicy("node", node.id, policy, found, "", is_own=True, model="")


def _of_edges(plan: Plan) -> Iterator[ElementPolicy]:
    for edge in plan.graph.edges.values():
        target = plan.graph.nodes[edge.to_node]
        if target.type != MODEL or not operations_in(edge.context_filter):
            continue
        try:
            step = plan.assuming([edge.id]).edge(edge.id).step
        except ContextError:
            continue

        def see(node_input: NodeInput, call: int, step: Step = step) -> Messages:
            return step(node_input, "edge", False).node_input.messages

        policy = Policy(edge.id, edge.id, see, reaches_along(plan, edge))
        ways = [_shape(each) for each in deciding_edges(plan.graph, edge.from_node)]
        found = digest(dumps(["edge", dict(edge.context_filter or {}), edge.condition, ways]))
        yield ElementPolicy(
            "edge", edge.id, policy, found, edge.to_node, is_own=True, model=model_of(target)
        )


def _policy_of(plan: Plan, config: PolicyConfig) -> Policy | None:
    try:
        return policies_of([config], plan)[-1]
    except (ValidationFailed, NotFound):
        return None


def _digest_of_node(plan: Plan, node: Node, edges: Sequence[str]) -> bytes:
    ways = [plan.graph.edges[name] for name in edges]
    parts: list[object] = [
        _deciding_fields(node, "type", "context_type", "context_filter", "config"),
        *(_deciding_fields(way, "type", "context_filter", "condition") for way in ways),
        *(_deciding_fields(plan.graph.nodes[way.from_node], "outgoing_filter") for way in ways),
        [*plan.registries.processors.names()],
        [_shape(each) for each in deciding_edges(plan.graph, node.id)],
    ]
    return digest(dumps(parts))


def _shape(edge: Edge) -> Sequence[str | None]:
    return edge.from_node, edge.to_node, edge.condition


def _deciding_fields(element: Node | Edge, *names: str) -> Mapping[str, JsonValue]:
    whole = element.model_dump(mode="json", include=set(names), exclude_unset=True)
    return {name: whole[name] for name in names if name in whole}


def policy_of_element(plan: Plan, kind: ElementKind, name: str) -> ElementPolicy | None:
    """The policy of one element; None if it has none or cannot be compiled."""
    found = _of_nodes(plan) if kind == "node" else _of_edges(plan)
    return next((each for each in found if each.id == name), None)


def full_history() -> Policy:
    """The policy that everything is told against: each call sends all that stands before it."""
    return policies_of(())[0]
