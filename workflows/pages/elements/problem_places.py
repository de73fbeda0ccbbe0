"""The places of problems of a draft in the words of the forms: element and field."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from ctxadmin.ui.forms.trail import trail
from workflows.domain.checks.problems import Problem
from workflows.domain.document.graph import Document, Edge, Node
from workflows.pages.elements import edge_fields, node_fields
from workflows.pages.elements.forms import EdgeForm, NodeForm

ElementT = TypeVar("ElementT", Node, Edge)


@dataclass(frozen=True, slots=True)
class ProblemPlace:
    """The name of the element, the labels that lead to the field, and the name of its input.

    Each is "" if the problem concerns no element, no field or no single one.
    """

    element: str
    field: str
    input: str


class ProblemPlaces:
    """The places of the problems of one document; pointers can be those of an older one."""

    def __init__(self, document: Document) -> None:
        self._document = document

    @cached_property
    def _nodes(self) -> Mapping[str, Node]:
        return {node.id: node for node in reversed(self._document.nodes)}

    @cached_property
    def _edges(self) -> Mapping[str, Edge]:
        return {edge.id: edge for edge in reversed(self._document.edges)}

    def of(self, problem: Problem) -> ProblemPlace:
        steps = problem.pointer.split("/")
        rest = "".join(f"/{step}" for step in steps[3:])
        if problem.node is not None:
            node = _at(self._document.nodes, steps, problem.node) or self._nodes.get(problem.node)
            if node is None:
                return ProblemPlace(problem.node, "", "")
            labels, name = trail(NodeForm, node_fields.pointer_in_form(node, rest), "node")
            return ProblemPlace(_title(node), " › ".join(map(str, labels)), name)
        if problem.edge is not None:
            edge = _at(self._document.edges, steps, problem.edge) or self._edges.get(problem.edge)
            if edge is None:
                return ProblemPlace(problem.edge, "", "")
            labels, name = trail(EdgeForm, edge_fields.pointer_in_form(rest), "edge")
            return ProblemPlace(self._ends(edge), " › ".join(map(str, labels)), name)
        return ProblemPlace("", "", "")

    def _ends(self, edge: Edge) -> str:
        ends = [(self._nodes.get(end), end) for end in (edge.from_node, edge.to_node)]
        return " → ".join(_title(node) if node else end for node, end in ends)


def _title(node: Node) -> str:
    return node.name if node.name and node.name.strip() else node.id


def _at(elements: Sequence[ElementT], steps: Sequence[str], name: str) -> ElementT | None:
    """Returns the element at a pointer; of two with one id exactly that one."""
    place = int(steps[2]) if len(steps) > 2 and steps[2].isdigit() else -1
    found = elements[place] if 0 <= place < len(elements) else None
    return found if found is not None and found.id == name else None
