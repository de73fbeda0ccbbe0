"""A workflow ready to run: what its nodes and edges do, compiled when first asked for."""

from dataclasses import dataclass

from conversations.domain.configs import OperationConfig
from workflows.domain.conditions import Condition
from workflows.domain.explain import Step
from workflows.domain.graph import Document, Edge, Node, NodeSettings
from workflows.domain.processors import Registries
from workflows.domain.topology import Graph


@dataclass(frozen=True, slots=True)
class NodePlan:
    """What a node does to the context: labelled steps in, a step on what leaves it."""

    node: Node
    context_type: str
    settings: NodeSettings
    steps: tuple[tuple[str, Step], ...]
    outgoing: Step | None
    operation: OperationConfig | None


@dataclass(frozen=True, slots=True)
class EdgePlan:
    """What an edge does: its filter, and the condition that decides whether it is taken."""

    edge: Edge
    step: Step
    condition: Condition | None


class Plan:
    """A document with its index; elements are compiled one by one and kept.

    A problem in one node does not keep the others from being previewed.
    """

    graph: Graph
    registries: Registries

    def __init__(self, document: Document, registries: Registries | None = None) -> None:
        raise NotImplementedError

    def node(self, node_id: str) -> NodePlan:
        """A node; NotFound if there is none, ValidationFailed if it has problems."""
        raise NotImplementedError

    def edge(self, edge_id: str) -> EdgePlan:
        """An edge; NotFound if there is none, ValidationFailed if it has problems."""
        raise NotImplementedError
