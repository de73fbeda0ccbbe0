"""Changes of a document by one element: pure, for the forms of nodes and edges."""

from collections.abc import Iterable
from typing import TypeVar

from django.utils.translation import gettext as _

from ctxadmin.lib.errors import Duplicate, FieldProblem, NotFound
from ctxadmin.lib.sentence import say
from workflows.domain.document.graph import Document, Edge, Node

ElementT = TypeVar("ElementT", bound=Node | Edge)


def find(elements: Iterable[ElementT], name: str) -> ElementT:
    """Returns the first element with that id; raises NotFound without one."""
    found = next((each for each in elements if each.id == name), None)
    if found is None:
        raise NotFound(say("The draft has no {name}.", name=repr(name[:64])))
    return found


def with_node(document: Document, name: str, made: Node) -> Document:
    """Replaces the node ``name`` with ``made``; its edges follow a new id.

    Adds the node if there is no such one (any more). Raises Duplicate at ``/id`` if another has its
    id.
    """
    nodes = _with_element(document.nodes, name, made)
    edges = document.edges
    if name and name != made.id and any(node.id == name for node in document.nodes):
        edges = tuple(_renamed(edge, name, made.id) for edge in edges)
    return document.model_copy(update={"nodes": nodes, "edges": edges})


def _renamed(edge: Edge, old: str, new: str) -> Edge:
    ends = {"from_node": edge.from_node, "to_node": edge.to_node}
    moved = {name: new for name, end in ends.items() if end == old}
    return edge.model_copy(update=moved) if moved else edge


def with_edge(document: Document, name: str, made: Edge) -> Document:
    """Replaces the edge ``name`` with ``made``, or adds it.

    Raises Duplicate at ``/id`` as for nodes.
    """
    return document.model_copy(update={"edges": _with_element(document.edges, name, made)})


def without_node(document: Document, name: str) -> Document:
    """Returns the document without a node and its edges."""
    find(document.nodes, name)
    edges = tuple(edge for edge in document.edges if name not in (edge.from_node, edge.to_node))
    nodes = tuple(node for node in document.nodes if node.id != name)
    return document.model_copy(update={"nodes": nodes, "edges": edges})


def without_edge(document: Document, name: str) -> Document:
    find(document.edges, name)
    edges = tuple(edge for edge in document.edges if edge.id != name)
    return document.model_copy(update={"edges": edges})


def edges_of(document: Document, node: str) -> list[Edge]:
    """Returns the edges from and to a node."""
    return [edge for edge in document.edges if node in (edge.from_node, edge.to_node)]


def _with_element(listed: tuple[ElementT, ...], name: str, made: ElementT) -> tuple[ElementT, ...]:
    place = next((at for at, each in enumerate(listed) if each.id == name), len(listed))
    before: tuple[ElementT, ...] = listed[:place]
    after: tuple[ElementT, ...] = listed[place + 1 :]
    if made.id != name and any(each.id == made.id for each in (*before, *after)):
        message = _("The id %(id)s is taken.") % {"id": made.id}
        raise Duplicate(message, problems=[FieldProblem("/id", message, "duplicate")])
    return (*before, made, *after)
