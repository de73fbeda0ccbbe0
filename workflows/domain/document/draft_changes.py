"""Changes of a workflow document, element by element, and the resulting document."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Generic, TypeVar

from pydantic import Field

from ctxadmin.lib.contract import Contract
from ctxadmin.lib.errors import FieldProblem, ValidationFailed
from ctxadmin.lib.sentence import say
from workflows.domain.document.graph import (
    MAX_EDGES,
    MAX_NAME,
    MAX_NODES,
    MAX_REDUCERS,
    Document,
    Edge,
    Node,
)

ElementT = TypeVar("ElementT")
NodeT = TypeVar("NodeT")
EdgeT = TypeVar("EdgeT")
OldT = TypeVar("OldT")

Key = Annotated[str, Field(max_length=10_000)]


class AddedElement(Contract, Generic[ElementT]):
    """A new element; ``at`` is its position in the resulting list, from 0."""

    at: Annotated[int, Field(ge=0, lt=2**31)] = Field(
        description="Its place in the list that results, counted from 0.", examples=[13]
    )
    element: ElementT = Field(description="The new element.")


class ElementChanges(Contract, Generic[ElementT]):
    """Changes of the nodes, or of the edges, of a document.

    Elements are named by their id. Of several with one id, which a draft can have, the second is
    named ``id~2``, the third ``id~3``, as before the changes.
    """

    changed: Annotated[dict[Key, ElementT], Field(max_length=MAX_EDGES)] = Field(
        {}, description="Elements as they are from now on, by id."
    )
    removed: Annotated[list[Key], Field(max_length=MAX_EDGES)] = Field(
        [], description="Ids of the elements that are removed.", examples=[["draft"]]
    )
    added: Annotated[list[AddedElement[ElementT]], Field(max_length=MAX_EDGES)] = Field(
        [], description="New elements, each with its place."
    )

    def apply(
        self, elements: Sequence[OldT], name_of: Callable[[OldT], str], pointer: str
    ) -> list[OldT | ElementT]:
        """Returns the elements after the changes.

        Raises ValidationFailed if a named one is missing.
        """
        keys = keys_of(map(name_of, elements))
        found: dict[str, OldT | ElementT] = dict(zip(keys, elements, strict=True))
        for key in self.removed:
            if found.pop(key, None) is None:
                raise _unknown(f"{pointer}/removed", key)
        for key, element in self.changed.items():
            if key not in found:
                raise _unknown(f"{pointer}/changed", key)
            found[key] = element
        result = list(found.values())
        for each in sorted(self.added, key=lambda added: added.at):
            result.insert(each.at, each.element)
        return result


def _unknown(pointer: str, key: str) -> ValidationFailed:
    return ValidationFailed.at(pointer, say("there is no element {name}", name=repr(key[:64])))


def keys_of(names: Iterable[str]) -> list[str]:
    """Returns distinct keys for elements that can share an id: ``id``, ``id~2``, ``id~3`` ..."""
    seen: Counter[str] = Counter()
    keys = []
    for name in names:
        seen[name] += 1
        keys.append(name if seen[name] == 1 else f"{name}~{seen[name]}")
    return keys


class DocumentChanges(Contract, Generic[NodeT, EdgeT]):
    """Changes of a workflow document; what is omitted stays as it is."""

    name: Annotated[str, Field(max_length=MAX_NAME)] | None = Field(
        None, description="The new name of the workflow.", examples=["Support"]
    )
    nodes: ElementChanges[NodeT] = Field(
        ElementChanges[NodeT](), description="Changes of the nodes."
    )
    edges: ElementChanges[EdgeT] = Field(
        ElementChanges[EdgeT](), description="Changes of the edges."
    )
    reducers: Annotated[dict[str, str], Field(max_length=MAX_REDUCERS)] | None = Field(
        None,
        description="All reducers as they are from now on, by state key or pattern.",
        examples=[{"notes.*": "append"}],
    )


class AddedNode(AddedElement[Node]):
    """A new node of a draft."""


class AddedEdge(AddedElement[Edge]):
    """A new edge of a draft."""


class NodeChanges(ElementChanges[Node]):
    """Changes of the nodes of a draft, each named by its id.

    Of several nodes with one id, which a draft can have, the second is ``id~2``, the third
    ``id~3``, counted before the changes.
    """

    added: Annotated[list[AddedNode], Field(max_length=MAX_NODES)] = Field(  # type: ignore[assignment]
        [], description="New nodes, each with its place."
    )


class EdgeChanges(ElementChanges[Edge]):
    """Changes of the edges of a draft, each named by its id, as for nodes."""

    added: Annotated[list[AddedEdge], Field(max_length=MAX_EDGES)] = Field(  # type: ignore[assignment]
        [], description="New edges, each with its place."
    )


class DraftChanges(DocumentChanges[Node, Edge]):
    """Changes of a draft; what is omitted stays as it is.

    Its elements must be readable; they can have problems.
    """

    nodes: NodeChanges = Field(NodeChanges(), description="Changes of the nodes.")
    edges: EdgeChanges = Field(EdgeChanges(), description="Changes of the edges.")

    def apply_to(self, document: Document, pointer: str) -> Document:
        """Returns the document after the changes, which are at ``pointer`` of the input."""
        nodes = self.nodes.apply(document.nodes, lambda node: node.id, f"{pointer}/nodes")
        edges = self.edges.apply(document.edges, lambda edge: edge.id, f"{pointer}/edges")
        refuse_too_many(len(nodes), len(edges), pointer)
        made: dict[str, object] = {"nodes": tuple(nodes), "edges": tuple(edges)}
        if self.name is not None:
            made["name"] = self.name
        if self.reducers is not None:
            made["reducers"] = self.reducers
        return document.model_copy(update=made)


def refuse_too_many(nodes: int, edges: int, pointer: str) -> None:
    """Raises ValidationFailed for more nodes or edges than a document can have."""
    for name, count, most in (("nodes", nodes, MAX_NODES), ("edges", edges, MAX_EDGES)):
        if count > most:
            message = say("this must have at most {n} items", n=most)
            problem = FieldProblem(f"{pointer}/{name}", message)
            raise ValidationFailed(message, problems=[problem])
