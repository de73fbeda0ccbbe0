"""The places of problems of a draft in the words of the forms: element and field."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property
from typing import Final, TypeVar

from django.utils.translation import gettext as _
from pydantic import JsonValue
from pydantic.alias_generators import to_snake

from ctxadmin.lib.errors import FieldProblem
from ctxadmin.lib.sentence import say
from ctxadmin.ui.components import Text
from ctxadmin.ui.forms.trail import Trail, trail
from ctxadmin.ui.sentences import as_sentence
from workflows.domain.checks.problems import Problem
from workflows.domain.document.graph import Document, Edge, Node, title_of
from workflows.pages.elements import edge_fields, node_fields
from workflows.pages.elements.forms import EdgeForm, NodeForm

ElementT = TypeVar("ElementT", Node, Edge)

# What the contract says of a field that it does not have.
_UNKNOWN: Final = "unknown field"
# The steps of a pointer before those within an element: "", its list, its place.
_IN_ELEMENT: Final = 3
_IN_EDGE_FILTER: Final = "/context_filter/"


@dataclass(frozen=True, slots=True)
class ProblemPlace:
    """The name of the element, the labels that lead to the field, and the name of its input.

    Each is "" if the problem concerns no element, no field or no single one. ``meant`` is the
    known field whose name is like that of an unknown one.
    """

    element: str
    field: str
    input: str
    meant: str = ""

    @property
    def text(self) -> str:
        """Returns the element and its field as one text."""
        return " › ".join(part for part in (self.element, self.field) if part)


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

    def of_input(self, pointer: str) -> ProblemPlace:
        """Returns the place of a pointer into the document, of an element with or without an id."""
        kind, name = self.element_at(pointer)
        if not kind:
            return ProblemPlace("", " › ".join(pointer.split("/")[1:]), "")
        if kind == "edge":
            return self.of(Problem(pointer, "", "", edge=name))
        found = self.of(Problem(pointer, "", "", node=name))
        number = f"#{int(pointer.split('/')[2]) + 1}"
        return found if found.element else replace(found, element=_("Node %(id)s") % {"id": number})

    def element_at(self, pointer: str) -> tuple[str, str]:
        """Returns "node" or "edge" and the id of the element at a pointer; "" for none."""
        _empty, listed, place, *_rest = (*pointer.split("/"), "", "", "")
        lists: dict[str, tuple[str, Sequence[Node | Edge]]] = {
            "nodes": ("node", self._document.nodes),
            "edges": ("edge", self._document.edges),
        }
        kind, elements = lists.get(listed, ("", ()))
        if not place.isdigit() or int(place) >= len(elements):
            return "", ""
        return kind, elements[int(place)].id

    def of(self, problem: Problem) -> ProblemPlace:
        steps = problem.pointer.split("/")
        rest = "".join(f"/{step}" for step in steps[_IN_ELEMENT:])
        if problem.node is not None:
            node = _at(self._document.nodes, steps, problem.node) or self._nodes.get(problem.node)
            if node is None:
                return ProblemPlace(problem.node, "", "")
            found = trail(NodeForm, node_fields.pointer_in_form(node, rest), "node")
            return _place(title_of(node), found, rest)
        if problem.edge is not None:
            edge = _at(self._document.edges, steps, problem.edge) or self._edges.get(problem.edge)
            if edge is None:
                return ProblemPlace(problem.edge, "", "")
            return _place(_ends(edge, self._nodes), _edge_trail(rest), rest)
        return ProblemPlace("", "", "")


def ends_of(document: Document, edge: Edge) -> str:
    """Returns an edge by the names of the nodes where it begins and ends."""
    return _ends(edge, {node.id: node for node in reversed(document.nodes)})


def _ends(edge: Edge, nodes: Mapping[str, Node]) -> str:
    ends = [(nodes.get(end), end) for end in (edge.from_node, edge.to_node)]
    return " → ".join(title_of(node) if node else end or "?" for node, end in ends)


def _edge_trail(rest: str) -> Trail:
    found = trail(EdgeForm, edge_fields.pointer_in_form(rest), "edge")
    if found.labels or not rest.startswith(_IN_EDGE_FILTER):
        return found
    whole = trail(EdgeForm, "/filter_type", "edge")
    return replace(whole, labels=[*whole.labels, *rest.split("/")[2:]], known=found.known)


def _place(element: str, found: Trail, rest: str) -> ProblemPlace:
    meant = get_close_matches(to_snake(rest.rpartition("/")[2]), found.known, n=1)
    return ProblemPlace(element, _joined(found.labels, rest), found.name, "".join(meant))


def _joined(labels: Sequence[Text], rest: str) -> str:
    """Returns the labels as one text; the members as written where the form has none of them."""
    return " › ".join(map(str, labels) if labels else rest.split("/")[1:])


def _at(elements: Sequence[ElementT], steps: Sequence[str], name: str) -> ElementT | None:
    """Returns the element at a pointer; of two with one id exactly that one."""
    place = int(steps[2]) if len(steps) > 2 and steps[2].isdigit() else -1
    found = elements[place] if 0 <= place < len(elements) else None
    return found if found is not None and found.id == name else None


def field_and_message(problem: Problem, places: ProblemPlaces) -> str:
    """Returns a problem for where its element is in sight: the labels of its field, and why."""
    place = places.of(problem)
    field, message = place.field, message_at(problem, place)
    return f"{field}: {message}" if field else message


def is_of_unknown_field(problem: Problem | FieldProblem) -> bool:
    return str(problem.message) == _UNKNOWN


def message_at(problem: Problem | FieldProblem, place: ProblemPlace) -> str:
    """Returns why, with a hint, the name of an unknown field and the one that may be meant."""
    if not is_of_unknown_field(problem):
        hint = dict(problem.extra).get("hint")
        if not isinstance(hint, str) or not hint:
            return as_sentence(problem.message)
        return as_sentence(say("{text}; {hint}", text=problem.message, hint=hint))
    name = problem.pointer.rpartition("/")[2]
    if not place.meant:
        return _("Unknown field “%(name)s”") % {"name": name}
    names = {"name": name, "meant": place.meant}
    return _("Unknown field “%(name)s”. Did you mean “%(meant)s”?") % names


def document_of_input(given: JsonValue) -> Document:
    """Returns the names in something that may be no document: what is none has no elements."""
    own = given if isinstance(given, dict) else {}
    nodes = [
        Node.model_construct(id=_text(each, "id"), type="", name=_text(each, "name"))
        for each in _listed(own.get("nodes"))
    ]
    edges = [
        Edge.model_construct(
            id=_text(each, "id"), type="", from_node=_text(each, "from"), to_node=_text(each, "to")
        )
        for each in _listed(own.get("edges"))
    ]
    return Document.model_construct(name="", nodes=tuple(nodes), edges=tuple(edges))


def _listed(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _text(element: JsonValue, name: str) -> str:
    found = element.get(name) if isinstance(element, dict) else None
    return found if isinstance(found, str) else ""
