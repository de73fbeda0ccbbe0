"""Checks of element forms against the rest of their document, and the neighbors of elements."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from django.utils.translation import gettext as _

from ctxadmin.lib.errors import FieldProblem
from workflows.domain.document.graph import Document, Edge, title_of
from workflows.pages.drawing.svg import Links
from workflows.pages.elements import document_edits, edge_fields
from workflows.pages.elements.forms import ReducerRow
from workflows.pages.elements.problem_places import ends_of


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An edge of a node, or an end of an edge, with the address of its form."""

    label: str
    kind: Literal["node", "edge"]
    id: str
    url: str


def edge_problems(document: Document, made: Edge) -> list[FieldProblem]:
    """Returns the problems of an edge of the document, with pointers into EdgeFields."""
    problems = edge_fields.form_problems(made)
    ends = {each.id for each in document.nodes}
    for name, end in (("from", made.from_node), ("to", made.to_node)):
        if end not in ends:
            problems.append(FieldProblem(f"/{name}", _("This node does not exist.")))
    return problems


def repeated_patterns(rows: Sequence[ReducerRow]) -> list[FieldProblem]:
    """Returns keys that are in several rows, with pointers into ReducerFields."""
    patterns = [each.pattern for each in rows]
    return [
        FieldProblem(f"/reducers/{place}/pattern", _("This key is already listed."))
        for place, pattern in enumerate(patterns)
        if pattern in patterns[:place]
    ]


def neighbours(document: Document, kind: str, name: str, links: Links) -> list[Neighbour]:
    """Returns the edges of a node, or the ends of an edge."""
    if kind == "node" and name:
        return [
            Neighbour(
                f"{ends_of(document, each)} ({each.id})",
                "edge",
                each.id,
                links.edge(each.id),
            )
            for each in document_edits.edges_of(document, name)
        ]
    found = next((each for each in document.edges if kind == "edge" and each.id == name), None)
    ends = (found.from_node, found.to_node) if found else ()
    names = {node.id: title_of(node) for node in reversed(document.nodes)}
    return [Neighbour(names.get(end, end), "node", end, links.node(end)) for end in ends]
