"""A document on a canvas, element by element, so that an unreadable one blocks no other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Final, Generic, TypeVar

import orjson
from django.utils.translation import get_language
from pydantic import JsonValue, SkipValidation

from ctxadmin.lib.contract import parse
from ctxadmin.lib.errors import FieldProblem, ValidationFailed
from ctxadmin.lib.json_bytes import digest, dumps
from workflows.domain.checks import problems
from workflows.domain.checks.static_checks import node_problems
from workflows.domain.document.draft_changes import DocumentChanges, refuse_too_many
from workflows.domain.document.elements import Problem, read_edge
from workflows.domain.document.graph import Document, Edge, Node
from workflows.domain.processors.registries import Registries, standard
from workflows.pages.drawing import summaries
from workflows.store.definitions import BoundedCache

ElementT = TypeVar("ElementT", Node, Edge)

# An element as it came from a browser.
AnyElement = Annotated[JsonValue, SkipValidation]
RawChanges = DocumentChanges[AnyElement, AnyElement]

# What stands in for a member that must be there, so that the rest of an element can be shown.
_STAND_INS: Final = {"id": "x", "type": "x", "from": "x", "to": "x"}
_ENDS: Final = ("from", "to")


class ElementPart(Generic[ElementT]):
    """One element of a document; ``element`` is None if it cannot be read.

    ``findings`` are its summary and its problems, with pointers below the element.
    """

    def __init__(self, model: type[ElementT], raw: JsonValue, registries: Registries) -> None:
        self.raw = raw
        self.element: ElementT | None = None
        self.wrong: Sequence[FieldProblem] = ()
        self._model: type[ElementT] = model
        self._registries = registries
        try:
            self.element = parse(model, raw)
        except ValidationFailed as error:
            self.wrong = error.problems

    def again(self, raw: JsonValue) -> "ElementPart[ElementT]":
        """Returns the part for another state of the element."""
        return ElementPart(self._model, raw, self._registries)

    @property
    def id(self) -> str:
        """Returns the id as it was written, "" without one."""
        found = self.raw.get("id") if isinstance(self.raw, dict) else None
        return found if isinstance(found, str) else ""

    @cached_property
    def shown(self) -> ElementT | None:
        """Returns the element without its faulty parts; None if nothing remains."""
        if self.element is not None or not isinstance(self.raw, dict):
            return self.element
        left = dict(self.raw)
        for problem in self.wrong:
            name = problem.pointer.split("/")[1] if problem.pointer else ""
            name = name.replace("~1", "/").replace("~0", "~")
            left.pop(name, None)
            if name in _STAND_INS:
                left[name] = _STAND_INS[name]
        try:
            return parse(self._model, left)
        except ValidationFailed:
            return None

    @cached_property
    def named(self) -> ElementT:
        """Returns what the element is called by: its readable parts, with the ids as written."""
        raw = self.raw if isinstance(self.raw, dict) else {}
        written = {name: each if isinstance(each := raw.get(name), str) else "" for name in _ENDS}
        own: dict[str, object] = {"id": self.id}
        if self._model is Edge:
            own |= {"from_node": written["from"], "to_node": written["to"]}
        if self.shown is not None:
            return self.shown.model_copy(update=own)
        return self._model.model_construct(type="", **own)  # type: ignore[arg-type]

    @cached_property
    def findings(self) -> "ElementSummary":
        element: Node | Edge | None = self.shown
        found: Sequence[Problem] = ()
        if isinstance(element, Node):
            found = node_problems(element, self._registries, "")
            summary = summaries.node_summary(element, self._registries)
        elif isinstance(element, Edge):
            found = read_edge(element, self._registries, "").problems
            summary = summaries.edge_summary(element, self._registries)
        else:
            summary = summaries.unreadable_summary(self.id, node=self._model is Node)
        if self.element is None:  # a stand-in may have lent its id
            found = [self._named(each) for each in found]
        return ElementSummary(summary, [*map(self._unreadable, self.wrong), *found])

    def _unreadable(self, problem: FieldProblem) -> Problem:
        return self._named(Problem(problem.pointer, problem.code, problem.message))

    def _named(self, problem: Problem) -> Problem:
        name = self.id or None
        if self._model is Node:
            return replace(problem, node=name)
        return replace(problem, edge=name)


@dataclass(frozen=True, slots=True)
class ElementSummary:
    """The text of a card or chip, and the problems of its element."""

    words: Mapping[str, JsonValue]
    problems: Sequence[Problem]


@dataclass(frozen=True)
class DocumentParts:
    """The elements of a document in order, and the ``document`` of the readable ones."""

    nodes: Sequence[ElementPart[Node]]
    edges: Sequence[ElementPart[Edge]]
    document: Document

    @cached_property
    def named(self) -> Document:
        """Returns the document with every element as far as it can be read, for their names."""
        return Document.model_construct(
            name=self.document.name,
            reducers=self.document.reducers,
            nodes=tuple(part.element or part.named for part in self.nodes),
            edges=tuple(part.element or part.named for part in self.edges),
        )

    def node(self, name: str) -> ElementPart[Node] | None:
        return next((part for part in self.nodes if part.id == name), None)

    def edge(self, name: str) -> ElementPart[Edge] | None:
        return next((part for part in self.edges if part.id == name), None)

    def changed(self, changes: RawChanges, pointer: str) -> "DocumentParts":
        """Returns the parts after changes, which are at ``pointer`` of the input."""
        nodes = changes.nodes.apply(self.nodes, _id_of, f"{pointer}/nodes")
        edges = changes.edges.apply(self.edges, _id_of, f"{pointer}/edges")
        refuse_too_many(len(nodes), len(edges), pointer)
        own = self.document
        return _parts(
            own.name if changes.name is None else changes.name,
            own.reducers if changes.reducers is None else changes.reducers,
            nodes,
            edges,
        )


def _id_of(part: ElementPart[Node] | ElementPart[Edge]) -> str:
    return part.id


# Reading and telling an element takes a quarter of a millisecond: 500 nodes and their edges 0.3 s,
# after every change in the browser. Of the stored documents it takes so long once.
_kept: Final = BoundedCache[ElementPart[Node] | ElementPart[Edge]](60_000, 96 * 1024**2)
_kept_whole: Final = BoundedCache[DocumentParts](256, 32 * 1024**2)


def parts_of(data: bytes) -> DocumentParts:
    """Returns the parts of a stored document."""

    def read() -> tuple[DocumentParts, int]:
        given = orjson.loads(data)
        found = _parts(given["name"], given.get("reducers", {}), given["nodes"], given["edges"])
        return found, 4 * len(data)

    return _kept_whole.get((digest(data), *_state()), read)


def _state() -> tuple[object, ...]:
    """Returns what summaries depend on besides the element itself."""
    known = standard()
    return (get_language(), known.processors.names(), known.transforms.names())


def _parts(
    name: str,
    reducers: Mapping[str, str],
    nodes: Sequence[ElementPart[Node] | JsonValue],
    edges: Sequence[ElementPart[Edge] | JsonValue],
) -> DocumentParts:
    state = _state()
    read_nodes = [e if isinstance(e, ElementPart) else _part(Node, e, state) for e in nodes]
    read_edges = [e if isinstance(e, ElementPart) else _part(Edge, e, state) for e in edges]
    document = Document.model_construct(
        name=name,
        reducers=dict(reducers),
        nodes=tuple(part.element for part in read_nodes if part.element is not None),
        edges=tuple(part.element for part in read_edges if part.element is not None),
    )
    return DocumentParts(read_nodes, read_edges, document)


def _part(
    model: type[ElementT], raw: JsonValue, state: tuple[object, ...]
) -> ElementPart[ElementT]:
    data = dumps(raw)

    def make() -> tuple[ElementPart[ElementT], int]:
        return ElementPart(model, raw, standard()), 4 * len(data) + 1024

    found: ElementPart[ElementT] = _kept.get((model, digest(data), state), make)  # type: ignore[assignment]
    return found


def problems_in(parts: DocumentParts) -> list[Problem]:
    """Returns all problems of a document, errors first; pointers lead into it.

    Raises ValidationFailed for more rules and conditions than are checked.
    """
    excess = problems.find_excess(parts.document)
    if excess is not None:
        raise ValidationFailed(excess.message, problems=[excess.as_field_problem()])
    found: list[Problem] = []
    summaries = (*(each.findings for each in parts.nodes), *(each.findings for each in parts.edges))
    for number, each in enumerate(summaries):
        place = number - len(parts.nodes)
        head = f"/nodes/{number}" if place < 0 else f"/edges/{place}"
        for problem in each.problems:
            found.append(replace(problem, pointer=f"{head}{problem.pointer}"))
    node_places = [place for place, part in enumerate(parts.nodes) if part.element is not None]
    edge_places = [place for place, part in enumerate(parts.edges) if part.element is not None]
    places = {"nodes": node_places, "edges": edge_places}
    for problem in problems.check_graph(parts.document):
        found.append(replace(problem, pointer=_moved(problem.pointer, places)))
    return problems.sorted_problems(found)


def _moved(pointer: str, places: Mapping[str, Sequence[int]]) -> str:
    """Returns a pointer into the readable part as one into the whole document."""
    steps = pointer.split("/")
    if len(steps) > 2 and steps[1] in places:
        steps[2] = str(places[steps[1]][int(steps[2])])
    return "/".join(steps)
