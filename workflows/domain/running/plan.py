"""A workflow ready to run: what its nodes and edges do, compiled on first use."""

from collections.abc import Collection
from dataclasses import dataclass

from conversations.domain.configs import OperationConfig
from ctxadmin.lib.errors import NotFound, ValidationFailed
from ctxadmin.lib.sentence import say
from workflows.domain.conditions.condition import Condition, compile_condition
from workflows.domain.context.explain import Label, Step
from workflows.domain.document.elements import Problem, read_edge, read_node
from workflows.domain.document.graph import Document, Edge, Node, NodeSettings
from workflows.domain.document.topology import Graph, graph_of
from workflows.domain.filters.context_filter import depends_on_state, filter_step
from workflows.domain.filters.context_types import CONTEXT_TYPES, default_context_type, node_steps
from workflows.domain.filters.edge_filter import edge_step, leaves_messages
from workflows.domain.processors.registries import Registries, standard


@dataclass(frozen=True, slots=True)
class NodePlan:
    """What a node does to the context: labelled steps before it, and a step on what leaves it.

    ``by_view``: which messages its steps keep does not depend on the state.
    """

    node: Node
    context_type: str
    settings: NodeSettings
    steps: tuple[tuple[Label, Step], ...]
    outgoing: Step | None
    operation: OperationConfig | None
    by_view: bool


@dataclass(frozen=True, slots=True)
class EdgePlan:
    """What an edge does: its filter, and the condition that decides whether it is taken."""

    edge: Edge
    step: Step
    condition: Condition | None
    leaves_messages: bool


class Plan:
    """A document with its index; elements are compiled one by one and cached.

    A problem in one node does not keep the others from being previewed, and a workflow of ten
    thousand nodes costs no more than those that run.
    """

    graph: Graph
    registries: Registries

    def __init__(
        self,
        document: Document,
        registries: Registries | None = None,
        *,
        assumed: Collection[str] = (),
    ) -> None:
        """Plans a document; uses the registries of the process unless others are given.

        The conditions of the edges ``assumed`` count as true.
        """
        self.graph = graph_of(document)
        self.registries = registries or standard()
        self._assumed = frozenset(assumed)
        self._nodes: dict[str, NodePlan] = {}
        self._edges: dict[str, EdgePlan] = {}

    def assuming(self, edges: Collection[str]) -> "Plan":
        """Returns a plan in which the conditions of some edges count as true."""
        return Plan(self.graph.document, self.registries, assumed=edges)

    def node(self, node_id: str) -> NodePlan:
        """Returns a node; raises NotFound without it, ValidationFailed if it has problems."""
        planned = self._nodes.get(node_id)
        if planned is None:
            node = self.graph.nodes.get(node_id)
            if node is None:
                raise NotFound(say("The workflow has no node {name}.", name=repr(node_id)))
            planned = self._nodes[node_id] = self._plan_node(node)
        return planned

    def edge(self, edge_id: str) -> EdgePlan:
        """Returns an edge; raises NotFound without it, ValidationFailed if it has problems."""
        planned = self._edges.get(edge_id)
        if planned is None:
            edge = self.graph.edges.get(edge_id)
            if edge is None:
                raise NotFound(say("The workflow has no edge {edge_id}.", edge_id=repr(edge_id)))
            planned = self._edges[edge_id] = self._plan_edge(edge)
        return planned

    def sees_by_view(self, node_id: str) -> bool:
        """Returns True if the messages that a node sees depend on the view alone.

        They then depend neither on the state, nor on the edges along which it is entered (semantics
        2.16).
        """
        return self.node(node_id).by_view and all(
            self.edge(edge.id).leaves_messages and self.node(edge.from_node).outgoing is None
            for edge in self.graph.incoming.get(node_id, ())
        )

    def _plan_node(self, node: Node) -> NodePlan:
        pointer = f"/nodes/{self.graph.node_places[node.id]}"
        reading = read_node(node, self.registries, pointer)
        _refuse(reading.problems)
        context_type = node.context_type or default_context_type(node.type)
        steps = node_steps(
            context_type,
            reading.filters,
            self.registries,
            config=node.config,
            pointer=pointer,
            listed=isinstance(node.context_filter, list),
        )
        outgoing = None
        if reading.outgoing:
            outgoing = filter_step(
                reading.outgoing,
                self.registries,
                pointer=f"{pointer}/outgoing_filter",
                listed=isinstance(node.outgoing_filter, list),
            )
        return NodePlan(
            node,
            context_type,
            reading.settings,
            tuple(steps),
            outgoing,
            reading.operation,
            by_view=context_type in CONTEXT_TYPES and not depends_on_state(reading.filters),
        )

    def _plan_edge(self, edge: Edge) -> EdgePlan:
        pointer = f"/edges/{self.graph.edge_places[edge.id]}"
        reading = read_edge(edge, self.registries, pointer)
        _refuse(reading.problems)
        is_assumed = edge.id in self._assumed
        step = edge_step(
            reading.edge_filter,
            self.registries,
            f"{pointer}/context_filter",
            # A condition of the filter's own is another one.
            holds=is_assumed and reading.edge_filter.condition == edge.condition,
        )
        condition = None
        if edge.condition is not None and not is_assumed:
            condition = compile_condition(edge.condition, f"{pointer}/condition")
        return EdgePlan(edge, step, condition, leaves_messages(reading.edge_filter))


def _refuse(problems: list[Problem]) -> None:
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors:
        raise ValidationFailed(
            errors[0].message, problems=[problem.as_field_problem() for problem in errors]
        )
